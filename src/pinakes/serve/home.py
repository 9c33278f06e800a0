"""The first page: what the library holds, at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.page import host_of
from pinakes.jobs.browse import cards
from pinakes.jobs.watching import CrawlView
from pinakes.library.library import Library
from pinakes.library.shelf import Found
from pinakes.report.markup import Html, tag
from pinakes.serve import collections_page, crawls_page, evaluations_page, harvests_page, maps_page, parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.tally import Holdings

SHOWN = 12
BEST = 10
CRAWLS = 5


def home(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        held = desk.tally.of(library)
        collections = cards(library)
        crawls = crawls_page.latest(library, CRAWLS)
        harvests = harvests_page.summaries(library)
        best = [] if collections else _best(library, crawls)
    maps = maps_page.maps_of(desk)
    evaluations = evaluations_page.evaluations_of(desk)
    body: list[Html | None] = [
        _head(desk, held, len(collections)),
        crawls_page.banner(desk, crawls),
        _part(desk, "Collections", "/collections", collections_page.grid(desk, collections[:SHOWN]), len(collections)),
        _pages(desk, best),
        _part(desk, "Crawls", "/crawls", crawls_page.table(desk, crawls), len(crawls)),
        _part(desk, "Maps", "/maps", maps_page.gallery(desk, maps[:3]), len(maps)),
        _part(desk, "Harvests", "/harvests", harvests_page.table(desk, harvests[:3]), len(harvests)),
        _part(desk, "Evaluations", "/evaluations", evaluations_page.table(desk, evaluations[:3]), len(evaluations)),
        None if crawls else _welcome(desk),
    ]
    return shell.page(request, desk.name, body, section="home")


def _head(desk: Desk, held: Holdings, collections: int) -> Html:
    figures = (
        (f"{held.pages:,}", "page" if held.pages == 1 else "pages"),
        (f"{held.hosts:,}", "host" if held.hosts == 1 else "hosts"),
        (f"{collections:,}", "collection" if collections == 1 else "collections"),
        (parts.size(held.bytes), "of WARC"),
    )
    listed = [tag("li", tag("strong", value), " ", name) for value, name in figures]
    return tag(
        "div",
        tag("p", "Library", class_="kind"),
        tag("h1", parts.words(desk.name)),
        tag("ul", listed, class_="figures"),
        class_="page-head",
    )


def _part(desk: Desk, heading: str, path: str, body: Html | None, number: int) -> Html | None:
    if not number or body is None:
        return None
    key = heading.lower()
    return tag(
        "section",
        tag("div", tag("h2", heading, id=key), tag("a", f"All {key}", href=desk.at(path)), class_="section-head"),
        body,
        aria_labelledby=key,
    )


def _best(library: Library, crawls: Sequence[CrawlView]) -> list[tuple[Found, int | None]]:
    """The best pages of the latest crawl that found some, each with its number."""
    for one in crawls:
        if found := library.shelf.best(one.id, BEST):
            return [(page, library.shelf.number(page.url)) for page in found]
    return []


def _pages(desk: Desk, best: Sequence[tuple[Found, int | None]]) -> Html | None:
    """They stand for the collections where there are none."""
    if not best:
        return None
    items = [
        tag(
            "li",
            tag("span", f"{page.score:.2f}", class_="score"),
            " ",
            parts.page_link(desk, page.title, page.url, number),
            " ",
            tag("small", parts.words(host_of(page.url), 60)),
        )
        for page, number in best
    ]
    return tag(
        "section",
        tag("div", tag("h2", "The best pages", id="best"), class_="section-head"),
        tag("ol", items, class_="plain"),
        aria_labelledby="best",
    )


def _welcome(desk: Desk) -> Html:
    return tag(
        "section",
        tag(
            "p",
            "This library is empty. Tell it what you are looking for, and it will crawl the web towards it.",
            class_="lead",
        ),
        tag("p", tag("a", "Start a job", href=desk.at("/start"), class_="primary")),
    )


ROUTES = [Route("/", home)]
