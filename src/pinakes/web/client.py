"""One guarded request: bounded in time, size and where it may go; answered or named, never raised."""

from __future__ import annotations

import asyncio
import base64
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from pinakes.core.errors import PinakesError
from pinakes.web.answers import Answer, can_be_cut
from pinakes.web.connection import Connection
from pinakes.web.dial import dial
from pinakes.web.guard import refusal, split
from pinakes.web.pool import Origin, Pool
from pinakes.web.resolve import NoAddressError, RefusedError, Resolver
from pinakes.web.response import Response, ResponseError

_REDIRECT_BODY = 64 << 10
_ERROR_BODY = 1 << 20
_SECRETS = frozenset({"cookie", "authorization", "proxy-authorization"})
"""Never written to an archive."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds granted to each stage of a request."""

    connect: float = 10.0
    """To look up the name, connect and agree on encryption."""
    head: float = 10.0
    """From then to the end of the answer's head."""
    read: float = 10.0
    """Between two pieces of the body."""
    total: float = 60.0


class Trouble(NamedTuple):
    """Why there is no answer."""

    outcome: str
    seconds: float = 0.0
    temporary: bool = False
    """Another try may help, whatever the outcome usually means."""


class Client:
    """Makes requests one at a time or many at once; connections are kept for the next request to the host."""

    def __init__(
        self,
        headers: Mapping[str, str],
        resolver: Resolver,
        *,
        timeouts: Timeouts,
        allow_private: bool = False,
        ca: Path | None = None,
        proxy: str = "",
        keep: float = 15.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`keep`: seconds a connection without work stays open."""
        self._usual = _lines(headers)
        self._resolver, self._timeouts, self._allow_private = resolver, timeouts, allow_private
        self._ca, self._clock = ca, clock
        self._proxy, self._password = _proxy_of(proxy)
        self._context: ssl.SSLContext | None = None
        self._pool = Pool(keep)

    async def get(
        self, url: str, limit: int, headers: Mapping[str, str] | None = None, *, broken: bool = False
    ) -> Answer | Trouble:
        """Ask once for a canonical address, and read no more than `limit` bytes of the body. With `broken`, a text
        whose connection breaks off is answered as far as it came, and said to be so."""
        return await self._named("GET", url, limit, headers or {}, b"", broken)

    async def post(self, url: str, limit: int, headers: Mapping[str, str], body: bytes) -> Answer | Trouble:
        """Send something to a canonical address."""
        return await self._named("POST", url, limit, {**headers, "Content-Length": str(len(body))}, body)

    async def close(self) -> None:
        await self._pool.close()
        await self._resolver.close()

    # -- one exchange ------------------------------------------------------------------------------------------

    async def _named(
        self, method: str, url: str, limit: int, headers: Mapping[str, str], body: bytes, broken: bool = False
    ) -> Answer | Trouble:
        """What was answered, or the name of what went wrong."""
        if refused := refusal(url, self._allow_private):
            return Trouble(refused)
        at, started = self._clock(), time.monotonic()
        origin = split(url)
        try:
            asked, sent = self._request(method, url, origin, headers)
            response, peer, whole = await self._exchange(origin, sent + body, limit, broken)
        except (OSError, ValueError) as error:  # timeouts among them
            outcome, temporary = _outcome_of(error)
            return Trouble(outcome, time.monotonic() - started, temporary)
        return Answer(
            url=url,
            status=response.status,
            head=response.head,
            headers=response.headers,
            body=response.body,
            cut=response.cut or not whole,
            asked=asked,
            ip=peer if self._proxy is None else "",
            at=at,
            seconds=time.monotonic() - started,
            broken=not whole,
        )

    def _request(self, method: str, url: str, origin: Origin, headers: Mapping[str, str]) -> tuple[bytes, bytes]:
        """A request's head as it is kept, without secrets, and as it is sent."""
        _, _, rest = url.partition("://")
        authority, _, path = rest.partition("/")
        start = f"{method} /{path} HTTP/1.1\r\nHost: {authority}\r\n".encode("ascii") + self._usual
        if any(byte <= 0x20 or byte == 0x7F for byte in url.encode("ascii")):
            raise ValueError("an address that would break its line")
        kept = start + _lines({name: value for name, value in headers.items() if name.lower() not in _SECRETS})
        sent = start + _lines(headers)
        if self._proxy is not None and origin[0] == "http":
            sent = sent.replace(b" /", f" {url[: len(url) - len(path) - 1]}/".encode("ascii"), 1) + self._password
        return kept + b"\r\n", sent + b"\r\n"

    async def _exchange(self, origin: Origin, request: bytes, limit: int, broken: bool) -> tuple[Response, str, bool]:
        """A response, who gave it, and whether it is whole."""
        until = asyncio.get_running_loop().time() + self._timeouts.total
        while True:
            connection, used = self._pool.take(origin), True
            if connection is None:
                async with asyncio.timeout(min(self._timeouts.connect, self._timeouts.total)):
                    connection, used = await self._connected(origin), False
            response = Response(partial(_allowance, limit))
            try:
                await connection.ask(request, response, head=self._timeouts.head, gap=self._timeouts.read, until=until)
            except ConnectionError:
                # A connection that was kept may have been closed from over there at the very moment it was used.
                if used and not response.begun:
                    continue
                if broken and _worth(response):
                    return response, connection.peer, False
                raise
            if response.reusable and connection.open:
                self._pool.give(origin, connection)
            return response, connection.peer, True

    # -- connections -------------------------------------------------------------------------------------------

    async def _connected(self, origin: Origin) -> Connection:
        scheme, host, port = origin
        if self._proxy is None:
            return await self._dialled(scheme, host, port)
        connection = await self._dialled(*self._proxy)
        if scheme == "http":
            return connection
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        request = f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n".encode("ascii") + self._password + b"\r\n"
        response = Response(partial(_allowance, 0), bodiless=True)
        loop, wait = asyncio.get_running_loop(), self._timeouts.connect
        await connection.ask(request, response, head=wait, gap=wait, until=loop.time() + wait)
        try:
            if not 200 <= response.status < 300 or not connection.open:
                raise ResponseError("the proxy refuses")
            secured = await loop.start_tls(connection.transport, connection, self._tls(), server_hostname=host)
            assert secured is not None
            connection.secured(secured)
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _dialled(self, scheme: str, host: str, port: int) -> Connection:
        through = await dial(await self._resolver.resolve(host, port), self._resolver.socket)
        secure = scheme == "https"
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(self._pool.lost),
                sock=through,
                ssl=self._tls() if secure else None,
                server_hostname=host if secure else None,
            )
        except BaseException:
            through.close()
            raise
        self._pool.opened(connection)
        return connection

    def _tls(self) -> ssl.SSLContext:
        """How hosts prove who they are; made when first needed, for the system's certificates take a while to load."""
        if self._context is None:
            self._context = ssl.create_default_context()
            self._context.set_alpn_protocols(["http/1.1"])
            if self._ca is not None:
                trust(self._ca, self._context)
        return self._context


def _lines(headers: Mapping[str, str]) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    if lines.count("\r") != len(headers) or lines.count("\n") != len(headers) or "\0" in lines:
        raise ValueError("a header that would break its line")
    return lines.encode()


def _proxy_of(address: str) -> tuple[Origin | None, bytes]:
    """Where a proxy stands, and the line that lets us in."""
    if not address:
        return None, b""
    scheme, _, rest = address.partition("://")
    login, _, place = rest.rstrip("/").rpartition("@")
    password = base64.b64encode(unquote(login).encode()) if login else b""
    return split(f"{scheme.lower()}://{place}"), b"Proxy-Authorization: Basic " + password + b"\r\n" if login else b""


def _allowance(limit: int, status: int, headers: Mapping[str, str]) -> int:
    """How much of a body to read."""
    if 300 <= status < 400:
        return min(limit, _REDIRECT_BODY)
    if status >= 400:
        return min(limit, _ERROR_BODY)
    length = headers.get("content-length", "")
    too_long = length.isdecimal() and len(length) < 20 and int(length) > limit
    return 0 if too_long and not can_be_cut(headers.get("content-type", "")) else limit


def _worth(response: Response) -> bool:
    """True for a beginning that is of use without its end."""
    good = 200 <= response.status < 300
    return good and bool(response.body) and can_be_cut(response.headers.get("content-type", ""))


def trust(ca: Path, context: ssl.SSLContext) -> None:
    """Let a context trust the certificates of a file too."""
    try:
        context.load_verify_locations(ca)
    except (OSError, ssl.SSLError):
        raise PinakesError(f"{ca} is no file of certificates; give --ca a PEM file.") from None


def _outcome_of(error: Exception) -> tuple[str, bool]:
    """The outcome an exception stands for, and whether it is a passing one."""
    if isinstance(error, RefusedError):
        return "address", False
    if isinstance(error, NoAddressError):
        return "dns", error.temporary
    if isinstance(error, TimeoutError):
        return "timeout", False
    if isinstance(error, ssl.SSLError):
        return "tls", False
    return ("connection" if isinstance(error, OSError) else "bad-response"), False
