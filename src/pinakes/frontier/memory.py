"""The frontier that lives in memory: for evaluations, and for crawls that need not be resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf

from pinakes.core.page import Link
from pinakes.core.roles import Admitted, Lease
from pinakes.frontier.hosts import HostCount
from pinakes.frontier.leases import Held, Leases
from pinakes.frontier.waiting import COST, HOST, LINK, SEQ, WAKE, Waiting, cost_of, nearer, priced


class MemoryFrontier:
    """Links that wait, in memory.

    `delay` is the least number of seconds between requests to a host; None is a web without delays, whose hosts are
    never busy. `lease` is how many seconds a claimed link may stay away. `group` maps a host to the key whose turn it
    takes, for hosts that share an address.
    """

    def __init__(
        self,
        limit: int | None = None,
        delay: float | None = None,
        lease: float = 300.0,
        group: Callable[[str], str] | None = None,
    ) -> None:
        self.limit = limit
        self._waiting = Waiting(delay, group)
        self._leases = Leases(lease)
        self._gone: set[str] = set()
        self._hosts = HostCount(lambda: self._waiting.entries)
        self._seq = 0

    def __len__(self) -> int:
        return len(self._waiting)

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
        waiting, gone = self._waiting, self._gone
        entries, queue_of, put = waiting.entries, waiting.queue_of, waiting.put
        before, admitted = self._seq, 0
        raised: set[str] = set()
        visited: list[str] = []
        for link in links:
            url = link.url
            entry = entries.get(url)
            if entry is None:
                if url in gone:
                    visited.append(url)
                    continue
                self._seq += 1
                put([cost_of(link.priority), self._seq, 0, link, queue_of(url), 0.0, 0.0])
                self._hosts.add(url)
                admitted += 1
                continue
            nearer(entry, link.distance)
            cost = cost_of(link.priority)
            if cost < entry[COST]:
                if entry[SEQ] <= before:
                    raised.add(url)
                self._seq += 1
                waiting.move(entry, cost, self._seq)
        evicted: list[str] = []
        while self.limit is not None and len(entries) > self.limit:
            entry = waiting.pop_worst()
            url = entry[LINK].url
            evicted.append(url)
            self._hosts.remove(url)
            if url in raised:
                raised.remove(url)
            elif entry[SEQ] > before:
                admitted -= 1
        return Admitted(admitted, len(raised), visited, evicted)

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        for held in self._leases.expired(now):
            self._free(held, held.deadline, None)
            if not held.finished:
                self._return(held)
        claimed = []
        for entry in self._waiting.take(n, now):
            link = priced(entry)
            self._gone.add(link.url)
            self._hosts.remove(link.url)
            claimed.append(Lease(link, self._leases.grant(entry, now)))
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
        if retry_at and not held.finished:
            held.entry[WAKE] = retry_at
            self._return(held)
        if url and url != held.entry[LINK].url:
            self._finish(url)
        return not held.finished

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        self._waiting.reprice(urls, prices)

    def working(self, n: int) -> Sequence[str]:
        return self._waiting.working(n)

    def known(self, url: str) -> str:
        if url in self._waiting.entries:
            return "waiting"
        if url in self._leases:
            return "leased"
        return "visited" if url in self._gone else ""

    def next_ready(self, now: float) -> float | None:
        return self._waiting.next_ready(now)

    def others_waiting(self, host: str, now: float) -> bool:
        answer = self._waiting.others(host, now)
        return self._hosts.others(host) if answer is None else answer

    def best(self, n: int) -> Sequence[Link]:
        return [priced(entry) for entry in self._waiting.best(n)]

    def _free(self, held: Held, now: float, host_delay: float | None) -> None:
        if self._waiting.hosts is not None:
            self._waiting.hosts.free(held.entry[HOST], now, host_delay)

    def _return(self, held: Held) -> None:
        self._gone.discard(held.entry[LINK].url)
        self._waiting.put(held.entry)
        self._hosts.add(held.entry[LINK].url)

    def _finish(self, url: str) -> None:
        """Mark a final address visited: it neither waits nor returns from another's lease."""
        entry = self._waiting.entries.get(url)
        if entry is not None:
            self._waiting.drop(entry)
            self._hosts.remove(url)
        elif url in self._leases:
            self._leases.finish(url)
        self._gone.add(url)
