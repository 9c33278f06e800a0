"""Messages between the process that decides and those that fetch, over a stream: a length, a kind, the rest.

A message is received straight into the memory it stays in. A page is tens of kilobytes, and every copy of it takes the
place of something else in the processor's caches, which costs more than the copying.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

READY, FETCH, FETCHED, ASK, ANSWERED, TELL, FAILED, BROKEN = range(8)
"""Kinds of messages: the process is up; fetch a link; it came home; ask for a file, for a neighbour's sake; what was
answered; a sentence for the person; a mistake the person can mend; a mistake of ours."""
LONGEST = 256 << 20
"""No message is longer: a page is bounded, and so is what is made of it."""
_HEAD = 5


class Channel(asyncio.BufferedProtocol):
    """One end of it."""

    def __init__(self, heard: Callable[[int, memoryview], None], lost: Callable[[], None]) -> None:
        self._heard, self._lost = heard, lost
        self._head = memoryview(bytearray(_HEAD))
        self._kind = -1
        """Of the message under way; none is while its head is not there."""
        self._rest = self._head
        """What is still to be filled, of the head or of the message."""
        self._message = self._head
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's does not say that it is one

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._rest

    def buffer_updated(self, nbytes: int) -> None:
        self._rest = self._rest[nbytes:]
        if self._rest:
            return
        if self._kind < 0:
            size = int.from_bytes(self._head[:4], "little")
            if size > LONGEST:
                self.close()
                return
            self._kind = self._head[4]
            self._message = self._rest = memoryview(bytearray(size))
            if size:
                return
        kind, message = self._kind, self._message
        self._kind, self._rest, self._message = -1, self._head, self._head
        self._heard(kind, message)

    def send(self, kind: int, *pieces: bytes | memoryview) -> None:
        if self._transport is not None and not self._transport.is_closing():
            size = sum(map(len, pieces))
            self._transport.writelines((size.to_bytes(4, "little") + bytes((kind,)), *pieces))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
