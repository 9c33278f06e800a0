"""Pages a library holds already: what is young enough is delivered from it, without a request."""

from __future__ import annotations

import time
from collections.abc import Callable

from pinakes.core.page import Fetched, Link
from pinakes.core.roles import Web
from pinakes.library.shelf import Shelf


class FreshWeb:
    """A web behind a library: asks the web only for what the library does not hold, or holds for too long."""

    def __init__(self, web: Web, shelf: Shelf, days: float, clock: Callable[[], float] = time.time) -> None:
        self.ordered = web.ordered
        self._web, self._shelf, self._seconds, self._clock = web, shelf, days * 86_400, clock

    async def fetch(self, link: Link) -> Fetched:
        number = self._shelf.number(link.url, since=self._clock() - self._seconds)
        if number is None:
            return await self._web.fetch(link)
        return Fetched(self._shelf.page(number, link), host_delay=0.0)

    async def close(self) -> None:
        await self._web.close()
