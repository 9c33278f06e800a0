"""A live web all of whose hosts are one server that says what it is told: see `pinakes.testing.wire`."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

from pinakes.core.page import Fetched, Link
from pinakes.testing.wire import Asked, Say, Wired, Write, wire
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.manners import Pace

T = TypeVar("T")
HURRIED = Pace(delay=0, patience=0, backoff=0.01)
IMPATIENT = Timeouts(connect=1.0, head=1.0, read=1.0, total=5.0)


def on_wire(
    say: Say | bytes,
    use: Callable[[LiveWeb, Wired], Awaitable[T]],
    *,
    robots: bytes | None = b"",
    tls: ssl.SSLContext | None = None,
    given: dict[str, Any] | None = None,
    **options: Any,
) -> T:
    """Run `use` with a live web on a wire: `options` are those of `LiveOptions`, `given` goes to `LiveWeb` itself."""

    async def run() -> T:
        async with wire(always(say) if isinstance(say, bytes) else say, robots=robots, tls=tls) as wired:
            usual = LiveOptions("someone@example.org", pace=HURRIED, timeouts=IMPATIENT, resolve=(wired.route,))
            web = LiveWeb(replace(usual, **options), **(given or {}))
            try:
                return await use(web, wired)
            finally:
                await web.close()

    return asyncio.run(run())


def fetched(say: Say | bytes, url: str = "http://a.example/", **options: Any) -> Fetched:
    """What comes home from an address whose server says so; the exchange about robots.txt is left out."""
    answer = on_wire(say, lambda web, _: web.fetch(Link(url)), **options)
    record = tuple([member for member in answer.record if not member.url.endswith("/robots.txt")])
    return replace(answer, record=record)


def always(answer: bytes) -> Say:
    """The same answer to everything."""

    async def say(asked: Asked, write: Write) -> bool:
        await write(answer)
        return True

    return say
