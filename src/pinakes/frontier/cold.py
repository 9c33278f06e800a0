"""Links that wait on disk only: which queue's best is where, and the traffic between disk and memory.

A link is in memory while no better one of its queue is on disk only. Exactness does not rest on that: the best rank
on disk of each queue is known (`Waiting.cold`), and what is claimed is the better of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import nsmallest
from itertools import islice

from pinakes.core.page import Link
from pinakes.core.politeness import Rank
from pinakes.frontier.leases import Leases
from pinakes.frontier.seen import fingerprint, mark
from pinakes.frontier.waiting import COST, HOST, LINK, ROW, SEQ, WAKE, Entry, Waiting, priced, rank_of
from pinakes.frontier.written import Written


class Cold:
    """What of one crawl's `waiting` links is on disk only. `memory` is how many may be in memory; with a `limit`, which
    is on all, every one is."""

    def __init__(
        self,
        waiting: Waiting,
        leases: Leases,
        written: Written,
        memory: int,
        limit: int | None,
        flush: Callable[[], None],
    ) -> None:
        self._waiting, self._leases, self._written, self._flush = waiting, leases, written, flush
        self._memory, self._limit = memory, limit
        self._floor: Rank | None = None
        """The best rank that was sent to disk for want of room since all was last brought in."""
        self._filled = False
        waiting.cold = written.rows.queues(waiting.queue_of)
        for host in waiting.cold:
            waiting.offer(host)

    def belongs(self, host: str, rank: Rank) -> bool:
        """Should a new link wait in memory too?"""
        if self._limit is not None:
            return True
        if self._floor is not None and rank > self._floor:
            return False
        head = self._waiting.cold.get(host)
        return head is None or rank < head

    def chill(self, host: str, rank: Rank) -> None:
        """A link of this rank now waits on disk only."""
        head = self._waiting.cold.get(host)
        if head is None or rank < head:
            self._waiting.cold[host] = rank
            self._waiting.offer(host)

    def warm(self, host: str, rank: Rank) -> None:
        """The link of this rank no longer waits on disk only: if it was the first of its queue, find the next."""
        if self._waiting.cold.get(host) == rank:
            self._head(host, next(self.since(host, rank), None))

    def since(self, host: str, rank: Rank) -> Iterator[Entry]:
        """Entries of a queue from `rank` on that are on disk only."""
        self._written.delete_gone()
        entries, leases = self._waiting.entries, self._leases
        return self._written.rows.since(host, rank, lambda url: url in entries or url in leases)

    def reprice(self, url: str, cost: float, old: float, seq: int, distance: int) -> None:
        """Move the row of a link to another cost; its place among equals stays."""
        host = self._waiting.queue_of(url)
        self._written.rows.move([(cost, seq, distance, host, old, seq)])
        self._written.note({fingerprint(url): (-cost, mark(seq, distance))})
        self.chill(host, (cost, seq))
        self.warm(host, (old, seq))

    def best(self, n: int) -> list[Link]:
        """The `n` best links that wait, in memory or not."""
        found = self._waiting.best(n)
        for host, rank in nsmallest(n, self._waiting.cold.items(), key=lambda item: item[1]):
            if len(found) == n and rank > rank_of(found[-1]):
                break
            found = nsmallest(n, found + list(islice(self.since(host, rank), n)))
        return [priced(entry) for entry in found]

    # -- traffic -----------------------------------------------------------------------------------------------

    def refill(self, host: str, most: int = 0) -> None:
        """Bring the best of a queue into memory: one link, and as many more as there is room for."""
        room = self._memory - len(self._waiting)
        n = max(1, most or min(room, 16 if self._waiting.hosts else 1000))
        *found, beyond = [*islice(self.since(host, self._waiting.cold[host]), n + 1), None][: n + 1]
        for entry in found:
            if entry is not None:
                self._waiting.put(entry)
        self._head(host, beyond)

    def load_all(self, waiting: int) -> None:
        """Bring in all that are `waiting`, for a limit to compare."""
        if self._limit is not None and self._waiting.cold:
            self._load(waiting)

    def top_up(self) -> None:
        """Bring in the best when half the memory is free."""
        if self._waiting.cold and len(self._waiting) < self._memory // 2:
            self._floor = None
            self._load(self._memory - len(self._waiting))

    def fill(self) -> None:
        """Bring in, once, all there is room for: a frontier just opened has nothing in memory, and a strategy that
        prices anew must be asked for all it can."""
        while not self._filled and self._waiting.cold and (room := self._memory - len(self._waiting)) > 0:
            self._load(room)
        self._filled = True

    def spill(self) -> None:
        """Let the worst wait on disk only, writing the prices that changed in memory."""
        excess = len(self._waiting) - self._memory
        if len(self._written.unwritten.waiting) > self._memory:
            self._flush()
        if excess <= 0 or self._limit is not None:
            return
        self._flush()
        worst = [entry for entry in self._waiting.worst(excess + self._memory // 8) if not entry[WAKE]]
        changed = [entry for entry in worst if entry[COST] != entry[ROW]]
        self._written.rows.move(
            (entry[COST], entry[SEQ], entry[LINK].distance, entry[HOST], entry[ROW], entry[SEQ]) for entry in changed
        )
        self._written.note(
            {fingerprint(entry[LINK].url): (-entry[COST], mark(entry[SEQ], entry[LINK].distance)) for entry in changed}
        )
        for entry in worst:
            self._floor = rank_of(entry)
            self.chill(entry[HOST], self._floor)
            self._waiting.drop(entry)

    def _load(self, room: int) -> None:
        """Fill the memory from the queues whose best is best."""
        hosts = nsmallest(room, self._waiting.cold.items(), key=lambda item: item[1])
        for host, _ in hosts:
            self.refill(host, room if self._limit is not None else max(1, room // len(hosts)))

    def _head(self, host: str, entry: Entry | None) -> None:
        if entry is None:
            self._waiting.cold.pop(host, None)
        else:
            self._waiting.cold[host] = rank_of(entry)
        self._waiting.offer(host)
