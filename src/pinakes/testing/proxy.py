"""A proxy that can be cut: what a network does to a connection when it fails."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Self


class CuttingProxy:
    """Hands bytes on from `address` to a target, while it is not cut. It runs in a thread of its own."""

    def __init__(self, address: tuple[str, int], target: tuple[str, int]) -> None:
        self._address, self._target = address, target
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens, also while it is cut."""
        return self._address

    def cut(self) -> None:
        """End every connection, and accept none."""
        self._call(self._cut())

    def mend(self) -> None:
        self._call(self._listen(self._address))

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._listen(self._address))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._call(self._cut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: object) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10.0)  # type: ignore[arg-type]

    async def _listen(self, address: tuple[str, int]) -> None:
        self._server = await asyncio.start_server(self._connected, *address)
        host, port = self._server.sockets[0].getsockname()[:2]
        self._address = str(host), int(port)

    async def _cut(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0.05)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        await asyncio.gather(_pump(reader, back), _pump(there, writer))
        self._writers -= {writer, back}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.transport.abort()
