"""Collections: all of them as a tree, and one of them a few pages at a time."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.jobs.browse import ORDERS, Card, CollectionPart, Listed, Wanted, cards, part
from pinakes.library.collections import Collection, as_tree
from pinakes.report.markup import Html, join, tag
from pinakes.serve import exports, parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.labels import Opinions, opinions_of

SHOWN = 25
ORDER_NAMES = {"merit": "Merit", "date": "Date, newest first", "title": "Title", "host": "Host"}


def collections(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        found = cards(library)
    body: list[Html] = [tag("h1", "Collections")]
    if found:
        body += [tag("p", "One for each topic: its best pages, ranked by merit.", class_="lead"), tree(desk, found)]
        body.append(exports.buttons(desk))
    else:
        link = tag("a", "Collect pages on your topics", href=desk.at("/start/collect"))
        body.append(tag("p", "There are no collections yet. ", link, ".", class_="lead"))
    return shell.page(request, "Collections", *body, section="collections")


def grid(desk: Desk, found: Sequence[Card]) -> Html:
    return tag("ul", [card_of(desk, card) for card in found], class_="cards-grid")


def tree(desk: Desk, found: tuple[Card, ...]) -> Html:
    """Cards in the order of the hierarchy; a parent that nobody collected is a heading."""
    by_name = {card.name: card for card in found}
    listed = as_tree([Collection(card.name, card.parent) for card in found])
    groups: list[Html] = []
    group: list[Html] = []
    for depth, name, _ in listed:
        card = by_name.get(name)
        if card is None or depth == 0:
            groups += [tag("ul", group, class_="cards-grid")] if group else []
            group = []
        if card is None:
            groups.append(tag("h2", parts.words(name)))
        else:
            group.append(card_of(desk, card))
    return tag("div", groups, group and tag("ul", group, class_="cards-grid"), class_="tree")


def card_of(desk: Desk, card: Card) -> Html:
    best = [tag("li", parts.words(title, 90)) for title in card.best]
    return tag(
        "li",
        tag("h3", tag("a", parts.words(card.name), href=at(desk, card.name))),
        card.description and tag("p", parts.words(card.description, 140)),
        best and tag("ol", best),
        parts.facts(count_of(card.pages, "page"), card.parent and join(("in ", parts.words(card.parent, 40)))),
        class_="shelf",
    )


def at(desk: Desk, name: str, **more: object) -> str:
    return desk.at("/collection", {"name": name, **more})


def collection(request: Request) -> Response:
    desk, asked = desk_of(request), request.query_params
    name = asked.get("name", "")[:500]
    order = asked.get("sort", "merit") or "merit"
    wanted = Wanted(asked.get("text", "")[:200], asked.get("host", "")[:300], asked.get("language", "")[:20], order)  # type: ignore[arg-type]
    offset = parts.number_of(asked.get("offset"), 0)
    with desk.library() as library:
        found = part(library, name, wanted, SHOWN, offset)
        opinions = opinions_of(desk, name)
    writes = desk.signed_in(request)
    query = {"name": name, "text": wanted.text, "host": wanted.host, "language": wanted.language}
    query |= {"sort": order if order != "merit" else ""}
    entries = [_entry(desk, found, entry, opinions, query | {"offset": offset}, writes) for entry in found.entries]
    listed = (
        tag("ol", entries, class_="ranked")
        if entries
        else tag("p", "No page of this collection is like that.", class_="lead")
    )
    return shell.page(
        request,
        parts.plain(name),
        _head(desk, found),
        opinions.banner(desk, name, writes),
        _filters(desk, found, wanted),
        tag("p", _told(found, wanted), class_="told", role="status"),
        listed,
        parts.pager(desk, "/collection", query, offset, SHOWN, found.total),
        exports.buttons(desk, name),
        section="collections",
    )


def _told(found: CollectionPart, wanted: Wanted) -> str:
    all_of_them = found.total == found.collection.pages
    told = (
        count_of(found.total, "page")
        if all_of_them
        else f"{found.total:,} of {count_of(found.collection.pages, 'page')}"
    )
    return f"{told}, by {ORDER_NAMES[wanted.order].lower()}"


def _head(desk: Desk, found: CollectionPart) -> Html:
    card = found.collection
    terms = [
        tag("li", tag("a", parts.words(term, 40), href=desk.at("/search", {"q": f'{term} topic:"{card.name}"'})))
        for term in card.terms[:12]
    ]
    crawl = tag("a", f"crawl {card.crawl}", href=desk.at(f"/crawls/{card.crawl}"))
    return tag(
        "div",
        tag("p", "Collection", join((" in ", parts.words(card.parent, 60))) if card.parent else None, class_="kind"),
        tag("h1", parts.words(card.name)),
        card.description and tag("p", parts.words(card.description, 500), class_="lead"),
        parts.facts(count_of(card.pages, "page"), join(("made by ", crawl)), parts.moment(card.built)),
        terms and tag("ul", terms, class_="chips", aria_label="The strongest words of its centroid"),
        class_="page-head",
    )


def _filters(desk: Desk, found: CollectionPart, wanted: Wanted) -> Html:
    hosts = [("", "All hosts"), *((host, f"{parts.plain(host, 50)} ({n})") for host, n in found.hosts)]
    languages = [("", "All languages"), *((code, f"{code} ({n})") for code, n in found.languages)]
    return tag(
        "form",
        parts.hidden(name=found.collection.name),
        tag("label", tag("span", "Contains"), tag("input", type="search", name="text", value=wanted.text)),
        parts.chooser("host", "Host", hosts, wanted.host),
        parts.chooser("language", "Language", languages, wanted.language),
        parts.chooser("sort", "Sort by", [(key, ORDER_NAMES[key]) for key in ORDERS], wanted.order),
        tag("button", "Show", type="submit"),
        action=desk.at("/collection"),
        class_="filters",
        aria_label="Filter and sort",
    )


def _entry(
    desk: Desk, found: CollectionPart, entry: Listed, opinions: Opinions, query: dict[str, object], writes: bool
) -> Html:
    steps = "a seed" if not entry.steps else f"{count_of(entry.steps, 'step')} from a seed"
    return tag(
        "li",
        tag(
            "div",
            tag("span", entry.rank, class_="rank"),
            opinions.move(entry.url),
            parts.meter(entry.merit, found.most),
            class_="merit",
            title=f"merit {entry.merit:.4f}",
        ),
        tag(
            "div",
            tag("h2", parts.page_link(desk, entry.title, entry.url, entry.page)),
            tag("p", parts.address(entry.url), class_="where"),
            entry.snippet and tag("p", parts.words(entry.snippet, 400), class_="snippet"),
            parts.facts(entry.language, entry.date, steps, None if entry.page else "not read yet"),
        ),
        opinions.thumbs(desk, entry, query, writes),
        id=f"rank-{entry.rank}",
    )


ROUTES = [Route("/collections", collections), Route("/collection", collection)]
