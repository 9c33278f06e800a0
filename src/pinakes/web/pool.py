"""Connections that wait for another request to where they lead."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pinakes.web.connection import Connection

Origin = tuple[str, str, int]
"""Scheme, host and port."""
_KEPT = 200
"""Connections without work that stay open; a process may have a thousand files, and hosts with long pauses are many."""
_PATIENCE = 2.0
"""Seconds that connections have to end when all is over."""


class Pool:
    """The open connections of a client. One that ends, whoever ends it, is `lost`."""

    def __init__(self, keep: float) -> None:
        """`keep`: seconds a connection without work stays open."""
        self._keep = keep
        self._open: set[Connection] = set()
        self._idle: dict[Origin, list[Connection]] = {}
        self._resting: dict[Connection, Origin] = {}
        """Connections without work, by where they lead, and where each leads; the longest at rest first."""
        self._all_gone: asyncio.Event | None = None

    def opened(self, connection: Connection) -> None:
        self._open.add(connection)

    def take(self, origin: Origin) -> Connection | None:
        """A connection that waits for work, if there is one."""
        while (waiting := self._idle.get(origin)) is not None:
            connection = waiting[-1]
            self._forget(connection)
            if connection.open:
                return connection
        return None

    def give(self, origin: Origin, connection: Connection) -> None:
        """Keep a connection for the next request."""
        connection.rest(self._keep)
        self._idle.setdefault(origin, []).append(connection)
        self._resting[connection] = origin
        if len(self._resting) > _KEPT:
            oldest = next(iter(self._resting))
            self._forget(oldest)
            oldest.abort()

    def lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._forget(connection)
        if not self._open and self._all_gone is not None:
            self._all_gone.set()

    async def close(self) -> None:
        if not self._open:
            return
        self._all_gone = asyncio.Event()
        for connection in tuple(self._open):
            connection.abort()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._all_gone.wait()

    def _forget(self, connection: Connection) -> None:
        """It waits no longer."""
        if (origin := self._resting.pop(connection, None)) is not None:
            self._idle[origin].remove(connection)
            if not self._idle[origin]:
                del self._idle[origin]
