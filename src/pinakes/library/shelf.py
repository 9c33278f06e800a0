"""Reading pages back from a library."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from pinakes.core.page import Link, Page
from pinakes.formats import http
from pinakes.formats.charset import decode
from pinakes.formats.document import Reader
from pinakes.formats.hashes import hash_of
from pinakes.library.archive import Archive, Place

VISIT = "final, outcome, status, page, parent, depth, distance, price, link, at"


class Original(NamedTuple):
    """The first capture of a payload."""

    number: int
    url: str
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Found:
    """A page worth showing."""

    url: str
    title: str
    score: float
    depth: int


class Shelf:
    """The stored pages, as the parser sees them: text, words and links are read from the archive, not kept twice."""

    def __init__(self, connection: sqlite3.Connection, archive: Archive, reader: Reader) -> None:
        self._connection, self._archive, self._reader = connection, archive, reader

    def number(self, url: str, since: float = 0.0) -> int | None:
        """The number of the latest capture of an address, if it was made `since` then."""
        sql = "SELECT id FROM pages WHERE url_hash = ? AND url = ? AND fetched_at >= ? ORDER BY id DESC LIMIT 1"
        row = self._connection.execute(sql, (hash_of(url), url, since)).fetchone()
        return row[0] if row else None

    def original(self, digest: str) -> Original | None:
        """The capture that holds a payload, if the library has one."""
        sql = (
            "SELECT id, url, fetched_at FROM pages"
            " WHERE digest_hash = ? AND digest = ? AND original IS NULL ORDER BY id LIMIT 1"
        )
        row = self._connection.execute(sql, (hash_of(digest), digest)).fetchone()
        return Original(*row) if row else None

    def best(self, crawl: int, n: int) -> list[Found]:
        """The best nuggets of a crawl."""
        rows = self._connection.execute(
            "SELECT pages.url, pages.title, visits.score, visits.depth FROM visits JOIN pages ON pages.id = visits.page"
            " WHERE visits.crawl = ? AND visits.nugget != 0 AND visits.twin = ''"
            " ORDER BY visits.score DESC, visits.id LIMIT ?",
            (crawl, n),
        )
        return [Found(*row) for row in rows]

    def page(self, number: int, link: Link | None = None) -> Page:
        """A stored page, parsed anew."""
        sql = "SELECT url, status, fetched_at FROM pages WHERE id = ?"
        url, status, fetched_at = self._connection.execute(sql, (number,)).fetchone()
        message = self._message(number)
        return self._reader.read(link or Link(url), url, status, message.headers, http.content(message), fetched_at)

    def content(self, number: int) -> bytes:
        """A stored page's bytes, without content encodings."""
        return http.content(self._message(number))

    def text(self, number: int) -> str:
        """A stored page's content as text, markup and all, decoded as browsers do."""
        message = self._message(number)
        return decode(http.content(message), message.headers.get("content-type", ""))

    def member(self, number: int) -> bytes:
        """The WARC member of a capture, as it stands in the archive."""
        return self._archive.bytes_at(self._place(number)[0])

    def _message(self, number: int) -> http.Message:
        place, original = self._place(number)
        message = http.parse(self._archive.read(place).block)
        if original is not None:
            message = message._replace(body=http.parse(self._archive.read(self._place(original)[0]).block).body)
        return message

    def _place(self, number: int) -> tuple[Place, int | None]:
        """Where a capture stands, and the number of the one whose payload it repeats."""
        sql = "SELECT segment, offset, length, original FROM pages WHERE id = ?"
        segment, offset, length, original = self._connection.execute(sql, (number,)).fetchone()
        if segment not in self._archive.names:  # begun by a crawl since this library was opened
            self._archive.names.update(self._connection.execute("SELECT id, name FROM segments"))
        return Place(segment, offset, length), original

    def visit(self, number: int, twins: Sequence[int]) -> Page:
        """What came home on a visit, as the strategy saw it: a duplicate with only the links its twins lack."""
        row = self._connection.execute(f"SELECT {VISIT} FROM visits WHERE id = ?", (number,)).fetchone()
        return self._visited(row, twins)

    def recall(self, crawl: int, url: str) -> Page | None:
        """The page a crawl got from an address, or None if it never came home."""
        sql = (
            f"SELECT {VISIT} FROM visits INDEXED BY visits_url WHERE url_hash = ? AND crawl = ? AND final = ?"
            " ORDER BY id LIMIT 1"
        )
        row = self._connection.execute(sql, (hash_of(url), crawl, url)).fetchone()
        return self._visited(row, ()) if row else None

    def lacking(self, page: Page, twins: Sequence[int]) -> list[Link]:
        """The page's links that none of these stored pages has."""
        marks = ",".join("?" * len(twins))
        rows = self._connection.execute(f"SELECT url FROM links WHERE page IN ({marks})", tuple(twins))
        known = {row[0] for row in rows}
        return [link for link in page.links if link.url not in known]

    def _visited(self, row: tuple[Any, ...], twins: Sequence[int]) -> Page:
        final, outcome, status, number, parent, depth, distance, price, rest, at = row
        url, anchor, before, after, offset, tag, rel, topic, via = msgspec.json.decode(rest)
        link = Link(url, anchor, before, after, offset, tag, rel, parent, depth, distance, price, topic, tuple(via))
        error = "" if outcome == "ok" else outcome
        if number is None:
            return Page(link, final, status=status, error=error, fetched_at=at)
        page = self.page(number, link)
        links = page.links
        if "nofollow" in page.robots:
            links = ()
        elif twins:
            links = tuple(self.lacking(page, twins))
        return replace(page, error=error, links=links)
