"""What `evidence` knows of the waiting links: every in-link of every one, and how the pages fetched so far turned out.

Links of one page lie side by side in the arrays, in the order of the page, so that those next to a link are found
round it. What an in-link says once and for all (its parent, its anchor, its surroundings) is added up as it is met;
what depends on how other pages turned out is computed anew each turn, for all links at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.strategies.yields import Columns, Yields, kinds_of

Numbers = NDArray[np.float64]
Rows = NDArray[np.float32]

FEATURES = (
    "bias", "vote_ratio", "vote_max", "log_support", "log_inlinks", "anchor_max", "anchor_mean", "ctx_mean", "url",
    "sib_mean", "sib_max", "near", "tag", "host", "dir", "shape", "path",
)  # fmt: skip
WINDOW = 4
"""Links on either side of a link whose outcome counts as near."""
FEW, SOME = 2.0, 5.0
"""How many pages' worth of the base rate a yield starts with."""
HOPE = 0.05
"""What has not been tried is thought so much better than the base rate, so that a crawl that finds nothing looks
elsewhere rather than on."""
SLOT, PARENT, TAG, AT = range(4)
"""What is known of an in-link."""
URL, COUNT, SUPPORT, VOTE, ANCHOR, ANCHORS, CONTEXTS, PATH = range(POOLED := 8)
"""What is added up, or the best of it kept, over the in-links of a link."""
ROUND = np.arange(-WINDOW, WINDOW + 1)
DEAD = 4096
"""In-links of links that wait no more are let go when there are so many of them, and more than of those that wait."""


class LinkEvidence:
    """Slots are waiting links, slot 0 is for those that wait no more; edges are in-links; parents are fetched pages."""

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self._free: list[int] = []
        self.tags, self.hosts, self.directories, self.shapes = self._kinds = Yields(), Yields(), Yields(), Yields()
        # In-links: each one's slot, page, tag path and place on the page, and how the links round it turned out.
        self._edges, self._near = Columns(np.int64, 4), Columns(np.float32, 2)
        # Pages: how those of their links turned out that were fetched, their sum and number.
        self._parents = Columns(np.float64, 2)
        # Slots: their kinds, and sums and maxima over their in-links.
        self._places, self._pooled = Columns(np.int64, 3), Columns(np.float64, POOLED)
        self._columns = (self._edges, self._near, self._parents, self._places, self._pooled)
        self._dead = 0
        self.meet([""], np.zeros(1))
        del self.slots[""]

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def edges(self) -> int:
        return self._edges.size

    def example(self, url: str, p: float) -> None:
        """A page known beforehand: it counts for its host, directory and shape of address."""
        for yields, kind in zip(self._kinds[1:], kinds_of(url), strict=True):
            yields.add(yields.numbers([kind]), p)

    def fresh(self, urls: Iterable[str]) -> list[str]:
        """Which links are met for the first time."""
        slots = self.slots
        return list(dict.fromkeys([url for url in urls if url not in slots]))

    def meet(self, urls: Sequence[str], likeness: Numbers) -> None:
        """Give slots to links met for the first time; `likeness` is what the words of their addresses say."""
        reused = self._free[max(0, len(self._free) - len(urls)) :]
        del self._free[len(self._free) - len(reused) :]
        more = len(urls) - len(reused)
        size = self._places.size
        slots = np.array([*reused, *range(size, size + more)], np.int64)
        self._places.extend(0, more)
        self._pooled.extend(0.0, more)
        self._pooled.all[:, slots[: len(reused)]] = 0.0
        self._pooled.all[URL, slots] = likeness
        kinds = zip(*map(kinds_of, urls), strict=True)
        for row, (yields, names) in enumerate(zip(self._kinds[1:], kinds, strict=False)):
            self._places.all[row, slots] = yields.numbers(names)
        self.slots.update(zip(urls, slots.tolist(), strict=True))

    def path_of(self, url: str) -> float:
        """How good the best path to a link is."""
        return float(self._pooled.all[PATH, self.slots[url]]) if url in self.slots else 0.0

    def page(
        self, p: float, path: float, urls: Sequence[str], tags: Sequence[str], anchors: Numbers, contexts: Numbers
    ) -> None:
        """A page was fetched, with these links on it, all of which have slots."""
        count, at = len(urls), np.fromiter(map(self.slots.__getitem__, urls), np.int64, len(urls))
        edges = np.empty((4, count), np.int64)
        edges[SLOT], edges[PARENT], edges[TAG], edges[AT] = (
            at,
            self._parents.size,
            self.tags.numbers(tags),
            range(count),
        )
        self._edges.extend(edges, count)
        self._near.extend(0.0, count)
        self._parents.extend(0.0, 1)
        pooled = self._pooled.all
        for row, value in ((COUNT, 1.0), (SUPPORT, p), (ANCHORS, anchors), (CONTEXTS, contexts)):
            np.add.at(pooled[row], at, value)
        for row, value in ((VOTE, p), (ANCHOR, anchors), (PATH, path)):
            np.maximum.at(pooled[row], at, value)
        if self._dead > max(DEAD, self._edges.size // 2):
            self._compact()

    def came_home(self, url: str, p: float | None, *, repeated: bool = False) -> None:
        """A link waits no more; with `p`, what it led to counts for its siblings, neighbours and kind; for its host,
        directory and shape alone where it `repeated` what was fetched before."""
        slot = self.slots.pop(url, None)
        if slot is None:
            return
        _slot, parent, tag, _ = self._edges.all
        edges = np.flatnonzero(_slot == slot)
        if p is not None and not repeated:
            self._tell_neighbours(edges, p)
            total, number = self._parents.all
            np.add.at(total, parent[edges], p)
            np.add.at(number, parent[edges], 1.0)
            self.tags.add(tag[edges], p)
        if p is not None:
            for yields, place in zip(self._kinds[1:], self._places.all[:, slot].tolist(), strict=True):
                yields.add(place, p)
        _slot[edges] = 0
        self._dead += len(edges)
        self._free.append(slot)

    def features(self, base: float) -> Rows:
        """All features of all slots, a column each."""
        size, hope = self._places.size, base + HOPE
        url, count, support, vote, anchor, anchors, contexts, path = self._pooled.all
        several = np.maximum(count, 1.0)
        slot, parent, tag, _ = self._edges.all
        siblings = _smoothed(self._parents.all, FEW, hope)[parent]
        best_sibling = np.zeros(size)
        np.maximum.at(best_sibling, slot, siblings)
        host, directory, shape = self._places.all
        found = np.empty((len(FEATURES), size), np.float32)
        found[0] = 1.0
        found[1] = (support + FEW * base) / (count + FEW)
        found[2] = vote
        found[3] = np.log1p(support)
        found[4] = np.log1p(count)
        found[5] = anchor
        found[6] = anchors / several
        found[7] = contexts / several
        found[8] = url
        found[9] = np.bincount(slot, siblings, size) / several
        found[10] = best_sibling
        found[11] = np.bincount(slot, _smoothed(self._near.all, FEW, hope), size) / several
        found[12] = np.bincount(slot, self.tags.rates(base, SOME)[tag], size) / several
        found[13] = self.hosts.rates(hope, SOME)[host]
        found[14] = self.directories.rates(hope, SOME)[directory]
        found[15] = self.shapes.rates(base, SOME)[shape]
        found[16] = path
        return found

    def forget(self, keep: set[str]) -> None:
        """Let go of what is known of all links but these: they start afresh when met again."""
        gone = [url for url in self.slots if url not in keep]
        lost = np.zeros(self._places.size, bool)
        for url in gone:
            slot = self.slots.pop(url)
            lost[slot] = True
            self._free.append(slot)
        slots = self._edges.all[SLOT]
        slots[lost[slots]] = 0
        self._compact()
        self._places.all[:, self._free] = 0
        used = (self._edges.all[TAG], *self._places.all)
        for yields, places in zip(self._kinds, used, strict=True):
            places[:] = yields.keep(places)[places]

    def state(self) -> Plain:
        return {
            "slots": [list(self.slots), list(self.slots.values()), self._free],
            "columns": [pack(columns.all) for columns in self._columns],
            "yields": [yields.state() for yields in self._kinds],
            "dead": self._dead,
        }

    def restore(self, state: Plain) -> None:
        urls, slots, self._free = state["slots"]
        self.slots, self._dead = dict(zip(urls, slots, strict=True)), state["dead"]
        for columns, packed in zip(self._columns, state["columns"], strict=True):
            columns.replace(unpack(packed))
        for yields, kept in zip(self._kinds, state["yields"], strict=True):
            yields.restore(kept)

    def _tell_neighbours(self, edges: NDArray[np.int64], p: float) -> None:
        """How a link turned out, for those within four places of it on the pages it stands on."""
        _, parent, _, at = self._edges.all
        around = edges[:, None] + ROUND
        windows = np.clip(around, 0, len(parent) - 1)
        near = (parent[windows] == parent[edges, None]) & (windows == around)
        near &= np.abs(at[windows] - at[edges, None]) <= WINDOW
        total, number = self._near.all
        np.add.at(total, windows[near], np.float32(p))
        np.add.at(number, windows[near], np.float32(1.0))

    def _compact(self) -> None:
        """Drop the in-links of links that wait no more, and the pages none of whose links do."""
        waits = self._edges.all[SLOT] > 0
        for columns in (self._edges, self._near):
            columns.replace(columns.all[:, waits])
        parents = self._edges.all[PARENT]
        alive = np.zeros(self._parents.size, bool)
        alive[parents] = True
        parents[:] = (np.cumsum(alive) - 1)[parents]
        self._parents.replace(self._parents.all[:, alive])
        self._dead = 0


def _smoothed(outcomes: NDArray[Any], weight: float, rate: float) -> NDArray[Any]:
    """Means of outcomes, given as sums and numbers, each smoothed by so many outcomes of a rate."""
    (total, number), kind = outcomes, outcomes.dtype.type
    means: NDArray[Any] = (total + kind(weight * rate)) / (number + kind(weight))
    return means
