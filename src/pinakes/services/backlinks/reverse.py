"""Links turned round: who links to an address, for more links than memory would hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Generic, TypeVar

from pinakes.formats.hashes import hash_of

S = TypeVar("S", str, int)

_CACHE_KIB = 32 * 1024


class Reverse(Generic[S]):
    """Sources by target, in the order they were added, in a nameless database that SQLite puts on the disk once it is
    large and removes in the end. Targets are known by their 64-bit hashes; sources are addresses or numbers."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE_KIB};"
            "CREATE TABLE links (target INTEGER NOT NULL, source NOT NULL);"
        )

    def add(self, links: Iterable[tuple[S, str]]) -> None:
        """Add pairs of a source and the address it links to."""
        rows = ((hash_of(target), source) for source, target in links)
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO links VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")

    def sources(self, target: str, n: int) -> list[S]:
        """The first `n` that link to an address."""
        # Only now, for an index of many rows is made much faster at once than one by one.
        self._connection.execute("CREATE INDEX IF NOT EXISTS links_target ON links (target)")
        found: dict[S, None] = {}
        for (source,) in self._connection.execute("SELECT source FROM links WHERE target = ?", (hash_of(target),)):
            found[source] = None
            if len(found) >= n:
                break
        return list(found)[:n]

    def close(self) -> None:
        self._connection.close()
