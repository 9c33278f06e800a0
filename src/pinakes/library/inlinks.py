"""Who links to an address: an index of link targets, derived from the catalogue.

The catalogue keeps the links of each page but no index of their targets, which would cost a crawl dearly. This one is
made afterwards, portion by portion, by whoever shows the library; it can be deleted at any time.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from pinakes.formats.hashes import hash_of
from pinakes.library.library import Library

PORTION = 2_000
"""Pages taken up in one transaction."""
_TABLES = """
CREATE TABLE IF NOT EXISTS inlinks (target INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (target, page)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (library TEXT NOT NULL, page INTEGER NOT NULL);
"""  # noqa: E501


class InLinks:
    """The index of one library, `index/links.db`, kept open once it was asked. Several threads may ask."""

    def __init__(self, library: Path) -> None:
        self._path = library / "index" / "links.db"
        self._lock = threading.Lock()
        self._reading: tuple[int, sqlite3.Connection] | None = None

    def of(self, url: str, n: int = 50, offset: int = 0) -> tuple[int, list[int]]:
        """How many stored captures link to an address, and the numbers of some of them; nothing where none is known."""
        target = hash_of(url)
        with self._lock:
            try:
                connection = self._connected()
                total = connection.execute("SELECT count(*) FROM inlinks WHERE target = ?", (target,)).fetchone()[0]
                sql = "SELECT page FROM inlinks WHERE target = ? ORDER BY page LIMIT ? OFFSET ?"
                return total, [row[0] for row in connection.execute(sql, (target, n, offset))]
            except (sqlite3.DatabaseError, OSError):
                self._close()
                return 0, []

    def _connected(self) -> sqlite3.Connection:
        """The index as it lies there now: it may have been deleted and made anew."""
        file = self._path.stat().st_ino
        if self._reading is None or self._reading[0] != file:
            self._close()
            address = f"{self._path.resolve().as_uri()}?mode=ro"
            self._reading = file, sqlite3.connect(address, uri=True, timeout=5.0, check_same_thread=False)
        return self._reading[1]

    def _close(self) -> None:
        if self._reading is not None:
            self._reading[1].close()
            self._reading = None

    def roll(self, library: Library) -> int:
        """Take up the pages captured since the last time; answers how many there were. One process does at a time."""
        mark = library.connection.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()[0]
        last = library.connection.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()[0]
        done = 0
        with closing(self._opened()) as connection:
            row = connection.execute("SELECT library, page FROM state").fetchone()
            since = row[1] if row and row[0] == mark and row[1] <= last else 0
            if not since:
                with connection:
                    connection.execute("DELETE FROM inlinks")
            while since < last:
                until = min(last, since + PORTION)
                rows = library.connection.execute(
                    "SELECT url, page FROM links WHERE page > ? AND page <= ?", (since, until)
                )
                targets = sorted({(hash_of(url), page) for url, page in rows})
                with connection:
                    connection.executemany("INSERT OR IGNORE INTO inlinks VALUES (?, ?)", targets)
                    connection.execute("DELETE FROM state")
                    connection.execute("INSERT INTO state VALUES (?, ?)", (mark, until))
                done += until - since
                since = until
        return done

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=30.0)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        try:
            connection.executescript(_TABLES)
        except sqlite3.DatabaseError:  # not a database any more: it can be made anew
            connection.close()
            self._path.unlink()
            return self._opened()
        return connection
