"""How a host is treated: one request at a time, a pause after each, patience with trouble, and when to stay away.

What is decided reaches the engine as `retry_at` and `host_delay`. The pause is kept here too, so that requests the
engine does not know of, for robots.txt and for redirects on the same host, are as polite as all others.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from pinakes.core.page import host_of
from pinakes.web.outcomes import FAILURES, transient

_HOSTS = 20_000
_URLS = 50_000
_DAY = 86_400.0
_RECOVERY = 0.9
"""What is left of a slowed host's extra delay after each good answer."""
_JITTER = 0.1
_SILENCE = 3
"""How many failures a host's silence counts as: waiting for it keeps others from being asked."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a host is asked, and how long it is asked in vain."""

    delay: float = 2.0
    """Seconds between two requests to a host."""
    patience: float = 5.0
    """The pause is at least this many times what the last answer took."""
    longest_crawl_delay: float = 60.0
    """Crawl-delay is honoured up to here; a host that wants more is asked this rarely."""
    tries: int = 4
    """Requests made for one address before it is given up."""
    backoff: float = 5.0
    """The wait before another try is drawn from up to this, doubled each time."""
    longest_backoff: float = 600.0
    longest_retry_after: float = 3600.0
    """A Retry-After beyond this parks the host."""
    slowest: float = 300.0
    """How slow a host that complains can make us."""
    failures: int = 5
    """Failures in a row that park a host."""
    parked: tuple[float, ...] = (3600.0, 6 * 3600.0, _DAY)
    """How long, the first time, the second, and from then on."""


class Advice(NamedTuple):
    """What the engine is told."""

    retry_at: float = 0.0
    host_delay: float = 0.0
    parked: bool = False


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    ready: float = 0.0
    """When it may be asked again."""
    crawl_delay: float = 0.0
    took: float = 0.0
    slow: float = 0.0
    """Delay it earned by complaining."""
    failures: int = 0
    parkings: int = 0
    challenged: float = 0.0
    """Until when it is left alone because of its challenge."""


class Manners:
    def __init__(self, pace: Pace, random_state: int = 0, clock: Callable[[], float] = time.time) -> None:
        self._pace, self._clock = pace, clock
        self._random = random.Random(random_state)
        # The longest untouched is forgotten first, so memory is bounded however many hosts a crawl meets.
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._tries: OrderedDict[str, int] = OrderedDict()

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until a host may be asked; while the block runs nobody else asks it."""
        state = self._host(host)
        async with state.lock:
            if (wait := state.ready - self._clock()) > 0:
                await asyncio.sleep(min(wait, self._pace.longest_crawl_delay))
            try:
                yield
            finally:
                state.ready = self._clock() + self._gap(state)

    def wait(self, host: str) -> float:
        """How long a host is still to be left alone."""
        return max(0.0, self._host(host).ready - self._clock())

    def took(self, host: str, seconds: float) -> None:
        """An answer took so long."""
        self._host(host).took = seconds

    def asks(self, host: str, crawl_delay: float) -> None:
        """What a host's robots.txt asks for; it holds from the last request on."""
        state = self._host(host)
        asked = min(crawl_delay, self._pace.longest_crawl_delay)
        if asked > state.crawl_delay and state.ready:
            state.ready += max(0.0, asked - self._gap(state))
        state.crawl_delay = asked

    def challenged(self, host: str) -> bool:
        return self._host(host).challenged > self._clock()

    def shun(self, host: str, seconds: float) -> None:
        """Leave a host alone that puts a challenge before its pages."""
        self._host(host).challenged = self._clock() + seconds

    def settle(
        self,
        url: str,
        outcome: str,
        status: int = 0,
        retry_after: str = "",
        temporary: bool = False,
        silent: bool = False,
    ) -> Advice:
        """A request came to an end: what follows for the address and for its host. A host that is `silent`, so that
        not even its robots.txt can be had, is left alone sooner than one that fails."""
        host = self._host(host_of(url))
        complains = outcome == "rate-limited" or status == 503
        self._note(host, outcome, complains)
        if silent:
            host.failures += _SILENCE - 1
        delay = self._gap(host) * (1 + _JITTER * self._random.random())
        asked = seconds_of(retry_after, self._clock()) if complains and retry_after else 0.0
        parked = asked > self._pace.longest_retry_after
        if asked:
            delay = max(delay, min(asked, _DAY))
        if host.failures >= self._pace.failures:
            # One failure after the rest is over, and it is parked again, for longer.
            host.failures = self._pace.failures - 1
            delay = max(delay, self._pace.parked[min(host.parkings, len(self._pace.parked) - 1)])
            host.parkings += 1
            parked = True
        return Advice(self._retry(url, outcome, status, temporary, asked, delay if parked else 0.0), delay, parked)

    def _note(self, host: _Host, outcome: str, complains: bool) -> None:
        if outcome in FAILURES:
            host.failures += 1
        elif outcome not in ("robots", "postponed"):
            host.failures = host.parkings = 0
            host.slow = host.slow * _RECOVERY if host.slow > max(self._pace.delay, 0.1) else 0.0
        if complains:
            host.slow = min(2 * max(host.slow, self._gap(host), 0.5), self._pace.slowest)

    def _retry(self, url: str, outcome: str, status: int, temporary: bool, asked: float, parked: float) -> float:
        tries = self._tries.pop(url, 0) + 1
        if not (temporary or transient(outcome, status)) or tries >= self._pace.tries:
            return 0.0
        self._tries[url] = tries
        if len(self._tries) > _URLS:
            self._tries.popitem(last=False)
        wait = self._random.uniform(0, min(self._pace.longest_backoff, self._pace.backoff * 2 ** (tries - 1)))
        return self._clock() + max(asked or wait, parked)

    def _gap(self, host: _Host) -> float:
        patience = min(self._pace.patience * host.took, self._pace.longest_crawl_delay)
        return max(self._pace.delay, host.crawl_delay, host.slow, patience)

    def _host(self, name: str) -> _Host:
        state = self._hosts.get(name)
        if state is None:
            state = self._hosts[name] = _Host()
            if len(self._hosts) > _HOSTS and not next(iter(self._hosts.values())).lock.locked():
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(name)
        return state


def seconds_of(retry_after: str, now: float) -> float:
    """The wait a Retry-After header asks for, which names seconds or a date; 0 for the past and for nonsense."""
    text = retry_after.strip()[:64]
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
