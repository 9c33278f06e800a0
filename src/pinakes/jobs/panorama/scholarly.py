"""Scholarly sources beside the search engine: who has the paper of this title?

A source that fails is told of once and left out: the others, and the search engine, still answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.core.roles import Hit, Search
from pinakes.jobs.live_backlinks import settings_of
from pinakes.jobs.webs import Tell, quietly
from pinakes.services.door import Services
from pinakes.services.errors import ServiceError
from pinakes.services.search.scholarly import Scholarly, scholarly_source
from pinakes.web.http import LiveOptions


class TitleSearch:
    """The role `Search`, for titles: what the search engine finds, then what scholarly sources know."""

    def __init__(
        self, names: Sequence[str], live: LiveOptions, engine: Search | None = None, tell: Tell = quietly
    ) -> None:
        self._services = Services(
            live.contact, proxy=live.proxy, allow_private=live.allow_private, resolve=live.resolve, ca=live.ca
        )
        sections = settings_of(live.services)
        self._sources: list[Scholarly] = [
            scholarly_source(name, sections.get(name), self._services) for name in dict.fromkeys(names)
        ]
        self._engine, self._tell = engine, tell

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        found = list(await self._engine.search(query, n, phrase)) if self._engine is not None else []
        for source in tuple(self._sources):
            try:
                found += await source.search(query, n, phrase)
            except ServiceError as error:
                self._sources.remove(source)
                self._tell(f"{str(error).rstrip('.')}; it is not asked again.")
        return found

    async def close(self) -> None:
        await self._services.close()
