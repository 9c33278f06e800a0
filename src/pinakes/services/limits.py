"""How often a service may be asked: by its own word, by what it costs, and by how much a crawl may want of it."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager

from pinakes.web.manners import seconds_of

LONGEST = 60.0
"""A pause up to this is waited for; a longer one is told to whoever asks."""
_COMPLAINTS = (429, 503)
_SLOWEST = 60.0
_RECOVERY = 0.9
"""What is left of the extra gap of a service that complained after each good answer."""
_FAILURES = 5
_PARKED = 3600.0
_DAY = 86_400.0
_EPOCH = 1e9
"""A reset larger than this is a date in seconds since 1970, not a wait."""
_BACKOFF, _LONGEST_BACKOFF = 1.0, 30.0
_interval = re.compile(r"\s*(\d{1,6})\s*(ms|s|m|h)?\s*", re.IGNORECASE).fullmatch
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WINDOWS = ("x-ratelimit", "ratelimit", "x-rate-limit")


class RestingError(Exception):
    """The service is to be left alone for longer than anybody waits."""

    def __init__(self, outcome: str, seconds: float) -> None:
        super().__init__(outcome)
        self.outcome, self.seconds = outcome, seconds


class Limiter:
    """The turns of one service, shared by all who ask it. The service may ask for a slower pace, never a faster one."""

    def __init__(
        self,
        gap: float = 1.0,
        at_once: int = 1,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random_state: int = 0,
    ) -> None:
        """`gap`: least seconds between two calls; `at_once`: most calls under way."""
        self._least, self._most, self._clock, self._sleep = gap, max(1, at_once), clock, sleep
        self._random = random.Random(random_state)
        self._at_once, self._running, self._freed = self._most, 0, asyncio.Event()
        self._asked_gap = self._slow = self._ready = 0.0
        self._why = "rate-limited"
        self._failures = 0

    @property
    def gap(self) -> float:
        """Seconds between two calls as things stand."""
        return max(self._least, self._asked_gap, self._slow)

    @property
    def at_once(self) -> int:
        """Most calls under way as things stand."""
        return self._at_once

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until the service may be asked. Raises `RestingError` at once when that would take too long."""
        self._refuse_rest()
        while self._running >= self._at_once:
            self._freed.clear()
            await self._freed.wait()
        self._running += 1
        try:
            while (wait := self._ready - self._clock()) > 0:
                self._refuse_rest()
                await self._sleep(wait)
            self._ready = self._clock() + self.gap
            yield
        finally:
            self._running -= 1
            self._freed.set()

    def heard(self, status: int, headers: Mapping[str, str]) -> None:
        """An answer came, or none did (status 0): what follows for the pace. Retry-After counts only with 429 and 503,
        for some send it with success too."""
        now = self._clock()
        if status in _COMPLAINTS:
            self._slow = min(2 * max(self.gap, 0.5), _SLOWEST)
            if wait := seconds_of(headers.get("retry-after", ""), now):
                self.rest(wait, "rate-limited")
        elif status:
            self._slow = self._slow * _RECOVERY if self._slow > max(self._least, 0.1) else 0.0
        if wait := seconds_of(headers.get("backoff", ""), now):  # Zotero's wish, with any answer
            self.rest(wait, "rate-limited")
        self._count(status)
        self._take_pace(headers)
        for wait in _used_up(headers, now):
            self.rest(wait, "rate-limited")

    def pause(self, attempt: int) -> None:
        """Before another try: up to so long, doubled each time, for everybody."""
        self.rest(self._random.uniform(0, min(_LONGEST_BACKOFF, _BACKOFF * 2**attempt)), self._why)

    def rest(self, seconds: float, outcome: str) -> None:
        """Leave the service alone."""
        until = self._clock() + min(seconds, _DAY)
        if until > self._ready:
            self._ready, self._why = until, outcome

    def _refuse_rest(self) -> None:
        if (wait := self._ready - self._clock()) > LONGEST:
            raise RestingError(self._why, wait)

    def _count(self, status: int) -> None:
        self._failures = self._failures + 1 if status in (0, 429) or status >= 500 else 0
        if self._failures >= _FAILURES:
            self._failures = _FAILURES - 1  # one more failure after the rest, and it rests again
            self.rest(_PARKED, "rate-limited" if status in _COMPLAINTS else "server-error" if status else "connection")

    def _take_pace(self, headers: Mapping[str, str]) -> None:
        calls, every = (
            _number(headers.get("x-rate-limit-limit", "")),
            _interval(headers.get("x-rate-limit-interval", "")),
        )
        if calls and every:
            self._asked_gap = min(int(every[1]) * _UNITS[(every[2] or "s").lower()] / calls, LONGEST)
        if at_once := _number(headers.get("x-concurrency-limit", "")):
            self._at_once = max(1, min(int(at_once), self._most))
            self._freed.set()


class Budget:
    """What a day's calls may cost, in the service's own currency; nothing is counted when there is no limit."""

    def __init__(self, most: float = 0.0, clock: Callable[[], float] = time.time) -> None:
        self.most, self.spent = most, 0.0
        self._clock, self._day = clock, 0

    def spend(self, cost: float) -> bool:
        """Spend it if it can be afforded."""
        if (today := int(self._clock() // _DAY)) != self._day:
            self._day, self.spent = today, 0.0
        if self.most and cost and self.spent + cost > self.most * (1 + 1e-9):
            return False
        self.spent += cost
        return True


class Ration:
    """How many calls a crawl may still make."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def take(self) -> bool:
        """Take one, if there is one."""
        if self.left <= 0:
            return False
        self.left -= 1
        return True


def _used_up(headers: Mapping[str, str], now: float) -> Iterator[float]:
    """Waits for the windows (a second, a month) in which no calls are left; several stand in one header."""
    for name in _WINDOWS:
        left, resets = headers.get(f"{name}-remaining", ""), headers.get(f"{name}-reset", "")
        for remaining, reset in zip(left.split(",")[:8], resets.split(",")[:8], strict=False):
            count, wait = _number(remaining), _number(reset)
            if count is not None and wait is not None and count <= 0:
                yield max(0.0, wait - now if wait > _EPOCH else wait)


def _number(text: str) -> float | None:
    try:
        number = float(text[:32])
    except ValueError:
        return None
    return number if 0 <= number < 1e12 else None
