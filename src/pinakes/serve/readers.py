"""The library, open for reading, lent to one request at a time: opening it anew costs more than most of them ask."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pinakes.library.library import Library

KEPT = 16
Identity = tuple[int, int] | None


class Readers:
    """Lends open libraries. Several threads may ask."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._idle: list[tuple[Identity, Library]] = []

    @contextmanager
    def one(self) -> Iterator[Library]:
        identity = self._identity()
        library = self._taken(identity) or Library(self._folder)
        try:
            yield library
        except sqlite3.Error:
            library.close()
            raise
        except BaseException:
            self._take_back(identity, library)
            raise
        else:
            self._take_back(identity, library)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, library in idle:
            library.close()

    def _taken(self, identity: Identity) -> Library | None:
        while identity is not None:
            with self._lock:
                if not self._idle:
                    return None
                opened, library = self._idle.pop()
            if opened == identity:
                return library
            library.close()  # another catalogue stands in its place
        return None

    def _take_back(self, identity: Identity, library: Library) -> None:
        with self._lock:
            if identity is not None and len(self._idle) < KEPT:
                self._idle.append((identity, library))
                return
        library.close()

    def _identity(self) -> Identity:
        """Which file the catalogue is. None where it is none, or one that is opened as nobody's: these are not kept."""
        try:
            found = (self._folder / "catalogue.db").stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if os.access(self._folder, os.W_OK) else None
