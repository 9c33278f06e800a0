"""A server on the loopback that says exactly the bytes it is told to, however wrong, slow or endless they are.

    async def say(asked, write):
        await write(b"HTTP/1.1 200 OK\\r\\n\\r\\nhello")

    async with wire(say) as wired:
        connect to wired.port

It knows no HTTP beyond reading requests, so that what a client must survive can be written down byte by byte.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple


class Asked(NamedTuple):
    """One request as it came in."""

    method: str
    target: str
    """As written: a path, or a whole address when a proxy is asked."""
    host: str
    headers: Mapping[str, str]
    at: float
    """By the event loop's clock."""
    connection: int
    """Numbers connections in the order they were made."""


Write = Callable[[bytes], Awaitable[None]]
Say = Callable[[Asked, Write], Awaitable[bool | None]]
"""Answers a request; the connection stays open for another when it returns True."""


@dataclass(slots=True)
class Wired:
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    sent: int = 0
    """Bytes the clients were willing to take."""
    connections: int = 0

    @property
    def route(self) -> str:
        """Sends every host here, as a `--resolve` option does."""
        return f"*=127.0.0.1:{self.port}"


@asynccontextmanager
async def wire(say: Say, *, robots: bytes | None = None, tls: ssl.SSLContext | None = None) -> AsyncIterator[Wired]:
    """Serve while the block runs. `robots` is what robots.txt says; None leaves that to `say`."""
    wired = Wired()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        wired.connections += 1
        number = wired.connections

        async def write(data: bytes) -> None:
            writer.write(data)
            await writer.drain()
            wired.sent += len(data)

        try:
            while (asked := await _request(reader, number)) is not None:
                wired.asked.append(asked)
                if robots is not None and asked.target.endswith("/robots.txt"):
                    length = len(robots)
                    await write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length + robots)
                elif not await say(asked, write):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    wired.port = server.sockets[0].getsockname()[1]
    try:
        yield wired
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _request(reader: asyncio.StreamReader, connection: int) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, _, rest = first.partition(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    now = asyncio.get_running_loop().time()
    return Asked(method, rest.rpartition(" ")[0], headers.get("host", ""), headers, now, connection)


def page(body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    """A well-formed answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
