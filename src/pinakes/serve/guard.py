"""What stands between a browser and the application: which host was asked, who may write, how much may be sent, and the
headers that keep a stranger's page, should one ever get in, from doing anything.

Reading is open to whoever reaches the port, which by default is this machine alone. Writing needs the token: in a
cookie, and then only from a page of our own, or in an `Authorization: Bearer` header.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinakes.serve.desk import Desk

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send `Origin: null` with our own forms, which could not be told from a stranger's.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
READING_POSTS = frozenset({"/oai"})
"""Paths where a POST only reads."""
BODY = 1 << 20
UPLOAD = 64 << 20
"""Bytes of a request's body, and of one that brings a file."""
UPLOADS = ("/start/", "/api/jobs")


class Guard:
    """Middleware round everything."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app, self._desk = app, desk
        base = urlsplit(desk.base_url)
        self._hosts = {host.lower() for host in desk.hosts} | ({base.netloc.lower()} if base.netloc else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        root = self._desk.root
        if root and (scope["path"] == root or scope["path"].startswith(f"{root}/")):
            # A proxy may hand the prefix on or take it off; both are understood.
            scope = {**scope, "path": scope["path"][len(root) :] or "/"}
        request = Request(scope)
        limit = UPLOAD if scope["path"].startswith(UPLOADS) else BODY
        refusal = self._refusal(request, limit)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        await self._app(scope, _bounded(receive, limit), _with_headers(send))

    def _refusal(self, request: Request, limit: int) -> Response | None:
        if not self._is_ours(request.headers.get("host", "")):
            return _no(request, 421, "This is not the host you asked for.")
        length = request.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > limit:
            return _no(request, 413, f"Too much was sent; at most {limit >> 20} MB are taken.")
        if not _may_ask(request.headers):
            return _no(request, 403, "Another site may link here, but not load from here.")
        if request.method in SAFE or (request.method == "POST" and request.url.path in READING_POSTS):
            return None
        if not self._desk.signed_in(request):
            return _no(
                request,
                401,
                "Writing needs the token: open the link that `pinakes serve` printed, or send it as a bearer.",
            )
        if not self._from_ourselves(request.headers):
            return _no(request, 403, "Another site may not write here.")
        return None

    def _is_ours(self, host: str) -> bool:
        host = host.lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        return host in self._hosts or name in self._hosts

    def _from_ourselves(self, headers: Headers) -> bool:
        """A program with the token in its header is nobody's tool; a browser must come from one of our own pages."""
        if headers.get("authorization", "")[:7].lower() == "bearer ":
            return True
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is None:
            return site == "same-origin"
        return self._is_ours(urlsplit(origin).netloc) and site in (None, "same-origin") and self._same(origin, headers)

    def _same(self, origin: str, headers: Headers) -> bool:
        """Another port of this host is another site."""
        asked = headers.get("host", "").lower()
        return urlsplit(origin).netloc.lower() in (asked, urlsplit(self._desk.base_url).netloc.lower())


def _may_ask(headers: Headers) -> bool:
    """Other sites may lead a reader here by a link; pictures, frames and scripts of theirs get nothing. Programs that
    are no browsers do not say where they come from."""
    site = headers.get("sec-fetch-site", "none")
    linked = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return site in ("none", "same-origin") or linked


def _no(request: Request, status: int, sentence: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence, "fields": {}}, status, headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                if name not in headers:
                    headers[name] = value
        await send(message)

    return sending


def _bounded(receive: Receive, limit: int) -> Receive:
    """A body that says nothing of its length is cut off where it gets too long."""
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > limit else message

    return receiving
