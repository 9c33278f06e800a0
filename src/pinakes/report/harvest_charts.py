"""Pictures of a harvest: what became of each year's papers, and counts as bars. All of it is readable on a phone, in
print and without colours, for every bar has its numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pinakes.jobs.harvest.result import HarvestResult, YearResult
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, data, join, tag
from pinakes.report.palette import styles, swatch

KINDS = {
    "held": "held already",
    "found": "found",
    "version": "only another form found",
    "missing": "not found",
}
"""What a paper may be, in the order in which bars show it."""


PLACES = {
    "found": ("homepage", "on homepages alone"),
    "both": ("both", "on both"),
    "held": ("venue site", "on the venue's site alone"),
    "version": ("open access", "open copies alone"),
    "missing": ("elsewhere", "elsewhere"),
}
"""Where a paper may be found, by the colour that shows it."""
PEOPLE = {"found": "with a homepage", "held": "not looked for", "missing": "without one"}


class Bar(NamedTuple):
    """A year as a bar of pieces."""

    year: str
    parts: Mapping[str, int]
    """By the kind that gives a piece its colour."""
    value: str
    small: str = ""


def years_chart(years: Sequence[YearResult], title: str = "Papers of each year") -> Html:
    """A bar a year: held, found, found in another form, not found (003 figs 6 and 7)."""
    bars = [Bar(_name(row), _parts(row), f"{row.found:,} of {row.missing:,}", _share(row)) for row in years]
    return _stacked("papers-by-year", title, KINDS, bars)


def places_chart(years: Sequence[YearResult], title: str = "Where each year's papers were found") -> Html:
    """A bar a year: found on homepages, on the venue's site, on both, by open access (003 fig. 14)."""
    names = {kind: name for kind, (_, name) in PLACES.items()}
    bars = [
        Bar(_name(row), {kind: row.places.get(place, 0) for kind, (place, _) in PLACES.items()}, f"{row.found:,}")
        for row in years
    ]
    return _stacked("places-by-year", title, names, bars)


def people_chart(years: Sequence[YearResult], title: str = "Authors of each year") -> Html:
    """A bar a year: authors with a homepage, and without one (003 table 6)."""
    bars = [
        Bar(
            _name(row),
            {"found": row.with_homepage, "held": row.unsought, "missing": row.without_homepage},
            f"{row.without_homepage:,} without",
        )
        for row in years
    ]
    return _stacked("authors-by-year", title, PEOPLE, bars, summed=False)  # who wrote in two years is one author


def _stacked(key: str, title: str, kinds: Mapping[str, str], bars: Sequence[Bar], summed: bool = True) -> Html:
    longest = max((sum(bar.parts.values()) for bar in bars), default=1) or 1
    used = [kind for kind in kinds if any(bar.parts[kind] for bar in bars)]
    values = {
        "key": key,
        "title": title,
        "columns": ["year", *kinds.values()],
        "rows": [[bar.year, *(bar.parts[kind] for kind in kinds)] for bar in bars],
    }
    totals = {kind: sum(bar.parts[kind] for bar in bars) for kind in used}
    legend = [
        tag(
            "span",
            tag("i", class_=f"patch {kind}"),
            f"{kinds[kind]} ",
            summed and tag("b", f"{total:,}"),
            class_="entry",
        )
        for kind, total in totals.items()
    ]
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), _csv(title), tag("p", legend, class_="entries")),
        tag("ol", [_year(bar, kinds, longest) for bar in bars], class_="bars stacked"),
        data(values, class_="values"),
        class_="chart",
    )


def recall_chart(result: HarvestResult) -> Html:
    """Recall by year, with the ceiling (003 figs 8 and 9); nothing where there is only one year."""
    rows = [row for row in result.years if row.year is not None]
    if len(rows) < 2:
        return Html("")
    series = [
        Series("recall of the missing", [row.recall_missing for row in rows]),
        Series("ceiling of homepages", [row.ceiling for row in rows]),
    ]
    if result.total.recall_homepages != result.total.recall_missing:
        series.insert(1, Series("on homepages alone", [row.recall_homepages for row in rows]))
    if result.total.held:
        series.insert(1, Series("recall of all", [row.recall_all for row in rows]))
    looks = styles([one.name for one in series])
    every = -(-len(rows) // 8)
    legend = [tag("span", swatch(look), name, class_="entry") for name, look in looks.items()]
    chart = LineChart(
        key="recall",
        title="Recall by year",
        x=[float(at) for at in range(len(rows))],
        x_label="",
        y_label="",
        series=series,
        note=join((tag("span", legend, class_="entries"), " ", _beyond(result))),
        share=True,
        y_range=(0.0, 1.0),
        x_ticks={float(at): str(row.year) for at, row in enumerate(rows) if at % every == 0},
        fixed=True,
        described="Share of each year's missing papers that were found, and that homepages could give",
    )
    return line_chart(chart, looks)


def _beyond(result: HarvestResult) -> str:
    elsewhere = sum(number for name, number in result.places.items() if name not in ("on homepages", "both"))
    return "Papers found elsewhere may lift recall above what homepages can give." if elsewhere else ""


def counted(key: str, title: str, counts: Mapping[str, int], kind: str = "found", note: str = "") -> Html:
    """Counts as bars, in the order given."""
    longest = max(counts.values(), default=1) or 1
    rows = [
        tag(
            "li",
            tag("span", tag("span", name), class_="name"),
            _track([(kind, number)], longest),
            tag("span", f"{number:,}", class_="value"),
        )
        for name, number in counts.items()
    ]
    values = {"key": key, "title": title, "columns": [title, "papers"], "rows": [[*item] for item in counts.items()]}
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), _csv(title), note and tag("p", note)),
        tag("ol", rows, class_="bars counted", aria_label=title),
        data(values, class_="values"),
        class_="chart",
    )


def _parts(row: YearResult) -> dict[str, int]:
    lost = row.missing - row.found - row.versions
    return {"held": row.held, "found": row.found, "version": row.versions, "missing": lost}


def _name(row: YearResult) -> str:
    return str(row.year or "no year")


def _share(row: YearResult) -> str:
    return f"{row.recall_missing:.0%}" if row.recall_missing is not None else ""


def _year(bar: Bar, kinds: Mapping[str, str], longest: int) -> Html:
    said = ", ".join(f"{number:,} {kinds[kind]}" for kind, number in bar.parts.items() if number)
    return tag(
        "li",
        tag("span", tag("span", bar.year), class_="name"),
        _track([*bar.parts.items()], longest),
        tag("span", bar.value, " ", tag("small", bar.small), class_="value"),
        title=said,
        aria_label=f"{bar.year}: {said}",
    )


def _track(parts: Sequence[tuple[str, int]], longest: int) -> Html:
    pieces, at = [], 0.0
    for kind, number in parts:
        width = 100 * number / longest
        if number:
            pieces.append(tag("path", class_=f"piece {kind}", d=f"M{at:.3f} 3h{width:.3f}v14h-{width:.3f}z"))
        at += width
    return tag("svg", pieces, class_="track", viewBox="0 0 100 20", preserveAspectRatio="none", aria_hidden="true")


def _csv(title: str) -> Html:
    button = tag(
        "button", "CSV", type="button", data_download="csv", aria_label=f"Download {title} as CSV", hidden=True
    )
    return tag("span", button, class_="tools")
