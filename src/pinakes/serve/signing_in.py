"""The link that `pinakes serve` printed brings the token, to whatever page it leads: a cookie keeps it, and the address
forgets it."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pinakes.serve import shell
from pinakes.serve.desk import Desk

TOKEN = "token"
PROGRAMS = ("/api/", "/oai", "/metrics", "/static/")
"""Where programs ask, which have no cookies."""


class SigningIn:
    """Middleware round the pages."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app, self._desk = app, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        brings = scope["type"] == "http" and scope["method"] == "GET" and b"token=" in scope["query_string"]
        if brings and not scope["path"].startswith(PROGRAMS):
            request = Request(scope)
            if TOKEN in request.query_params:
                await self._signed_in(request)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _signed_in(self, request: Request) -> Response:
        desk = self._desk
        if not desk.knows(request.query_params[TOKEN][:500]):
            return shell.trouble(
                request,
                403,
                "That token is not the one this library was opened with; use the link that pinakes serve printed last.",
            )
        # Two slashes would lead to another host.
        path = "/" + request.url.path.lstrip("/\\")
        rest = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != TOKEN])
        answer = RedirectResponse(f"{desk.at(path)}{'?' if rest else ''}{rest}", 303)
        answer.set_cookie(
            desk.cookie,
            desk.session,
            path=desk.root or "/",
            httponly=True,
            samesite="strict",
            secure=desk.base_url.startswith("https://"),
        )
        return answer
