"""Stored copies: a page as it came, in a sandbox that runs nothing, loads nothing and leads nowhere."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pinakes.serve.desk import desk_of

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""Styles that stand in the page are shown: without scripts and without a network they can do nothing but look."""
MARKUP = ("text/html", "application/xhtml+xml")
HEADERS = {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN", "Referrer-Policy": "no-referrer"}


def copy(request: Request) -> Response:
    """Markup is shown as markup and text as text; anything else is only handed out as a file."""
    number = request.path_params["number"]
    with desk_of(request).library() as library:
        row = library.connection.execute("SELECT type, url, robots FROM pages WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise LookupError(f"The library holds no page {number}.")
        kind, url, robots = row
        if not {"noarchive", "nocache"}.isdisjoint(robots.split()) and not desk_of(request).signed_in(request):
            return PlainTextResponse("This page asks not to be shown from an archive.\n", 403, headers=HEADERS)
        if kind in MARKUP or kind.startswith("text/"):
            shown = library.shelf.text(number).encode("utf-8", "replace")
            media = "text/html" if kind in MARKUP else "text/plain"
            return Response(shown, media_type=f"{media}; charset=utf-8", headers=HEADERS)
        data = library.shelf.content(number)
    known = kind if kind in ("application/pdf", "application/postscript") else "application/octet-stream"
    name = quote(urlsplit(url).path.rsplit("/", 1)[-1][-100:] or f"page-{number}", safe="")
    disposition = f"attachment; filename*=UTF-8''{name}"
    return Response(data, media_type=known, headers={**HEADERS, "Content-Disposition": disposition})


ROUTES = [Route("/copy/{number:int}", copy)]
