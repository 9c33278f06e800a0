"""The default strategy finds its way from whatever says what is wanted, and says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pinakes import demo
from pinakes.jobs.crawl import CrawlOptions, CrawlResult, crawl
from pinakes.jobs.evaluation.topics import load_topics
from pinakes.jobs.train import TrainJudgeOptions, train_judge
from pinakes.jobs.why import why
from pinakes.library.library import Library
from pinakes.strategies.link_evidence import FEATURES

FRONT = "http://www.pinakes.example/"
TOPICS = {topic.id: topic for topic in load_topics(demo.path("topics.jsonl"))}
OWLS, COMETS = TOPICS["owls"], TOPICS["comets"]


def found(result: CrawlResult) -> int:
    """How many pages about owls a crawl brought home."""
    with Library(result.library) as library:
        urls = {row[0] for row in library.connection.execute("SELECT final FROM visits WHERE outcome = 'ok'")}
    return len(urls & (OWLS.targets | set(OWLS.examples)))


@pytest.fixture
def options(tmp_path: Path) -> CrawlOptions:
    return CrawlOptions(into=tmp_path / "library", web="demo", seeds=(FRONT,), pages=30)


def test_a_sentence(options: CrawlOptions) -> None:
    """And it says why, of pages fetched and of links that wait."""
    result = crawl(replace(options, topic="owls: barn owls, tawny owls and how they hunt at night"))
    assert found(result) >= 8
    known = why(result.library, "http://www.aviary.example/owls/")
    assert known.path and known.because[0].startswith("linked from")
    with Library(result.library) as library:
        fetched = {row[0] for row in library.connection.execute("SELECT final FROM visits")}
        met = {row[0] for row in library.connection.execute("SELECT url FROM links")}
    waiting = next(answer for url in sorted(met - fetched) if (answer := why(result.library, url)).because)
    assert not waiting.path and waiting.reason.startswith("It waits")
    assert set(waiting.features) == set(FEATURES)


def test_a_few_addresses(options: CrawlOptions) -> None:
    """They are where it starts, and what it looks for."""
    assert found(crawl(replace(options, examples=OWLS.examples[:3], seeds=()))) >= 10


def test_an_example_file(options: CrawlOptions, tmp_path: Path) -> None:
    """Which has no address that could be asked for back-links."""
    file = tmp_path / "owl.txt"
    file.write_text(
        "Barn owls hunt voles at night. The owl hears its prey; owls bring up pellets of fur and bone.\n" * 5
    )
    assert found(crawl(replace(options, topic="owls", examples=(str(file),)))) >= 8


def test_a_trained_judge(options: CrawlOptions, tmp_path: Path) -> None:
    """It alone says what is good: there is no topic."""
    judge = tmp_path / "owls.json"
    train_judge(
        TrainJudgeOptions(
            out=judge, examples=OWLS.examples, negatives=(*COMETS.examples, *TOPICS["weaving"].examples), web="demo"
        )
    )
    assert found(crawl(replace(options, judge=str(judge)))) >= 5
