"""What an evaluation is told, and what every process that takes part must know: plain data, the same for all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

import pinakes
from pinakes import __version__
from pinakes.jobs.evaluation.entrants import ORACLE, Entrant, source_of
from pinakes.jobs.evaluation.topics import EvaluationTopic

SET_UP = ("core", "formats", "frontier", "graph", "jobs/evaluation", "judges", "models", "strategies", "text", "web")
"""The rooms whose code makes a run what it is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that makes the runs what they are."""

    web: str
    digest: str
    """What the web is made of."""
    topics: tuple[EvaluationTopic, ...]
    entrants: tuple[Entrant, ...]
    pages: int = 1000
    judge: str = ""
    """The crawling judge, for strategies that ask one; empty for the one each goes by."""
    threshold: str = ""
    """Its threshold, where it is not its own."""
    dead_links: bool = False
    dedup: bool = False
    first_bytes: int | None = None
    random_state: int = 0
    measures: tuple[str, ...] = ()
    weights: str = "smart"
    """How the retrieval system of 004 §4.2 weighs terms: as SMART's *atc* does, or as the paper has it `printed`."""
    window: int = 200
    """Downloads of the sliding window (001 fig. 5)."""
    window_by: str = "judge"
    """What is averaged in it: what the evaluation `judge` says, or the `likelihood` of 001."""
    processes: int = 1
    """How many share the machine's memory; changes no run."""

    def topic(self, name: str) -> EvaluationTopic:
        return next(topic for topic in self.topics if topic.id == name)

    def entrant(self, name: str) -> Entrant:
        return next(entrant for entrant in self.entrants if entrant.name == name)

    def key(self, task: Task) -> str:
        """A few characters that change with anything the run depends on."""
        entrant = self.entrant(task.entrant)
        made_by: list[Any] = [
            __version__,
            _code(),
            self.digest,
            [_plain(topic) for topic in self.topics],
            task.topic,
            task.half,
            entrant.strategy,
            sorted((name, str(value)) for name, value in entrant.parameters.items()),
            entrant.max_buffer,
            hashlib.sha256(source_of(entrant)).hexdigest(),
            self.pages,
            [self.dead_links, self.dedup, self.first_bytes, self.random_state],
        ]
        if entrant.strategy != ORACLE:
            made_by += [self.judge, self.threshold]
        return hashlib.sha256(msgspec.json.encode(made_by)).hexdigest()[:16]


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """A crawl to be run."""

    topic: str
    entrant: str
    half: int = 0
    """1 or 2: from the first or the second half of the seeds only (004 §3.2)."""


def tasks_of(plan: Plan) -> list[Task]:
    """The crawls an evaluation is made of; topic by topic, since those of one topic meet the same pages."""
    halves: Iterable[int] = (0, 1, 2) if "robustness" in plan.measures else (0,)
    return [
        Task(topic.id, entrant.name, half)
        for topic in plan.topics
        for entrant in plan.entrants
        for half in (halves if entrant.strategy != ORACLE and len(topic.seeds) > 1 else (0,))
    ]


def _plain(topic: EvaluationTopic) -> list[Any]:
    return [topic.id, topic.name, topic.description, topic.examples, topic.seeds, sorted(topic.relevant)]


@cache
def _code() -> str:
    """A digest of the code that runs are made by: a run is kept for the code that made it."""
    home = Path(pinakes.__file__).parent
    found = hashlib.sha256()
    for room in SET_UP:
        for file in sorted((home / room).glob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()
