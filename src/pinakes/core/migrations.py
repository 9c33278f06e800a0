"""Bringing a PostgreSQL schema from whichever version it is at to this one, step by step, once however many try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pinakes.core.errors import PinakesError

_LOCK = 0x50696E616B6573
"""Of the advisory lock under which a schema changes: whoever comes second finds nothing left to do."""


class Database(Protocol):
    def execute(self, query: Any, parameters: Any = None, /) -> Any: ...


def migrate(connection: Database, part: str, steps: Sequence[str]) -> None:
    """Run the steps a part of the schema lacks; inside the caller's transaction, so that all count or none."""
    connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
    connection.execute("CREATE TABLE IF NOT EXISTS versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL)")
    row = connection.execute(f"SELECT version FROM versions WHERE part = '{part}'").fetchone()
    version = int(row[0]) if row else 0
    if version > len(steps):
        raise PinakesError(
            f"The database was written by a newer Pinakes (its {part} is at version {version}, this one knows "
            f"{len(steps)}); upgrade with: pip install -U pinakes"
        )
    for step in steps[version:]:
        connection.execute(step)
    if version < len(steps):
        connection.execute(
            f"INSERT INTO versions VALUES ('{part}', {len(steps)})"
            f" ON CONFLICT (part) DO UPDATE SET version = {len(steps)}"
        )
