"""The frame of every page: where one is, where one can go, and the search field.

Style and script are files of this package, named by their content, so that browsers keep them as long as they like.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import unescape
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pinakes.report.collections import safe_cell
from pinakes.report.markup import Child, Html, join, tag
from pinakes.serve.desk import Desk, desk_of

SECTIONS = (
    ("home", "/", "Home"),
    ("search", "/search", "Search"),
    ("collections", "/collections", "Collections"),
    ("crawls", "/crawls", "Crawls"),
    ("maps", "/maps", "Maps"),
    ("harvests", "/harvests", "Harvests"),
    ("evaluations", "/evaluations", "Evaluations"),
)
ASSETS = {
    "report.css": "pinakes.report", "report.js": "pinakes.report", "panorama.css": "pinakes.report",
    "panorama.js": "pinakes.report", "serve.css": "pinakes.serve", "serve.js": "pinakes.serve",
}  # fmt: skip
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def page(
    request: Request,
    title: str,
    *body: Child,
    section: str = "",
    query: str = "",
    status: int = 200,
    extra: Sequence[str] = (),
) -> Response:
    """A whole page. `section` is marked as the place one is at; `extra` names further assets."""
    desk = desk_of(request)
    names = ["report.css", "report.js", *extra, "serve.css", "serve.js"]
    head = (
        desk.framed(("head", *names), lambda: _head(desk, names)),
        tag("title", f"{title} · {desk.name}" if title != desk.name else title),
    )
    parts = (
        desk.framed(("bar", section), lambda: _bar(desk, section)) if not query else _bar(desk, section, query),
        tag("main", list(body), id="main", tabindex=-1),
        tag("footer", tag("p", "Pinakes · ", _standing(request, desk))),
    )
    html = tag("html", tag("head", head), tag("body", parts, class_="serve"), lang="en")
    return HTMLResponse(f"<!doctype html>\n{html}\n".encode("utf-8", "replace"), status)


def piece(*children: Child) -> Response:
    """A part of a page, for the script to put in its place."""
    return HTMLResponse(join(children).encode("utf-8", "replace"))


def report(text: str) -> Response:
    """A report that is complete in itself. Its own policy names what may run in it; the sandbox sees to it that even
    that is nobody here: it has no origin, no cookie and no way to write."""
    sandbox = (
        "sandbox allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'"
    )
    own = _POLICY.search(text[:5000])
    policy = f"{unescape(own[1])}; {sandbox}" if own else f"default-src 'none'; style-src 'unsafe-inline'; {sandbox}"
    headers = {"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"}
    return HTMLResponse(text.encode("utf-8", "replace"), headers=headers)


def csv_file(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A table to take away; no cell of it is taken for a formula."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(heads)
    table.writerows([safe_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(out.getvalue().encode("utf-8", "replace"), media_type="text/csv; charset=utf-8", headers=headers)


def trouble(request: Request, status: int, sentence: str) -> Response:
    """A page that says what is wrong."""
    titles = {
        404: "Not found",
        400: "That cannot be",
        409: "Not now",
        403: "Not allowed",
        500: "Something went wrong",
        503: "Not now",
    }
    title = titles.get(status, "That cannot be")
    back = tag("p", tag("a", "To the library's first page", href=desk_of(request).at("/")))
    return page(request, title, tag("h1", title), tag("p", sentence, class_="lead"), back, status=status)


def asset_at(desk: Desk, name: str) -> str:
    return desk.at(f"/static/{digest(name)}/{name}")


def static(request: Request) -> Response:
    """Style and script."""
    name = request.path_params["name"]
    if name not in ASSETS:
        return Response(status_code=404)
    fresh = request.path_params["digest"] == digest(name)
    kept = "public, max-age=31536000, immutable" if fresh else "no-cache"
    return Response(content(name), media_type=TYPES[name.rpartition(".")[2]], headers={"Cache-Control": kept})


@cache
def content(name: str) -> bytes:
    return files(ASSETS[name]).joinpath("assets", name).read_bytes()


@cache
def digest(name: str) -> str:
    return sha256(content(name)).hexdigest()[:16]


def _head(desk: Desk, names: Sequence[str]) -> Html:
    return join(
        (
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            [tag("link", rel="stylesheet", href=asset_at(desk, name)) for name in names if name.endswith("css")],
            [tag("script", src=asset_at(desk, name), defer=True) for name in names if name.endswith("js")],
            tag("link", rel="icon", href="data:,"),
        )
    )


def _bar(desk: Desk, section: str, query: str = "") -> Html:
    skip = tag("a", "Skip to the content", class_="skip", href="#main")
    links = [
        tag("li", tag("a", label, href=desk.at(path), aria_current="page" if key == section else None))
        for key, path, label in SECTIONS
    ]
    field = tag(
        "form",
        tag("label", "Search the library", for_="q", class_="unseen"),
        tag("input", type="search", name="q", id="q", value=query, placeholder="Search the library", maxlength=1000),
        tag("button", "Search", type="submit"),
        action=desk.at("/search"),
        role="search",
        class_="seek",
    )
    bar = tag(
        "header",
        tag(
            "a",
            tag("span", "Pinakes", class_="brand"),
            tag("span", desk.name, class_="library"),
            href=desk.at("/"),
            class_="home",
            aria_label=f"{desk.name}, first page",
        ),
        None if section == "search" else field,
        tag(
            "nav",
            tag("ul", links),
            tag(
                "a",
                "New job",
                href=desk.at("/start"),
                class_="start",
                aria_current="page" if section == "start" else None,
            ),
            aria_label="Library",
        ),
        class_="top searching" if section == "search" else "top",
    )
    return join((skip, bar))


def _standing(request: Request, desk: Desk) -> Html | str:
    if desk.signed_in(request):
        return "you may label pages and start jobs here."
    return "reading only; open the link that pinakes serve printed to label pages and start jobs."
