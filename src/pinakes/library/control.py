"""Wishes for a running crawl: pause, stop, another budget.

They live in a database of their own, because the crawl holds the catalogue's write lock between commits and
whoever wishes something must not wait for it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

WISH = "INSERT INTO control VALUES (?, ?, ?) ON CONFLICT (crawl, key) DO UPDATE SET value = excluded.value"


class Control:
    """Read each batch by the crawl, written by anyone. `shared` is a catalogue on a server, which nobody locks."""

    def __init__(self, folder: Path, shared: sqlite3.Connection | None = None) -> None:
        self._path = folder / "control.db"
        self._opened, self._shared = shared, shared is not None
        self._read_at, self._wishes = 0.0, dict[str, Any]()

    @property
    def _connection(self) -> sqlite3.Connection:
        """Opened when first needed, so that looking at a library leaves it untouched."""
        if self._opened is None:
            self._opened = sqlite3.connect(self._path, timeout=5.0, isolation_level=None, check_same_thread=False)
            self._opened.execute("PRAGMA journal_mode = WAL")
            self._opened.execute(
                "CREATE TABLE IF NOT EXISTS control (crawl INTEGER, key TEXT, value TEXT, PRIMARY KEY (crawl, key))"
            )
        return self._opened

    def wish(self, crawl: int, key: str, value: Any) -> None:
        """`pause` and `stop` are true or false, `pages` a number; None takes a wish back."""
        if value is None:
            self._connection.execute("DELETE FROM control WHERE crawl = ? AND key = ?", (crawl, key))
        else:
            text = msgspec.json.encode(value).decode()
            self._connection.execute(WISH, (crawl, key, text))

    def wishes(self, crawl: int, every: float = 0.5) -> Mapping[str, Any]:
        """The wishes for a crawl, looked up at most once in `every` seconds."""
        now = time.monotonic()
        if now - self._read_at >= every:
            rows = self._connection.execute("SELECT key, value FROM control WHERE crawl = ?", (crawl,))
            self._wishes = {key: msgspec.json.decode(value) for key, value in rows}
            self._read_at = now
        return self._wishes

    def close(self) -> None:
        if self._opened is not None and not self._shared:
            self._opened.close()
