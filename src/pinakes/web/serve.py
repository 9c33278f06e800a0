"""A frozen web over real HTTP and HTTPS on the loopback: all its hosts behind one port, as they answered once.

    with serving(FrozenWeb("web.warc.gz")) as served:
        crawl with served.options

Which host is meant stands in the Host header, or in the TLS handshake; whether a client speaks TLS shows in its first
byte. Status, headers and body are the recorded ones; only what belongs to a connection rather than to a page is ours.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.web.frozen import FrozenWeb
from pinakes.web.replay import head_of, rendered

_LOOPBACK = "127.0.0.1"
_HEAD_LIMIT = 64 << 10
_PATIENCE = 60.0
"""Seconds a client may take to say its first byte."""
_TLS = b"\x16"
_asked = re.compile(
    rb"\r\n(host|connection|accept-encoding|content-length|transfer-encoding):[ \t]*([^\r\n]*)", re.I
).findall


@dataclass(slots=True)
class Counts:
    """What a server did so far."""

    requests: int = 0
    missing: int = 0
    """Requests for what the web does not have."""
    bytes: int = 0
    """Of bodies."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A web that is being served."""

    port: int
    https_port: int
    """The same, unless another was wished for; 0 when there is no HTTPS."""
    ca: Path | None
    """A file of the certificate that vouches for all hosts."""
    counts: Counts

    @property
    def route(self) -> str:
        """Sends every host here, as a `--resolve` option does."""
        return f"*={_LOOPBACK}:{self.port}"

    @property
    def options(self) -> list[str]:
        """What to give a crawl so that it crawls this web."""
        return ["--resolve", self.route, *(["--ca", str(self.ca)] if self.ca else [])]


@contextmanager
def serving(
    web: FrozenWeb, *, port: int = 0, https_port: int | None = None, ca: Path | None = None, https: bool = True
) -> Iterator[Serving]:
    """Serve a web from a thread while the block runs. Port 0 is any free one. The authority's certificate is written
    to `ca`, or to a file that goes when the block ends."""
    with tempfile.TemporaryDirectory(prefix="pinakes-") as folder:
        file = (ca or Path(folder) / "ca.pem") if https else None
        context = _tls(file) if file else None
        sockets = _listen(port, https_port if https else None)
        ports = [one.getsockname()[1] for one in sockets]
        server = _Server(web, frozenset(ports), context)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=_run, args=(loop, server, sockets), name="pinakes-web-serve", daemon=True)
        thread.start()
        try:
            yield Serving(ports[0], ports[-1] if https else 0, file, server.counts)
        finally:
            loop.call_soon_threadsafe(server.stopped.set)
            thread.join()


def _tls(file: Path) -> ssl.SSLContext:
    try:
        from pinakes.web.certificates import Authority
    except ModuleNotFoundError:
        raise PinakesError(
            "Serving HTTPS needs the package cryptography; `pip install cryptography`, or serve with --no-https."
        ) from None
    authority = Authority()
    file.write_bytes(authority.pem)
    return authority.context


def _listen(*ports: int | None) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    for port in ports:
        if port is None:
            continue
        try:
            sockets.append(socket.create_server((_LOOPBACK, port), backlog=1024))
            sockets[-1].setblocking(False)
        except OSError as error:
            for one in sockets:
                one.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise PinakesError(f"Port {port} cannot be had ({error.strerror}); name another with --port.") from None
    return sockets


def _run(loop: asyncio.AbstractEventLoop, server: _Server, sockets: list[socket.socket]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(server.run(sockets))
    finally:
        for one in sockets:
            one.close()
        loop.close()


class _Server:
    """What all connections share."""

    def __init__(self, web: FrozenWeb, ports: frozenset[int], context: ssl.SSLContext | None) -> None:
        self.web, self.context = web, context
        self.own = tuple(f":{port}" for port in ports)
        self.counts = Counts()
        self.stopped = asyncio.Event()
        self.connections: set[_Connection] = set()
        self._opening: set[asyncio.Task[None]] = set()

    async def run(self, sockets: list[socket.socket]) -> None:
        accepting = [asyncio.create_task(self._accept(one)) for one in sockets]
        await self.stopped.wait()
        for task in (*accepting, *self._opening):
            task.cancel()
        await asyncio.gather(*accepting, *self._opening, return_exceptions=True)
        for connection in tuple(self.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # lets aborted connections be lost before the loop goes

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            client, _ = await loop.sock_accept(listening)
            task = asyncio.create_task(self._open(client))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def _open(self, client: socket.socket) -> None:
        """Look at the first byte, without taking it, and hand the client to a connection of the kind it wants."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(client, readable.set)
        try:
            try:
                await asyncio.wait_for(readable.wait(), _PATIENCE)
            finally:
                loop.remove_reader(client)
            tls = client.recv(1, socket.MSG_PEEK) == _TLS
            scheme, context = ("https", self.context) if tls else ("http", None)
            if tls and context is None:
                client.close()
                return
            await loop.connect_accepted_socket(lambda: _Connection(self, scheme), client, ssl=context)
        except (OSError, TimeoutError, asyncio.CancelledError):
            client.close()

    def answer(self, url: str, accepted: bytes) -> tuple[bytes, bytes]:
        """Head, without the empty line that ends it, and body for an address."""
        message = self.web.message(url)
        if message is None and url.endswith("/robots.txt") and url.count("/") == 3:
            # Rules recorded under one scheme count for the other, as they do when the file itself is crawled.
            other = url.replace("https:", "http:", 1) if url.startswith("https:") else url.replace("http:", "https:", 1)
            message = self.web.message(other)
        self.counts.requests += 1
        if message is None:
            self.counts.missing += 1
            return head_of(404, b"Not Found", [b"Content-Type: text/plain"], 0), b""
        head, body = rendered(message, accepted)
        self.counts.bytes += len(body)
        return head, body


class _Connection(asyncio.Protocol):
    """One client. Requests are answered one after the other, also when they arrive together."""

    transport: asyncio.Transport

    def __init__(self, server: _Server, scheme: str) -> None:
        self._server, self._scheme = server, scheme
        self._buffer = b""
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._serve()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._serve()

    def _serve(self) -> None:
        while not self._paused and not self.transport.is_closing() and (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._handle(head)
        if len(self._buffer) > _HEAD_LIMIT:
            self.transport.abort()

    def _handle(self, head: bytes) -> None:
        line, _, _ = head.partition(b"\r\n")
        method, _, rest = line.partition(b" ")
        target, _, version = rest.rpartition(b" ")
        fields = {name.lower(): value.strip() for name, value in _asked(head)}
        host, path = fields.get(b"host", b""), target
        if target.lower().startswith((b"http://", b"https://")):
            host, slash, path = target.partition(b"://")[2].partition(b"/")
            path = slash + path or b"/"
        has_body = b"transfer-encoding" in fields or fields.get(b"content-length", b"0") != b"0"
        last = version != b"HTTP/1.1" or b"close" in fields.get(b"connection", b"").lower() or has_body
        if not host or not path.startswith(b"/"):
            answer, body, last = head_of(400, b"Bad Request", [], 0), b"", True
        elif method not in (b"GET", b"HEAD"):
            answer, body = head_of(405, b"Method Not Allowed", [b"Allow: GET, HEAD"], 0), b""
        else:
            name = host.decode("latin-1").lower()
            for own in self._server.own:
                name = name.removesuffix(own)
            url = f"{self._scheme}://{name}{path.decode('latin-1')}"
            answer, body = self._server.answer(url, fields.get(b"accept-encoding", b""))
        answer += b"Connection: close\r\n\r\n" if last else b"\r\n"
        self.transport.write(answer if method == b"HEAD" else answer + body)
        if last:
            self.transport.close()
