"""What is known of a page, beside it: topic scores, collections, the paper it is, pages that say the same, record."""

from __future__ import annotations

from pinakes.core.page import host_of
from pinakes.jobs.portrait import AsPaper, Portrait
from pinakes.report.markup import Html, tag
from pinakes.serve import parts
from pinakes.serve.collections_page import at as collection_at
from pinakes.serve.desk import Desk


def scores(found: Portrait) -> Html | None:
    if not found.scores:
        return None
    rows = [
        tag("li", tag("span", parts.words(name, 60) if name else "the topic"), parts.meter(score), class_="score-row")
        for name, score in found.scores[:12]
    ]
    return tag("section", tag("h2", "Topic scores"), tag("ul", rows, class_="scores"))


def collections(desk: Desk, found: Portrait) -> Html | None:
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


def papers(desk: Desk, found: Portrait) -> Html | None:
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


def twins(desk: Desk, found: Portrait) -> Html | None:
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


def facts(desk: Desk, found: Portrait) -> Html:
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
