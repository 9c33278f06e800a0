"""The frontier on disk: any number of links wait in the library's database, the best of them also in memory.

Here are the contract, admission and leases. What the disk knows is in `Written`, whose rows are the truth; which links
wait on disk only, and when they change places with those in memory, is in `Cold`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from pathlib import Path

from pinakes.core.page import Link
from pinakes.core.roles import Admitted, Lease
from pinakes.frontier.batch import Batch
from pinakes.frontier.cold import Cold
from pinakes.frontier.hosts import HostCount
from pinakes.frontier.leases import Held, Leases
from pinakes.frontier.rows import Rows
from pinakes.frontier.seen import FORGOTTEN, GONE, fingerprint, mark, unmark
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
)
from pinakes.frontier.written import Written


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
        self._waiting = Waiting(delay, group, self._refill)
        # Counting from the clock, so that no token of an earlier run can settle a lease of this one.
        self._leases = Leases(lease, time.time_ns() // 1000)
        self._hosts = HostCount(self._addresses)
        self._written = Written(Rows(connection, crawl), table)
        self._cold = Cold(self._waiting, self._leases, self._written, max(1, memory), limit, self.flush)
        self._seq, self._count = self._written.last, self._written.waiting

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
        self._cold.load_all(len(self))
        entries, leases, recent = self._waiting.entries, self._leases, self._written.recent
        links = list(links)
        met = self._written.places([link[0] for link in links if link[0] not in entries and link[0] not in recent])
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
            self._written.rows.insert(batch.inserts)
        if batch.moves:
            self._written.rows.move(batch.moves)
        self._written.note(batch.notes)
        for host, rank in batch.warmed:
            self._cold.warm(host, rank)
        evicted = self._evict()
        self._cold.spill()
        return batch.admitted(evicted)

    def _arrive(self, batch: Batch, link: Link) -> None:
        """A link never met before."""
        self._seq += 1
        cost, host = cost_of(link.priority), self._waiting.queue_of(link.url)
        if self._cold.belongs(host, (cost, self._seq)):
            self._waiting.put([cost, self._seq, 0, link, host, 0.0, cost])
            self._written.unwritten.waiting[link.url] = None
        else:
            self._cold.chill(host, (cost, self._seq))
            batch.cold[link.url] = (cost, self._seq, link.distance)
            batch.inserts.append((host, cost, self._seq, link))
            batch.notes[fingerprint(link.url)] = (-cost, mark(self._seq, link.distance))
        batch.new.add(link.url)
        self._count += 1
        self._hosts.add(link.url)

    def _meet(self, batch: Batch, link: Link, entry: Entry) -> None:
        """A link that waits in memory, met again."""
        cost = cost_of(link.priority)
        self._written.unwritten.change(link.url, entry)
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
            if link.url not in batch.cold and self._cold.belongs(host, rank):
                entry = next(self._cold.since(host, (old, seq)), None)
            if entry is not None and entry[SEQ] == seq:
                nearer(entry, distance)
                self._waiting.put([*rank, *entry[TURN:ROW], cost])
                batch.warmed.append((host, (old, seq)))
                batch.moves.append((*rank, distance, host, old, seq))
                batch.notes[key] = (-cost, mark(self._seq, distance))
                return
            self._cold.chill(host, rank)
        elif distance == far:
            return
        batch.moves.append((*rank, distance, host, old, seq))
        batch.cold[link.url] = (*rank, distance)
        batch.notes[key] = (-rank[0], mark(rank[1], distance))

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        for held in self._leases.expired(now):
            self._free(held, held.deadline, None)
            self._return(held)
        self._cold.top_up()
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
        return not held.finished

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        missing = dict(self._waiting.reprice(urls, prices))
        if not missing or not self._waiting.cold:
            return
        for url, (price, seen) in self._written.places(list(missing)).items():
            cost = missing[url]
            if seen >= 0 and cost != -price and url not in self._leases and url not in self._written.recent:
                self._cold.reprice(url, cost, -price, *unmark(seen))

    def working(self, n: int) -> Sequence[str]:
        self._cold.fill()
        return self._waiting.working(n)

    def known(self, url: str) -> str:
        if url in self._leases:
            return "leased"
        if url in self._waiting.entries:
            return "waiting"
        if url in self._written.recent:
            return "visited"
        seen = self._written.place(url)[1]
        return {GONE: "visited", FORGOTTEN: ""}.get(seen, "waiting")

    def next_ready(self, now: float) -> float | None:
        return self._waiting.next_ready(now)

    def others_waiting(self, host: str, now: float) -> bool:
        answer = self._waiting.others(host, now)
        return self._hosts.others(host) if answer is None else answer

    def best(self, n: int) -> Sequence[Link]:
        return self._cold.best(n)

    def flush(self) -> None:
        """Write down what changed since; the owner can commit then."""
        entries, leases = self._waiting.entries, self._leases
        self._written.flush(lambda url: entries.get(url) or leases.entry(url))

    def close(self) -> None:
        """Leave the table of addresses in order: once the owner has committed, the next opening need not rebuild it."""
        self.flush()
        self._written.leave(self._seq, self._count + self._leases.unfinished)

    def _refill(self, host: str) -> None:
        self._cold.refill(host)

    def _addresses(self) -> Iterator[str]:
        """Everything that waits, in memory or on disk only."""
        self.flush()
        return (row[0] for rows in self._written.rows.scan(10_000) for row in rows if row[0] not in self._leases)

    def _evict(self) -> list[str]:
        if self.limit is None or len(self._waiting) <= self.limit:
            return []
        gone = [self._waiting.pop_worst() for _ in range(len(self._waiting) - self.limit)]
        urls = [entry[LINK].url for entry in gone]
        written = [url for url, entry in zip(urls, gone, strict=True) if self._written.unwritten.remove(url, entry)]
        self._written.note({fingerprint(url): (0.0, FORGOTTEN) for url in written})
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
        unwritten = self._written.unwritten
        if entry is not None:
            unwritten.remove(url, entry)
            if self._waiting.entries.get(url) is entry:
                self._waiting.drop(entry)
                self._count -= 1
                self._hosts.remove(url)
        elif url in self._leases:
            unwritten.remove(url, self._leases.finish(url))
        else:
            price, seen = (0.0, GONE) if url in self._written.recent else self._written.place(url)
            if seen >= 0:
                host, rank = self._waiting.queue_of(url), (-price, unmark(seen)[0])
                unwritten.gone.append((host, *rank))
                self._cold.warm(host, rank)
                self._count -= 1
                self._hosts.remove(url)
        self._written.visit(url, self.flush)
