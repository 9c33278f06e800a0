"""Pages made a moment ago, for whoever asks for the same: many who read or watch one page cost as much as one.

Only for readers who cannot write: whoever can sees at once what their own writing changed. Every page carries a tag of
its content, so that a browser that has it already is told just that.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinakes.serve.desk import Desk

MOMENT = 0.9
"""Seconds for which a page is good, whatever happens."""
LONGEST = 5.0
"""Seconds for which it is good while nothing was written."""
LARGEST = 1 << 19
MOST_BYTES = 1 << 25
WRITTEN = (
    "catalogue.db", "catalogue.db-wal", "control.db", "control.db-wal", "labels.db", "labels.db-wal",
    "index/links.db-wal", "reports", "desk",
)  # fmt: skip
Key = tuple[str, bytes]
Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    start: Message
    body: bytes
    tag: str
    made: float
    stamp: Stamp

    @property
    def keepable(self) -> bool:
        return self.start["status"] == 200 and "set-cookie" not in Headers(raw=self.start["headers"])


class Answers:
    """Middleware round the pages."""

    def __init__(self, app: ASGIApp, desk: Desk, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._desk, self._clock = app, desk, clock
        self._files = [desk.folder / name for name in (*WRITTEN, f"index/{desk.fulltext.folder.name}/meta.json")]
        self._kept: dict[Key, Answer] = {}
        self._bytes = 0
        self._making: dict[Key, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        if self._desk.signed_in(Request(scope)):
            answer = await self._made(scope, receive, send)
        else:
            answer = await self._shared(scope, receive, send)
        if answer is not None:
            await _say(answer, Headers(scope=scope), send)

    async def _shared(self, scope: Scope, receive: Receive, send: Send) -> Answer | None:
        key = (scope["path"], scope["query_string"])
        if (answer := self._good(key)) is not None:
            return answer
        lock = self._making.setdefault(key, asyncio.Lock())
        async with lock:  # others who want the same wait for it
            if (answer := self._good(key)) is not None:
                return answer
            try:
                answer = await self._made(scope, receive, send)
            finally:
                if self._making.get(key) is lock:
                    del self._making[key]
            if answer is not None and answer.keepable:
                self._keep(key, answer)
            return answer

    def _good(self, key: Key) -> Answer | None:
        answer = self._kept.get(key)
        if answer is None:
            return None
        age = self._clock() - answer.made
        if age < MOMENT or (age < LONGEST and answer.stamp and answer.stamp == self._stamp()):
            return answer
        self._forget(key)
        return None

    def _keep(self, key: Key, answer: Answer) -> None:
        self._forget(key)
        self._kept[key] = answer
        self._bytes += len(answer.body)
        while self._bytes > MOST_BYTES:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Key) -> None:
        if (answer := self._kept.pop(key, None)) is not None:
            self._bytes -= len(answer.body)

    async def _made(self, scope: Scope, receive: Receive, send: Send) -> Answer | None:
        """The application's answer, if it is a page; anything else has been sent when this returns None."""
        stamp, made = self._stamp(), self._clock()
        held: Message | None = None
        body = bytearray()

        async def holding(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_page(message):
                held = message
            elif held is None:
                await send(message)
            else:
                body.extend(message.get("body", b""))

        await self._app(scope, receive, holding)
        if held is None:
            return None
        content = bytes(body)
        return Answer(held, content, f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"', made, stamp)

    def _stamp(self) -> Stamp:
        """When what pages are made of was last written. Empty where that stands on a server, which nobody can tell."""
        return tuple(map(_written, self._files)) if self._files[0].exists() else ()


def _written(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _is_page(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    length = headers.get("content-length", "")
    return headers.get("content-type", "").startswith("text/html") and length.isdigit() and int(length) <= LARGEST


async def _say(answer: Answer, asked: Headers, send: Send) -> None:
    start = {**answer.start, "headers": list(answer.start["headers"])}
    headers = MutableHeaders(raw=start["headers"])
    headers["Vary"] = "Cookie, Authorization"
    if start["status"] != 200:
        await send(start)
        await send({"type": "http.response.body", "body": answer.body})
        return
    headers["ETag"] = answer.tag
    same = asked.get("if-none-match", "") == answer.tag
    if same:
        start["status"] = 304
        del headers["content-length"]
    await send(start)
    await send({"type": "http.response.body", "body": b"" if same else answer.body})
