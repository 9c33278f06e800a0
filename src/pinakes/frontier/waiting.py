"""The links that wait in memory, in order: one heap a host where delays apply, else one for all.

An entry is a plain list, because lists compare in C by cost and arrival, which makes them heap items that can be
repriced where they lie. A removed entry loses its link and is passed over when it surfaces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush, nsmallest
from typing import Any

import numpy as np

from pinakes.core.page import Link, host_of
from pinakes.core.politeness import Politeness, Rank

Entry = list[Any]
COST, SEQ, TURN, LINK, HOST, WAKE, ROW = range(7)
"""An entry's fields: price negated and number of arrival, by which it is ordered; a number of its own, which tells it
from dead entries of its link; link, queue, when it may be claimed if not yet, cost on disk."""

_MOST = sys.float_info.max


def cost_of(price: float) -> float:
    """The price negated, finite whatever a strategy says, so that order is total; no price at all is the worst."""
    cost = -float(price)
    if -_MOST <= cost <= _MOST:
        return cost
    return -_MOST if cost < 0 else _MOST


def costs_of(prices: Sequence[float]) -> list[float]:
    costs: list[float] = np.nan_to_num(-np.asarray(prices, np.float64), nan=_MOST, posinf=_MOST, neginf=-_MOST).tolist()
    return costs


def rank_of(entry: Entry) -> Rank:
    return entry[COST], entry[SEQ]


def priced(entry: Entry) -> Link:
    """The link with the price it now has."""
    link: Link = entry[LINK]
    return link if link.priority == -entry[COST] else link._replace(priority=-entry[COST])


def nearer(entry: Entry, distance: int) -> bool:
    """Keep the least distance; True when it changed."""
    if distance >= entry[LINK].distance:
        return False
    entry[LINK] = entry[LINK]._replace(distance=distance)
    return True


class Waiting:
    """Waiting links in memory, and the rank of the best link of each queue that is not (`cold`).

    When a cold link is the best of its queue, `refill(host)` must bring it in.
    """

    def __init__(
        self,
        delay: float | None,
        group: Callable[[str], str] | None = None,
        refill: Callable[[str], None] | None = None,
    ) -> None:
        self.hosts = None if delay is None else Politeness(delay, group)
        self.entries: dict[str, Entry] = {}
        self.cold: dict[str, Rank] = {}
        self._refill = refill
        self._queues: dict[str, list[Entry]] = {}
        self._sleepers: list[tuple[float, int, Entry]] = []
        self._shuffled = False
        self._dead = 0
        self._turn = 0
        self._asked: tuple[Sequence[str], list[Entry], int] = ((), [], -1)
        # The worst entries, the very worst first, and the limit beyond which every waiting entry is among them.
        self._worst: list[tuple[float, int, Entry]] = []
        self._beyond: list[float] | None = None

    def __len__(self) -> int:
        return len(self.entries)

    def queue_of(self, url: str) -> str:
        """The queue an address waits in: the nameless one where no delays apply, else its host's."""
        return "" if self.hosts is None else host_of(url) or "?"

    def put(self, entry: Entry) -> None:
        self._turn += 1
        entry[TURN] = self._turn
        self.entries[entry[LINK][0]] = entry
        if self._beyond is not None and entry > self._beyond:
            heappush(self._worst, (-entry[COST], -entry[SEQ], entry))
        if entry[WAKE]:
            heappush(self._sleepers, (entry[WAKE], entry[SEQ], entry))
        else:
            self._enqueue(entry)

    def move(self, entry: Entry, cost: float, seq: int) -> Entry:
        """Give an entry a new rank: a new entry takes its place."""
        fresh = [cost, seq, *entry[TURN:]]
        self._bury(entry)
        self.put(fresh)
        if self.hosts is not None:
            self.offer(fresh[HOST])
        return fresh

    def drop(self, entry: Entry) -> None:
        """Take an entry out that waits."""
        del self.entries[entry[LINK][0]]
        self._bury(entry)
        if self.hosts is not None:
            self.offer(entry[HOST])

    def take(self, n: int, now: float) -> Iterator[Entry]:
        """Remove up to `n` best entries that may be claimed at `now`, one by one; their hosts are then busy."""
        self._wake(now)
        self._tidy()
        for _ in range(n):
            host = "" if self.hosts is None else self.hosts.take(now)
            if host is None:
                return
            while (rank := self._rank(host)) is not None and rank == self.cold.get(host) and self._refill is not None:
                self._refill(host)
            if rank is None:
                return
            self._turn += 1
            entry = heappop(self._queues[host])
            del self.entries[entry[LINK][0]]
            self.offer(host)
            yield entry

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> list[tuple[str, float]]:
        """Set prices; answers addresses and costs of those that do not wait in memory."""
        asked, theirs, turn = self._asked
        if urls is asked and turn == self._turn:
            for known, cost in zip(theirs, costs_of(prices), strict=True):
                known[COST] = cost
            self._shuffle()
            return []
        missing: list[tuple[str, float]] = []
        find = self.entries.get
        few = len(urls) * 16 < len(self.entries)
        for url, cost in zip(urls, costs_of(prices), strict=True):
            entry = find(url)
            if entry is None:
                missing.append((url, cost))
            elif not few:
                entry[COST] = cost
            elif entry[COST] != cost:
                self.move(entry, cost, entry[SEQ])
        if not few:
            self._shuffle()
        return missing

    def next_ready(self, now: float) -> float | None:
        self._wake(now)
        self._tidy()
        if self.hosts is None:
            times = [] if self._rank("") is None else [now]
        else:
            ready = self.hosts.next_ready(now)
            times = [] if ready is None else [ready]
        if not times or times[0] > now:
            hosts = self.hosts
            for wake, _, entry in self._sleepers:
                if entry[LINK] is not None:
                    times.append(wake if hosts is None else max(wake, hosts.not_before(entry[HOST])))
        soonest = min(times, default=float("inf"))
        return None if soonest == float("inf") else soonest

    def others(self, host: str, now: float) -> bool | None:
        """Does a link wait on some other host that is not parked? None where hosts have no queues of their own."""
        if self.hosts is None:
            return None
        self._wake(now)
        self._tidy()
        return self.hosts.others(host, now)

    def pop_worst(self) -> Entry:
        """Take the worst entry out; some must wait. Its link is left in the answer."""
        while True:
            while self._worst:
                cost, _, entry = heappop(self._worst)
                link = entry[LINK]
                if link is not None and entry[COST] == -cost and self.entries.get(link[0]) is entry:
                    answer = entry.copy()
                    self.drop(entry)
                    return answer
            worst = self.worst(max(256, len(self.entries) // 4))
            self._worst = [(-entry[COST], -entry[SEQ], entry) for entry in worst]
            self._beyond = worst[-1][: SEQ + 1]

    def worst(self, n: int) -> list[Entry]:
        """The `n` worst entries, the very worst first."""
        entries = list(self.entries.values())
        costs = np.fromiter((entry[COST] for entry in entries), np.float64, len(entries))
        seqs = np.fromiter((entry[SEQ] for entry in entries), np.int64, len(entries))
        return [entries[at] for at in np.lexsort((seqs, costs))[::-1][:n].tolist()]

    def best(self, n: int) -> list[Entry]:
        return nsmallest(n, self.entries.values())

    def working(self, n: int) -> tuple[str, ...]:
        entries = list(self.entries.values())
        if 0 < n < len(entries):
            costs = np.fromiter((entry[COST] for entry in entries), np.float64, len(entries))
            enough = np.partition(costs, n - 1)[n - 1]
            entries = [entry for entry in entries if entry[COST] <= enough]
        urls = tuple([entry[LINK][0] for entry in entries]) if n > 0 else ()
        # They are about to be repriced: if nothing else happens first, none need be looked up.
        self._asked = urls, entries if urls else [], self._turn
        return urls

    def offer(self, host: str) -> None:
        """Tell the clockwork what the best of a queue now is."""
        if self.hosts is not None:
            self.hosts.offer(host, self._rank(host))

    def _enqueue(self, entry: Entry) -> None:
        host = entry[HOST]
        queue = self._queues.get(host)
        if queue is None:
            queue = self._queues[host] = [entry]
        else:
            heappush(queue, entry)
        if self.hosts is not None and queue[0] is entry:
            self.offer(host)

    def _bury(self, entry: Entry) -> None:
        self._turn += 1
        entry[LINK] = None
        if not entry[WAKE]:
            self._dead += 1
            if self._dead > len(self.entries) + 1000:
                self._shuffled = True

    def _rank(self, host: str) -> Rank | None:
        queue = self._queues.get(host)
        if queue is not None:
            while queue and queue[0][LINK] is None:
                heappop(queue)
                self._dead -= 1
            if not queue:
                del self._queues[host]
        cold = self.cold.get(host)
        if not queue:
            return cold
        rank = (queue[0][COST], queue[0][SEQ])
        return rank if cold is None or rank < cold else cold

    def _wake(self, now: float) -> None:
        while self._sleepers and self._sleepers[0][0] <= now:
            entry = heappop(self._sleepers)[2]
            if entry[LINK] is not None:
                entry[WAKE] = 0.0
                self._enqueue(entry)

    def _shuffle(self) -> None:
        """Prices changed where they lay."""
        self._shuffled, self._worst, self._beyond = True, [], None

    def _tidy(self) -> None:
        """Restore the heaps after prices changed where they lay, or when too many dead entries lie about."""
        if not self._shuffled:
            return
        self._shuffled = False
        crowded = self._dead > len(self.entries)
        for host, queue in list(self._queues.items()):
            if crowded:
                queue[:] = [entry for entry in queue if entry[LINK] is not None]
            heapify(queue)
            self.offer(host)
        if crowded:
            self._dead = 0
