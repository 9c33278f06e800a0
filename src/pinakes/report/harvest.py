"""The report of a harvest: one page that needs nothing else, and tables for a spreadsheet.

reports/harvest.html   years, recall, where papers were found, every paper, every author
reports/years.csv      one row a year
reports/papers.csv     one row a paper: where it was found, or why not
reports/homepages.csv  one row a candidate (written before the crawl; may be corrected and handed back)
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.jobs.harvest.forms import PAPER
from pinakes.jobs.harvest.result import HarvestResult, YearResult, place_of, share
from pinakes.jobs.harvest.whereabouts import PLACES
from pinakes.library.harvests import Copy, Harvested
from pinakes.report.harvest_charts import counted, people_chart, places_chart, recall_chart, years_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.page import Section, document, paragraphs
from pinakes.report.tables import Cell, Column, sortable

STATUS = {"held": 0, "found": 1, "version": 2, "missing": 3}
SAID = {
    "homepage": "on a homepage",
    "venue site": "on the venue's site",
    "both": "on both",
    "open access": "open copies named by services",
}
_YEARS = ("year", "published", "authors", "held", "missing", "found", "versions", "recall of the missing",
          "on homepages", "recall of all", "ceiling", "no homepage")  # fmt: skip
_HINTS = ("", "", "distinct authors", "", "", "of the missing", "only slides or another form", "",
          "recall of the missing by homepages alone", "held papers that were not looked for count as found",
          "missing papers with at least one homepage", "authors without a homepage that could be found")  # fmt: skip
PAPER_COLUMNS = ("id", "title", "authors", "year", "venue", "status", "place", "form", "why", "detail", "confidence",
                 "urls")  # fmt: skip


def write_harvest(result: HarvestResult) -> Path:
    """Write the page and its tables; the answer is where the page is."""
    folder = result.library / "reports"
    folder.mkdir(exist_ok=True)
    rows = (*result.years, result.total)
    _csv(folder / "years.csv", (*_YEARS, *PLACES, "countries"), (_year_cells(row) + _year_places(row) for row in rows))
    _csv(folder / "papers.csv", PAPER_COLUMNS, map(paper_cells, result.papers))
    path = folder / "harvest.html"
    path.write_text(render(result), encoding="utf-8")
    return path


def render(result: HarvestResult) -> str:
    """The whole report as one HTML text."""
    sections = [
        Section("years", "Year by year", _years(result)),
        Section("where", "Where papers were found, and why not", _places(result), _documents_lead(result)),
        Section("papers", "Every paper", _papers(result.papers)),
        Section("people", "Homepages", _people(result), _people_lead(result)),
    ]
    if result.unreadable:
        rows = [[Cell(_link(url)), Cell(why)] for url, why in result.unreadable.items()]
        columns = [Column("Document", number=False), Column("What is wrong", number=False)]
        table = sortable("Unreadable", columns, rows, "unreadable", class_="people")
        sections.append(Section("unreadable", "Documents that could not be read", table))
    total = result.total
    pages = result.crawl.pages if result.crawl else 0
    return document(
        f"Harvest of {_name(result)}",
        sections,
        kind="Harvest",
        facts=(
            f"{count_of(total.published, 'paper')} · {count_of(total.authors, 'author')} · "
            f"{count_of(pages, 'page')} fetched"
        ),
        lead=join((_lead(result), _tiles(result))),
        extra=("harvest",),
    )


def _name(result: HarvestResult) -> str:
    """The venue and its years, or how many papers there are of several."""
    venues = {paper.venue for paper in result.papers if paper.venue}
    years = [row.year for row in result.years if row.year is not None]
    span = f" {years[0]}–{years[-1]}" if len(years) > 1 else f" {years[0]}" if years else ""
    return f"{next(iter(venues))}{span}" if len(venues) == 1 else count_of(len(result.papers), "paper")


def _lead(result: HarvestResult) -> Html:
    total = result.total
    held = (
        f"{total.held:,} of {count_of(total.published, 'paper')} {'was' if total.held == 1 else 'were'} in "
        "the library already. "
        if total.held
        else ""
    )
    if not total.missing:
        return paragraphs(f"{held}Nothing is missing.")
    found = join(
        (
            held,
            "Of the ",
            tag(
                "strong",
                f"{count_of(total.missing, 'missing paper')} {total.found:,} "
                f"{'was' if total.found == 1 else 'were'} found",
            ),
            f", and of {total.versions:,} more only slides or another form" if total.versions else "",
            f". {_lost(result)}",
        )
    )
    return paragraphs(found)


def _lost(result: HarvestResult) -> str:
    """Why the others were not found, the commonest reason first."""
    reasons = [f"{why} ({number:,})" for why, number in result.why.items()]
    return f"Not found: {', '.join(reasons)}." if reasons else ""


def _tiles(result: HarvestResult) -> Html:
    total = result.total
    known, everybody = len(result.homepages), len(result.homepages) + len(result.failures)
    ceiling = (
        f"{count_of(total.reachable, 'missing paper')} {'has' if total.reachable == 1 else 'have'} an author "
        "with a homepage"
        if total.missing
        else ""
    )
    tiles = [
        ("Missing papers found", f"{total.found:,} of {total.missing:,}", _percent(total.recall_missing)),
        ("Held already", f"{total.held:,}", f"of {total.published:,} published") if total.held else None,
        ("Authors with a homepage", f"{known:,} of {everybody:,}", _percent(known / everybody if everybody else None)),
        ("Ceiling of homepages", _percent(total.ceiling), ceiling) if total.missing else None,
        ("Documents read", f"{result.documents:,}", f"{result.publications:,} look like publications"),
    ]
    shown = [tile for tile in tiles if tile is not None]
    return tag(
        "dl",
        [
            tag(
                "div",
                tag("dt", name),
                tag("dd", value, class_="big"),
                tag("dd", small, class_="small"),
                class_=None if at else "first",
            )
            for at, (name, value, small) in enumerate(shown)
        ],
        class_="tiles",
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _years(result: HarvestResult) -> Html:
    columns = [
        Column(name.capitalize(), hint, number=at > 0)
        for at, (name, hint) in enumerate(zip(_YEARS, _HINTS, strict=True))
    ]
    rows = [[Cell(str(cell), cell if isinstance(cell, int) else None) for cell in _year_cells(y)] for y in result.years]
    total = [Cell(str(cell)) for cell in _year_cells(result.total)]
    charts = tag("div", years_chart(result.years), recall_chart(result), class_="panels")
    return join((charts, sortable("Papers by year", columns, rows, "years", total=total, class_="years")))


def _year_cells(row: YearResult) -> list[Any]:
    counts = [row.published, row.authors, row.held, row.missing, row.found, row.versions]
    recall = [share(row.recall_missing), share(row.recall_homepages), share(row.recall_all), share(row.ceiling)]
    return [row.year or "all", *counts, *recall, row.without_homepage]


def _year_places(row: YearResult) -> list[Any]:
    """What only the spreadsheet has room for: where papers were found, and where authors without a homepage work."""
    return [*(row.places.get(place, 0) for place in PLACES), _listed(row.countries)]


def _listed(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name} {number}" for name, number in counts.items())


def paper_cells(paper: Harvested) -> tuple[Any, ...]:
    """A paper's row of a spreadsheet."""
    best = paper.copies[0] if paper.copies else None
    return (
        paper.id, paper.title, "; ".join(paper.authors), paper.year or "", paper.venue, paper.status,
        place_of(paper), best.form if best else "", paper.why, paper.detail,
        f"{best.confidence:.2f}" if best else "", " ".join(paper.urls),
    )  # fmt: skip


def _documents_lead(result: HarvestResult) -> str:
    noise = result.documents - result.publications
    return (
        f"{count_of(result.documents, 'document was', 'documents were')} fetched: {result.publications:,} "
        f"{'looks like an academic publication' if result.publications == 1 else 'look like academic publications'}, "
        f"{noise:,} {'is' if noise == 1 else 'are'} slides, course notes, CVs, posters, or cannot be read."
    )


def _places(result: HarvestResult) -> Html:
    figures = [places_chart(result.years)] if any(result.places.values()) else []
    if result.why:
        figures.append(counted("why", "Not found, and why", result.why, "missing"))
    return tag("div", figures, class_="panels") if figures else tag("p", "No paper was looked for.")


def _papers(papers: Sequence[Harvested]) -> Html:
    columns = [
        Column("Paper", number=False),
        Column("Year"),
        Column("Status", number=False),
        Column("Where, or why not", number=False),
    ]
    rows = [
        [
            Cell(join((tag("b", paper.title), tag("small", ", ".join(paper.authors)))), paper.title),
            Cell(str(paper.year or ""), paper.year),
            Cell(tag("span", paper.status, class_=f"state {_kind(paper.status)}"), STATUS.get(paper.status, 9)),
            Cell(_where(paper), paper.why),
        ]
        for paper in papers
    ]
    states = {status: sum(paper.status == status for paper in papers) for status in STATUS}
    chosen = [("", f"all {len(papers):,}"), *((one, f"{one} {number:,}") for one, number in states.items() if number)]
    buttons = [
        tag("li", tag("button", label, type="button", value=status, aria_pressed="false" if status else "true"))
        for status, label in chosen
    ]
    choose = tag("ul", buttons, class_="choose", aria_label="Show papers", hidden=True)
    return join((choose, sortable("Papers", columns, rows, "papers", class_="papers")))


def _kind(status: str) -> str:
    return status if status in STATUS else ""


def _where(paper: Harvested) -> Html:
    copies = [
        tag(
            "div",
            _link(copy.url),
            tag(
                "small",
                f"{SAID.get(copy.place, copy.place)}{_form(copy)}, {copy.confidence:.2f} sure: ",
                tag("details", tag("summary", "evidence"), f" {copy.evidence}"),
            ),
            class_="copy",
        )
        for copy in paper.copies
    ]
    why = tag("div", tag("b", paper.why), paper.detail and f": {paper.detail}", class_="why") if paper.why else ""
    return join((why, copies))


def _form(copy: Copy) -> str:
    """What a document is, where it is not the paper itself."""
    if copy.form == PAPER or (not copy.form and copy.status == "found"):
        return ""
    return f", {copy.form or 'slides or another form'}"


def _people(result: HarvestResult) -> Html:
    columns = [Column("Author", number=False), Column("Homepage, or why none", number=False)]
    rows = [[Cell(name), Cell(_link(url), url)] for name, url in sorted(result.homepages.items())]
    rows += [[Cell(name), Cell(why)] for name, why in sorted(result.failures.items())]
    figures = [people_chart(result.years)] if result.total.authors else []
    if result.countries:
        figures.append(counted("countries", "Authors without a homepage, by country", result.countries, "missing"))
    tables = [_countries(result)] if result.countries and len(result.years) > 1 else []
    tables.append(sortable("Authors", columns, rows, "authors", class_="people"))
    return join((tag("div", figures, class_="panels") if figures else "", tables))


def _countries(result: HarvestResult) -> Html:
    """Authors without a homepage by year and country (003 table 6)."""
    names = [*result.countries]
    columns = [Column("Year", number=False), *(Column(name) for name in names)]
    rows = [
        [Cell(str(row.year or "?"), row.year), *(Cell(str(row.countries.get(name, 0))) for name in names)]
        for row in result.years
    ]
    total = [Cell("all"), *(Cell(str(number)) for number in result.countries.values())]
    return sortable("Authors without a homepage by year and country", columns, rows, "countries", total=total)


def _people_lead(result: HarvestResult) -> str:
    known, lost = len(result.homepages), len(result.failures)
    return (
        f"{known:,} of {count_of(known + lost, 'author')} {'has' if known == 1 else 'have'} a homepage that "
        "could be found. The file homepages.csv beside "
        "this page has every candidate with the rule that kept or dropped it; corrected, it can be handed back with "
        "--homepages."
    )


def _link(url: str) -> Html | str:
    if not url.startswith(("http://", "https://")):
        return url
    return tag("a", url.partition("://")[2], href=url, rel="noreferrer noopener")


def _csv(path: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(heads)
        for row in rows:
            table.writerow([_cell(cell) for cell in row])


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
