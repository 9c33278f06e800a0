"""Hosts behind one address, asked as if they were one: a request at a time, and one pause for all of them.

Hundreds of sites may stand on one machine, which feels every request whatever the name on it. Where several crawl
together, a gate keeps them from asking one address at once.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pinakes.core.page import Fetched, Link, Page, host_of
from pinakes.core.roles import Web
from pinakes.web.guard import split
from pinakes.web.resolve import Resolver

_ADDRESSES = 20_000
_LONGEST = 60.0
"""A longer rest is one host's trouble, not its neighbours'."""
_SOON = 0.05
"""Seconds until one looks again whether others let it pass."""


@dataclass(slots=True)
class _Address:
    busy: bool = False
    ready: float = 0.0


class Gate(Protocol):
    """What several who crawl pass one at a time for each address."""

    def take(self, address: str, pause: float) -> float:
        """Pass, unless another has, without waiting; answers 0, or when to come again. After one who passed and is
        gone, everyone pauses."""

    def give(self, address: str, pause: float) -> None:
        """Let others pass, after a pause."""


class AddressTurns:
    """A live web whose hosts share a delay where they share an address. Who comes too soon waits with the others."""

    ordered = False

    def __init__(self, web: Web, resolver: Resolver, delay: float, clock: Callable[[], float] = time.time) -> None:
        self._web, self._resolver, self._delay, self._clock = web, resolver, delay, clock
        self._addresses: OrderedDict[str, _Address] = OrderedDict()
        self._gate: Gate | None = None

    def share(self, gate: Gate) -> None:
        """Crawl together with others, who pass the same gate."""
        self._gate = gate

    async def fetch(self, link: Link) -> Fetched:
        address = await self._address_of(host_of(link.url))
        turn = self._turn(address)
        wait = self._delay if turn.busy else turn.ready - self._clock()
        if not turn.busy and wait <= 0 and self._gate is not None and (others := self._gate.take(address, self._delay)):
            wait = max(others, _SOON)
        if turn.busy or wait > 0:
            page = Page(link, link.url, error="postponed", fetched_at=self._clock())
            return Fetched(page, retry_at=self._clock() + wait, host_delay=max(wait, 0.01))
        turn.busy = True
        pause: float | None = None
        try:
            fetched = await self._web.fetch(link)
            pause = fetched.host_delay
            return fetched
        finally:
            turn.busy = False
            rest = 0.0 if pause == 0 and self._delay else max(self._delay, min(pause or 0.0, _LONGEST))
            turn.ready = max(turn.ready, self._clock() + rest)
            if self._gate is not None:
                self._gate.give(address, rest)

    async def close(self) -> None:
        await self._resolver.close()
        await self._web.close()

    async def _address_of(self, host: str) -> str:
        """The first address of a host, or its name where it has none: the web itself will say what is wrong."""
        _, name, port = split(f"http://{host}/")
        try:
            found = await self._resolver.resolve(name, port)
        except OSError:
            return host
        return min(address.ip for address in found)

    def _turn(self, address: str) -> _Address:
        turn = self._addresses.get(address)
        if turn is None:
            turn = self._addresses[address] = _Address()
            if len(self._addresses) > _ADDRESSES and not next(iter(self._addresses.values())).busy:
                self._addresses.popitem(last=False)
        else:
            self._addresses.move_to_end(address)
        return turn
