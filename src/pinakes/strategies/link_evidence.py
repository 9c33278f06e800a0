"""What `evidence` knows of the waiting links: every in-link of every one, and how the pages fetched so far turned out.

Links of one page lie side by side in the arrays, in the order of the page, so that "the links next to this one" is a
window. Everything that depends on how other pages turned out is computed anew each turn, for all links at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]

FEATURES = (
    "bias", "vote_ratio", "vote_max", "log_support", "log_inlinks", "anchor_max", "anchor_mean", "ctx_mean", "url",
    "token", "sib_mean", "sib_max", "near", "tag", "host", "dir", "path",
)  # fmt: skip
WINDOW = 4
"""Links on either side of a link whose outcome counts as near."""
FEW, SOME = 2.0, 5.0
"""How many pages' worth of the base rate a yield starts with."""


class Column:
    """An array that grows."""

    def __init__(self, kind: Any, fill: float = 0) -> None:
        self._data, self.size, self._fill = np.full(1024, fill, kind), 0, fill

    @property
    def all(self) -> NDArray[Any]:
        return self._data[: self.size]

    def extend(self, values: Any, count: int) -> None:
        need = self.size + count
        if need > len(self._data):
            grown = np.full(max(need, 2 * len(self._data)), self._fill, self._data.dtype)
            grown[: self.size] = self.all
            self._data = grown
        self._data[self.size : need] = values
        self.size = need

    def replace(self, values: NDArray[Any]) -> None:
        self.size = 0
        self.extend(values, len(values))


class Yields:
    """How pages of a kind (a tag path, a host, a directory) turned out."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._sums, self._counts = Column(np.float64), Column(np.float64)

    def number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers)
            self._sums.extend(0.0, 1)
            self._counts.extend(0.0, 1)
        return number

    def add(self, numbers: Any, value: float) -> None:
        np.add.at(self._sums.all, numbers, value)
        np.add.at(self._counts.all, numbers, 1.0)

    def rates(self, base: float, weight: float) -> Numbers:
        rates: Numbers = (self._sums.all + weight * base) / (self._counts.all + weight)
        return rates

    def state(self) -> Plain:
        return [list(self._numbers), pack(self._sums.all), pack(self._counts.all)]

    def restore(self, state: Plain) -> None:
        names, sums, counts = state
        self._numbers = {name: number for number, name in enumerate(names)}
        self._sums.replace(unpack(sums))
        self._counts.replace(unpack(counts))


class LinkEvidence:
    """Slots are waiting links, slot 0 is for those that wait no more; edges are in-links; parents are fetched pages."""

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self._free: list[int] = []
        self.tags, self.hosts, self.directories = Yields(), Yields(), Yields()
        # an edge
        self._slot, self._parent, self._tag = Column(np.int64), Column(np.int64), Column(np.int64)
        self._anchor, self._context, self._result = Column(np.float64), Column(np.float64), Column(np.float64, np.nan)
        # a parent
        self._start, self._end = Column(np.int64), Column(np.int64)
        self.p, self.path = Column(np.float64), Column(np.float64)
        self._fetched_sum, self._fetched = Column(np.float64), Column(np.float64)
        # a slot
        self._host, self._directory = Column(np.int64), Column(np.int64)
        self._url, self.token = Column(np.float64), Column(np.float64)
        self._edges = (self._slot, self._parent, self._tag, self._anchor, self._context, self._result)
        self._parents = (self._start, self._end, self.p, self.path, self._fetched_sum, self._fetched)
        self._slots = (self._host, self._directory, self._url, self.token)
        self._slot_zero()

    def __len__(self) -> int:
        return len(self.slots)

    def slot(self, url: str, host: str, directory: str, likeness: float) -> int:
        """The slot of a link, a new one where it is met for the first time."""
        slot = self.slots.get(url)
        if slot is not None:
            return slot
        if self._free:
            slot = self._free.pop()
            self._host.all[slot], self._directory.all[slot] = (
                self.hosts.number(host),
                self.directories.number(directory),
            )
            self._url.all[slot], self.token.all[slot] = likeness, 0.0
        else:
            slot = self._host.size
            self._host.extend(self.hosts.number(host), 1)
            self._directory.extend(self.directories.number(directory), 1)
            self._url.extend(likeness, 1)
            self.token.extend(0.0, 1)
        self.slots[url] = slot
        return slot

    def page(
        self, p: float, path: float, slots: Sequence[int], tags: Sequence[int], anchors: Numbers, contexts: Numbers
    ) -> None:
        """A page was fetched, with these links on it."""
        parent, count, start = self.p.size, len(slots), self._slot.size
        self.p.extend(p, 1)
        self.path.extend(path, 1)
        self._fetched_sum.extend(0.0, 1)
        self._fetched.extend(0.0, 1)
        self._start.extend(start, 1)
        self._end.extend(start + count, 1)
        self._slot.extend(slots, count)
        self._parent.extend(parent, count)
        self._tag.extend(tags, count)
        self._anchor.extend(anchors, count)
        self._context.extend(contexts, count)
        self._result.extend(np.nan, count)

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
        self._slot.all[edges] = 0
        self._free.append(slot)

    def features(self, base: float) -> Numbers:
        """All features of all slots, a row each."""
        size, slot, parent = self._host.size, self._slot.all, self._parent.all
        counts = np.bincount(slot, minlength=size).astype(np.float64)
        several = np.maximum(counts, 1.0)
        votes = self.p.all[parent]
        support = np.bincount(slot, votes, size)
        siblings = (self._fetched_sum.all + FEW * base) / (self._fetched.all + FEW)
        by_sibling = siblings[parent]
        rows = np.empty((size, len(FEATURES)))
        rows[:, 0] = 1.0
        rows[:, 1] = (support + FEW * base) / (counts + FEW)
        rows[:, 2] = self._most(votes, size)
        rows[:, 3] = np.log1p(support)
        rows[:, 4] = np.log1p(counts)
        rows[:, 5] = self._most(self._anchor.all, size)
        rows[:, 6] = np.bincount(slot, self._anchor.all, size) / several
        rows[:, 7] = np.bincount(slot, self._context.all, size) / several
        rows[:, 8] = self._url.all
        rows[:, 9] = self.token.all
        rows[:, 10] = np.bincount(slot, by_sibling, size) / several
        rows[:, 11] = self._most(by_sibling, size)
        rows[:, 12] = np.bincount(slot, self._near(base), size) / several
        rows[:, 13] = np.bincount(slot, self.tags.rates(base, SOME)[self._tag.all], size) / several
        rows[:, 14] = self.hosts.rates(base, SOME)[self._host.all]
        rows[:, 15] = self.directories.rates(base, SOME)[self._directory.all]
        rows[:, 16] = self._most(self.path.all[parent], size)
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

    def _compact(self) -> None:
        """Drop the pages none of whose links wait any more."""
        alive = np.zeros(self.p.size, bool)
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

    def state(self) -> Plain:
        return {
            "slots": [list(self.slots), list(self.slots.values()), self._free],
            "columns": [pack(column.all) for column in (*self._edges, *self._parents, *self._slots)],
            "yields": [yields.state() for yields in (self.tags, self.hosts, self.directories)],
        }

    def restore(self, state: Plain) -> None:
        urls, slots, self._free = state["slots"]
        self.slots = dict(zip(urls, slots, strict=True))
        columns = (*self._edges, *self._parents, *self._slots)
        for column, packed in zip(columns, state["columns"], strict=True):
            column.replace(unpack(packed))
        for yields, kept in zip((self.tags, self.hosts, self.directories), state["yields"], strict=True):
            yields.restore(kept)

    @property
    def edges(self) -> int:
        return self._slot.size

    def _most(self, values: Numbers, size: int) -> Numbers:
        most = np.zeros(size)
        np.maximum.at(most, self._slot.all, values)
        return most

    def _near(self, base: float) -> Numbers:
        """The yield of the links round each link on its page."""
        result = self._result.all
        known = ~np.isnan(result)
        sums = np.concatenate([[0.0], np.cumsum(np.where(known, result, 0.0))])
        counts = np.concatenate([[0.0], np.cumsum(known)])
        here, parent = np.arange(len(result)), self._parent.all
        low = np.maximum(here - WINDOW, self._start.all[parent])
        high = np.minimum(here + WINDOW + 1, self._end.all[parent])
        near: Numbers = (sums[high] - sums[low] + FEW * base) / (counts[high] - counts[low] + FEW)
        return near

    def _slot_zero(self) -> None:
        self._host.extend(self.hosts.number(""), 1)
        self._directory.extend(self.directories.number(""), 1)
        self._url.extend(0.0, 1)
        self.token.extend(0.0, 1)
