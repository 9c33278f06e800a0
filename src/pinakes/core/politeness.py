"""The host clockwork: which of the hosts that have something to fetch may be asked now, the best first.

A host is busy from `take` to `free` and then rests for its delay. Only hosts that offer something, are busy or
rest are remembered; all steps are O(log n) in their number, amortised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from math import inf

Rank = tuple[float, int]
"""Cost (the price, negated) and number of arrival: the least rank goes first."""

SOON = 60.0
"""A host that rests no longer than this, the longest Crawl-delay, is as good as ready; one that does is parked."""
_SLACK = 64


class Politeness:
    """At most one request at a time to a host, and a pause after each.

    `group` maps a host to the key whose turn it takes, for hosts that share an address; by default its own name.
    """

    def __init__(self, delay: float, group: Callable[[str], str] | None = None) -> None:
        self.delay = delay
        self._group = group
        self._keys: dict[str, str] = {}
        self._members: dict[str, set[str]] = {}
        self._best: dict[str, Rank] = {}
        self._rest: dict[str, float] = {}
        self._delays: dict[str, float] = {}
        self._busy: set[str] = set()
        # Both heaps are lazy: what no longer agrees with `_best` and `_rest` is passed over when it surfaces.
        self._ready: list[tuple[Rank, str]] = []
        self._alarms: list[tuple[float, str]] = []
        self._sweep_at = _SLACK

    def set_delay(self, host: str, seconds: float) -> None:
        """Give a host a delay of its own, such as a Crawl-delay; it counts where it is longer than the usual one."""
        self._delays[host] = seconds

    def offer(self, host: str, rank: Rank | None) -> None:
        """Tell the rank of the best a host has to fetch now; None when it has nothing."""
        if rank is None:
            if self._best.pop(host, None) is not None:
                self._leave(host)
            return
        before = self._best.get(host)
        if before == rank:
            return
        self._best[host] = rank
        key = host if self._group is None else self._join(host)
        until = self._rest.get(key)
        if until is None:
            heappush(self._ready, (rank, host))
            if len(self._ready) > 2 * len(self._best) + _SLACK:
                self._ready = [(best, name) for name, best in self._best.items() if self._key(name) not in self._rest]
                heapify(self._ready)
        elif before is None and until != inf:
            heappush(self._alarms, (until, key))

    def take(self, now: float) -> str | None:
        """The ready host with the best offer, busy from now on; None when no host is ready."""
        if not self._any_ready(now):
            return None
        host = heappop(self._ready)[1]
        key = self._key(host)
        self._rest[key] = inf
        self._busy.add(key)
        return host

    def free(self, host: str, now: float, host_delay: float | None = None) -> None:
        """End a host's request at `now`: it rests for the usual delay or, where longer, `host_delay` or its own.
        With a `host_delay` of 0 nothing was asked of it, and it need not rest."""
        key = self._key(host)
        pause = 0.0 if host_delay == 0 else max(self.delay, host_delay or 0.0, self._delays.get(host, 0.0))
        until = now + pause
        self._busy.discard(key)
        self._rest[key] = until
        if any(name in self._best for name in self._hosts(key)):
            heappush(self._alarms, (until, key))
        if len(self._rest) > self._sweep_at:
            self._sweep(now)

    def not_before(self, host: str) -> float:
        """When a host may be asked again: in the past if it may now, infinite while it is busy."""
        return self._rest.get(self._key(host), -inf)

    def next_ready(self, now: float) -> float | None:
        """When the next host with an offer is ready; None when none has one or all that have are busy."""
        if self._any_ready(now):
            return now
        while self._alarms:
            until, key = self._alarms[0]
            if self._rest.get(key) == until and any(name in self._best for name in self._hosts(key)):
                return until
            heappop(self._alarms)
        return None

    def others(self, host: str, now: float) -> bool:
        """Has another host something to fetch that may be asked now, is being asked, or rests for `SOON` at most?"""
        if any(self._offers(key, host) for key in self._busy):
            return True
        own: tuple[Rank, str] | None = None
        while self._any_ready(now) and self._ready[0][1] == host:
            own = heappop(self._ready)
        ready = bool(self._ready)
        if own is not None:
            heappush(self._ready, own)
        return ready or any(
            until <= now + SOON and self._rest.get(key) == until and self._offers(key, host)
            for until, key in self._alarms
        )

    def __len__(self) -> int:
        """How many hosts are remembered."""
        return len(self._best.keys() | self._rest.keys())

    def _any_ready(self, now: float) -> bool:
        while self._alarms and self._alarms[0][0] <= now:
            until, key = heappop(self._alarms)
            if self._rest.get(key) == until:
                del self._rest[key]
                for host in tuple(self._hosts(key)):
                    if host in self._best:
                        heappush(self._ready, (self._best[host], host))
                    else:
                        self._leave(host)
        while self._ready:
            rank, host = self._ready[0]
            if self._best.get(host) == rank and self._key(host) not in self._rest:
                return True
            heappop(self._ready)
        return False

    def _offers(self, key: str, but: str) -> bool:
        return any(name != but and name in self._best for name in self._hosts(key))

    def _sweep(self, now: float) -> None:
        """Forget the hosts that offer nothing and whose rest is over; those that offer have an alarm set."""
        for key in [key for key, until in self._rest.items() if until <= now]:
            if not any(name in self._best for name in self._hosts(key)):
                del self._rest[key]
                for host in self._members.pop(key, ()):
                    self._keys.pop(host, None)
        self._sweep_at = 2 * len(self._rest) + _SLACK

    def _key(self, host: str) -> str:
        if self._group is None:
            return host
        key = self._keys.get(host)
        return self._group(host) if key is None else key

    def _hosts(self, key: str) -> Iterable[str]:
        return (key,) if self._group is None else self._members.get(key, ())

    def _join(self, host: str) -> str:
        """The host's key, asked once and kept while the host is remembered, so that a changing answer does no harm."""
        assert self._group is not None
        key = self._keys.get(host)
        if key is None:
            key = self._keys[host] = self._group(host)
            self._members.setdefault(key, set()).add(host)
        return key

    def _leave(self, host: str) -> None:
        key = self._key(host)
        if self._group is None or key in self._rest:
            return
        self._keys.pop(host, None)
        members = self._members.get(key, set())
        members.discard(host)
        if not members:
            self._members.pop(key, None)
