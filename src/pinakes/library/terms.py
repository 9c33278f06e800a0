"""The stems of pages and how often each stands there, kept beside the catalogue for crawls that are analysed later.

A stored page can always be read again from the archive; a crawl of thousands of pages that is going to be clustered
keeps what was read of them, a kilobyte or two a page, so that the map is there seconds after its last page.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping

import numpy as np

TABLE = "CREATE TABLE IF NOT EXISTS terms (page INTEGER PRIMARY KEY, stems BLOB NOT NULL, counts BLOB NOT NULL)"
_HELD = "SELECT 1 FROM terms WHERE page = ?"
_MOST = 0xFFFF
_LEVEL = 1
"""Stems shrink to half at the least effort, and hardly further at more."""


class KeptTerms:
    """Terms of captures, by their numbers in the catalogue."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, page: int, terms: Mapping[str, int]) -> None:
        """Part of the batch that is being written, like everything of the catalogue."""
        stems = zlib.compress("\n".join(terms).encode("utf-8", "replace"), _LEVEL)
        counts = np.minimum(np.fromiter(terms.values(), np.uint32, len(terms)), _MOST).astype("<u2").tobytes()
        self._connection.execute("INSERT OR IGNORE INTO terms VALUES (?, ?, ?)", (page, stems, counts))

    def prepare(self) -> None:
        self._connection.execute(TABLE)

    def known(self, pages: Iterable[int]) -> set[int]:
        """Which of the captures have theirs kept."""
        try:
            return {page for page in pages if self._connection.execute(_HELD, (page,)).fetchone()}
        except sqlite3.OperationalError:
            return set()  # a library none of whose crawls kept any

    def of(self, page: int) -> dict[str, int]:
        """How often each stem stands on a capture."""
        stems, counts = self._connection.execute("SELECT stems, counts FROM terms WHERE page = ?", (page,)).fetchone()
        numbers = np.frombuffer(counts, "<u2").tolist()
        return dict(zip(zlib.decompress(stems).decode().split("\n"), numbers, strict=True))
