"""Robustness and remoteness (004 §3.2): does a crawl depend on where it began, and how far does it get?"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import numpy as np

from pinakes.core.page import host_of
from pinakes.measures.curves import Curve


def halves(seeds: Sequence[str]) -> tuple[list[str], list[str]]:
    """The seeds dealt into two halves by turns; with one seed the second half is empty."""
    return list(seeds[::2]), list(seeds[1::2])


def overlap(a: Sequence[str], b: Sequence[str], budget: int) -> Curve:
    """The share of pages two crawls have in common after 1, 2, … `budget` pages of each, of the larger one's."""
    seen: tuple[set[str], set[str]] = (set(), set())
    curve = np.zeros(budget)
    common = 0
    for at in range(budget):
        for mine, other, urls in ((seen[0], seen[1], a), (seen[1], seen[0], b)):
            if at < len(urls) and urls[at] not in mine:
                mine.add(urls[at])
                common += urls[at] in other
        curve[at] = common / max(len(seen[0]), len(seen[1]), 1)
    return curve


def server_overlap(a: Sequence[str], b: Sequence[str], budget: int) -> Curve:
    """The share of servers two crawls have in common."""
    return overlap([host_of(url) for url in a], [host_of(url) for url in b], budget)


def distances(seeds: Iterable[str], outlinks: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """The least number of links from a seed to each page of a web."""
    found = dict.fromkeys(seeds, 0)
    queue = deque(found)
    while queue:
        url = queue.popleft()
        for target in outlinks(url):
            if target not in found:
                found[target] = found[url] + 1
                queue.append(target)
    return found


def remoteness(urls: Sequence[str], good: Set[str], far: Mapping[str, int], budget: int) -> Curve:
    """The mean distance from the seeds of the good pages among the first 1, 2, … `budget`; NaN while there is none.

    A good page that no path of links leads to (it came by a back-link) is left out.
    """
    curve = np.full(budget, np.nan)
    total = n = 0
    for at, url in enumerate(urls[:budget]):
        if url in good and url in far:
            total, n = total + far[url], n + 1
        if n:
            curve[at] = total / n
    if n:
        curve[min(len(urls), budget) :] = total / n
    return curve
