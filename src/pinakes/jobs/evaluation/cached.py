"""The live web behind a cache that all crawls of an evaluation share: who asks for an address again, be it another
strategy or the same evaluation taken up the next day, gets the answer that was given the first time.

Answers are kept in a table; the exchanges also as a WARC file, so that what was evaluated is a frozen web from then on.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import msgspec
import zstandard

from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Web
from pinakes.formats.warc import warcinfo
from pinakes.measures.documents import is_document
from pinakes.text.joined import plain

PATIENCE = 120.0
"""Seconds a link waits for its host; one that asks for a longer rest has failed, for all strategies alike."""
_encode = msgspec.msgpack.Encoder(enc_hook=plain).encode
_decode = msgspec.msgpack.Decoder(Fetched).decode


class CachedWeb:
    """Implements `Web`, in order: a crawl waits for each answer, as on a frozen web, so that the same answers make the
    same crawl. Many crawls may wait at once."""

    ordered = True

    def __init__(
        self,
        web: Web | None,
        folder: Path,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Without a web, only what is in the cache can be had."""
        self._web, self._patience, self._clock = web, patience, clock
        self._answers = _Answers(folder)
        self._asking: dict[str, asyncio.Future[Fetched]] = {}
        self.documents: dict[str, tuple[str, ...]] = {}
        """The documents that pages looked at link to."""

    async def fetch(self, link: Link) -> Fetched:
        fetched = await self._fetched(link.url)
        page = fetched.page
        self.documents[page.url] = tuple([found.url for found in page.links if is_document(found.url)])
        links = tuple([found._replace(depth=link.depth + 1) for found in page.links]) if link.depth else page.links
        return replace(fetched, page=replace(page, link=link, links=links))

    async def page(self, url: str) -> Page | None:
        """A page, redirects followed; None when it cannot be had."""
        link = Link(url)
        for _ in range(10):
            fetched = await self.fetch(link)
            if not fetched.hop:
                return fetched.page if fetched.page.readable else None
            link = Link(fetched.hop)
        return None

    async def close(self) -> None:
        self._answers.close()
        if self._web is not None:
            await self._web.close()

    async def _fetched(self, url: str) -> Fetched:
        if (kept := self._answers.get(url)) is not None:
            return kept
        if self._web is None:
            return Fetched(Page(Link(url), url, error="not-found"))
        if url in self._asking:
            return await asyncio.shield(self._asking[url])
        asked = self._asking[url] = asyncio.get_running_loop().create_future()
        try:
            fetched = await _asked(self._web, Link(url), self._patience, self._clock)
            self._answers.keep(url, fetched)
            fetched = replace(fetched, record=(), head=b"")
            asked.set_result(fetched)
        except BaseException:
            asked.cancel()
            raise
        finally:
            del self._asking[url]
        return fetched


async def patiently(
    web: Web, link: Link, patience: float = PATIENCE, clock: Callable[[], float] = time.time, hops: int = 10
) -> Fetched:
    """The final answer to a link, redirects followed; a host that asks to wait is waited for."""
    for _ in range(hops):
        fetched = await _asked(web, link, patience, clock)
        if not fetched.hop:
            break
        link = link._replace(url=fetched.hop)
    return fetched


async def _asked(web: Web, link: Link, patience: float, clock: Callable[[], float]) -> Fetched:
    deadline = clock() + patience
    while True:
        fetched = await web.fetch(link)
        if not fetched.retry_at or fetched.retry_at > deadline:
            return replace(fetched, retry_at=0.0, host_delay=0.0)
        await asyncio.sleep(max(0.0, fetched.retry_at - clock()) + 0.001)


class _Answers:
    """The cache on disk. The table is the truth: bytes of the WARC file it does not count are cut off on opening."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(folder / "answers.db")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (url TEXT PRIMARY KEY, warc INTEGER, data BLOB)"
            )
        except (OSError, sqlite3.Error) as error:
            raise PinakesError(f"The pages of the live web cannot be kept in {folder}: {error}.") from None
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._warc: BinaryIO = (folder / "web.warc.gz").open("ab")
        (length,) = self._connection.execute("SELECT coalesce(max(warc), 0) FROM answers").fetchone()
        os.truncate(self._warc.fileno(), min(length, os.fstat(self._warc.fileno()).st_size))
        self._warc.seek(0, os.SEEK_END)
        if not self._warc.tell():
            self._warc.write(warcinfo("web.warc.gz").data)
        self._squeeze, self._swell = zstandard.ZstdCompressor().compress, zstandard.ZstdDecompressor().decompress

    def get(self, url: str) -> Fetched | None:
        row = self._connection.execute("SELECT data FROM answers WHERE url = ?", (url,)).fetchone()
        return _decode(self._swell(row[0])) if row else None

    def keep(self, url: str, fetched: Fetched) -> None:
        for member in fetched.record:
            self._warc.write(member.data)
        self._warc.flush()
        data = self._squeeze(_encode(replace(fetched, record=(), head=b"")))
        with self._connection:
            self._connection.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", (url, self._warc.tell(), data))

    def close(self) -> None:
        self._warc.close()
        self._connection.close()
