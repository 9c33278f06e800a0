"""The frontier on disk: any number of links wait in the library's database, the best of them also in memory.

The rows are the truth; `Seen` says of every address met where its row lies, so that a link met again costs no read.
A link is in memory while no better one of its queue is on disk only. Exactness does not rest on that: the best rank
on disk of each queue is known, and what is claimed is the better of the two.

What happens to links in memory is written when `flush` is called, before a commit; see `Unwritten`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from math import inf
from pathlib import Path

import numpy as np

from pinakes.core.page import Link
from pinakes.core.politeness import Rank
from pinakes.core.roles import Admitted, Lease
from pinakes.frontier.batch import Batch
from pinakes.frontier.hosts import HostCount
from pinakes.frontier.leases import Held, Leases
from pinakes.frontier.recovery import Recovered, leave, recover
from pinakes.frontier.rows import Arrival, Move, Rows
from pinakes.frontier.seen import FORGOTTEN, GONE, fingerprint, mark, unmark
from pinakes.frontier.unwritten import Unwritten
from pinakes.frontier.waiting import (
    COST,
    HOST,
    LINK,
    ROW,
    SEQ,
    TURN,
    WAKE,
    Entry,
    Waiting,
    cost_of,
    nearer,
    priced,
    rank_of,
)

_RECENT = 1 << 14
"""Addresses visited last that are known without looking them up."""
_FEW = 12
"""Up to so many addresses are looked up one by one sooner than all at once."""


class DiskFrontier:
    """Links that wait, in tables of `connection`, whose owner alone begins, commits and rolls back, and calls `flush`
    before a commit.

    `memory` is how many links are kept in memory, where prices are set without writing them; with a `limit` all are.
    `table` is where the table of addresses met lies between runs; None keeps it in memory. The other parameters are
    those of `MemoryFrontier`. What `reprice` sets is forgotten on reopening, as are the times of retries, and links
    that were leased wait again.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        crawl: int,
        limit: int | None = None,
        delay: float | None = None,
        lease: float = 300.0,
        memory: int = 50_000,
        table: Path | None = None,
        group: Callable[[str], str] | None = None,
    ) -> None:
        self.limit = limit
        self._memory = max(1, memory)
        self._waiting = Waiting(delay, group, self._refill)
        # Counting from the clock, so that no token of an earlier run can settle a lease of this one.
        self._leases = Leases(lease, time.time_ns() // 1000)
        self._rows = Rows(connection, crawl)
        self._unwritten = Unwritten()
        self._recent: dict[str, None] = {}
        self._hosts = HostCount(self._addresses)
        self._floor: Rank | None = None
        self._filled = False
        self._seen, self._seq, self._count = recover(self._rows, table)
        self._waiting.cold = self._rows.queues(self._waiting.queue_of)
        for host in self._waiting.cold:
            self._waiting.offer(host)

    def __len__(self) -> int:
        return self._count

    @property
    def leased(self) -> int:
        return len(self._leases)

    def not_before(self, host: str) -> float:
        """When a host may be asked again: in the past if it may now, infinite while it is busy."""
        return -inf if self._waiting.hosts is None else self._waiting.hosts.not_before(host)

    def set_delay(self, host: str, seconds: float) -> None:
        """Ask a host less often than the others, as its Crawl-delay wants."""
        if self._waiting.hosts is not None:
            self._waiting.hosts.set_delay(host, seconds)

    def admit(self, links: Iterable[Link]) -> Admitted:
        if self.limit is not None and self._waiting.cold:
            self._load(len(self))
        entries, leases, recent = self._waiting.entries, self._leases, self._recent
        links = list(links)
        met = self._look_up([link[0] for link in links if link[0] not in entries and link[0] not in recent])
        batch = Batch()
        for link in links:
            url = link[0]
            entry = entries.get(url)
            if entry is not None:
                if -link[10] < entry[COST] or link[9] < entry[LINK][9]:
                    self._meet(batch, link, entry)
            elif url in recent or url in leases:
                batch.visited.append(url)
            elif (cold := batch.cold.get(url)) is not None:
                self._meet_cold(batch, link, *cold)
            else:
                price, seen = met[url]
                if seen == GONE:
                    batch.visited.append(url)
                elif seen == FORGOTTEN:
                    self._arrive(batch, link)
                else:
                    self._meet_cold(batch, link, -price, *unmark(seen))
        if batch.inserts:
            self._rows.insert(batch.inserts)
        if batch.moves:
            self._rows.move(batch.moves)
        self._note(batch.notes)
        for host, rank in batch.warmed:
            self._warm(host, rank)
        evicted = self._evict()
        self._spill()
        return batch.admitted(evicted)

    def _look_up(self, urls: list[str]) -> dict[str, tuple[float, int]]:
        """Price and mark of addresses that are neither in memory nor visited lately."""
        if len(urls) <= _FEW:
            return {url: self._seen.get_one(fingerprint(url)) for url in urls}
        places = self._seen.find(np.fromiter(map(fingerprint, urls), np.uint64, len(urls)))
        return dict(zip(urls, zip(*self._seen.get(places), strict=True), strict=True))

    def _arrive(self, batch: Batch, link: Link) -> None:
        """A link never met before."""
        self._seq += 1
        cost, host = cost_of(link.priority), self._waiting.queue_of(link.url)
        if self._belongs(host, (cost, self._seq)):
            self._waiting.put([cost, self._seq, 0, link, host, 0.0, cost])
            self._unwritten.waiting[link.url] = None
        else:
            self._chill(host, (cost, self._seq))
            batch.cold[link.url] = (cost, self._seq, link.distance)
            batch.inserts.append((host, cost, self._seq, link))
            batch.notes[fingerprint(link.url)] = (-cost, mark(self._seq, link.distance))
        batch.new.add(link.url)
        self._count += 1
        self._hosts.add(link.url)

    def _meet(self, batch: Batch, link: Link, entry: Entry) -> None:
        """A link that waits in memory, met again."""
        cost = cost_of(link.priority)
        self._unwritten.change(link.url, entry)
        nearer(entry, link.distance)
        if cost < entry[COST]:
            self._seq += 1
            self._waiting.move(entry, cost, self._seq)[ROW] = cost
            batch.raised.add(link.url)

    def _meet_cold(self, batch: Batch, link: Link, old: float, seq: int, far: int) -> None:
        """A link that waits on disk only, met again: its row is moved, and read only if it belongs in memory now."""
        key = fingerprint(link.url)
        cost, host = cost_of(link.priority), self._waiting.queue_of(link.url)
        rank, distance = (old, seq), min(far, link.distance)
        if cost < old:
            self._seq += 1
            rank = (cost, self._seq)
            batch.raised.add(link.url)
            # A lone row before all that are in memory would make every search for the next one pass over those.
            entry = None
            if link.url not in batch.cold and self._belongs(host, rank):
                entry = next(self._on_disk(host, (old, seq)), None)
            if entry is not None and entry[SEQ] == seq:
                nearer(entry, distance)
                self._waiting.put([*rank, *entry[TURN:ROW], cost])
                batch.warmed.append((host, (old, seq)))
                batch.moves.append((*rank, distance, host, old, seq))
                batch.notes[key] = (-cost, mark(self._seq, distance))
                return
            self._chill(host, rank)
        elif distance == far:
            return
        batch.moves.append((*rank, distance, host, old, seq))
        batch.cold[link.url] = (*rank, distance)
        batch.notes[key] = (-rank[0], mark(rank[1], distance))

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        for held in self._leases.expired(now):
            self._free(held, held.deadline, None)
            self._return(held)
        if self._waiting.cold and len(self._waiting) < self._memory // 2:
            self._floor = None
            self._load(self._memory - len(self._waiting))
        # Each is leased before the next is sought, lest its row be taken for one that waits.
        claimed = [Lease(priced(entry), self._leases.grant(entry, now)) for entry in self._waiting.take(n, now)]
        self._count -= len(claimed)
        for lease in claimed:
            self._hosts.remove(lease.link.url)
        return claimed

    def settle(
        self,
        token: int,
        outcome: str,
        now: float,
        url: str = "",
        retry_at: float = 0.0,
        host_delay: float | None = None,
    ) -> bool:
        held = self._leases.end(token)
        if held is None:
            return False
        self._free(held, now, host_delay)
        own: str = held.entry[LINK].url
        if retry_at:
            held.entry[WAKE] = retry_at
            self._return(held)
        else:
            self._finish(own, held.entry)
        if url and url != own:
            self._finish(url, self._waiting.entries.get(url))
        return True

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        missing = dict(self._waiting.reprice(urls, prices))
        if not missing or not self._waiting.cold:
            return
        found = self._seen.get(self._seen.find(np.array([fingerprint(url) for url in missing], np.uint64)))
        for (url, cost), price, seen in zip(missing.items(), *found, strict=True):
            if seen < 0 or url in self._leases or url in self._recent or cost == -price:
                continue
            seq, distance = unmark(seen)
            host = self._waiting.queue_of(url)
            self._rows.move([(cost, seq, distance, host, -price, seq)])
            self._note({fingerprint(url): (-cost, seen)})
            self._chill(host, (cost, seq))
            self._warm(host, (-price, seq))

    def working(self, n: int) -> Sequence[str]:
        # A frontier just opened has nothing in memory, and a strategy that prices anew must be asked for all it can.
        while not self._filled and self._waiting.cold and (room := self._memory - len(self._waiting)) > 0:
            self._load(room)
        self._filled = True
        return self._waiting.working(n)

    def known(self, url: str) -> str:
        if url in self._leases:
            return "leased"
        if url in self._waiting.entries:
            return "waiting"
        if url in self._recent:
            return "visited"
        seen = self._seen.get_one(fingerprint(url))[1]
        return {GONE: "visited", FORGOTTEN: ""}.get(seen, "waiting")

    def next_ready(self, now: float) -> float | None:
        return self._waiting.next_ready(now)

    def others_waiting(self, host: str, now: float) -> bool:
        answer = self._waiting.others(host, now)
        return self._hosts.others(host) if answer is None else answer

    def best(self, n: int) -> Sequence[Link]:
        found = self._waiting.best(n)
        for host, rank in nsmallest(n, self._waiting.cold.items(), key=lambda item: item[1]):
            if len(found) == n and rank > rank_of(found[-1]):
                break
            found = nsmallest(n, found + list(islice(self._on_disk(host, rank), n)))
        return [priced(entry) for entry in found]

    def flush(self) -> None:
        """Write down what changed since; the owner can commit then."""
        self._delete_gone()
        unwritten, self._unwritten = self._unwritten, Unwritten()
        entries, inserts, moves = self._waiting.entries, list[Arrival](), list[Move]()
        notes: dict[int, tuple[float, int]] = {}
        for url, key in unwritten.waiting.items():
            entry = entries.get(url) or self._leases.entry(url)
            cost, seq, link = entry[ROW], entry[SEQ], entry[LINK]
            if key is None:
                inserts.append((entry[HOST], cost, seq, link))
            else:
                moves.append((cost, seq, link.distance, *key))
            notes[fingerprint(url)] = (-cost, mark(seq, link.distance))
        self._rows.move(moves)
        self._rows.insert(inserts)
        visited = [fingerprint(url) for url in unwritten.visited]
        self._rows.visit(visited)
        notes.update(dict.fromkeys(visited, (0.0, GONE)))
        self._note(notes)

    def close(self) -> None:
        """Leave the table of addresses in order: once the owner has committed, the next opening need not rebuild it."""
        self.flush()
        leave(self._rows, Recovered(self._seen, self._seq, self._count + self._leases.unfinished))

    def _addresses(self) -> Iterator[str]:
        """Everything that waits, in memory or on disk only."""
        self.flush()
        return (row[0] for rows in self._rows.scan(10_000) for row in rows if row[0] not in self._leases)

    def _belongs(self, host: str, rank: Rank) -> bool:
        """Should a new link wait in memory too?"""
        if self.limit is not None:
            return True
        if self._floor is not None and rank > self._floor:
            return False
        head = self._waiting.cold.get(host)
        return head is None or rank < head

    def _chill(self, host: str, rank: Rank) -> None:
        """A link of this rank now waits on disk only."""
        head = self._waiting.cold.get(host)
        if head is None or rank < head:
            self._waiting.cold[host] = rank
            self._waiting.offer(host)

    def _warm(self, host: str, rank: Rank) -> None:
        """The link of this rank no longer waits on disk only: if it was the first of its queue, find the next."""
        if self._waiting.cold.get(host) == rank:
            self._head(host, next(self._on_disk(host, rank), None))

    def _head(self, host: str, entry: Entry | None) -> None:
        if entry is None:
            self._waiting.cold.pop(host, None)
        else:
            self._waiting.cold[host] = rank_of(entry)
        self._waiting.offer(host)

    def _on_disk(self, host: str, rank: Rank) -> Iterator[Entry]:
        """Entries of a queue from `rank` on that are on disk only."""
        self._delete_gone()
        entries, leases = self._waiting.entries, self._leases
        return self._rows.since(host, rank, lambda url: url in entries or url in leases)

    def _refill(self, host: str, most: int = 0) -> None:
        """Bring the best of a queue into memory: one link, and as many more as there is room for."""
        room = self._memory - len(self._waiting)
        n = max(1, most or min(room, 16 if self._waiting.hosts else 1000))
        *found, beyond = [*islice(self._on_disk(host, self._waiting.cold[host]), n + 1), None][: n + 1]
        for entry in found:
            if entry is not None:
                self._waiting.put(entry)
        self._head(host, beyond)

    def _load(self, room: int) -> None:
        """Fill the memory from the queues whose best is best."""
        hosts = nsmallest(room, self._waiting.cold.items(), key=lambda item: item[1])
        for host, _ in hosts:
            self._refill(host, room if self.limit is not None else max(1, room // len(hosts)))

    def _spill(self) -> None:
        """Let the worst wait on disk only, writing the prices that changed in memory."""
        excess = len(self._waiting) - self._memory
        if len(self._unwritten.waiting) > self._memory:
            self.flush()
        if excess <= 0 or self.limit is not None:
            return
        self.flush()
        worst = [entry for entry in self._waiting.worst(excess + self._memory // 8) if not entry[WAKE]]
        changed = [entry for entry in worst if entry[COST] != entry[ROW]]
        self._rows.move(
            (entry[COST], entry[SEQ], entry[LINK].distance, entry[HOST], entry[ROW], entry[SEQ]) for entry in changed
        )
        self._note(
            {fingerprint(entry[LINK].url): (-entry[COST], mark(entry[SEQ], entry[LINK].distance)) for entry in changed}
        )
        for entry in worst:
            self._floor = rank_of(entry)
            self._chill(entry[HOST], self._floor)
            self._waiting.drop(entry)

    def _evict(self) -> list[str]:
        if self.limit is None or len(self._waiting) <= self.limit:
            return []
        gone = [self._waiting.pop_worst() for _ in range(len(self._waiting) - self.limit)]
        urls = [entry[LINK].url for entry in gone]
        written = [url for url, entry in zip(urls, gone, strict=True) if self._unwritten.remove(url, entry)]
        self._note({fingerprint(url): (0.0, FORGOTTEN) for url in written})
        self._count -= len(gone)
        for url in urls:
            self._hosts.remove(url)
        return urls

    def _free(self, held: Held, now: float, host_delay: float | None) -> None:
        if self._waiting.hosts is not None:
            self._waiting.hosts.free(held.entry[HOST], now, host_delay)

    def _return(self, held: Held) -> None:
        if not held.finished:
            self._waiting.put(held.entry)
            self._count += 1
            self._hosts.add(held.entry[LINK].url)

    def _finish(self, url: str, entry: Entry | None) -> None:
        """Mark an address visited: it neither waits nor returns from another's lease."""
        if entry is not None:
            self._unwritten.remove(url, entry)
            if self._waiting.entries.get(url) is entry:
                self._waiting.drop(entry)
                self._count -= 1
                self._hosts.remove(url)
        elif url in self._leases:
            self._unwritten.remove(url, self._leases.finish(url))
        else:
            price, seen = (0.0, GONE) if url in self._recent else self._seen.get_one(fingerprint(url))
            if seen >= 0:
                host, rank = self._waiting.queue_of(url), (-price, unmark(seen)[0])
                self._unwritten.gone.append((host, *rank))
                self._warm(host, rank)
                self._count -= 1
                self._hosts.remove(url)
        if len(self._recent) >= _RECENT:
            self.flush()
            self._recent.clear()
        self._recent[url] = self._unwritten.visited[url] = None

    def _delete_gone(self) -> None:
        """No row may be read whose link no longer waits."""
        if self._unwritten.gone:
            self._rows.delete(self._unwritten.gone)
            self._unwritten.gone.clear()

    def _note(self, notes: dict[int, tuple[float, int]]) -> None:
        """Write down the price on disk and the mark of addresses, by fingerprint."""
        if not notes:
            return
        keys = np.fromiter(notes, np.uint64, len(notes))
        prices, marks = zip(*notes.values(), strict=True)
        self._seen.set(keys, np.array(prices), np.array(marks))
