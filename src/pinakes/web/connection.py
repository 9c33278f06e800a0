"""One connection to a server: a request goes out, its response comes back in time, and the next may follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from pinakes.web.response import Response, ResponseError


class Connection(asyncio.Protocol):
    """Carries one exchange at a time. It has a single timer, which looks at a deadline that moves as bytes arrive."""

    def __init__(self, lost: Callable[[Connection], None]) -> None:
        """`lost` hears when the connection has ended, whoever ended it."""
        self._loop = asyncio.get_running_loop()
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._response: Response | None = None
        self._home: asyncio.Future[None] | None = None
        self._deadline = self._last = self._gap = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.peer = ""

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    @property
    def open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, response: Response, *, head: float, gap: float, until: float) -> None:
        """Send a request and wait for its response: `head` seconds for the head, `gap` between two pieces of the body,
        and not beyond `until` on the loop's clock. Whatever goes wrong ends the connection."""
        self._response, self._gap, self._last = response, gap, until
        home = self._home = self._loop.create_future()
        self._wait(min(until, self._loop.time() + head))
        self.transport.write(request)
        try:
            await home
        except BaseException:
            self.abort()
            raise
        finally:
            self._response = self._home = None

    def rest(self, seconds: float) -> None:
        """Stay open for so long, should another request come."""
        self._wait(self._loop.time() + seconds)

    def secured(self, transport: asyncio.Transport) -> None:
        """Go on over TLS."""
        self._transport = transport

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # -- what the loop tells -----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's does not say that it is one
        address = transport.get_extra_info("peername")
        self.peer = str(address[0]) if address else ""

    def data_received(self, data: bytes) -> None:
        response, home = self._response, self._home
        if response is None or home is None or home.done():
            self.abort()  # nobody asked for it, or nobody wants it any more
            return
        try:
            done = response.feed(data)
        except ResponseError as error:
            home.set_exception(error)
            return
        if done:
            if not response.reusable:
                self.abort()
            home.set_result(None)
        elif response.head:
            self._deadline = min(self._last, self._loop.time() + self._gap)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        response, home = self._response, self._home
        if response is not None and home is not None and not home.done():
            if exc is None and response.close():
                home.set_result(None)
            else:
                home.set_exception(exc or ConnectionResetError("the connection broke off"))
        self._transport = None
        self._lost(self)

    # -- time --------------------------------------------------------------------------------------------------

    def _wait(self, deadline: float) -> None:
        self._deadline = deadline
        if self._timer is None or self._timer.when() > deadline:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(deadline, self._look)

    def _look(self) -> None:
        if self._deadline > self._loop.time():
            self._timer = self._loop.call_at(self._deadline, self._look)
            return
        self._timer = None
        if self._home is None:
            self.abort()
        elif not self._home.done():
            self._home.set_exception(TimeoutError())
