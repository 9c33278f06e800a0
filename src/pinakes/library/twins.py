"""Pages of one crawl that say the same: to the byte, or nearly to the word."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from pinakes.core.page import Page
from pinakes.core.roles import Twin
from pinakes.formats.hashes import hash_of, signed, unsigned
from pinakes.text.fingerprint import NEAR, blocks, hamming

EXACT = -1
"""The block under which payload digests stand."""
CANONICAL = -2
"""The block under which pages stand by the address they name as their canonical one."""
EMPTY = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
"""The digest of no payload at all, which makes nobody twins."""
ALIKE = 16
"""Bits by which a page may differ from the one it names as its canonical address: half their word triples agree."""
MOST = 500
"""Candidates looked at in one block: a flood of copies must not make each further copy dearer."""
_SOME = "SELECT * FROM (SELECT fingerprint, page FROM twins WHERE crawl = ? AND block = ? LIMIT ?) AS some_{}"
_IN_BLOCKS = " UNION ALL ".join(_SOME.format(at) for at in range(len(blocks(0))))


class Twins:
    """An index of fingerprints in the catalogue: as durable as the pages, and bounded in memory."""

    def __init__(self, connection: sqlite3.Connection, crawl: int) -> None:
        self._connection, self._crawl = connection, crawl

    def find(self, page: Page, digest: str) -> Twin | None:
        exact = self._candidates(EXACT, hash_of(digest)) if digest and digest != EMPTY else []
        if exact:
            return self._twin(page, exact, exact=True)
        if not page.fingerprint:
            return None
        near = {
            number
            for fingerprint, number in self._in_blocks(blocks(page.fingerprint))
            if hamming(unsigned(fingerprint), page.fingerprint) <= NEAR
        }
        near |= self._canonical(page)
        return self._twin(page, sorted(near), exact=False) if near else None

    def add(self, page: Page, digest: str, number: int) -> None:
        rows = [(self._crawl, EXACT, hash_of(digest), number)] if digest and digest != EMPTY else []
        if page.fingerprint:
            fingerprint = signed(page.fingerprint)
            rows += [(self._crawl, block, fingerprint, number) for block in blocks(page.fingerprint)]
        if page.canonical and page.canonical != page.url:
            rows.append((self._crawl, CANONICAL, hash_of(page.canonical), number))
        self._connection.executemany("INSERT OR IGNORE INTO twins VALUES (?, ?, ?, ?)", rows)

    def overtake(self, page: Page) -> None:
        """Say of copies that came home before this page, which they name as the canonical one, that they repeat it."""
        for url in copies_of(self._connection, self._crawl, page.url, page.fingerprint):
            self._connection.execute(
                "UPDATE visits INDEXED BY visits_url SET twin = ?"
                " WHERE url_hash = ? AND crawl = ? AND final = ? AND twin = ''",
                (page.url, hash_of(url), self._crawl, url),
            )

    def _candidates(self, block: int, fingerprint: int) -> list[int]:
        sql = "SELECT page FROM twins WHERE crawl = ? AND block = ? AND fingerprint = ? ORDER BY page LIMIT ?"
        return [row[0] for row in self._connection.execute(sql, (self._crawl, block, fingerprint, MOST))]

    def _in_blocks(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        values = [value for number in numbers for value in (self._crawl, number, MOST)]
        return list(self._connection.execute(_IN_BLOCKS, values))

    def _canonical(self, page: Page) -> set[int]:
        """The page this one says it repeats, if that came home and is alike: pages name any address they like."""
        if not page.canonical or page.canonical == page.url:
            return set()
        rows = self._connection.execute(
            "SELECT pages.id, fingerprint FROM visits INDEXED BY visits_url JOIN pages ON pages.id = visits.page"
            " WHERE visits.url_hash = ? AND crawl = ? AND final = ?",
            (hash_of(page.canonical), self._crawl, page.canonical),
        )
        return {number for number, other in rows if other and hamming(unsigned(other), page.fingerprint) <= ALIKE}

    def _twin(self, page: Page, numbers: list[int], *, exact: bool) -> Twin | None:
        """The first of them. Those that name this very page as the one they repeat are its copies, not it theirs."""
        marks = ",".join("?" * len(numbers))
        sql = f"SELECT id, url FROM pages WHERE id IN ({marks}) AND url != ? AND canonical != ? ORDER BY id LIMIT 10"
        rows = list(self._connection.execute(sql, (*numbers, page.url, page.url)))
        return Twin(rows[0][1], exact, tuple(row[0] for row in rows)) if rows else None


def copies_of(connection: sqlite3.Connection, crawl: int, url: str, fingerprint: int | None = None) -> list[str]:
    """Pages of a crawl that name an address as their canonical one; with its fingerprint, those that are alike."""
    rows = connection.execute(
        "SELECT pages.url, pages.fingerprint FROM twins JOIN pages ON pages.id = twins.page"
        " WHERE crawl = ? AND block = ? AND twins.fingerprint = ? AND canonical = ? LIMIT ?",
        (crawl, CANONICAL, hash_of(url), url, MOST),
    )
    return [
        copy
        for copy, other in rows
        if copy != url and (fingerprint is None or (other and hamming(unsigned(other), fingerprint) <= ALIKE))
    ]
