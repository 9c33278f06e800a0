"""The path study as a report: the tables and figures of 000 §5 and §6, for one crawl or for two side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pinakes.core.counting import count_of
from pinakes.jobs.evaluation.tables import whole
from pinakes.measures.paths import BANDS, PathStudy
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.page import Section, document, paragraphs
from pinakes.report.palette import Style, styles, swatch
from pinakes.report.tables import Cell, Column, sortable

LEADS = {
    "levels": "Table 2 and figure 2: how pages score, by their distance from the last nugget.",
    "parents": "Table 3: all pages, against the children of pages that almost were nuggets.",
    "onward": "Table 4: duds between a dud that a nugget links to and the next nugget below, by its correlation.",
    "history": "Figure 1: the grandparents of nuggets and of duds, when the parent is a dud that scores low or high.",
    "lengths": "A path goes from one nugget to the next; its length is its duds plus two.",
    "time": "§5.4: links that wait, and pages a second.",
}


def write_paths(path: Path, studies: Sequence[PathStudy]) -> Path:
    return whole(path, render(studies).encode("utf-8", "replace"))


def render(studies: Sequence[PathStudy]) -> str:
    """One page; with two studies, table 5 compares them."""
    named = _named(studies)
    look = styles([name for name, _ in named])
    parts = [
        Section("summary", "The crawl" if len(named) == 1 else "Two crawls", _summary(named)),
        Section("levels", "Correlation by level", _levels(named, look), LEADS["levels"]),
        Section("parents", "Better parents, better children", _brackets(named), LEADS["parents"]),
        Section("onward", "How far to the next nugget", _onward(named), LEADS["onward"]),
        Section("history", "Path history", _ancestry(named), LEADS["history"]),
        Section("lengths", "Paths", _lengths(named, look), LEADS["lengths"]),
        Section("time", "Frontier and speed", _time(named, look), LEADS["time"]),
    ]
    facts = " · ".join(f"{name}: {study.strategy}, threshold {study.threshold:.3g}" for name, study in named)
    return document("Path study", parts, kind="Path study", facts=facts)


def _named(studies: Sequence[PathStudy]) -> list[tuple[str, PathStudy]]:
    """Studies with names of their own."""
    names: dict[str, PathStudy] = {}
    for study in studies:
        name, n = study.name, 2
        while name in names:
            name, n = f"{study.name} ({n})", n + 1
        names[name] = study
    return list(names.items())


def _summary(named: Sequence[tuple[str, PathStudy]]) -> Html:
    """Table 5, of one crawl or of two."""
    facts: list[tuple[str, Callable[[PathStudy], str]]] = [
        ("Strategy", lambda s: s.strategy),
        ("Threshold", lambda s: f"{s.threshold:.3g}"),
        ("Seconds", lambda s: f"{s.seconds:,.1f}"),
        ("Final pages a second", lambda s: f"{s.final_rate:,.1f}"),
        ("Links on the frontier", lambda s: f"{s.frontier:,}"),
        ("Unique pages", lambda s: f"{s.pages:,}"),
        ("Mean correlation", lambda s: f"{s.mean:.3f}"),
        ("At least half the threshold", lambda s: _part(s.above_half, s.pages)),
        ("Nuggets", lambda s: _part(s.nuggets, s.pages)),
        ("Completed paths", lambda s: f"{s.completed:,}"),
        ("Terminated paths", lambda s: f"{s.terminated:,}"),
        ("Incomplete paths", lambda s: f"{s.incomplete:,}"),
    ]
    rows = [[Cell(label), *(Cell(tell(study)) for _, study in named)] for label, tell in facts]
    rows += [
        [
            Cell(f"[{band}) of those"),
            *(Cell(_part(list(study.bands.values())[n], study.above_half)) for _, study in named),
        ]
        for n, band in enumerate(named[0][1].bands)
    ]
    heads = [Column("", number=False), *(Column(name) for name, _ in named)]
    note = paragraphs(
        "A terminated path ended where its last dud had nothing more to be followed: the strategy's cutoff, or all its "
        "links were known. An incomplete one has links that still waited."
    )
    return join((sortable("Table 5", heads, rows, "table-5"), note))


def _levels(named: Sequence[tuple[str, PathStudy]], look: dict[str, Style]) -> Html:
    most = max((level.level for _, s in named for level in s.levels), default=1)
    series = []
    for name, study in named:
        means = {level.level: level.mean for level in study.levels}
        series.append(Series(name, [means.get(n) for n in range(1, most + 1)]))
    chart = LineChart("figure-2", "Mean correlation by level", [float(n) for n in range(1, most + 1)], "level",
                      "mean correlation", series, share=True, fixed=True)  # fmt: skip
    tables = [
        sortable(
            f"Table 2{_of(name, named)}",
            [Column("Level"), Column("Pages"), Column("Mean"), Column("Greatest"), Column("Nuggets")],
            [
                [
                    Cell(str(row.level), row.level), Cell(f"{row.pages:,}", row.pages),
                    Cell(f"{row.mean:.4f}", row.mean), Cell(f"{row.most:.3f}", row.most),
                    Cell(f"{row.nuggets:,}", row.nuggets),
                ]
                for row in study.levels
            ],
            f"table-2-{n}",
        )
        for n, (name, study) in enumerate(named)
    ]  # fmt: skip
    return join((_legend(named, look), tag("div", line_chart(chart, look), class_="panels"), *tables))


def _brackets(named: Sequence[tuple[str, PathStudy]]) -> Html:
    made = []
    for n, (name, study) in enumerate(named):
        low, high = study.threshold * (BANDS - 1) / BANDS, study.threshold
        columns = [Column("Up to"), Column("All pages"), Column("%"), Column(f"Children of ({low:.3g}–{high:.3g}]"),
                   Column("%")]  # fmt: skip
        rows = [
            [
                Cell(f"{row.high:.3g}", row.high), Cell(f"{row.pages:,}", row.pages), Cell(f"{100 * row.share:.2g}"),
                Cell(f"{row.children:,}", row.children), Cell(f"{100 * row.children_share:.2g}"),
            ]
            for row in study.brackets
        ]  # fmt: skip
        made.append(sortable(f"Table 3{_of(name, named)}", columns, rows, f"table-3-{n}"))
        both = styles(["all pages", "children of almost-nuggets"])
        chart = LineChart(
            f"table-3-chart-{n}", f"Distribution of correlations{_of(name, named)}",
            [row.high for row in study.brackets], "correlation", "part of the pages",
            [Series("all pages", [row.share for row in study.brackets]),
             Series("children of almost-nuggets", [row.children_share for row in study.brackets])],
            share=True, fixed=True,
        )  # fmt: skip
        made += [_key(both), tag("div", line_chart(chart, both), class_="panels")]
    return join(made)


def _onward(named: Sequence[tuple[str, PathStudy]]) -> Html:
    columns = [Column("Up to"), Column("Pages"), Column("Mean duds to a nugget"), Column("Deviation"),
               Column("No nugget below")]  # fmt: skip
    return join(
        sortable(
            f"Table 4{_of(name, named)}",
            columns,
            [
                [
                    Cell(f"{row.high:.3g}", row.high), Cell(f"{row.pages:,}", row.pages),
                    Cell("–" if row.mean is None else f"{row.mean:.2f}", row.mean),
                    Cell("–" if row.deviation is None else f"{row.deviation:.2f}", row.deviation),
                    Cell(f"{row.without:,}", row.without),
                ]
                for row in study.onward
            ],
            f"table-4-{n}",
        )
        for n, (name, study) in enumerate(named)
    )  # fmt: skip


def _ancestry(named: Sequence[tuple[str, PathStudy]]) -> Html:
    both = styles(["nuggets", "duds"])
    charts = []
    for n, (name, study) in enumerate(named):
        width = study.threshold / BANDS
        for panel in study.ancestry:
            title = f"Parents between {panel.low:.3g} and {panel.high:.3g}{_of(name, named)}"
            series = [Series("nuggets", panel.nuggets), Series("duds", panel.duds)]
            charts.append(
                line_chart(
                    LineChart(
                        f"figure-1-{n}-{'low' if not panel.low else 'high'}", title,
                        [round((k + 1) * width, 4) for k in range(BANDS)], "grandparent's correlation",
                        "part of the pages", series, share=True, fixed=True,
                        note=f"{count_of(panel.count_nuggets, 'nugget')}, {count_of(panel.count_duds, 'dud')}",
                    ),
                    both,
                )
            )  # fmt: skip
    return join((_key(both), tag("div", charts, class_="panels")))


def _lengths(named: Sequence[tuple[str, PathStudy]], look: dict[str, Style]) -> Html:
    most = max((length for _, s in named for length in s.lengths), default=2)
    x = list(range(2, most + 1))
    series = [Series(name, [study.lengths.get(n, 0) / max(1, study.completed) for n in x]) for name, study in named]
    chart = LineChart("lengths", "Completed paths by length", [float(n) for n in x], "length", "part of the paths",
                      series, share=True, fixed=True)  # fmt: skip
    told = [
        f"{name}: {study.completed:,} completed"
        + (f", most often of length {max(study.lengths, key=lambda n: study.lengths[n])}" if study.lengths else "")
        + f"; {study.terminated:,} terminated, {study.incomplete:,} incomplete."
        for name, study in named
    ]
    return join(
        (_legend(named, look), len(x) > 1 and tag("div", line_chart(chart, look), class_="panels"), paragraphs(*told))
    )


def _time(named: Sequence[tuple[str, PathStudy]], look: dict[str, Style]) -> Html:
    """Over pages rather than seconds, so that two crawls of different speed can be compared."""
    ends = [study.samples[-1].pages for _, study in named if study.samples]
    if not ends or max(ends) < 2:
        return paragraphs("The crawl was too short to tell.")
    at = [round(max(ends) * n / 40) for n in range(1, 41)]
    waiting, speed = [], []
    for name, study in named:
        waiting.append(Series(name, [_waiting(study, n) for n in at]))
        speed.append(Series(name, [_speed(study, n, max(ends) / 20) for n in at]))
    x = [float(n) for n in at]
    charts = [
        line_chart(LineChart("frontier", "Links on the frontier", x, "pages", "links", waiting, fixed=True), look),
        line_chart(LineChart("speed", "Pages a second", x, "pages", "pages a second", speed, fixed=True), look),
    ]
    return join((_legend(named, look), tag("div", charts, class_="panels")))


def _waiting(study: PathStudy, pages: int) -> float | None:
    found = [sample.waiting for sample in study.samples if sample.pages <= pages]
    return float(found[-1]) if found and pages <= study.samples[-1].pages + 1 else None


def _speed(study: PathStudy, pages: int, window: float) -> float | None:
    near = [sample for sample in study.samples if pages - 2 * window <= sample.pages <= pages]
    if len(near) < 2 or near[-1].seconds <= near[0].seconds or pages > study.samples[-1].pages + window:
        return None
    return (near[-1].pages - near[0].pages) / (near[-1].seconds - near[0].seconds)


def _part(count: int, of: int) -> str:
    return f"{count:,} ({100 * count / of:.2g} %)" if of else f"{count:,}"


def _of(name: str, named: Sequence[tuple[str, PathStudy]]) -> str:
    return f" of {name}" if len(named) > 1 else ""


def _legend(named: Sequence[tuple[str, PathStudy]], look: dict[str, Style]) -> Html:
    return _key({name: look[name] for name, _ in named}) if len(named) > 1 else Html("")


def _key(look: dict[str, Style]) -> Html:
    return tag("p", [(swatch(style), f" {name}  ") for name, style in look.items()], class_="legend")
