"""The path study of 000 §5: what the correlations along a crawl's paths say about where nuggets are.

A *path* goes from one nugget to the next; its length is its duds plus two. A page's *level* is one more than its
parent's distance from the last nugget. Brackets are a tenth of the threshold wide, which is the paper's .05 at its
threshold of .5, and "high-scoring, but not a nugget" is the last bracket below the threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

BANDS = 10
"""Brackets between 0 and the threshold."""


class Steps(NamedTuple):
    """Pages that came home, in order, as columns; addresses are hashes."""

    url: Ints
    parent: Ints
    """The page each was first met on; 0 for a seed."""
    score: NDArray[np.float64]
    nugget: NDArray[np.bool_]
    level: Ints
    """1 + the parent's distance (000 §4); 0 for a seed."""


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
    steps: Steps,
    waiting: Ints,
    samples: Sequence[Sample],
    *,
    name: str,
    strategy: str,
    threshold: float,
) -> PathStudy:
    """Study a crawl. `waiting` are hashes of the pages some of whose links still wait."""
    tree = _Tree(steps, threshold)
    followed = steps.level > 0
    lengths = Counter((steps.level[followed & steps.nugget] + 1).tolist())
    last_duds = steps.url[followed & ~steps.nugget & ~np.isin(steps.url, steps.parent)]
    incomplete = int(np.isin(last_duds, waiting).sum())
    return PathStudy(
        name=name,
        strategy=strategy,
        threshold=threshold,
        pages=len(steps.url),
        nuggets=int(steps.nugget.sum()),
        mean=_mean(steps.score[followed]),
        seconds=samples[-1].seconds if samples else 0.0,
        frontier=samples[-1].waiting if samples else 0,
        final_rate=final_rate(samples),
        levels=tuple(_levels(steps)),
        brackets=tuple(_brackets(tree)),
        onward=tuple(_onward(tree)),
        ancestry=tuple(_ancestry(tree)),
        completed=sum(lengths.values()),
        terminated=len(last_duds) - incomplete,
        incomplete=incomplete,
        lengths=dict(sorted(lengths.items())),
        above_half=int((steps.score >= threshold / 2).sum()),
        bands=_bands(steps.score, threshold),
        samples=tuple(samples),
    )


class _Tree:
    """A crawl as a tree: the place of each page's parent among the pages, or -1, and the bracket of each."""

    def __init__(self, steps: Steps, threshold: float) -> None:
        self.steps, self.threshold = steps, threshold
        order = np.argsort(steps.url, kind="stable")
        found = np.searchsorted(steps.url, steps.parent, sorter=order)
        at = order[np.minimum(found, len(order) - 1)] if len(order) else found
        self.parent = np.where(steps.url[at] == steps.parent, at, -1) if len(order) else found
        scaled = np.ceil(steps.score / threshold * BANDS - 1e-9) - 1
        self.bracket = np.maximum(0, scaled).astype(np.int64)

    def of_parents(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Is a page's parent marked?"""
        return (self.parent >= 0) & marked[self.parent]


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


def _levels(steps: Steps) -> list[Level]:
    """Table 2; seeds are not included."""
    rows = []
    for n in np.unique(steps.level[steps.level > 0]).tolist():
        there = steps.level == n
        scores, nuggets = steps.score[there], steps.nugget[there]
        rows.append(Level(n, len(scores), _mean(scores), float(scores.max()), int(nuggets.sum())))
    return rows


def _brackets(tree: _Tree) -> list[Bracket]:
    """Table 3: everybody against the children of high-scoring duds."""
    high = ~tree.steps.nugget & (tree.bracket == BANDS - 1)
    everybody = np.bincount(tree.bracket)
    children = np.bincount(tree.bracket[tree.of_parents(high)], minlength=len(everybody))
    total, grown = int(everybody.sum()) or 1, int(children.sum()) or 1
    width = tree.threshold / BANDS
    return [
        Bracket(round((n + 1) * width, 6), one, one / total, child, child / grown)
        for n, (one, child) in enumerate(zip(everybody.tolist(), children.tolist(), strict=True))
    ]


def _onward(tree: _Tree) -> list[Onward]:
    """Table 4: how far below a nugget's child the next nugget is; 0 when the child links to one."""
    below = _below(tree)
    children = ~tree.steps.nugget & tree.of_parents(tree.steps.nugget)
    rows = []
    for number in range(BANDS):
        there = children & (tree.bracket == number)
        lengths = below[there & (below >= 0)].tolist()
        mean = _mean(lengths) if lengths else None
        deviation = sqrt(_mean([(x - mean) ** 2 for x in lengths])) if mean is not None else None
        without = int((there & (below < 0)).sum())
        rows.append(Onward(round((number + 1) * tree.threshold / BANDS, 6), len(lengths), mean, deviation, without))
    return rows


def _below(tree: _Tree) -> Ints:
    """Duds between each page and the nearest nugget below it in the tree of the crawl; -1 where there is none."""
    parents, nuggets = tree.parent.tolist(), tree.steps.nugget.tolist()
    nearest = [-1] * len(parents)
    # Children come home after their parents, so that going backwards meets them first.
    for place in range(len(parents) - 1, -1, -1):
        parent = parents[place]
        own = 0 if nuggets[place] else nearest[place] + 1 if nearest[place] >= 0 else -1
        if own >= 0 and parent >= 0 and (nearest[parent] < 0 or own < nearest[parent]):
            nearest[parent] = own
    return np.array(nearest, np.int64)


def _ancestry(tree: _Tree) -> list[Ancestry]:
    """Fig. 1: given a dud parent's correlation, low or high, the grandparents' of nuggets and of duds."""
    steps, half = tree.steps, tree.threshold / 2
    grandparent = np.where(tree.parent >= 0, tree.parent[tree.parent], -1) if len(tree.parent) else tree.parent
    through = (tree.parent >= 0) & (grandparent >= 0) & ~steps.nugget[tree.parent] & ~steps.nugget[grandparent]
    scores = steps.score[tree.parent]
    panels = []
    for low, high in ((0.0, half), (half, tree.threshold)):
        between = (low <= scores) & (scores < high)
        if low == 0.0:
            between |= scores == half
        shares, totals = [], []
        for nugget in (True, False):
            there = through & between & (steps.nugget == nugget)
            counts = np.bincount(np.minimum(BANDS - 1, tree.bracket[grandparent[there]]), minlength=BANDS)
            totals.append(int(counts.sum()))
            shares.append(tuple((counts / max(1, totals[-1])).tolist()))
        panels.append(Ancestry(low, high, shares[0], shares[1], *totals))
    return panels


def _bands(scores: NDArray[np.float64], threshold: float) -> dict[str, int]:
    """Table 5: from the threshold up, in fifths of what is left to 1 (.5-.6 … .9-1 at the paper's threshold)."""
    width = (1.0 - threshold) / 5
    above = scores[scores >= threshold]
    counts = np.bincount(np.minimum(4, ((above - threshold) / width).astype(np.int64)), minlength=5).tolist()
    return {f"{threshold + n * width:.2g}–{threshold + (n + 1) * width:.2g}": counts[n] for n in range(5)}


def _mean(values: Sequence[float] | NDArray[np.float64]) -> float:
    return sum(values) / len(values) if len(values) else 0.0
