"""What each host's robots.txt permits, asked once and kept for a day."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pinakes.core.page import host_of
from pinakes.formats import encodings
from pinakes.formats.robots import LIMIT, Robots
from pinakes.web.answers import Answer, hop_of
from pinakes.web.client import Trouble
from pinakes.web.manners import seconds_of

_DAY = 86_400.0
_WAIT = 5.0
"""How soon to ask again for what could not be had; twice as long after the second time in a row, and so on."""
_LONGEST_WAIT = 60.0
_HOPS = 5
_REMEMBERED = 64 << 20
"""Bytes of robots.txt that are remembered; a short file counts as `_LEAST`."""
_LEAST = 2 << 10
_HOST_TROUBLES = frozenset({"dns", "address", "port", "tls", "connection"})
"""Troubles that are the host's, not its robots.txt's."""

Get = Callable[[str, int], Awaitable[Answer | Trouble]]


class Permit(NamedTuple):
    """What holds for one scheme, host and port."""

    robots: Robots
    until: float
    trouble: str = ""
    """Why everything is forbidden for now, as an outcome's name."""
    temporary: bool = False
    failures: int = 0
    """How often in a row it could not be had."""
    silent: bool = False
    """Nobody answered in time, which costs more than a refusal does."""

    def allows(self, url: str) -> bool:
        return not self.trouble and self.robots.allows(url)


class Permits:
    """RFC 9309 §2.3: a file that is not there permits everything, one that cannot be had forbids everything."""

    def __init__(
        self, get: Get, clock: Callable[[], float] = time.time, away: Get | None = None, wait: float = _WAIT
    ) -> None:
        """`get` asks politely for an address, reading so many bytes at most; `away` does, where a redirect leads to
        another host and that is not ours to ask. `wait`: seconds until what could not be had is asked for again."""
        self._wait = wait
        self._get, self._clock, self._away = get, clock, away or get
        self._known: OrderedDict[str, Permit] = OrderedDict()
        self._weight = 0
        self._asking: dict[str, asyncio.Task[Permit]] = {}

    async def of(self, url: str) -> Permit:
        """What holds for an address. However many ask at the same time, the file is fetched once."""
        site = "/".join(url.split("/", 3)[:3])
        permit = self._known.get(site)
        if permit is not None and permit.until > self._clock():
            self._known.move_to_end(site)
            return permit
        task = self._asking.get(site)
        if task is None:
            task = self._asking[site] = asyncio.create_task(self._ask(site, permit))
        return await asyncio.shield(task)

    async def close(self) -> None:
        for task in self._asking.values():
            task.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)

    async def _ask(self, site: str, old: Permit | None) -> Permit:
        try:
            permit = await self._fetched(site + "/robots.txt")
            if permit.trouble:
                permit = self._growing(permit, old)
            if permit.trouble and old is not None and not old.trouble:
                # Better yesterday's rules than none at all.
                permit = Permit(old.robots, permit.until)
            self._remember(site, permit)
            return permit
        finally:
            del self._asking[site]

    async def _fetched(self, url: str) -> Permit:
        """Ask, following redirects wherever they lead: the rules count for the host that was asked first."""
        host = host_of(url)
        for _ in range(_HOPS + 1):
            answer = await (self._get if host_of(url) == host else self._away)(url, LIMIT + 1)
            if isinstance(answer, Trouble):
                name = answer.outcome if answer.outcome in _HOST_TROUBLES else "robots-unreachable"
                return self._forbidding(name, answer.temporary, silent=answer.outcome == "timeout")
            hop, _ = hop_of(answer)
            if not hop:
                break
            url = hop
        else:
            return self._permitting(b"")
        if answer.status >= 500 or answer.status == 429:
            asked = min(seconds_of(answer.headers.get("retry-after", ""), self._clock()), _DAY)
            return self._forbidding("robots-unreachable", wait=asked)
        if not 200 <= answer.status < 300:
            return self._permitting(b"")
        names = encodings.names(answer.headers.get("content-encoding", ""))
        return self._permitting(encodings.decode(answer.body, names, LIMIT + 1).data)

    def _permitting(self, body: bytes) -> Permit:
        return Permit(Robots(body), self._clock() + _DAY)

    def _forbidding(self, trouble: str, temporary: bool = False, wait: float = 0.0, silent: bool = False) -> Permit:
        return Permit(Robots(b""), self._clock() + wait, trouble, temporary, silent=silent)

    def _growing(self, permit: Permit, old: Permit | None) -> Permit:
        """Ask again soon, and less soon each time: while others are asked that costs nobody anything, and where nobody
        is left to ask the host has had its few chances within half a minute."""
        failures = 1 + (old.failures if old is not None else 0)
        soon = self._clock() + min(self._wait * failures, _LONGEST_WAIT)
        return permit._replace(failures=failures, until=max(permit.until, soon))

    def _remember(self, site: str, permit: Permit) -> None:
        if (old := self._known.pop(site, None)) is not None:
            self._weight -= max(old.robots.size, _LEAST)
        self._known[site] = permit
        self._weight += max(permit.robots.size, _LEAST)
        while self._weight > _REMEMBERED and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._weight -= max(oldest.robots.size, _LEAST)
