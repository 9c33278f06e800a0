"""How much a library holds, counted as it grows: what is new since the last question is added."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from pinakes.core.page import host_of
from pinakes.library.library import Library

_PORTION = 50_000


@dataclass(frozen=True, slots=True)
class Holdings:
    pages: int
    """Different addresses."""
    hosts: int
    captures: int
    bytes: int
    """Of WARC."""


class Tally:
    """Kept by the application; several threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = self._captures = self._pages = 0
        self._hosts: set[str] = set()

    def of(self, library: Library) -> Holdings:
        with self._lock:
            self._count(library)
            pages, hosts, captures = self._pages, len(self._hosts), self._captures
        size = library.connection.execute("SELECT coalesce(sum(bytes), 0) FROM segments").fetchone()[0]
        return Holdings(pages, hosts, captures, size)

    def _count(self, library: Library) -> None:
        while True:
            rows = library.connection.execute(
                "SELECT id, url, EXISTS (SELECT 1 FROM pages AS old WHERE old.url_hash = pages.url_hash"
                " AND old.id < pages.id) FROM pages WHERE id > ? ORDER BY id LIMIT ?",
                (self._last, _PORTION),
            ).fetchall()
            for number, url, again in rows:
                self._hosts.add(host_of(url))
                self._pages += not again
                self._last = number
            self._captures += len(rows)
            if len(rows) < _PORTION:
                return
