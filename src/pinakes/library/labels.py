"""What people say of a collection's pages: this belongs here, this does not; and what that changed.

Labels live in a database of their own, as wishes do: whoever reads may say so while a crawl holds the catalogue.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

_TABLES = """
CREATE TABLE IF NOT EXISTS labels (collection TEXT NOT NULL, url TEXT NOT NULL, good INTEGER NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (collection, url)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rankings (collection TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Label:
    url: str
    good: bool
    """It belongs here."""
    at: float


@dataclass(frozen=True, slots=True)
class Reranking:
    """A collection before and after its judge learnt from labels."""

    at: float
    good: int
    bad: int
    before: tuple[str, ...]
    """Addresses, best first."""
    after: tuple[str, ...]

    def moved(self, url: str) -> int | None:
        """By how many places an address rose; None for one that came new."""
        if url not in self.before or url not in self.after:
            return None
        return self.before.index(url) - self.after.index(url)


class Labels:
    """The labels of a library, `labels.db`."""

    def __init__(self, library: Path) -> None:
        self._path = library / "labels.db"

    def set(self, collection: str, url: str, good: bool | None) -> None:
        """Label a page of a collection; None takes the label back."""
        with closing(self._opened()) as connection, connection:
            if good is None:
                connection.execute("DELETE FROM labels WHERE collection = ? AND url = ?", (collection, url))
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)", (collection, url, good, time.time())
                )

    def of(self, collection: str) -> list[Label]:
        """A collection's labels, the oldest first."""
        if not self._path.is_file():
            return []
        with closing(self._opened()) as connection:
            rows = connection.execute(
                "SELECT url, good, at FROM labels WHERE collection = ? ORDER BY at", (collection,)
            )
            return [Label(url, bool(good), at) for url, good, at in rows]

    def note(self, collection: str, reranking: Reranking) -> None:
        """Keep what labels changed."""
        with closing(self._opened()) as connection, connection:
            data = msgspec.json.encode(reranking).decode()
            connection.execute("INSERT OR REPLACE INTO rankings VALUES (?, ?)", (collection, data))

    def last(self, collection: str) -> Reranking | None:
        """What labels changed the last time."""
        if not self._path.is_file():
            return None
        with closing(self._opened()) as connection:
            row = connection.execute("SELECT data FROM rankings WHERE collection = ?", (collection,)).fetchone()
        return msgspec.json.decode(row[0], type=Reranking) if row else None

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=5.0)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_TABLES)
        return connection
