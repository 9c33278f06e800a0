"""The search engine of a job on the live web: one of the configuration's, opened when first asked and closed after."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pinakes import config
from pinakes.core.roles import Hit, Search
from pinakes.services.door import Services
from pinakes.services.search.engines import search_engine
from pinakes.web.http import LiveOptions


class LiveSearch:
    """The role `Search`. A job that never asks opens nothing, and needs no key."""

    def __init__(self, live: LiveOptions) -> None:
        self._live = live
        self._services: Services | None = None
        self._engine: Search | None = None

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        if self._engine is None:
            self._engine = self._opened()
        return await self._engine.search(query, n, phrase)

    async def close(self) -> None:
        if self._services is not None:
            await self._services.close()

    def _opened(self) -> Search:
        live = self._live
        self._services = Services(
            live.contact, proxy=live.proxy, allow_private=live.allow_private, resolve=live.resolve, ca=live.ca
        )
        section = {name: value for name, value in live.search.items() if name != "name"}
        return search_engine(live.search["name"], msgspec.convert(section, config.Search), self._services)
