"""Which web a job works on: `demo`, a recorded one, or the live one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Backlinks, Search, Web
from pinakes.jobs.live_backlinks import LiveBacklinks
from pinakes.jobs.live_search import LiveSearch
from pinakes.web.crew import Crew
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions, LiveWeb, make_client
from pinakes.web.render import Kitchen, RenderingWeb
from pinakes.web.resolve import Resolver, routes
from pinakes.web.turns import AddressTurns

_SMALL = 500
"""Pages below which a crawl fetches in its own process."""

Indexing = Callable[[str, int, int], None]
"""Hears the stage of a first indexing, how much of it is done, and how much there is."""
Tell = Callable[[str], None]
"""Hears a sentence now and then, such as that a host is left alone."""


class Opened(NamedTuple):
    """A web, and what it can be asked besides."""

    web: Web
    search: Search | None
    backlinks: Backlinks | None
    digest: str
    """What a recorded web is made of, so that another one is noticed; empty for the live web."""
    delay: float | None
    """Seconds between two requests to a host; None where there is nobody to be polite to."""

    def know(self, library: sqlite3.Connection | None) -> None:
        """On the live web, let the pages of a library say who links where; a recorded web knows all its links."""
        if isinstance(self.backlinks, LiveBacklinks):
            self.backlinks.behind(library)

    async def close(self) -> None:
        if isinstance(self.backlinks, LiveBacklinks):
            await self.backlinks.close()
        if isinstance(self.search, LiveSearch):
            await self.search.close()
        await self.web.close()


def quietly(*heard: object) -> None: ...


def open_web(
    name: str,
    *,
    live: LiveOptions | None = None,
    first_bytes: int | None = None,
    indexing: Indexing = quietly,
    tell: Tell = quietly,
    processes: int = 1,
    validators: Mapping[str, tuple[str, str]] | None = None,
) -> Opened:
    """Open a web by the name a person gives after `--web`; more than one of `processes` fetch the live one.

    `validators`: ETag and Last-Modified of pages that are to be asked for only if they changed."""
    if name == "live":
        options = live or LiveOptions(contact="")
        web: Web = (
            Crew(options, processes, validators=validators, tell=tell)
            if processes > 1
            else LiveWeb(options, validators=validators, tell=tell)
        )
        if options.render:
            web = RenderingWeb(web, Kitchen(lambda: make_client(options)))
        if options.share_delay:
            resolver = Resolver(allow_private=True, routes=routes(options.resolve))
            web = AddressTurns(web, resolver, options.pace.delay)
        search = LiveSearch(options) if options.search else None
        return Opened(web, search, LiveBacklinks(options, tell), "", options.pace.delay)
    frozen = open_frozen(name, first_bytes=first_bytes, indexing=indexing)
    if damage := frozen.info().damage:
        tell(f"{name} is damaged and serves only what can be read: {damage[0]}")
    return Opened(frozen, frozen, frozen, frozen.digest, None)


def processes_for(wished: int | None, pages: int | None) -> int:
    """How many processes fetch: as wished, else as many as there are cores, up to four. Starting one costs as much as
    reading a few hundred pages, so a small crawl has none besides its own."""
    if wished is not None:
        return wished
    return 1 if pages is not None and pages < _SMALL else min(os.cpu_count() or 1, 4)


def open_frozen(
    name: str, *, records: bool = True, first_bytes: int | None = None, indexing: Indexing = quietly
) -> FrozenWeb:
    """Open a recorded web: `demo`, or a WARC file or folder."""
    if name == "live":
        raise PinakesError("The live web is not a recorded one; name a WARC file or folder, or `demo`.")
    return FrozenWeb(web_path(name), records=records, first_bytes=first_bytes, watch=indexing)


def web_path(name: str) -> Path:
    """The file or folder behind the name of a recorded web."""
    if name == "demo":
        from pinakes import demo

        return demo.path("web.warc.gz")
    return Path(name).expanduser()


def live_to_plain(live: LiveOptions | None) -> Any:
    """How to behave on the live web, as a recipe keeps it."""
    return msgspec.to_builtins(live, enc_hook=str) if live else None


def live_from_plain(data: Any) -> LiveOptions | None:
    return msgspec.convert(data, LiveOptions, dec_hook=lambda kind, value: kind(value)) if data else None
