"""Full-text search, with what can narrow it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.jobs.search import Found, SearchResult, search_in
from pinakes.library.query import read_query
from pinakes.report.markup import Html, join, tag
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of

SHOWN = 10
NAMES = {"topic": "Topics", "site": "Sites", "type": "Types", "language": "Languages"}
FIELDS = {"topic": "topic", "site": "site", "type": "type", "language": "lang"}
_HINT = "Words, “exact phrases”, -without, OR; and site:, topic:, type:pdf, lang:, title:"


def search(request: Request) -> Response:
    desk = desk_of(request)
    query = request.query_params.get("q", "")[:1000]
    offset = parts.number_of(request.query_params.get("offset"), 0, high=1000 - SHOWN)
    with desk.library() as library:
        found = search_in(library, desk.fulltext, query, SHOWN, offset)
    title = f"{parts.plain(query, 60)}: search" if query.strip() else "Search"
    return shell.page(
        request,
        title,
        tag("h1", "Search", class_="unseen"),
        _form(desk, query),
        tag("div", _facets(desk, query, found), tag("div", _results(desk, query, found, offset)), class_="with-facets"),
        section="search",
        query=query,
    )


def _form(desk: Desk, query: str) -> Html:
    return tag(
        "form",
        tag("label", "Search the library", for_="query", class_="unseen"),
        tag("input", type="search", name="q", id="query", value=query, maxlength=1000, aria_describedby="hint"),
        tag("button", "Search", type="submit"),
        tag("p", _HINT, id="hint", class_="hint"),
        action=desk.at("/search"),
        class_="seek large",
    )


def _results(desk: Desk, query: str, found: SearchResult, offset: int) -> Html:
    if not found.total:
        if desk.fulltext.index() is None:
            return tag("p", "The index is being made; try again in a moment.", class_="lead")
        return tag("p", "Nothing in this library answers that. Fewer words, or other ones?", class_="lead")
    told = count_of(found.total, "page")
    if not read_query(query).wanted:
        told = f"{told}, the best by its judge first"
    took = f"{told} · {found.seconds * 1000:.0f} ms"
    relaxed = found.relaxed and tag("p", "No page holds all of that; these hold some of it.", class_="note")
    shown = min(found.total, 1000)
    return join(
        (
            tag("p", took, class_="told", role="status"),
            relaxed,
            tag("ol", [_hit(desk, hit) for hit in found.hits], class_="hits", start=offset + 1),
            parts.pager(desk, "/search", {"q": query}, offset, SHOWN, shown),
        )
    )


def _hit(desk: Desk, hit: Found) -> Html:
    topics = [
        tag("a", parts.words(topic, 60), href=desk.at("/search", {"q": f"topic:{_quoted(topic)}"}), class_="chip")
        for topic in hit.topics[:4]
    ]
    return tag(
        "li",
        tag("h2", parts.page_link(desk, hit.title, hit.url, hit.page)),
        tag("p", parts.address(unquote(hit.url) if "%" in hit.url else hit.url), class_="where"),
        hit.snippet and tag("p", _marked(hit.snippet, hit.marks), class_="snippet", dir="auto"),
        parts.facts(
            hit.type.upper(), hit.language, hit.date, (hit.merit > 0 and f"merit {hit.merit:.2f}") or "", join(topics)
        ),
    )


def _marked(text: str, marks: Iterable[tuple[int, int]]) -> Html:
    pieces: list[Html | str] = []
    at = 0
    for begin, end in marks:
        pieces += [text[at:begin], tag("mark", text[begin:end])]
        at = end
    return join([*pieces, text[at:]])


def _facets(desk: Desk, query: str, found: SearchResult) -> Html:
    """What was found by topic, site, type and language: a click narrows the search to it, another widens it again."""
    asked = read_query(query)
    groups = []
    for name, label in NAMES.items():
        chosen = set(asked.only.get(name, ()))
        values = [(value, number) for value, number in found.facets.get(name, ()) if value]
        items = [_facet(desk, query, FIELDS[name], value, number, value.lower() in chosen) for value, number in values]
        if items:
            heading = f"facet-{name}"
            groups.append(tag("section", tag("h2", label, id=heading), tag("ul", items), aria_labelledby=heading))
    inside = tag("details", tag("summary", "Narrow down"), tag("div", groups), open=True, class_="facet-box")
    return tag("aside", inside if groups else None, class_="facets", aria_label="Narrow down")


def _facet(desk: Desk, query: str, field: str, value: str, number: int, chosen: bool) -> Html:
    piece = f"{field}:{_quoted(value)}"
    if chosen:
        without = re.sub(
            rf"(?i)(?:^|\s){re.escape(field)}(?:uage)?:(?:\"{re.escape(value)}\"|{re.escape(value)})(?=\s|$)",
            " ",
            query,
        ).strip()
        label = tag("span", "✕ ", class_="off", aria_hidden="true")
        return tag(
            "li",
            tag(
                "a",
                label,
                parts.words(value, 60),
                href=desk.at("/search", {"q": without}),
                class_="chosen",
                aria_label=f"Without {parts.plain(piece, 80)}",
            ),
        )
    href = desk.at("/search", {"q": f"{query} {piece}".strip()})
    return tag("li", tag("a", parts.words(value, 60), " ", tag("small", f"{number:,}"), href=href))


def _quoted(value: str) -> str:
    value = value.replace('"', " ")
    return f'"{value}"' if re.search(r"\s", value) else value


ROUTES = [Route("/search", search)]
