"""Who links here, on the live web: the library, a link file and services, opened when first asked and closed after."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pinakes.config import Service
from pinakes.web.http import LiveOptions

if TYPE_CHECKING:  # most crawls ask nobody, and need not load what asks
    from pinakes.services.backlinks.chain import Chain
    from pinakes.services.door import Services


class LiveBacklinks:
    """The role `Backlinks` of one crawl of the live web. A crawl that never asks opens nothing."""

    def __init__(self, live: LiveOptions, tell: Callable[[str], None]) -> None:
        self._live, self._tell = live, tell
        self._services: Services | None = None
        self._chain: Chain | None = None
        self._library: sqlite3.Connection | None = None

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        if self._chain is None:
            self._chain = self._opened()
        return await self._chain.backlinks(url, n)

    def behind(self, library: sqlite3.Connection | None) -> None:
        """Ask the pages of a library first, or no library any more; what services granted is counted on."""
        self._library = library
        if self._chain is not None:
            self._chain.library(library)

    async def close(self) -> None:
        if self._chain is not None:
            self._chain.close()
        if self._services is not None:
            await self._services.close()

    def _opened(self) -> Chain:
        from pinakes.services.backlinks.sources import chain_of
        from pinakes.services.door import Services

        live = self._live
        self._services = Services(
            live.contact, proxy=live.proxy, allow_private=live.allow_private, resolve=live.resolve, ca=live.ca
        )
        return chain_of(self._services, settings_of(live.services), library=self._library, tell=self._tell)


def settings_of(services: Mapping[str, Mapping[str, Any]]) -> dict[str, Service]:
    """The sections `[services.NAME]` of the configuration, as options and recipes keep them."""
    return {name: msgspec.convert(section, Service) for name, section in services.items()}
