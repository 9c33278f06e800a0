"""A made-up web over HTTP on the loopback: many hosts behind one port, told apart by the Host header.

    with serve({"http://a.example/": "<a href='/b'>b</a>"}) as served:
        connect to served.address

It keeps connections alive, waits, resets and stalls as the answers say, and writes down who was asked for what when.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any, NamedTuple

from pinakes.testing.answer import Answer, Answers, of_error, of_html
from pinakes.testing.procedural import ProceduralWeb

Servable = Answers | Mapping[str, str | bytes | Answer] | Callable[[str, str], Answer]
"""A made-up web; a dict of pages by address; or a function of host and path."""

_HEAD_LIMIT = 64 << 10
_REPORT = "requests.invalid"
"""The virtual host that tells what was asked."""
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Request(NamedTuple):
    """One request as the server saw it; times are `time.monotonic`."""

    path: str
    at: float
    done: float
    """When the answer was written, the connection reset, or the client left a stall; 0 while it is open."""


@dataclass(frozen=True, slots=True)
class Served:
    """A web that is being served."""

    host: str
    port: int

    @property
    def address(self) -> tuple[str, int]:
        return self.host, self.port

    def counts(self) -> dict[str, int]:
        """How many requests each virtual host has had."""
        return dict(self._report("/counts"))

    def requests(self) -> dict[str, list[Request]]:
        """The requests each virtual host has had, in order of arrival; empty when `serve` was told not to log."""
        return {host: [Request(*one) for one in log] for host, log in self._report("/log").items()}

    def _report(self, path: str) -> Any:
        connection = HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.request("GET", path, headers={"Host": _REPORT})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def serve(
    web: Servable,
    *,
    robots: str | Mapping[str, str] = "",
    port: int = 0,
    log: bool = True,
    process: bool = False,
) -> Iterator[Served]:
    """Serve a web while the block runs, from a thread or, for a `ProceduralWeb`, from a process of its own.

    `robots` is the robots.txt of every host, or of each by name; a host without one answers as the web does.
    A Host header that names the server's own port means the host without it.
    """
    if process:
        if not isinstance(web, ProceduralWeb):
            raise TypeError("only a ProceduralWeb can be served from a process of its own")
        plain = robots if isinstance(robots, str) else dict(robots)
        with _in_process({"web": asdict(web), "robots": plain, "port": port, "log": log}) as served:
            yield served
        return
    loop = asyncio.new_event_loop()
    site = _Site(_answers(web), robots, log)
    server = loop.run_until_complete(loop.create_server(lambda: _Connection(site), "127.0.0.1", port, backlog=1024))
    site.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, name="pinakes-serve", daemon=True)
    thread.start()
    try:
        yield Served("127.0.0.1", site.port)
    finally:
        asyncio.run_coroutine_threadsafe(_close(server, site), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(server: asyncio.Server, site: _Site) -> None:
    server.close()
    for connection in list(site.connections):
        connection.leave()
    await asyncio.sleep(0)  # lets aborted connections be lost before the loop goes
    await server.wait_closed()


@contextmanager
def _in_process(options: Mapping[str, object]) -> Iterator[Served]:
    command = [sys.executable, "-m", "pinakes.testing.server", json.dumps(options)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        try:
            line = child.stdout.readline()
            if not line:
                raise RuntimeError("the server's process did not start")
            yield Served("127.0.0.1", int(line))
        finally:
            child.stdin.close()  # the child serves until its input ends, so it never outlives its parent


def _answers(web: Servable) -> Callable[[str], Answer]:
    if isinstance(web, Mapping):
        pages = {url: page if isinstance(page, Answer) else of_html(_bytes(page)) for url, page in web.items()}
        return lambda url: pages.get(url) or of_error(404)
    if callable(web):
        ask = web

        def by_host(url: str) -> Answer:
            host, _, path = url.removeprefix("http://").partition("/")
            return ask(host, "/" + path)

        return by_host
    return web.answer


def _bytes(page: str | bytes) -> bytes:
    return page.encode() if isinstance(page, str) else page


@dataclass(slots=True)
class _Site:
    """What all connections share."""

    ask: Callable[[str], Answer]
    robots: str | Mapping[str, str]
    logs: bool
    port: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    log: dict[str, list[Request]] = field(default_factory=dict)
    connections: set[_Connection] = field(default_factory=set)

    def answer(self, host: str, path: str) -> Answer:
        if host == _REPORT:
            return of_html(json.dumps(self.counts if path == "/counts" else self.log).encode())
        if path == "/robots.txt":
            text = self.robots if isinstance(self.robots, str) else self.robots.get(host, "")
            if text:
                return Answer(200, (("Content-Type", "text/plain"),), text.encode())
        return self.ask(f"http://{host}{path}")


class _Connection(asyncio.Protocol):
    """One client. Requests are answered one after the other, also when they arrive together."""

    transport: asyncio.Transport

    def __init__(self, site: _Site) -> None:
        self.site = site
        self.buffer = b""
        self.busy = False
        self.slot: tuple[str, int] | None = None
        """Where the request being answered stands in the log."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.site.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.site.connections.discard(self)
        self._done()

    def leave(self) -> None:
        self.busy = True
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._serve()

    def _serve(self) -> None:
        while not self.busy and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head, self.buffer = self.buffer[:end].decode("latin-1"), self.buffer[end + 4 :]
            self._handle(head.split("\r\n"))
        if len(self.buffer) > _HEAD_LIMIT:
            self.leave()

    def _handle(self, lines: list[str]) -> None:
        method, _, rest = lines[0].partition(" ")
        target, _, version = rest.partition(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        host = headers.get("host", "").lower().removesuffix(f":{self.site.port}")
        if method not in ("GET", "HEAD") or not host or not target.startswith("/"):
            self._write(of_error(400), "close", body=True)
            return
        self._log(host, target)
        answer = self.site.answer(host, target)
        last = version != "HTTP/1.1" or headers.get("connection", "").lower() == "close"
        if answer.delay or answer.fault:
            self.busy = True
        if answer.fault == "stall":
            return
        go = self._reset if answer.fault == "reset" else self._write
        arguments = () if answer.fault == "reset" else (answer, "close" if last else "", method == "GET")
        if answer.delay:
            asyncio.get_running_loop().call_later(answer.delay, go, *arguments)
        else:
            go(*arguments)

    def _write(self, answer: Answer, connection: str, body: bool) -> None:
        lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}"]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        named = {name.lower() for name, _ in answer.headers}
        if not named & {"content-length", "transfer-encoding"}:
            lines.append(f"Content-Length: {len(answer.body)}")
        if connection:
            lines.append(f"Connection: {connection}")
        head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
        if self.transport.is_closing():
            return
        self.transport.write(head + answer.body if body else head)
        self._done()
        self.busy = bool(connection)
        if connection:
            self.transport.close()
        elif self.buffer:
            asyncio.get_running_loop().call_soon(self._serve)

    def _reset(self) -> None:
        """Close without lingering, so that the client gets a RST and not a polite end."""
        sock = self.transport.get_extra_info("socket")
        if not self.transport.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()

    def _log(self, host: str, path: str) -> None:
        if host == _REPORT:
            return
        self.site.counts[host] = self.site.counts.get(host, 0) + 1
        if self.site.logs:
            log = self.site.log.setdefault(host, [])
            self.slot = host, len(log)
            log.append(Request(path, time.monotonic(), 0.0))

    def _done(self) -> None:
        if self.slot is not None:
            host, place = self.slot
            log = self.site.log[host]
            log[place] = log[place]._replace(done=time.monotonic())
            self.slot = None


def main(arguments: list[str]) -> None:
    """Serve a procedural web until the standard input ends; the port is printed first."""
    options = json.loads(arguments[0]) if arguments else {}
    web = ProceduralWeb(**options.pop("web", {}))
    with serve(web, **options) as served:
        print(served.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
