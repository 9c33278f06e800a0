"""What `evidence` knows of the waiting links: every in-link of every one, and how the pages fetched so far turned out.

Links of one page lie side by side in the arrays, in the order of the page, so that "the links next to this one" is a
window. What an in-link says once and for all (its parent, its anchor, its surroundings) is added up as it is met; what
depends on how other pages turned out is computed anew each turn, for all links at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import host_of
from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.strategies.yields import Column, Yields, directory_of, shape_of

Numbers = NDArray[np.float64]

FEATURES = (
    "bias", "vote_ratio", "vote_max", "log_support", "log_inlinks", "anchor_max", "anchor_mean", "ctx_mean", "url",
    "token", "sib_mean", "sib_max", "near", "tag", "host", "dir", "shape", "path",
)  # fmt: skip
WINDOW = 4
"""Links on either side of a link whose outcome counts as near."""
FEW, SOME = 2.0, 5.0
"""How many pages' worth of the base rate a yield starts with."""
HOPE = 0.05
"""What has not been tried is thought so much better than the base rate, so that a crawl that finds nothing looks
elsewhere rather than on."""


class LinkEvidence:
    """Slots are waiting links, slot 0 is for those that wait no more; edges are in-links; parents are fetched pages."""

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self._free: list[int] = []
        self.tags, self.hosts, self.directories, self.shapes = Yields(), Yields(), Yields(), Yields()
        self._kinds = (self.tags, self.hosts, self.directories, self.shapes)
        # an edge
        self._slot, self._parent, self._tag = Column(np.int32), Column(np.int32), Column(np.int32)
        self._result = Column(np.float32, np.nan)
        # a parent: where its edges lie, and how those of its links turned out that were fetched
        self._start, self._end = Column(np.int64), Column(np.int64)
        self._fetched_sum, self._fetched = Column(np.float64), Column(np.float64)
        # a slot: its kinds, and sums and maxima over its in-links
        self._host, self._directory, self._shape = Column(np.int64), Column(np.int64), Column(np.int64)
        self._url, self._token = Column(np.float64), Column(np.float64)
        self._count, self._support, self._vote = Column(np.float64), Column(np.float64), Column(np.float64)
        self._anchor, self._anchors = Column(np.float64), Column(np.float64)
        self._contexts, self._path = Column(np.float64), Column(np.float64)
        self._edges = (self._slot, self._parent, self._tag, self._result)
        self._parents = (self._start, self._end, self._fetched_sum, self._fetched)
        self._pooled = (
            self._url, self._token, self._count, self._support, self._vote, self._anchor, self._anchors,
            self._contexts, self._path,
        )  # fmt: skip
        self._slots = (self._host, self._directory, self._shape, *self._pooled)
        self.meet([""], np.zeros(1))
        del self.slots[""]

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def edges(self) -> int:
        return self._slot.size

    def example(self, url: str, p: float) -> None:
        """A page known beforehand: it counts for its host, directory and shape of address."""
        self.hosts.add(self.hosts.numbers([host_of(url)]), p)
        self.directories.add(self.directories.numbers([directory_of(url)]), p)
        self.shapes.add(self.shapes.numbers([shape_of(url)]), p)

    def fresh(self, urls: Iterable[str]) -> list[str]:
        """Which links are met for the first time."""
        slots = self.slots
        return list(dict.fromkeys([url for url in urls if url not in slots]))

    def meet(self, urls: Sequence[str], likeness: Numbers) -> None:
        """Give slots to links met for the first time; `likeness` is what the words of their addresses say."""
        reused = self._free[max(0, len(self._free) - len(urls)) :]
        del self._free[len(self._free) - len(reused) :]
        more = len(urls) - len(reused)
        slots = [*reused, *range(self._host.size, self._host.size + more)]
        for column in self._slots:
            column.extend(0, more)
        for column in self._pooled:
            column.all[reused] = 0.0
        self._url.all[slots] = likeness
        self._host.all[slots] = self.hosts.numbers([host_of(url) for url in urls])
        self._directory.all[slots] = self.directories.numbers([directory_of(url) for url in urls])
        self._shape.all[slots] = self.shapes.numbers([shape_of(url) for url in urls])
        self.slots.update(zip(urls, slots, strict=True))

    def path_of(self, url: str) -> float:
        """How good the best path to a link is."""
        return float(self._path.all[self.slots[url]]) if url in self.slots else 0.0

    def page(
        self, p: float, path: float, urls: Sequence[str], tags: Sequence[str], anchors: Numbers, contexts: Numbers
    ) -> None:
        """A page was fetched, with these links on it, all of which have slots."""
        parent, count, start = self._start.size, len(urls), self._slot.size
        self._fetched_sum.extend(0.0, 1)
        self._fetched.extend(0.0, 1)
        self._start.extend(start, 1)
        self._end.extend(start + count, 1)
        at = np.fromiter(map(self.slots.__getitem__, urls), np.int64, count)
        self._slot.extend(at, count)
        self._parent.extend(parent, count)
        self._tag.extend(self.tags.numbers(tags), count)
        self._result.extend(np.nan, count)
        np.add.at(self._count.all, at, 1.0)
        np.add.at(self._support.all, at, p)
        np.add.at(self._anchors.all, at, anchors)
        np.add.at(self._contexts.all, at, contexts)
        np.maximum.at(self._vote.all, at, p)
        np.maximum.at(self._anchor.all, at, anchors)
        np.maximum.at(self._path.all, at, path)

    def came_home(self, url: str, p: float | None) -> None:
        """A link waits no more; with `p`, what it led to counts for its siblings, neighbours and kind."""
        slot = self.slots.pop(url, None)
        if slot is None:
            return
        edges = np.nonzero(self._slot.all == slot)[0]
        if p is not None:
            self._result.all[edges] = p
            parents = self._parent.all[edges]
            np.add.at(self._fetched_sum.all, parents, p)
            np.add.at(self._fetched.all, parents, 1.0)
            self.tags.add(self._tag.all[edges], p)
            self.hosts.add(self._host.all[slot], p)
            self.directories.add(self._directory.all[slot], p)
            self.shapes.add(self._shape.all[slot], p)
        self._slot.all[edges] = 0
        self._free.append(slot)

    def features(self, base: float) -> Numbers:
        """All features of all slots, a row each."""
        size, hope = self._host.size, base + HOPE
        counts, several = self._count.all, np.maximum(self._count.all, 1.0)
        waiting = np.nonzero(self._slot.all)[0]
        slot, parent = self._slot.all[waiting], self._parent.all[waiting]
        siblings = ((self._fetched_sum.all + FEW * hope) / (self._fetched.all + FEW))[parent]
        best_sibling = np.zeros(size)
        np.maximum.at(best_sibling, slot, siblings)
        rows = np.empty((size, len(FEATURES)))
        rows[:, 0] = 1.0
        rows[:, 1] = (self._support.all + FEW * base) / (counts + FEW)
        rows[:, 2] = self._vote.all
        rows[:, 3] = np.log1p(self._support.all)
        rows[:, 4] = np.log1p(counts)
        rows[:, 5] = self._anchor.all
        rows[:, 6] = self._anchors.all / several
        rows[:, 7] = self._contexts.all / several
        rows[:, 8] = self._url.all
        rows[:, 9] = self._token.all
        rows[:, 10] = np.bincount(slot, siblings, size) / several
        rows[:, 11] = best_sibling
        rows[:, 12] = np.bincount(slot, self._near(hope, waiting, parent), size) / several
        rows[:, 13] = np.bincount(slot, self.tags.rates(base, SOME)[self._tag.all[waiting]], size) / several
        rows[:, 14] = self.hosts.rates(hope, SOME)[self._host.all]
        rows[:, 15] = self.directories.rates(hope, SOME)[self._directory.all]
        rows[:, 16] = self.shapes.rates(base, SOME)[self._shape.all]
        rows[:, 17] = self._path.all
        return rows

    def forget(self, keep: set[str]) -> None:
        """Let go of what is known of all links but these: they start afresh when met again."""
        gone = [url for url in self.slots if url not in keep]
        lost = np.zeros(self._host.size, bool)
        for url in gone:
            slot = self.slots.pop(url)
            lost[slot] = True
            self._free.append(slot)
        self._slot.all[lost[self._slot.all]] = 0
        self._compact()

    def state(self) -> Plain:
        return {
            "slots": [list(self.slots), list(self.slots.values()), self._free],
            "columns": [pack(column.all) for column in (*self._edges, *self._parents, *self._slots)],
            "yields": [yields.state() for yields in self._kinds],
        }

    def restore(self, state: Plain) -> None:
        urls, slots, self._free = state["slots"]
        self.slots = dict(zip(urls, slots, strict=True))
        columns = (*self._edges, *self._parents, *self._slots)
        for column, packed in zip(columns, state["columns"], strict=True):
            column.replace(unpack(packed))
        for yields, kept in zip(self._kinds, state["yields"], strict=True):
            yields.restore(kept)

    def _near(self, base: float, here: NDArray[np.int64], parent: NDArray[np.int32]) -> Numbers:
        """The yield of the links round each waiting link on its page."""
        result = self._result.all
        known = ~np.isnan(result)
        sums = np.concatenate([[0.0], np.cumsum(np.where(known, result, 0.0), dtype=np.float64)])
        counts = np.concatenate([[0], np.cumsum(known)])
        low = np.maximum(here - WINDOW, self._start.all[parent])
        high = np.minimum(here + WINDOW + 1, self._end.all[parent])
        near: Numbers = (sums[high] - sums[low] + FEW * base) / (counts[high] - counts[low] + FEW)
        return near

    def _compact(self) -> None:
        """Drop the pages none of whose links wait any more, and the kinds of which nothing is known or waits."""
        alive = np.zeros(self._start.size, bool)
        alive[self._parent.all[self._slot.all > 0]] = True
        edges = alive[self._parent.all]
        numbers = np.cumsum(alive) - 1
        sizes = (self._end.all - self._start.all)[alive]
        for column in self._edges:
            column.replace(column.all[edges].copy())
        self._parent.replace(numbers[self._parent.all])
        for column in self._parents:
            column.replace(column.all[alive].copy())
        ends = np.cumsum(sizes)
        self._start.replace(ends - sizes)
        self._end.replace(ends)
        for column in (self._host, self._directory, self._shape):
            column.all[self._free] = 0
        kinds = (self._tag, self._host, self._directory, self._shape)
        for yields, column in zip(self._kinds, kinds, strict=True):
            column.replace(yields.keep(column.all)[column.all])
