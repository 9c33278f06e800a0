"""Who links here, by the library itself: every page it holds says where it links to.

The catalogue keeps links by page, and no index of their targets. One is made here beside it, brought up to date with
each question by the pages that were added since, so a crawl that never asks pays nothing.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence

from pinakes.formats.hashes import hash_of
from pinakes.services.backlinks.reverse import Reverse

_STEP = 1000
"""Pages read at a time; in between others have their turn."""
_ALIASES = 20
"""Addresses that redirect to a page, whose links count as links to it."""


class LibraryLinks:
    """The role `Backlinks` by the catalogue of a library, which `connection` is open on. Pages of a crawl under way are
    seen when they were written on that same connection, or committed."""

    name = "the library"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._reverse = connection, Reverse[int]()
        self._read_to, self._reading = 0, asyncio.Lock()

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        await self._catch_up()
        sql = "SELECT DISTINCT url FROM visits WHERE url_hash = ? AND final = ? LIMIT ?"
        aliases = [row[0] for row in self._connection.execute(sql, (hash_of(url), url, _ALIASES))]
        found: dict[str, None] = {}
        for target in dict.fromkeys((url, *aliases)):
            # A page captured twice is one page, and links to itself do not count.
            for number in self._reverse.sources(target, 2 * n + 1):
                (source,) = self._connection.execute("SELECT url FROM pages WHERE id = ?", (number,)).fetchone()
                if source != url:
                    found[source] = None
        return list(found)[:n]

    def close(self) -> None:
        self._reverse.close()

    async def _catch_up(self) -> None:
        newest = self._connection.execute("SELECT max(id) FROM pages").fetchone()[0] or 0
        async with self._reading:
            while self._read_to < newest:
                start, self._read_to = self._read_to, min(self._read_to + _STEP, newest)
                sql = "SELECT page, url FROM links WHERE page > ? AND page <= ?"
                self._reverse.add(self._connection.execute(sql, (start, self._read_to)))
                await asyncio.sleep(0)
