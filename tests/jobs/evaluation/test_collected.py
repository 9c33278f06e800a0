"""Topics from the collections of a library."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from pinakes.core.errors import PinakesError
from pinakes.jobs.collect import CollectOptions, collect
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.collected import topics_of_library
from pinakes.jobs.evaluation.entrants import entrants_of
from pinakes.jobs.evaluation.topics import load_topics, save_topics


def test_what_was_collected_is_what_should_be_found_again(tmp_path: Path) -> None:
    """Collections become topics; in a file they are the same; and a library can be evaluated on at once."""
    library = tmp_path / "library"
    collect(CollectOptions(Path("demo:topics.toml"), library, web="demo", pages=80))
    topics = topics_of_library(library, examples=2)
    wanted = [topic for topic in topics if topic.targets]
    assert wanted and all(len(topic.examples) == 2 and topic.seeds for topic in wanted)
    assert all(set(topic.examples) < topic.relevant for topic in wanted)
    save_topics(topics, tmp_path / "topics.jsonl")
    read = load_topics(tmp_path / "topics.jsonl")
    assert [(topic.id, topic.seeds, topic.relevant) for topic in read] == [
        (topic.id, topic.seeds, topic.relevant) for topic in topics
    ]
    options = EvaluateOptions(
        tmp_path / "out", entrants_of("breadth-first"), str(library), "demo", 20, measures=(), processes=1
    )
    assert evaluate(options).results["strategies"]["breadth-first"]["per_topic"]


def test_a_library_without_collections_says_so(tmp_path: Path) -> None:
    pinakes.crawl(topic="owls", web="demo", seeds=["http://www.pinakes.example/"], pages=5, into=tmp_path / "library")
    with pytest.raises(PinakesError, match="holds no collections"):
        topics_of_library(tmp_path / "library")
