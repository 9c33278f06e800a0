"""Hosts that never answer are given up, with everything that waits on them: no crawl is held up by the dead.

A host that has answered before and fails now is another matter: it is left alone for a while and asked again.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pinakes.core.page import Fetched, Link, Page, host_of
from pinakes.core.roles import Web

TRIES = 3
"""Requests in vain, on different links or the same, after which a host that never answered is given up."""
PATIENCE = 120.0
"""Seconds; a longer wait for a host that never answered is not worth it."""
UNANSWERED = frozenset({"dns", "connection", "timeout", "tls", "robots-unreachable"})
_UNASKED = frozenset({"robots", "postponed", "challenge", "scheme", "address", "port", "scope", "trap", "known"})
_HOSTS = 100_000
T = TypeVar("T")


class GivingUp:
    """A live web that stops asking hosts from which nothing ever came."""

    ordered = False

    def __init__(self, web: Web, tries: int = TRIES, clock: Callable[[], float] = time.time) -> None:
        self._web, self._tries, self._clock = web, tries, clock
        self._alive: OrderedDict[str, None] = OrderedDict()
        self._dead: OrderedDict[str, str] = OrderedDict()
        self._failures: Counter[str] = Counter()

    async def fetch(self, link: Link) -> Fetched:
        host = host_of(link.url)
        if (outcome := self._dead.get(host)) is not None:
            return Fetched(Page(link, link.url, error=outcome, fetched_at=self._clock()))
        fetched = await self._web.fetch(link)
        outcome = fetched.page.error
        if host in self._alive or outcome in _UNASKED:
            return fetched
        if outcome not in UNANSWERED or fetched.page.status:
            _keep(self._alive, host, None)
            self._failures.pop(host, None)
            return fetched
        self._failures[host] += 1
        late = fetched.retry_at - self._clock() > PATIENCE
        if fetched.retry_at and not late and self._failures[host] < self._tries:
            return fetched
        _keep(self._dead, host, outcome)
        del self._failures[host]
        return replace(fetched, retry_at=0.0, host_delay=0.0)

    async def close(self) -> None:
        await self._web.close()


def _keep(known: OrderedDict[str, T], host: str, value: T) -> None:
    known[host] = value
    if len(known) > _HOSTS:
        known.popitem(last=False)
