"""The stems of pages and how often each stands there, kept beside the catalogue for crawls that are analysed later.

A stored page can always be read again from the archive; a crawl of thousands of pages that is going to be clustered
keeps what was read of them, a kilobyte or two a page, so that the map is there seconds after its last page.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

# Types by names that SQLite and PostgreSQL both take.
TABLE = "CREATE TABLE IF NOT EXISTS terms (page BIGINT PRIMARY KEY, stems BYTEA NOT NULL, counts BYTEA NOT NULL)"
MARK = "terms"
"""What stands in `meta` of a library that has the table; older ones, and those nobody analyses, have none."""
_MOST = 0xFFFF
_LEVEL = 1
"""Stems shrink to half at the least effort, and hardly further at more."""
_PORTION = 500


class KeptTerms:
    """Terms of captures, by their numbers in the catalogue."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def prepare(self) -> None:
        """Make room for terms, in the batch that is being written."""
        self._connection.execute(TABLE)
        self._connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (MARK, ""))

    def keep(self, page: int, terms: Mapping[str, int]) -> None:
        """Part of the batch that is being written, like everything of the catalogue."""
        stems = zlib.compress("\n".join(terms).encode("utf-8", "replace"), _LEVEL)
        counts = np.minimum(np.fromiter(terms.values(), np.uint32, len(terms)), _MOST).astype("<u2").tobytes()
        self._connection.execute("INSERT OR IGNORE INTO terms VALUES (?, ?, ?)", (page, stems, counts))

    def known(self, pages: Sequence[int]) -> set[int]:
        """Which of the captures have theirs kept."""
        if self._connection.execute("SELECT 1 FROM meta WHERE key = ?", (MARK,)).fetchone() is None:
            return set()
        return {row[0] for portion in _portions(pages) for row in self._rows("page", portion)}

    def of(self, pages: Sequence[int]) -> Iterator[dict[str, int]]:
        """How often each stem stands on each of the captures, in their order; all of them are known."""
        for portion in _portions(pages):
            held = {page: (stems, counts) for page, stems, counts in self._rows("page, stems, counts", portion)}
            for page in portion:
                stems, counts = held[page]
                numbers = np.frombuffer(counts, "<u2").tolist()
                yield dict(zip(zlib.decompress(stems).decode().split("\n"), numbers, strict=True))

    def _rows(self, columns: str, pages: Sequence[int]) -> Iterable[tuple[Any, ...]]:
        marks = ", ".join("?" * len(pages))
        return self._connection.execute(f"SELECT {columns} FROM terms WHERE page IN ({marks})", tuple(pages)).fetchall()


def _portions(pages: Sequence[int]) -> Iterator[Sequence[int]]:
    return (pages[at : at + _PORTION] for at in range(0, len(pages), _PORTION))
