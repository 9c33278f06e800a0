"""What is written down of a crawl for those who watch it: how it grew, and how the hosts it asked lately stand.

None of it is needed to go on with the crawl, and it costs next to nothing: how the crawl stands is noted page by page
at its beginning and ever more seldom later, as often as a curve of it has points; hosts are told of at each commit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from pinakes.core.page import host_of
from pinakes.core.roles import Frontier, HostRest, Ledger, Progress, Resting, Watched

EACH = 50
"""Pages of which each is noted; beyond them, one in twenty of those there are."""
LATELY = 40
"""Hosts that are told of."""


class Observing:
    """Tells a ledger, if it listens, what a crawl's watchers want to know."""

    def __init__(self, ledger: Ledger, frontier: Frontier) -> None:
        self._ledger = ledger if isinstance(ledger, Watched) else None
        self._frontier = frontier if isinstance(frontier, Resting) else None
        self._next = 0
        self._pauses: dict[str, float] = {}

    def grown(self, pages: int, progress: Callable[[], Progress]) -> None:
        """A page came home; `progress` is asked only when it is time to note it."""
        if self._ledger is None or pages < self._next:
            return
        self._next = pages + max(1, (pages - EACH) // 20)
        self._ledger.sample(progress())

    def settled(self, url: str, now: float) -> None:
        """A host was asked, and rests."""
        if self._ledger is None or self._frontier is None:
            return
        host = host_of(url)
        until = self._frontier.not_before(host)
        self._pauses.pop(host, None)
        self._pauses[host] = max(0.0, until - now) if until < inf else 0.0
        if len(self._pauses) > LATELY:
            del self._pauses[next(iter(self._pauses))]

    def committing(self) -> None:
        """Tell how the hosts stand that were asked lately."""
        if self._ledger is not None and self._frontier is not None and self._pauses:
            rest = self._frontier.not_before
            self._ledger.hosts([HostRest(host, pause, rest(host)) for host, pause in self._pauses.items()])
