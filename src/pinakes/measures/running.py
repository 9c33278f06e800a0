"""Values of pages in the order they were fetched, as curves over the pages crawled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pinakes.measures.curves import Curve

POINTS = (100, 500, 1000)
"""Where 004 §7 compares crawlers."""


def running_mean(values: Sequence[float], budget: int) -> Curve:
    """The mean of the first 1, 2, … `budget` values; flat after the last one, NaN where there is none at all."""
    return _flat(np.cumsum(values[:budget]) / np.arange(1, min(len(values), budget) + 1), budget)


def sliding_mean(values: Sequence[float], budget: int, width: int = 200) -> Curve:
    """The mean of the last `width` values (001 fig. 5), of fewer while there are fewer."""
    sums = np.concatenate([[0.0], np.cumsum(values[:budget])])
    ends = np.arange(1, len(sums))
    starts = np.maximum(0, ends - width)
    return _flat((sums[ends] - sums[starts]) / (ends - starts), budget)


def values_of(urls: Sequence[str], pages: Mapping[str, float]) -> list[float]:
    """The values of the pages of a crawl, in its order."""
    return [pages[url] for url in urls]


def grid(budget: int, points: int = 50) -> tuple[int, ...]:
    """The numbers of pages at which curves are kept: evenly spread, the points of comparison and the end included."""
    even = {round(budget * step / points) for step in range(1, points + 1)}
    return tuple(sorted({at for at in even | set(POINTS) if 1 <= at <= budget}))


def comparison_points(budget: int) -> tuple[int, ...]:
    """Where strategies are compared: at 100, 500 and 1,000 pages and at the end, as far as the budget goes."""
    return tuple(sorted({at for at in (*POINTS, budget) if at <= budget}))


def sampled(curve: Curve, at: Sequence[int]) -> Curve:
    """The curve at the given numbers of pages."""
    return curve[np.asarray(at, dtype=np.intp) - 1]


def _flat(values: Curve, budget: int) -> Curve:
    curve = np.full(budget, np.nan)
    curve[: len(values)] = values
    if len(values):
        curve[len(values) :] = values[-1]
    return curve
