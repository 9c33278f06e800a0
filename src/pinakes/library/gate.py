"""One request at a time to an address, whoever of a library's workers makes it.

Whoever asks an address holds an advisory lock on it, and keeps it until the pause is over. Locks end with their
connection, so that nobody waits for one who is gone.
"""

from __future__ import annotations

from pinakes.formats.hashes import hash_of
from pinakes.library import postgres

_KIND = 0x506971


class AddressGate:
    """Implements `Gate` of `web/turns.py` for all who work on the library in one database."""

    def __init__(self, database: str) -> None:
        # A connection of its own: locks are taken and given at any time, whatever transaction the worker is in.
        self._raw = postgres.connect(database, autocommit=True)

    def take(self, address: str) -> bool:
        row = self._raw.execute("SELECT pg_try_advisory_lock(%s, %s)", (_KIND, _key(address))).fetchone()
        return bool(row and row[0])

    def give(self, address: str) -> None:
        if not self._raw.closed:
            self._raw.execute("SELECT pg_advisory_unlock(%s, %s)", (_KIND, _key(address)))

    def close(self) -> None:
        self._raw.close()


def _key(address: str) -> int:
    return hash_of(address) & 0x7FFFFFFF
