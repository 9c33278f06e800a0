"""The default strategy finds its way from whatever says what is wanted, and says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pinakes import demo
from pinakes.jobs.collect import CollectOptions, collect
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.jobs.evaluation.topics import load_topics
from pinakes.jobs.status import status
from pinakes.jobs.taking_up import resume
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


def test_several_topics_at_once(options: CrawlOptions, tmp_path: Path) -> None:
    """Each finds its pages in one crawl: one by examples, one by its words alone."""
    file = tmp_path / "topics.toml"
    file.write_text(
        f"""[[topic]]\nname = "Owls"\nexamples = {list(OWLS.examples)}\n
[[topic]]\nname = "Comets"\ndescription = "comets, their tails and orbits, and who discovered them"\n"""
    )
    result = collect(CollectOptions(topics=file, into=options.into, web="demo", pages=80))
    with Library(result.crawl.library) as library:
        urls = {row[0] for row in library.connection.execute("SELECT final FROM visits WHERE outcome = 'ok'")}
    assert len(urls & OWLS.targets) >= 8 and len(urls & COMETS.targets) >= 8


def test_documents_as_targets(options: CrawlOptions, tmp_path: Path) -> None:
    """A judge of PDF files alone says what is good; evidence learns where they lie."""
    wanted = replace(options, judge="pattern", parameters={"pattern": r"\.pdf$"}, pages=120)
    result = crawl(wanted)
    chance = crawl(replace(wanted, into=tmp_path / "chance", strategy="breadth-first"))
    assert result.nuggets > chance.nuggets


def test_a_short_file_alone(options: CrawlOptions, tmp_path: Path) -> None:
    """Two sentences, and no topic: what is not wanted must not drown what is."""
    file = tmp_path / "owl.txt"
    file.write_text("Barn owls hunt voles at night. The owl hears its prey; owls bring up pellets of fur and bone.\n")
    assert found(crawl(replace(options, examples=(str(file),)))) >= 8


def test_it_stops_when_the_vein_is_exhausted(options: CrawlOptions) -> None:
    """And says so; who asks for more pages gets them."""
    result = crawl(
        replace(options, topic="owls: barn owls, tawny owls and how they hunt at night", pages=600,
                stop_when_exhausted=True)
    )  # fmt: skip
    assert result.stopped == "exhausted" and result.exhausted and 200 <= result.pages < 600
    assert found(result) >= 0.9 * len(OWLS.targets)
    known = status(result.library).crawls[-1]
    assert known.exhausted and known.vein.startswith("The vein seems exhausted: ")
    more = resume(result.library, pages=result.pages + 10)
    assert more.stopped == "budget" and more.pages == result.pages + 10 and more.exhausted
