"""One guarded request: bounded in time, size and where it may go; answered or named, never raised."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from pinakes.core.errors import PinakesError
from pinakes.web.answers import Answer, can_be_cut, mapping
from pinakes.web.guard import refusal
from pinakes.web.resolve import NoAddressError, RefusedError, Resolver

_LINE = 16 << 10
"""The longest header line that is accepted."""
_HEADERS = 200
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


class _Response(aiohttp.ClientResponse):
    """A response that remembers whom it came from; its connection is given back before the body is read."""

    peer = ""

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        address = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(address[0]) if address else ""
        return await super().start(connection)


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
        self._resolver, self._timeouts, self._allow_private = resolver, timeouts, allow_private
        self._proxy, self._clock = URL(proxy) if proxy else None, clock
        connector = aiohttp.TCPConnector(
            resolver=resolver,
            socket_factory=resolver.socket,
            use_dns_cache=False,
            limit=0,
            ssl=_context(ca) if ca else True,
            keepalive_timeout=keep,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=headers,
            response_class=_Response,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(
                total=timeouts.total, connect=timeouts.connect, sock_read=max(timeouts.head, timeouts.read)
            ),
            max_line_size=_LINE,
            max_field_size=_LINE,
            max_headers=_HEADERS,
        )

    async def get(self, url: str, limit: int, headers: Mapping[str, str] | None = None) -> Answer | Trouble:
        """Ask once for a canonical address, and read no more than `limit` bytes of the body."""
        if refused := refusal(url, self._allow_private):
            return Trouble(refused)
        started = time.monotonic()
        try:
            return await self._get(url, limit, headers)
        except (
            aiohttp.ClientError,
            HttpProcessingError,
            OSError,  # timeouts among them
            ValueError,  # what aiohttp and yarl raise for malformed values
        ) as error:
            outcome, temporary = _named(error)
            return Trouble(outcome, time.monotonic() - started, temporary)

    async def close(self) -> None:
        await self._session.close()
        await self._resolver.close()

    async def _get(self, url: str, limit: int, headers: Mapping[str, str] | None) -> Answer:
        at, started = self._clock(), time.monotonic()
        # The address is canonical already and must be sent as it is.
        target = URL(url, encoded=True)
        async with asyncio.timeout(self._timeouts.connect + self._timeouts.head):
            response = await self._session.get(target, headers=headers, allow_redirects=False, proxy=self._proxy)
        try:
            said = mapping(response.raw_headers)
            body, cut = await self._body(response, _allowance(response.status, said, limit))
        finally:
            response.release()
        return Answer(
            url=url,
            status=response.status,
            head=_head(response),
            headers=said,
            body=body,
            cut=cut,
            asked=_asked(response),
            ip=response.peer if isinstance(response, _Response) and self._proxy is None else "",
            at=at,
            seconds=time.monotonic() - started,
        )

    async def _body(self, response: aiohttp.ClientResponse, limit: int) -> tuple[bytes, bool]:
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > limit:
                response.close()  # the rest is not wanted, so the connection is lost
                return b"".join(parts)[:limit], True
        return b"".join(parts), False


def _allowance(status: int, headers: Mapping[str, str], limit: int) -> int:
    """How much of a body to read."""
    if 300 <= status < 400:
        return min(limit, _REDIRECT_BODY)
    if status >= 400:
        return min(limit, _ERROR_BODY)
    length = headers.get("content-length", "")
    too_long = length.isdecimal() and len(length) < 20 and int(length) > limit
    return 0 if too_long and not can_be_cut(headers.get("content-type", "")) else limit


def _head(response: aiohttp.ClientResponse) -> bytes:
    version = response.version or aiohttp.HttpVersion11
    lines = [
        f"HTTP/{version.major}.{version.minor} {response.status} {response.reason or ''}".encode("utf-8", "replace")
    ]
    for name, value in response.raw_headers:
        # The body is kept without its chunks, so the head must not promise them.
        lines.append((b"X-Crawler-Transfer-Encoding" if name.lower() == b"transfer-encoding" else name) + b": " + value)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _asked(response: aiohttp.ClientResponse) -> bytes:
    info = response.request_info
    lines = [f"{info.method} {info.url.raw_path_qs} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in info.headers.items() if name.lower() not in _SECRETS]
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n"


def _context(ca: Path) -> ssl.SSLContext:
    """The default context that trusts one more file."""
    context = ssl.create_default_context()
    trust(ca, context)
    return context


def trust(ca: Path, context: ssl.SSLContext) -> None:
    """Let a context trust the certificates of a file too."""
    try:
        context.load_verify_locations(ca)
    except (OSError, ssl.SSLError):
        raise PinakesError(f"{ca} is no file of certificates; give --ca a PEM file.") from None


def _named(error: Exception) -> tuple[str, bool]:
    """The outcome an exception stands for, and whether it is a passing one."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, RefusedError):
        return "address", False
    if isinstance(cause, NoAddressError):
        return "dns", cause.temporary
    if isinstance(error, TimeoutError):
        return "timeout", False
    if isinstance(error, (aiohttp.ClientSSLError, ssl.SSLError)):
        return "tls", False
    if isinstance(error, aiohttp.ClientPayloadError):
        return "connection", False  # the body broke off
    if isinstance(error, (aiohttp.ClientResponseError, HttpProcessingError, aiohttp.InvalidURL)):
        return "bad-response", False
    if isinstance(error, (OSError, aiohttp.ClientConnectionError)):
        return "connection", False
    return "bad-response", False
