"""The first page: what the library holds, at a glance."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.jobs.browse import cards
from pinakes.report.markup import Html, tag
from pinakes.serve import collections_page, crawls_page, evaluations_page, harvests_page, maps_page, parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.tally import Holdings

SHOWN = 12
CRAWLS = 5


def home(request: Request) -> Response:
    desk = desk_of(request)
    if "token" in request.query_params:
        return sign_in(request, desk)
    with desk.library() as library:
        held = desk.tally.of(library)
        collections = cards(library)
        crawls = crawls_page.latest(library, CRAWLS)
        harvests = harvests_page.summaries(library)
    maps = maps_page.maps_of(desk)
    evaluations = evaluations_page.evaluations_of(desk)
    body: list[Html | None] = [
        _head(desk, held, len(collections)),
        crawls_page.banner(desk, crawls),
        _part(desk, "Collections", "/collections", collections_page.grid(desk, collections[:SHOWN]), len(collections)),
        _part(desk, "Crawls", "/crawls", crawls_page.table(desk, crawls), len(crawls)),
        _part(desk, "Maps", "/maps", maps_page.gallery(desk, maps[:3]), len(maps)),
        _part(desk, "Harvests", "/harvests", harvests_page.table(desk, harvests[:3]), len(harvests)),
        _part(desk, "Evaluations", "/evaluations", evaluations_page.table(desk, evaluations[:3]), len(evaluations)),
        None if crawls else _welcome(desk),
    ]
    return shell.page(request, desk.name, body, section="home")


def sign_in(request: Request, desk: Desk) -> Response:
    """The link that was printed brings the token; a cookie keeps it, and the address forgets it."""
    if not desk.knows(request.query_params["token"][:500]):
        return shell.trouble(
            request,
            403,
            "That token is not the one this library was opened with; use the link that pinakes serve printed last.",
        )
    answer = RedirectResponse(desk.at("/"), 303)
    secure = desk.base_url.startswith("https://")
    answer.set_cookie(desk.cookie, desk.session, path=desk.root or "/", httponly=True, samesite="strict", secure=secure)
    return answer


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
