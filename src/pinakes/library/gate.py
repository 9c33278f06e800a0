"""One request at a time to an address, whoever of a library's workers makes it, and a pause after each.

Whoever asks an address holds an advisory lock on it, which ends with its connection, so that nobody waits for one who
is gone. When the address may be asked again stands in a row; of one who went without saying, the pause counts from when
that is noticed. All times are the server's.
"""

from __future__ import annotations

from math import inf

from pinakes.formats.hashes import hash_of
from pinakes.library import postgres

_KIND = 0x506971
_SOON = 0.001
_NOW = "extract(epoch FROM clock_timestamp())::float8"
_TAKE = f"""
    INSERT INTO addresses AS a SELECT %(key)s, 'infinity'::float8
    FROM (SELECT pg_try_advisory_lock({_KIND}, %(key)s) AS free) AS lock WHERE free
    ON CONFLICT (address) DO UPDATE SET ready = CASE
        WHEN a.ready = 'infinity' THEN {_NOW} + %(pause)s WHEN a.ready <= {_NOW} THEN 'infinity' ELSE a.ready END
    RETURNING ready, {_NOW}
"""


class AddressGate:
    """Implements `Gate` of `web/turns.py` for all who work on the library in one database."""

    def __init__(self, database: str) -> None:
        # A connection of its own: locks are taken and given at any time, whatever transaction the worker is in.
        self._raw = postgres.connect(database, autocommit=True)
        self._raw.execute("SET synchronous_commit = off")

    def take(self, address: str, pause: float) -> float:
        key = _key(address)
        row = self._raw.execute(_TAKE.encode(), {"key": key, "pause": pause}).fetchone()
        if row is None:
            return max(pause, _SOON)
        ready, now = row
        if ready == inf:
            return 0.0
        self._unlock(key)
        return max(float(ready - now), _SOON)

    def give(self, address: str, pause: float) -> None:
        if not self._raw.closed:
            key = _key(address)
            sql = f"UPDATE addresses SET ready = {_NOW} + %s WHERE address = %s"
            self._raw.execute(sql.encode(), (pause, key))
            self._unlock(key)

    def close(self) -> None:
        self._raw.close()

    def _unlock(self, key: int) -> None:
        self._raw.execute("SELECT pg_advisory_unlock(%s, %s)", (_KIND, key))


def _key(address: str) -> int:
    return hash_of(address) & 0x7FFFFFFF
