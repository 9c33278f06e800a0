"""Breadth-first: first in, first out."""

from __future__ import annotations

from pinakes.core.page import Brief
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.toy import ToyWeb
from pinakes.testing.trial import Trial

A, B, C, D, E, F = (f"http://{name}.example/" for name in "abcdef")


def test_pages_come_level_by_level() -> None:
    """All links of the seeds come before any link of theirs, in the order they stand on the pages."""
    web = ToyWeb({A: ("a", [C, D]), B: ("b", [E]), C: ("c", [F, B]), D: "d", E: "e", F: "f"})
    trial = Trial(web, BreadthFirst(Brief()), CosineJudge(Brief()), [A, B]).go()
    assert trial.order == [A, B, C, D, E, F]
    assert [step.depth for step in trial.steps] == [0, 0, 1, 1, 1, 2]


def test_beyond_the_limit_the_latest_are_dropped() -> None:
    """What was met first stays; what is dropped is found again when another page links to it."""
    web = ToyWeb({A: ("a", [B, C, D, E]), B: "b", C: ("c", [E]), D: "d", E: "e"})
    trial = Trial(web, BreadthFirst(Brief(), limit=2), CosineJudge(Brief()), [A]).go()
    assert trial.order == [A, B, C, E]
    assert ("dropped", ["evicted", [E, D]]) in trial.journal.notes
