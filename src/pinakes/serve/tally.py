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
        self._last = 0
        self._hosts: dict[str, int] = {}

    def of(self, library: Library) -> Holdings:
        with self._lock:
            self._count(library)
            hosts = len(self._hosts)
            last = self._last
        pages, captures = library.connection.execute(
            "SELECT count(DISTINCT url_hash), count(*) FROM pages WHERE id <= ?", (last,)
        ).fetchone()
        size = library.connection.execute("SELECT coalesce(sum(bytes), 0) FROM segments").fetchone()[0]
        return Holdings(pages, hosts, captures, size)

    def _count(self, library: Library) -> None:
        while True:
            rows = library.connection.execute(
                "SELECT id, url FROM pages WHERE id > ? ORDER BY id LIMIT ?", (self._last, _PORTION)
            ).fetchall()
            for number, url in rows:
                host = host_of(url)
                self._hosts[host] = self._hosts.get(host, 0) + 1
                self._last = number
            if len(rows) < _PORTION:
                return
