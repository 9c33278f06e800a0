"""The report of a harvest: one page that needs nothing else, and tables for a spreadsheet.

reports/harvest.html   years, recall, where papers were found, every paper, every author
reports/years.csv      one row a year
reports/papers.csv     one row a paper: where it was found, or why not
reports/homepages.csv  one row a candidate (written before the crawl; may be corrected and handed back)
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pinakes.jobs.harvest.result import HarvestResult, YearResult, share
from pinakes.library.harvests import Harvested
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.numbers import short
from pinakes.report.page import Section, document, paragraphs
from pinakes.report.palette import styles, swatch
from pinakes.report.tables import Cell, Column, sortable

STATUS = {"held": 0, "found": 1, "version": 2, "missing": 3}
_YEARS = ("year", "published", "authors", "held", "missing", "found", "versions", "recall of the missing",
          "recall of all", "ceiling")  # fmt: skip


def write_harvest(result: HarvestResult) -> Path:
    """Write the page and its tables; the answer is where the page is."""
    folder = result.library / "reports"
    folder.mkdir(exist_ok=True)
    _csv(folder / "years.csv", _YEARS, (_year_cells(row) for row in (*result.years, result.total)))
    _csv(
        folder / "papers.csv",
        ("id", "title", "authors", "year", "venue", "status", "why", "detail", "confidence", "urls"),
        (
            (p.id, p.title, "; ".join(p.authors), p.year or "", p.venue, p.status, p.why, p.detail,
             f"{p.copies[0].confidence:.2f}" if p.copies else "", " ".join(p.urls))
            for p in result.papers
        ),
    )  # fmt: skip
    path = folder / "harvest.html"
    path.write_text(render(result), encoding="utf-8")
    return path


def render(result: HarvestResult) -> str:
    """The whole report as one HTML text."""
    sections = [
        Section("years", "Year by year", join((_chart(result), _years(result)))),
        Section("where", "Where papers were found", _places(result), _documents_lead(result)),
        Section("papers", "Every paper", _papers(result.papers), "Where it was found, or why not."),
        Section("people", "Homepages", _people(result), _people_lead(result)),
    ]
    if result.unreadable:
        rows = [[Cell(_link(url)), Cell(why)] for url, why in result.unreadable.items()]
        columns = [Column("Document", number=False), Column("What is wrong", number=False)]
        sections.append(
            Section(
                "unreadable", "Documents that could not be read", sortable("Unreadable", columns, rows, "unreadable")
            )
        )
    total = result.total
    pages = result.crawl.pages if result.crawl else 0
    venues = {paper.venue for paper in result.papers if paper.venue}
    name = next(iter(venues)) if len(venues) == 1 else f"{len(result.papers):,} papers"
    return document(
        f"Harvest of {name}",
        sections,
        kind="Harvest",
        facts=f"{total.published:,} papers · {total.authors:,} authors · {pages:,} pages",
        lead=_lead(result),
    )


def _lead(result: HarvestResult) -> Html:
    total = result.total
    found = join(
        (
            tag("strong", f"{total.found:,} of {total.missing:,}"),
            f" missing papers were found (recall {short(total.recall_missing)})",
            f", and of {total.versions:,} more only slides or another form" if total.versions else "",
            f". {total.held:,} were held already" if total.held else "",
            ".",
        )
    )
    ceiling = (
        f"For {total.reachable:,} of the missing at least one author's homepage is known: more than "
        f"{short(total.ceiling)} could not be found on homepages."
        if total.missing
        else ""
    )
    return paragraphs(found, ceiling)


def _chart(result: HarvestResult) -> Html:
    rows = [row for row in result.years if row.year is not None]
    if len(rows) < 2:
        return Html("")
    series = [
        Series("recall of the missing", [row.recall_missing for row in rows]),
        Series("ceiling", [row.ceiling for row in rows]),
    ]
    if any(row.recall_all is not None for row in rows) and result.total.held:
        series.insert(1, Series("recall of all", [row.recall_all for row in rows]))
    looks = styles([one.name for one in series])
    every = max(1, len(rows) // 8)
    chart = LineChart(
        key="recall",
        title="Recall level by year",
        x=[float(at) for at in range(len(rows))],
        x_label="year",
        y_label="share of papers",
        series=series,
        share=True,
        y_range=(0.0, 1.0),
        x_ticks={float(at): str(row.year) for at, row in enumerate(rows) if at % every == 0},
        fixed=True,
        described="Share of each year's missing papers that were found, and that could be",
    )
    legend = tag("p", [(swatch(look), " ", name, " ") for name, look in looks.items()], class_="legend-line")
    return tag("div", legend, line_chart(chart, looks))


def _years(result: HarvestResult) -> Html:
    hints = ("", "", "distinct authors", "", "", "of the missing", "only slides or another form", "", "",
             "missing papers with at least one homepage")  # fmt: skip
    columns = [Column(name.capitalize(), hint) for name, hint in zip(_YEARS, hints, strict=True)]
    rows = [
        [Cell(str(cell), cell if isinstance(cell, int) else None) for cell in _year_cells(row)] for row in result.years
    ]
    total = [Cell(str(cell)) for cell in _year_cells(result.total)]
    return sortable("Papers by year", columns, [*rows, total], "years")


def _year_cells(row: YearResult) -> list[Any]:
    counts = [row.published, row.authors, row.held, row.missing, row.found, row.versions]
    return [row.year or "all", *counts, share(row.recall_missing), share(row.recall_all), share(row.ceiling)]


def _documents_lead(result: HarvestResult) -> str:
    noise = result.documents - result.publications
    return (
        f"{result.documents:,} documents were fetched: {result.publications:,} look like academic publications, "
        f"{noise:,} are slides, course notes, CVs, posters, or cannot be read."
    )


def _places(result: HarvestResult) -> Html:
    columns = [Column("Place", number=False), Column("Papers")]
    rows = [[Cell(name), Cell(f"{count:,}", count)] for name, count in result.places.items()]
    why = [[Cell(name), Cell(f"{count:,}", count)] for name, count in result.why.items()]
    tables = [sortable("Papers found", columns, rows, "places")]
    if why:
        reasons = [Column("Reason", number=False), Column("Papers")]
        tables.append(sortable("Papers not found, and why", reasons, why, "why"))
    return tag("div", tables, class_="panels")


def _papers(papers: Sequence[Harvested]) -> Html:
    columns = [
        Column("Title", number=False),
        Column("Authors", number=False),
        Column("Year"),
        Column("Status", number=False),
        Column("Where, or why not", number=False),
    ]
    rows = [
        [
            Cell(paper.title),
            Cell(", ".join(paper.authors)),
            Cell(str(paper.year or ""), paper.year),
            Cell(paper.status, STATUS.get(paper.status, 9)),
            Cell(_where(paper), paper.why),
        ]
        for paper in papers
    ]
    return sortable("Papers", columns, rows, "papers")


def _where(paper: Harvested) -> Html:
    copies = [
        tag(
            "div",
            _link(copy.url),
            tag("small", f" {copy.place}, {copy.status}, {copy.confidence:.2f}: {copy.evidence}"),
        )
        for copy in paper.copies
    ]
    why = tag("div", tag("b", paper.why), paper.detail and f": {paper.detail}") if paper.why else ""
    return join((why, copies))


def _people(result: HarvestResult) -> Html:
    columns = [Column("Author", number=False), Column("Homepage, or why none", number=False)]
    rows = [[Cell(name), Cell(_link(url), url)] for name, url in sorted(result.homepages.items())]
    rows += [[Cell(name), Cell(why)] for name, why in sorted(result.failures.items())]
    parts = [sortable("Authors", columns, rows, "authors")]
    if result.countries:
        listed = [[Cell(name), Cell(f"{count:,}", count)] for name, count in result.countries.items()]
        heads = [Column("Country", number=False), Column("Authors")]
        parts.append(sortable("Authors without a homepage, by country", heads, listed, "countries"))
    return join(parts)


def _people_lead(result: HarvestResult) -> str:
    known, lost = len(result.homepages), len(result.failures)
    percent = f" ({known / (known + lost):.0%})" if known + lost else ""
    return (
        f"{known:,} of {known + lost:,} authors have a homepage that could be found{percent}. homepages.csv has every "
        "candidate with the rule that kept or dropped it; corrected, it can be handed back with --homepages."
    )


def _link(url: str) -> Html | str:
    if not url.startswith(("http://", "https://")):
        return url
    return tag("a", url, href=url, rel="noreferrer noopener")


def _csv(path: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(heads)
        for row in rows:
            table.writerow([_cell(cell) for cell in row])


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
