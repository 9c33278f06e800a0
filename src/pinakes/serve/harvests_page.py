"""Harvests: which of a venue's papers were found where, which were not and why, and whose homepages are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.jobs.harvest.outcome import people_of
from pinakes.jobs.harvest.result import People, YearResult, by_year
from pinakes.library.harvests import Harvested, load_papers
from pinakes.library.library import Library
from pinakes.report.harvest import PAPER_COLUMNS, paper_cells
from pinakes.report.markup import Html, tag
from pinakes.serve import exports, homepages, parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.harvest_figures import by_year_table, chart, figures, reasons
from pinakes.serve.homepages import kept_of, people

SHOWN = 50
STATES = ("found", "version", "missing", "held")
MEANINGS = {"found": "found", "version": "only another form found", "missing": "missing", "held": "held already"}


@dataclass(frozen=True)
class Summary:
    """A harvest at a glance."""

    crawl: int
    venues: tuple[str, ...]
    papers: int
    counts: dict[str, int]
    """By status."""
    started: float


def summaries(library: Library) -> list[Summary]:
    """All harvests, the latest first."""
    counts: dict[int, dict[str, int]] = {}
    sql = "SELECT crawl, status, count(*) FROM harvest_papers GROUP BY crawl, status"
    for crawl, status, number in library.connection.execute(sql):
        counts.setdefault(crawl, {})[status] = number
    begun = {crawl.id: crawl.started for crawl in library.crawls()}
    found = []
    for crawl in sorted(counts, reverse=True):
        rows = library.connection.execute("SELECT data FROM harvest_papers WHERE crawl = ? LIMIT 200", (crawl,))
        venues = dict.fromkeys(venue for (data,) in rows if (venue := msgspec.json.decode(data).get("venue", "")))
        found.append(
            Summary(crawl, tuple(venues)[:3], sum(counts[crawl].values()), counts[crawl], begun.get(crawl, 0.0))
        )
    return found


def harvests(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        found = summaries(library)
    link = tag("a", "Give it a venue", href=desk.at("/start/harvest"))
    body = table(desk, found) or tag(
        "p", "Nothing was harvested yet. ", link, ", and it looks for the papers.", class_="lead"
    )
    return shell.page(request, "Harvests", tag("h1", "Harvests"), body, section="harvests")


def table(desk: Desk, found: Sequence[Summary]) -> Html | None:
    if not found:
        return None
    heads = [
        tag("th", name, scope="col", class_="number" if at in (2, 3, 4, 5) else None)
        for at, name in enumerate(("Harvest", "Venue", "Papers", "Held", "Found", "Missing", "Found of the wanted"))
    ]
    rows = []
    for one in found:
        got, held = one.counts.get("found", 0), one.counts.get("held", 0)
        lacking = one.papers - held - got
        rows.append(
            tag(
                "tr",
                tag("th", tag("a", f"Harvest {one.crawl}", href=desk.at(f"/harvests/{one.crawl}")), scope="row"),
                tag("td", parts.words(", ".join(one.venues), 80)),
                [tag("td", f"{number:,}", class_="number") for number in (one.papers, held, got, lacking)],
                tag("td", parts.meter(got, max(1, one.papers - held), f"{got / max(1, one.papers - held):.0%}")),
            )
        )
    return parts.sheet("Harvests", heads, rows)


def papers_of(library: Library, crawl: int) -> list[Harvested]:
    papers = load_papers(library.connection, crawl)
    if not papers:
        raise LookupError(f"The library has no harvest {crawl}.")
    return papers


def harvest(request: Request) -> Response:
    desk, crawl = desk_of(request), request.path_params["number"]
    status = request.query_params.get("status", "")
    text = request.query_params.get("text", "")[:200]
    offset = parts.number_of(request.query_params.get("offset"), 0)
    with desk.library() as library:
        papers = papers_of(library, crawl)
    kept = kept_of(desk, crawl)
    years, total = by_year(papers, people_of(kept) if kept else People(), kept.held_too if kept else False)
    wanted = [paper for paper in papers if (not status or paper.status == status) and _has(paper, text)]
    query = {"status": status, "text": text}
    return shell.page(
        request,
        f"Harvest {crawl}",
        _head(desk, crawl, papers, total),
        figures(total),
        tag(
            "section",
            tag("h2", "Year by year", id="years"),
            tag("div", chart(years), by_year_table(years, total), class_="panels"),
            aria_labelledby="years",
        ),
        tag("section", tag("h2", "Where, and why not", id="where"), reasons(papers), aria_labelledby="where"),
        tag(
            "section",
            tag("h2", "Papers", id="papers"),
            _filters(desk, crawl, status, text),
            tag("p", count_of(len(wanted), "paper"), class_="told", role="status"),
            tag("ol", [_paper(desk, paper) for paper in wanted[offset : offset + SHOWN]], class_="hits plain"),
            parts.pager(desk, f"/harvests/{crawl}", query, offset, SHOWN, len(wanted)),
            aria_labelledby="papers",
        ),
        people(desk, crawl, kept, desk.signed_in(request)) if kept else None,
        section="harvests",
    )


def _has(paper: Harvested, text: str) -> bool:
    return all(word in f"{paper.title} {' '.join(paper.authors)}".lower() for word in text.lower().split())


def _head(desk: Desk, crawl: int, papers: Sequence[Harvested], total: YearResult) -> Html:
    venues = list(dict.fromkeys(paper.venue for paper in papers if paper.venue))
    named = venues[0] if len(venues) == 1 else count_of(len(papers), "paper")
    reports = [
        tag("li", tag("a", label, href=desk.at(f"/harvests/{crawl}/{name}")))
        for label, name in (("papers.csv", "papers"), ("homepages.csv", "homepages"))
    ]
    lead = (
        f"{total.found:,} of {count_of(total.missing, 'missing paper')} {'was' if total.found == 1 else 'were'} found"
        + (f", and of {total.versions:,} more only another form." if total.versions else ".")
    )
    return tag(
        "div",
        tag("p", "Harvest", class_="kind"),
        tag("h1", "Harvest of ", parts.words(named)),
        tag("p", lead, class_="lead"),
        parts.facts(tag("a", f"crawl {crawl}", href=desk.at(f"/crawls/{crawl}"))),
        tag("ul", reports, class_="chips"),
        exports.buttons(desk, papers=True) if total.found else None,
        class_="page-head",
    )


def _filters(desk: Desk, crawl: int, status: str, text: str) -> Html:
    options = [("", "All"), *((name, MEANINGS[name].capitalize()) for name in STATES)]
    return tag(
        "form",
        tag("label", tag("span", "Title or author"), tag("input", type="search", name="text", value=text)),
        parts.chooser("status", "Status", options, status),
        tag("button", "Show", type="submit"),
        action=desk.at(f"/harvests/{crawl}"),
        class_="filters",
        aria_label="Filter papers",
    )


def _paper(desk: Desk, paper: Harvested) -> Html:
    copies = [
        tag(
            "li",
            parts.page_link(desk, "", copy.url, copy.page),
            " ",
            tag(
                "small",
                f"{copy.place}, {copy.form or copy.status}, {copy.confidence:.2f}: ",
                parts.plain(copy.evidence, 200),
            ),
        )
        for copy in paper.copies[:5]
    ]
    state = tag("span", MEANINGS.get(paper.status, paper.status), class_=f"badge-state {paper.status}")
    detail = f"{parts.plain(paper.why)}: {parts.plain(paper.detail, 300)}" if paper.detail else parts.plain(paper.why)
    return tag(
        "li",
        tag("h3", parts.words(paper.title, 300)),
        tag("p", state, " ", parts.words(", ".join(paper.authors), 300), f", {paper.year}" if paper.year else ""),
        tag("ul", copies) if copies else tag("p", detail, class_="snippet"),
    )


def tables(request: Request) -> Response:
    """The papers, or the people, of a harvest as CSV."""
    desk, crawl, name = desk_of(request), request.path_params["number"], request.path_params["name"]
    with desk.library() as library:
        papers = papers_of(library, crawl)
    if name == "papers":
        heads: tuple[str, ...] = PAPER_COLUMNS
        rows: list[tuple[object, ...]] = [paper_cells(paper) for paper in papers]
    elif name == "homepages" and (kept := kept_of(desk, crawl)) is not None:
        heads = ("name", "homepage", "kept", "why")
        rows = [(person, url, "yes", "") for person, url in kept.homepages.items()]
        rows += [(person, "", "", why) for person, why in kept.failures.items()]
    else:
        raise LookupError(f"There is no such table of harvest {crawl}.")
    return shell.csv_file(f"{name}-{crawl}.csv", heads, rows)


ROUTES = [
    Route("/harvests", harvests),
    Route("/harvests/{number:int}", harvest),
    *homepages.ROUTES,
    Route("/harvests/{number:int}/{name:str}", tables),
]
