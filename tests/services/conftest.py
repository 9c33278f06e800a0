"""Services on the loopback: recorded answers, made-up ones, and a clock that only moves when somebody sleeps."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest

from pinakes.services.client import Service, ServiceClient
from pinakes.services.door import Services
from pinakes.testing.wire import Asked, Wired, Write, wire


class Said(NamedTuple):
    """What a service answers."""

    body: bytes = b"{}"
    status: int = 200
    kind: str = "application/json"
    headers: Sequence[str] = ()

    def bytes(self) -> bytes:
        kind = [f"Content-Type: {self.kind}"] if self.kind else []
        lines = [f"HTTP/1.1 {self.status} X", *kind, f"Content-Length: {len(self.body)}", *self.headers]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body


def said(document: Any, status: int = 200, *headers: str) -> Said:
    return Said(json.dumps(document).encode(), status, headers=headers)


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


Script = Sequence[Said] | Callable[[Asked], Said]
"""Answers in order, the last for ever; or by what was asked."""


class Bench:
    """A server that plays services, and the clients that ask it."""

    def __init__(self, wired: Wired, services: Services, clock: Clock) -> None:
        self.wired, self.services, self.clock = wired, services, clock

    def client(self, url: str = "http://api.example", **more: Any) -> ServiceClient:
        return self.services.client(Service("Example", url, **{"gap": 0.0, **more}))

    @property
    def targets(self) -> list[str]:
        return [asked.target for asked in self.wired.asked]

    def queries(self) -> list[dict[str, str]]:
        return [dict(parse_qsl(urlsplit(target).query, keep_blank_values=True)) for target in self.targets]


Use = Callable[[Bench], Awaitable[Any]]


def run(script: Script, use: Use) -> Any:
    """Run `use` against a server that answers by the script."""
    answers = None if callable(script) else list(script)

    async def say(asked: Asked, write: Write) -> bool:
        if answers is None:
            answer = script(asked)  # type: ignore[operator]
        else:
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        await write(answer.bytes())
        return True

    async def go() -> Any:
        clock = Clock()
        async with wire(say) as wired:
            services = Services("someone@example.org", resolve=[wired.route], clock=clock, sleep=clock.sleep)
            try:
                return await use(Bench(wired, services, clock))
            finally:
                await services.close()

    return asyncio.run(go())


def replay(*files: Path, ignoring: Sequence[str] = ()) -> Callable[[Asked], Said]:
    """Answers as recorded, found by host, path and query, less the parameters named; 599 for what was not recorded."""
    known: dict[tuple[str, str, tuple[tuple[str, str], ...]], Said] = {}
    skipped = {"mailto", "email", "api_key", *ignoring}

    def key(host: str, target: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        path, _, query = target.partition("?")
        pairs = sorted(pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in skipped)
        return host, path, tuple(pairs)

    for file in files:
        for one in json.loads(file.read_text())["interactions"]:
            response = one["response"]
            headers = {name.lower(): value for name, value in response["headers"].items()}
            encoded = response.get("body_base64")
            body = base64.b64decode(encoded) if encoded else response.get("body", "").encode()
            kind = headers.pop("content-type", "")
            rest = [f"{name}: {value}" for name, value in headers.items()]
            _, _, host, target = one["request"]["url"].split("/", 3)
            known[key(host, "/" + target)] = Said(body, response["status"], kind, rest)

    def answer(asked: Asked) -> Said:
        return known.get(key(asked.host, asked.target), Said(b'{"error":"not recorded"}', 599))

    return answer


@pytest.fixture
def recordings(shared: Path) -> Path:
    return shared / "recordings"


class Loopback:
    """What tests of services need, in one place."""

    run = staticmethod(run)
    replay = staticmethod(replay)
    said = staticmethod(said)
    Said = Said


@pytest.fixture
def loopback() -> type[Loopback]:
    return Loopback


@pytest.fixture
def clock() -> Clock:
    return Clock()
