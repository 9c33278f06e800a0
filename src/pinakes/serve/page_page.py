"""A page: how it was reached, what it is about, what it is linked with, and the copy that is stored of it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import host_of
from pinakes.formats.item import title_or_name
from pinakes.formats.url import canonical
from pinakes.jobs.portrait import Portrait, portrait, text_of
from pinakes.jobs.snippets import day_of
from pinakes.jobs.why import Why, why
from pinakes.library.fulltext import kind_of
from pinakes.report.markup import Html, join, tag
from pinakes.serve import page_parts, page_side, parts, shell
from pinakes.serve.desk import Desk, desk_of

QUICK = 10_000
"""Of a crawl of so many pages the strategy is soon brought back; of a larger one only when a reader asks."""


def page(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        found = portrait(library, request.path_params["number"], desk.inlinks)
        text = text_of(library, found.page) if kind_of(found.type) != "html" else ""
        quick = any(one.id == found.crawl and one.progress.pages <= QUICK for one in library.crawls())
    return shell.page(
        request,
        parts.plain(title_or_name(parts.plain(found.title), found.url)) or parts.plain(found.url, 80),
        _head(desk, found),
        tag(
            "div",
            tag(
                "div",
                page_parts.path(desk, found),
                page_parts.why(desk, found, quick),
                page_parts.copy(desk, found, text),
                page_parts.links(desk, found),
            ),
            tag(
                "aside",
                page_side.scores(found),
                page_side.collections(desk, found),
                page_side.papers(desk, found),
                page_side.twins(desk, found),
                page_side.facts(desk, found),
                aria_label="What is known of it",
            ),
            class_="with-side",
        ),
    )


def by_address(request: Request) -> Response:
    """A page by its address: the one that is held, or why none is."""
    desk = desk_of(request)
    given = request.query_params.get("url", "")[:4000]
    address = canonical(given)
    if not address:
        raise PinakesError(
            f"{parts.plain(given, 200) or 'Nothing'} is not a web address; write it like http://example.org/page."
        )
    with desk.library() as library:
        number = library.shelf.number(address)
    if number is not None:
        return RedirectResponse(desk.at(f"/pages/{number}"), 303)
    address_why = desk.at("/page/why", {"url": address})
    return shell.page(
        request,
        "Not held",
        tag("p", "Not in the library", class_="kind"),
        tag("h1", parts.address(address)),
        tag("p", "The library does not hold this page.", class_="lead"),
        tag("p", parts.outside(address, "Open it on the live web")),
        tag(
            "section",
            tag("h2", "Why not?"),
            tag("div", tag("a", "Look it up", href=address_why), data_load=address_why),
        ),
        status=404,
    )


def not_held(request: Request) -> Response:
    """Why an address is not held: a piece of a page."""
    desk = desk_of(request)
    with desk.thinking():
        found = why(desk.folder, request.query_params.get("url", "")[:4000])
    linked = [tag("li", parts.page_link(desk, "", url, None)) for url in found.linked_from]
    return shell.piece(
        tag("p", found.reason or "It is held."),
        found.because and tag("ul", [tag("li", sentence) for sentence in found.because]),
        page_parts.steps(desk, found.path) if found.path else None,
        linked and tag("div", tag("h3", "Linked from"), tag("ul", linked)),
    )


def reasons(request: Request) -> Response:
    """What the strategy knew of the link: a piece of a page, asked for when a reader wants it, since it takes long."""
    desk = desk_of(request)
    number = request.path_params["number"]
    with desk.library() as library:
        row = library.connection.execute("SELECT url FROM pages WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise LookupError(f"The library holds no page {number}.")
    with desk.thinking():
        found = why(desk.folder, row[0])
    return shell.piece(_because(found))


def _because(found: Why) -> Html:
    if not found.because:
        return tag("p", "The strategy of its crawl does not tell why it wanted a link.")
    rows = [
        tag(
            "tr",
            tag("th", name.replace("_", " "), scope="row"),
            tag("td", f"{value:.3g}", class_="number"),
            tag("td", f"{weight:+.3g}", class_="number"),
            tag("td", f"{value * weight:+.3g}", class_="number"),
        )
        for name, (value, weight) in sorted(found.features.items(), key=lambda one: -abs(one[1][0] * one[1][1]))
    ]
    heads = [
        tag("th", name, scope="col", class_="number" if at else None)
        for at, name in enumerate(("Evidence", "Value", "Weight", "Adds to the price"))
    ]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Evidence")
    return join(
        (
            tag("ul", [tag("li", sentence) for sentence in found.because]),
            rows and tag("details", tag("summary", "In numbers"), tag("div", table, class_="scroll")),
        )
    )


def _head(desk: Desk, found: Portrait) -> Html:
    return tag(
        "div",
        tag("p", parts.words(host_of(found.url), 80), class_="kind"),
        tag("h1", parts.named(found.title, found.url)),
        tag("p", parts.outside(found.url, parts.address(found.url)), class_="where"),
        parts.facts(
            kind_of(found.type).upper(),
            found.language,
            count_of(found.words, "word"),
            day_of(found.modified, 0) and f"changed {day_of(found.modified, 0)}",
            f"fetched {found.fetched[:10]}",
            "a nugget" if found.nugget else "",
        ),
        class_="page-head",
    )


ROUTES = [
    Route("/pages/{number:int}", page),
    Route("/pages/{number:int}/why", reasons),
    Route("/page", by_address),
    Route("/page/why", not_held),
]
