"""Harvests: which of a venue's papers were found where, which were not and why, and whose homepages are known."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.jobs.harvest.outcome import Kept
from pinakes.jobs.harvest.result import YearResult, by_year, places_of, share
from pinakes.library.harvests import Harvested, load_papers
from pinakes.library.library import Library
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.palette import styles, swatch
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, Runner, runner_of

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
    body = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Harvests")
    return tag("div", body, class_="scroll sheet", tabindex=0, role="region", aria_label="Harvests")


class _Options(msgspec.Struct, frozen=True):
    harvest: Kept


class _Recipe(msgspec.Struct, frozen=True):
    options: _Options


def kept_of(desk: Desk, crawl: int) -> Kept | None:
    """What the harvest knew before its crawl."""
    path = desk.folder / "recipes" / f"{crawl:04d}.json"
    try:
        return _kept(path, path.stat().st_mtime_ns)
    except (OSError, msgspec.MsgspecError):
        return None


@lru_cache(maxsize=4)
def _kept(path: Path, changed: int) -> Kept:
    return msgspec.json.decode(path.read_bytes(), type=_Recipe).options.harvest


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
    years, total = by_year(papers, kept.homepages if kept else {}, kept.held_too if kept else False)
    wanted = [paper for paper in papers if (not status or paper.status == status) and _has(paper, text)]
    query = {"status": status, "text": text}
    return shell.page(
        request,
        f"Harvest {crawl}",
        _head(desk, crawl, papers, total),
        _figures(total),
        tag(
            "section",
            tag("h2", "Year by year", id="years"),
            tag("div", _chart(years), _years(years, total), class_="panels"),
            aria_labelledby="years",
        ),
        tag("section", tag("h2", "Where, and why not", id="where"), _reasons(papers), aria_labelledby="where"),
        tag(
            "section",
            tag("h2", "Papers", id="papers"),
            _filters(desk, crawl, status, text),
            tag("p", parts.count(len(wanted), "paper"), class_="told", role="status"),
            tag("ol", [_paper(desk, paper) for paper in wanted[offset : offset + SHOWN]], class_="hits plain"),
            parts.pager(desk, f"/harvests/{crawl}", query, offset, SHOWN, len(wanted)),
            aria_labelledby="papers",
        ),
        _people(desk, crawl, kept, desk.signed_in(request)) if kept else None,
        section="harvests",
    )


def _has(paper: Harvested, text: str) -> bool:
    return all(word in f"{paper.title} {' '.join(paper.authors)}".lower() for word in text.lower().split())


def _head(desk: Desk, crawl: int, papers: Sequence[Harvested], total: YearResult) -> Html:
    venues = list(dict.fromkeys(paper.venue for paper in papers if paper.venue))
    named = venues[0] if len(venues) == 1 else parts.count(len(papers), "paper")
    reports = [
        tag("li", tag("a", label, href=desk.at(f"/harvests/{crawl}/{name}")))
        for label, name in (("papers.csv", "papers"), ("homepages.csv", "homepages"))
    ]
    lead = f"{total.found:,} of {total.missing:,} missing papers were found" + (
        f", and of {total.versions:,} more only another form." if total.versions else "."
    )
    return tag(
        "div",
        tag("p", "Harvest", class_="kind"),
        tag("h1", "Harvest of ", parts.words(named)),
        tag("p", lead, class_="lead"),
        parts.facts(tag("a", f"crawl {crawl}", href=desk.at(f"/crawls/{crawl}"))),
        tag("ul", reports, class_="chips"),
        class_="page-head",
    )


def _figures(total: YearResult) -> Html:
    figures = (
        (f"{total.published:,}", "papers"),
        (f"{total.authors:,}", "authors"),
        (f"{total.held:,}", "held"),
        (f"{total.found:,}", "found"),
        (share(total.recall_missing) or "–", "recall of the missing"),
        (share(total.ceiling) or "–", "ceiling"),
    )
    return tag("ul", [tag("li", tag("strong", value), " ", name) for value, name in figures], class_="figures")


def _chart(years: Sequence[YearResult]) -> Html | None:
    rows = [row for row in years if row.year is not None]
    if len(rows) < 2:
        return None
    series = [
        Series("recall of the missing", [row.recall_missing for row in rows]),
        Series("ceiling", [row.ceiling for row in rows]),
    ]
    looks = styles([one.name for one in series])
    every = max(1, len(rows) // 8)
    ticks = {float(at): str(row.year) for at, row in enumerate(rows) if at % every == 0}
    legend = join([(swatch(look), " ", name, " ") for name, look in looks.items()])
    chart = LineChart(
        "recall",
        "Recall level by year",
        [float(at) for at in range(len(rows))],
        "year",
        "share of papers",
        series,
        share=True,
        y_range=(0.0, 1.0),
        x_ticks=ticks,
        fixed=True,
        note=tag("span", legend, class_="legend-line"),
    )
    return line_chart(chart, looks)


def _years(years: Sequence[YearResult], total: YearResult) -> Html:
    heads = ("Year", "Papers", "Held", "Missing", "Found", "Other forms", "Recall", "Ceiling")
    rows = [
        tag(
            "tr",
            tag("th", row.year or name, scope="row"),
            [
                tag("td", value, class_="number")
                for value in (
                    row.published,
                    row.held,
                    row.missing,
                    row.found,
                    row.versions,
                    share(row.recall_missing),
                    share(row.ceiling),
                )
            ],
        )
        for row, name in [*((row, "unknown") for row in years), (total, "All")]
    ]
    columns = [tag("th", name, scope="col", class_="number" if at else None) for at, name in enumerate(heads)]
    body = tag("table", tag("thead", tag("tr", columns)), tag("tbody", rows), aria_label="Papers by year")
    return tag("div", body, class_="scroll sheet", tabindex=0, role="region", aria_label="Papers by year")


def _reasons(papers: Sequence[Harvested]) -> Html:
    why: dict[str, int] = {}
    for paper in papers:
        if paper.status in ("missing", "version"):
            why[paper.why or "unknown"] = why.get(paper.why or "unknown", 0) + 1
    lists = []
    for heading, counts in (("Found", places_of(papers)), ("Not found, and why", why)):
        most = max(counts.values(), default=1)
        items = [
            tag("li", tag("span", name), parts.meter(number, most, f"{number:,}"), class_="score-row")
            for name, number in sorted(counts.items(), key=lambda pair: -pair[1])
        ]
        if items:
            lists.append(tag("div", tag("h3", heading), tag("ul", items, class_="scores"), class_="card"))
    return tag("div", lists, class_="panels")


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
            tag("small", f"{copy.place}, {copy.status}, {copy.confidence:.2f}: ", parts.plain(copy.evidence, 200)),
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


def _people(desk: Desk, crawl: int, kept: Kept, writes: bool) -> Html:
    """Authors and their homepages; with the token, to be corrected."""
    named = [(name, url, "") for name, url in sorted(kept.homepages.items())]
    named = [*((name, "", why) for name, why in sorted(kept.failures.items())), *named][:500]
    rows = [
        tag(
            "tr",
            tag("th", parts.words(name, 80), scope="row"),
            tag("td", parts.outside(url, parts.address(url, 70)) if url else parts.plain(why, 200)),
            writes
            and tag(
                "td",
                tag(
                    "input",
                    type="url",
                    name=f"homepage {name}",
                    value="",
                    placeholder="https://…",
                    aria_label=f"Another homepage of {parts.plain(name, 80)}",
                ),
            ),
            writes
            and tag(
                "td",
                url and tag("label", tag("input", type="checkbox", name=f"refuse {name}", value=url), " not theirs"),
            ),
        )
        for name, url, why in named
    ]
    heads = [
        tag("th", name, scope="col")
        for name in ("Author", "Homepage, or why none", *(("Correct it", "Refuse it") if writes else ()))
    ]
    body = tag(
        "div",
        tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Homepages"),
        class_="scroll sheet",
        tabindex=0,
        role="region",
        aria_label="Homepages",
    )
    known, lost = len(kept.homepages), len(kept.failures)
    lead = tag(
        "p", f"{known:,} of {known + lost:,} authors have a homepage that could be found.", class_="section-lead"
    )
    if writes:
        body = parts.write_form(
            desk,
            f"/harvests/{crawl}/correct",
            body,
            tag("button", "Harvest again with these corrections", type="submit", class_="primary"),
        )
    return tag("section", tag("h2", "Homepages", id="people"), lead, body, aria_labelledby="people")


async def correct(request: Request) -> Response:
    """Harvest the same papers again, with what a person says of homepages."""
    desk, crawl, form = desk_of(request), request.path_params["number"], await read_form(request)
    said: dict[str, dict[str, str]] = {"homepage": {}, "refuse": {}}
    for key in form.values:
        kind, _, name = key.partition(" ")
        if kind in said and (text := form.text(key, 4000)):
            said[kind][name] = text
    job = again(desk, runner_of(request), crawl, said["homepage"], said["refuse"])
    return RedirectResponse(desk.at(f"/jobs/{job.id}"), 303)


def again(desk: Desk, runner: Runner, crawl: int, homepages: Mapping[str, str], refused: Mapping[str, str]) -> Job:
    """Begin a harvest of the same papers; `homepages` and `refused` are a person's word, by author."""
    kept = kept_of(desk, crawl)
    if kept is None:
        raise LookupError(f"The library has no harvest {crawl}.")
    known = kept.homepages | kept.failures
    for name, url in (*homepages.items(), *refused.items()):
        if name not in known:
            raise PinakesError(f"{parts.plain(name, 60)} is not among the authors of this harvest.")
        if not canonical(url):
            raise PinakesError(f"{parts.plain(url, 100)}, given for {parts.plain(name, 60)}, is not a web address.")
    if not homepages and not refused:
        raise PinakesError("Nothing was corrected; write a homepage beside an author, or refuse one.")
    rows = [(name, url, "yes") for name, url in homepages.items()]
    rows += [(name, url, "no") for name, url in refused.items()]
    rows += [(name, url, "yes") for name, url in kept.homepages.items() if name not in {*homepages, *refused}]
    number, place = runner.place()
    with (place / "homepages.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "homepage", "kept"), *rows])
    works = [
        {"id": one.id, "title": one.title, "authors": one.authors, "year": one.year, "venue": one.venue, "doi": one.doi}
        for one in kept.records
    ]
    (place / "papers.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, works)))
    command = [
        "harvest",
        f"--metadata={place / 'papers.jsonl'}",
        f"--homepages={place / 'homepages.csv'}",
        "--new",
        f"--into={desk.folder}",
        *(f"--venue-site={url}" for url in kept.venue_sites),
    ]
    title, shows = f"Harvest {crawl} again, corrected", desk.at("/harvests")
    return runner.start("harvest", title, command, writes=True, crawls=True, number=number, shows=shows)


def tables(request: Request) -> Response:
    """The papers, or the people, of a harvest as CSV."""
    desk, crawl, name = desk_of(request), request.path_params["number"], request.path_params["name"]
    with desk.library() as library:
        papers = papers_of(library, crawl)
    if name == "papers":
        heads: tuple[str, ...] = ("id", "title", "authors", "year", "venue", "status", "why", "detail", "urls")
        rows: list[tuple[object, ...]] = [
            (p.id, p.title, "; ".join(p.authors), p.year or "", p.venue, p.status, p.why, p.detail, " ".join(p.urls))
            for p in papers
        ]
    elif name == "homepages" and (kept := kept_of(desk, crawl)) is not None:
        heads = ("name", "homepage", "kept", "why")
        rows = [(person, url, "yes", "") for person, url in kept.homepages.items()]
        rows += [(person, "", "no", why) for person, why in kept.failures.items()]
    else:
        raise LookupError(f"There is no such table of harvest {crawl}.")
    return shell.csv_file(f"{name}-{crawl}.csv", heads, rows)


ROUTES = [
    Route("/harvests", harvests),
    Route("/harvests/{number:int}", harvest),
    Route("/harvests/{number:int}/correct", correct, methods=["POST"]),
    Route("/harvests/{number:int}/{name:str}", tables),
]
