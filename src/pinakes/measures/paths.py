"""The path study of 000 §5: what the correlations along a crawl's paths say about where nuggets are.

A *path* goes from one nugget to the next; its length is its duds plus two. A page's *level* is one more than its
parent's distance from the last nugget. Brackets are a tenth of the threshold wide, which is the paper's .05 at its
threshold of .5, and "high-scoring, but not a nugget" is the last bracket below the threshold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import NamedTuple

BANDS = 10
"""Brackets between 0 and the threshold."""


class Step(NamedTuple):
    """A page that came home."""

    url: str
    parent: str
    """The page it was first met on; empty for a seed."""
    score: float
    nugget: bool
    level: int
    """1 + the parent's distance (000 §4); 0 for a seed."""

    @property
    def seed(self) -> bool:
        return not self.level


class Sample(NamedTuple):
    """How a crawl stood at some time."""

    seconds: float
    pages: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Level:
    """A row of table 2."""

    level: int
    pages: int
    mean: float
    most: float
    nuggets: int


@dataclass(frozen=True, slots=True)
class Bracket:
    """A row of table 3; `high` is the upper end."""

    high: float
    pages: int
    share: float
    children: int
    """Children of high-scoring duds in it."""
    children_share: float


@dataclass(frozen=True, slots=True)
class Onward:
    """A row of table 4: children of nuggets, by correlation."""

    high: float
    pages: int
    """Those below which a nugget was found."""
    mean: float | None
    deviation: float | None
    without: int
    """Those below which none was."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """A panel of fig. 1: grandparents' correlations of nuggets and of duds, given the parents'."""

    low: float
    high: float
    """The parents' correlations lie between these."""
    nuggets: tuple[float, ...]
    """The part of the nuggets whose grandparent is in each bracket up to the threshold."""
    duds: tuple[float, ...]
    count_nuggets: int
    count_duds: int


@dataclass(frozen=True, slots=True)
class PathStudy:
    """Everything the study says of one crawl."""

    name: str
    strategy: str
    threshold: float
    pages: int
    """Without duplicates."""
    nuggets: int
    mean: float
    """Of all correlations, seeds left out."""
    seconds: float
    frontier: int
    final_rate: float
    """Pages a second over the last tenth of the crawl."""
    levels: tuple[Level, ...]
    brackets: tuple[Bracket, ...]
    onward: tuple[Onward, ...]
    ancestry: tuple[Ancestry, ...]
    completed: int
    terminated: int
    """Paths whose last dud had nothing more to be followed: the cutoff ended it, or all its links were known."""
    incomplete: int
    """Paths whose last dud has links that still waited when the crawl ended."""
    lengths: Mapping[int, int]
    """Completed paths by their length."""
    above_half: int
    """Pages with at least half the threshold: the paper's .25."""
    bands: Mapping[str, int]
    """Pages by correlation, in tenths from the threshold up: the second part of table 5."""
    samples: tuple[Sample, ...] = field(default=())


def study(
    steps: Sequence[Step],
    waiting: Mapping[str, int] | frozenset[str],
    samples: Sequence[Sample],
    *,
    name: str,
    strategy: str,
    threshold: float,
) -> PathStudy:
    """Study a crawl. `waiting` are the pages some of whose links still wait."""
    followed = [step for step in steps if not step.seed]
    lengths = Counter(step.level + 1 for step in followed if step.nugget)
    parents = {step.parent for step in steps}
    last_duds = [step for step in followed if not step.nugget and step.url not in parents]
    incomplete = sum(step.url in waiting for step in last_duds)
    return PathStudy(
        name=name,
        strategy=strategy,
        threshold=threshold,
        pages=len(steps),
        nuggets=sum(step.nugget for step in steps),
        mean=_mean([step.score for step in followed]),
        seconds=samples[-1].seconds if samples else 0.0,
        frontier=samples[-1].waiting if samples else 0,
        final_rate=final_rate(samples),
        levels=tuple(_levels(followed)),
        brackets=tuple(_brackets(steps, threshold)),
        onward=tuple(_onward(steps, threshold)),
        ancestry=tuple(_ancestry(steps, threshold)),
        completed=sum(lengths.values()),
        terminated=len(last_duds) - incomplete,
        incomplete=incomplete,
        lengths=dict(sorted(lengths.items())),
        above_half=sum(step.score >= threshold / 2 for step in steps),
        bands=_bands(steps, threshold),
        samples=tuple(samples),
    )


def bracket(score: float, threshold: float) -> int:
    """The number of a score's bracket, each a tenth of the threshold wide and closed above: (.45, .5] is the tenth."""
    return max(0, ceil(score / threshold * BANDS - 1e-9) - 1)


def final_rate(samples: Sequence[Sample]) -> float:
    """Pages a second over the last tenth of the crawl's time."""
    if len(samples) < 2 or samples[-1].seconds <= 0:
        return 0.0
    end = samples[-1]
    begin = next(s for s in reversed(samples[:-1]) if s.seconds <= 0.9 * end.seconds or s is samples[0])
    return (end.pages - begin.pages) / max(1e-9, end.seconds - begin.seconds)


def _levels(followed: Sequence[Step]) -> list[Level]:
    """Table 2."""
    by_level: dict[int, list[Step]] = defaultdict(list)
    for step in followed:
        by_level[step.level].append(step)
    return [
        Level(n, len(found), _mean([s.score for s in found]), max(s.score for s in found), sum(s.nugget for s in found))
        for n, found in sorted(by_level.items())
    ]


def _brackets(steps: Sequence[Step], threshold: float) -> list[Bracket]:
    """Table 3: everybody against the children of high-scoring duds."""
    high = {step.url for step in steps if not step.nugget and bracket(step.score, threshold) == BANDS - 1}
    everybody = Counter(bracket(step.score, threshold) for step in steps)
    children = Counter(bracket(step.score, threshold) for step in steps if step.parent in high)
    total, grown = sum(everybody.values()) or 1, sum(children.values()) or 1
    width = threshold / BANDS
    return [
        Bracket(round((n + 1) * width, 6), everybody[n], everybody[n] / total, children[n], children[n] / grown)
        for n in range(max(everybody, default=-1) + 1)
    ]


def _onward(steps: Sequence[Step], threshold: float) -> list[Onward]:
    """Table 4: how far below a nugget's child the next nugget is; 0 when the child links to one."""
    below = _below(steps)
    nuggets = {step.url for step in steps if step.nugget}
    found: dict[int, list[int]] = defaultdict(list)
    without: Counter[int] = Counter()
    for step in steps:
        if step.nugget or step.parent not in nuggets:
            continue
        number = bracket(step.score, threshold)
        if step.url in below:
            found[number].append(below[step.url])
        else:
            without[number] += 1
    rows = []
    for number in range(BANDS):
        lengths = found.get(number, [])
        mean = _mean(lengths) if lengths else None
        deviation = sqrt(_mean([(x - mean) ** 2 for x in lengths])) if mean is not None else None
        rows.append(Onward(round((number + 1) * threshold / BANDS, 6), len(lengths), mean, deviation, without[number]))
    return rows


def _below(steps: Sequence[Step]) -> dict[str, int]:
    """Duds between each page and the nearest nugget below it in the tree of the crawl."""
    nearest: dict[str, int] = {}
    # Children come home after their parents, so that going backwards meets them first.
    for step in reversed(steps):
        own = 0 if step.nugget else (nearest[step.url] + 1 if step.url in nearest else None)
        if own is not None and step.parent:
            nearest[step.parent] = min(nearest.get(step.parent, own), own)
    return nearest


def _ancestry(steps: Sequence[Step], threshold: float) -> list[Ancestry]:
    """Fig. 1: given a dud parent's correlation, low or high, the grandparents' of nuggets and of duds."""
    by_url = {step.url: step for step in steps}
    panels = []
    for low, high in ((0.0, threshold / 2), (threshold / 2, threshold)):
        counts: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
        for step in steps:
            parent = by_url.get(step.parent)
            grandparent = by_url.get(parent.parent) if parent else None
            if parent is None or grandparent is None or parent.nugget or grandparent.nugget:
                continue
            if low <= parent.score < high or (parent.score == high == threshold / 2 and low == 0.0):
                counts[step.nugget][min(BANDS - 1, bracket(grandparent.score, threshold))] += 1
        totals = {nugget: sum(found.values()) for nugget, found in counts.items()}
        shares = {
            nugget: tuple(found[n] / max(1, totals[nugget]) for n in range(BANDS)) for nugget, found in counts.items()
        }
        panels.append(Ancestry(low, high, shares[True], shares[False], totals[True], totals[False]))
    return panels


def _bands(steps: Sequence[Step], threshold: float) -> dict[str, int]:
    """Table 5: from the threshold up, in fifths of what is left to 1 (.5-.6 … .9-1 at the paper's threshold)."""
    width = (1.0 - threshold) / 5
    counts = Counter(min(4, int((step.score - threshold) / width)) for step in steps if step.score >= threshold)
    return {f"{threshold + n * width:.2g}–{threshold + (n + 1) * width:.2g}": counts[n] for n in range(5)}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
