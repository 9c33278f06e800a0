"""A page: how it was reached, what it is about, what it is linked with, and the copy that is stored of it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.core.page import host_of
from pinakes.formats.url import canonical
from pinakes.jobs.portrait import AsPaper, Neighbour, Portrait, portrait, text_of
from pinakes.jobs.snippets import day_of
from pinakes.jobs.why import Step, Why, why
from pinakes.library.fulltext import kind_of
from pinakes.report.markup import Html, join, tag
from pinakes.serve import parts, shell
from pinakes.serve.collections_page import at as collection_at
from pinakes.serve.desk import Desk, desk_of

SHOWN_LINKS = 20
SHOWN_STEPS = 40


def page(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        found = portrait(library, request.path_params["number"], desk.inlinks)
        text = text_of(library, found.page) if kind_of(found.type) != "html" else ""
    return shell.page(
        request,
        parts.plain(found.title) or parts.plain(found.url, 80),
        _head(desk, found),
        tag(
            "div",
            tag("div", _path(desk, found), _why(desk, found), _copy(desk, found, text), _links(desk, found)),
            tag(
                "aside",
                _scores(found),
                _collections(desk, found),
                _papers(desk, found),
                _twins(desk, found),
                _facts(desk, found),
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
        _steps(desk, found.path) if found.path else None,
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
        tag("h1", parts.words(found.title) if parts.plain(found.title) else parts.address(found.url)),
        tag("p", parts.outside(found.url, parts.address(found.url)), class_="where"),
        parts.facts(
            kind_of(found.type).upper(),
            found.language,
            parts.count(found.words, "word"),
            day_of(found.modified, 0) and f"changed {day_of(found.modified, 0)}",
            f"fetched {found.fetched[:10]}",
            "a nugget" if found.nugget else "",
        ),
        class_="page-head",
    )


def _path(desk: Desk, found: Portrait) -> Html | None:
    if not found.path:
        return None
    crawl = tag("a", f"crawl {found.crawl}", href=desk.at(f"/crawls/{found.crawl}"))
    steps = len(found.path) - 1
    lead = tag(
        "p",
        f"{parts.count(steps, 'link')} from the seed, in " if steps else "It was a seed of ",
        crawl,
        ". 0 is a nugget, X a dud; beside each stands its score.",
        class_="section-lead",
    )
    return tag(
        "section", tag("h2", "How it was reached", id="path"), lead, _steps(desk, found.path), aria_labelledby="path"
    )


def _steps(desk: Desk, path: Sequence[Step]) -> Html:
    """The paper's picture of a path: 0-X-X-0."""
    shown = list(path)
    left_out = len(shown) - SHOWN_STEPS
    items = []
    for at, step in enumerate(shown):
        if left_out > 0 and at == SHOWN_STEPS // 2:
            items.append(tag("li", f"… {left_out:,} more …", class_="gap"))
        if left_out > 0 and SHOWN_STEPS // 2 <= at < SHOWN_STEPS // 2 + left_out:
            continue
        items.append(_step(desk, step, last=at == len(shown) - 1))
    picture = "-".join("0" if step.nugget else "X" for step in path[-200:])
    return tag("ol", items, class_="path", aria_label=f"The path: {picture}", data_picture=picture)


def _step(desk: Desk, step: Step, *, last: bool) -> Html:
    kind = "nugget" if step.nugget else "dud"
    name = "nugget" if step.nugget else "dud" if step.depth else "seed"
    sign = tag("span", "0" if step.nugget else "X", class_="sign", title=name)
    score = tag("span", f"{step.score:.2f}", class_="score")
    said = step.anchor and tag("span", "by “", parts.words(step.anchor, 60), "”", class_="anchor")
    link = parts.address(step.url, 60) if last else parts.page_link(desk, "", step.url, step.page)
    return tag(
        "li",
        sign,
        score,
        tag("span", link, " ", said or "", class_="what"),
        class_=f"{kind}{'' if step.depth else ' seed'}{' here' if last else ''}",
    )


def _why(desk: Desk, found: Portrait) -> Html | None:
    last = found.path[-1] if found.path else None
    if last is None:
        return None
    priced = (
        f"Its strategy thought the link worth {last.price:.4g}."
        if last.depth
        else "Whoever started the crawl named it."
    )
    asked = last.asked and tag("p", "Asked for as ", parts.address(last.asked), "; a redirect led here.")
    more = tag(
        "details",
        tag("summary", "What the strategy knew of the link"),
        tag(
            "div",
            tag("a", "Show", href=desk.at(f"/pages/{found.page}/why")),
            data_load=desk.at(f"/pages/{found.page}/why"),
        ),
    )
    return tag(
        "section",
        tag("h2", "Why it was fetched", id="why"),
        tag("p", priced),
        asked or None,
        more if last.depth else None,
        aria_labelledby="why",
    )


def _copy(desk: Desk, found: Portrait, text: str) -> Html:
    href = desk.at(f"/copy/{found.page}")
    captures = [
        tag(
            "li",
            tag(
                "a",
                one.fetched[:16].replace("T", " "),
                href=desk.at(f"/pages/{one.page}"),
                aria_current="true" if one.page == found.page else None,
            ),
            " unchanged" if one.same else "",
        )
        for one in found.captures
    ]
    markup = kind_of(found.type) == "html"
    shown = (
        tag("iframe", src=href, sandbox="", title="The stored copy", loading="lazy", referrerpolicy="no-referrer")
        if markup
        else tag("pre", tag("bdi", text), tabindex=0, class_="text", aria_label="Its text")
        if text
        else tag("p", "There is no text in it.")
    )
    return tag(
        "section",
        tag("h2", "The stored copy", id="copy"),
        tag(
            "p",
            "As it was fetched; nothing in it runs or loads anything. ",
            tag("a", "Open it alone" if markup else "Download the file", href=href),
            class_="section-lead",
        ),
        shown,
        len(captures) > 1
        and tag("details", tag("summary", parts.count(len(captures), "capture")), tag("ul", captures)),
        aria_labelledby="copy",
    )


def _links(desk: Desk, found: Portrait) -> Html:
    return tag(
        "section",
        tag("h2", "Links", id="links"),
        tag(
            "div",
            _neighbours(desk, "From here", found.links_out, found.links_out_total),
            _neighbours(desk, "To here", found.links_in, found.links_in_total),
            class_="panels",
        ),
        aria_labelledby="links",
    )


def _neighbours(desk: Desk, heading: str, pages: Sequence[Neighbour], total: int) -> Html:
    items = [
        tag(
            "li",
            parts.page_link(desk, one.title, one.url, one.page),
            " ",
            tag("small", parts.words(host_of(one.url), 50), "" if one.page else ", not held"),
        )
        for one in pages
    ]
    more = items[SHOWN_LINKS:]
    rest = more and tag("details", tag("summary", f"{len(more):,} more"), tag("ul", more))
    beyond = total > len(pages) and pages and tag("p", f"{total:,} in all.", class_="hint")
    body = (tag("ul", items[:SHOWN_LINKS]), rest or None, beyond or None) if items else tag("p", "None.")
    return tag("div", tag("h3", heading, " ", tag("small", f"{total:,}")), body, class_="card")


def _scores(found: Portrait) -> Html | None:
    if not found.scores:
        return None
    rows = [
        tag("li", tag("span", parts.words(name, 60) if name else "the topic"), parts.meter(score), class_="score-row")
        for name, score in found.scores[:12]
    ]
    return tag("section", tag("h2", "Topic scores"), tag("ul", rows, class_="scores"))


def _collections(desk: Desk, found: Portrait) -> Html | None:
    if not found.collections:
        return None
    items = [
        tag(
            "li",
            tag("a", parts.words(one.name, 80), href=collection_at(desk, one.name)),
            " ",
            tag("small", f"no. {one.rank}, merit {one.merit:.2f}"),
        )
        for one in found.collections
    ]
    return tag("section", tag("h2", "In collections"), tag("ul", items))


def _papers(desk: Desk, found: Portrait) -> Html | None:
    if not found.papers:
        return None
    return tag("section", tag("h2", "As a paper"), [_paper(desk, one) for one in found.papers[:5]])


def _paper(desk: Desk, one: AsPaper) -> Html:
    rows = (
        ("Title", parts.words(one.title, 300)),
        ("Authors", parts.words(", ".join(one.authors), 300)),
        ("Year", str(one.year or "")),
        ("Venue", parts.words(one.venue, 200) if one.venue else ""),
        ("DOI", parts.outside(f"https://doi.org/{one.doi}", parts.plain(one.doi)) if one.doi else ""),
        ("Found", f"{one.status}, {one.place}, confidence {one.confidence:.2f}"),
        ("Because", parts.plain(one.evidence, 300)),
    )
    harvest = tag("a", f"Harvest {one.crawl}", href=desk.at(f"/harvests/{one.crawl}"))
    return tag(
        "div",
        tag("dl", [(tag("dt", name), tag("dd", value)) for name, value in rows if value], class_="facts-list"),
        tag("p", harvest),
    )


def _twins(desk: Desk, found: Portrait) -> Html | None:
    if not found.twins:
        return None
    items = [
        tag(
            "li",
            parts.page_link(desk, one.title, one.url, one.page),
            " ",
            tag(
                "small",
                parts.words(host_of(one.url), 50),
                ", ",
                "the same" if not one.differ else f"{one.differ} of 64 bits apart",
            ),
        )
        for one in found.twins
    ]
    told = tag("p", "It was found to repeat the first of these.") if found.twin else None
    return tag("section", tag("h2", "Says the same"), told, tag("ul", items))


def _facts(desk: Desk, found: Portrait) -> Html:
    rows = (
        ("Outcome", found.outcome),
        ("Status", str(found.status)),
        ("Type", parts.plain(found.type, 80)),
        ("Fetched", found.fetched),
        ("Last modified", found.modified),
        ("Canonical", parts.address(found.canonical, 60) if found.canonical else ""),
        ("Robots", found.robots),
        ("Digest", found.digest),
        ("Number", str(found.page)),
    )
    listed = [(tag("dt", name), tag("dd", value)) for name, value in rows if value]
    return tag("section", tag("h2", "Record"), tag("dl", listed, class_="facts-list"))


ROUTES = [
    Route("/pages/{number:int}", page),
    Route("/pages/{number:int}/why", reasons),
    Route("/page", by_address),
    Route("/page/why", not_held),
]
