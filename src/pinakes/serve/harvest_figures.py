"""A harvest in figures: found and missing in all, year by year, where, and why not."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.jobs.harvest.result import YearResult, places_of, share
from pinakes.library.harvests import Harvested
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.palette import styles, swatch
from pinakes.serve import parts


def figures(total: YearResult) -> Html:
    figures = (
        (f"{total.published:,}", "papers"),
        (f"{total.authors:,}", "authors"),
        (f"{total.held:,}", "held"),
        (f"{total.found:,}", "found"),
        (share(total.recall_missing) or "–", "recall of the missing"),
        (share(total.ceiling) or "–", "ceiling"),
    )
    return tag("ul", [tag("li", tag("strong", value), " ", name) for value, name in figures], class_="figures")


def chart(years: Sequence[YearResult]) -> Html | None:
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


def by_year_table(years: Sequence[YearResult], total: YearResult) -> Html:
    heads = (
        "Year", "Papers", "Held", "Missing", "Found", "Other forms", "Recall", "On homepages", "Ceiling", "No homepage"
    )  # fmt: skip
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
                    share(row.recall_homepages),
                    share(row.ceiling),
                    row.without_homepage,
                )
            ],
        )
        for row, name in [*((row, "unknown") for row in years), (total, "All")]
    ]
    columns = [tag("th", name, scope="col", class_="number" if at else None) for at, name in enumerate(heads)]
    return parts.sheet("Papers by year", columns, rows)


def reasons(papers: Sequence[Harvested]) -> Html:
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
