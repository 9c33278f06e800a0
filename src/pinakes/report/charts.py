"""Charts as SVG: lines with error bars, and points of quality against cost.

They are complete without a script and in print; the page's script adds toggles, a crosshair and downloads. Nothing in
them is styled inline: colours come from the style sheet by class, so that light, dark and paper each have their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, isfinite

from pinakes.report.markup import Html, data, tag
from pinakes.report.numbers import Scale, scale_for, tick
from pinakes.report.palette import Style, marker

WIDTH, HEIGHT = 520, 330
LEFT, RIGHT, TOP, BOTTOM = 60, 22, 14, 46
BARS = 7
"""Error bars a line has: more would hide it."""

Values = Sequence[float | None]
Box = tuple[float, float, float, float]
_PLACES = [
    *((8.0, dy, "start") for dy in (4.0, -7.0, 15.0)),
    *((-8.0, dy, "end") for dy in (4.0, -7.0, 15.0)),
    *((0.0, dy, "middle") for dy in (-10.0, 19.0)),
    *((14.0 * side, dy, anchor) for dy in (-18.0, 26.0, -30.0, 38.0) for side, anchor in ((1, "start"), (-1, "end"))),
]
"""Where a point's name may stand beside it, the best first."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line."""

    name: str
    y: Values
    error: Values = ()
    """± at each point: one standard error."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """Values over a common x."""

    key: str
    """The file name of downloads."""
    title: str
    x: Sequence[float]
    x_label: str
    y_label: str
    series: Sequence[Series]
    note: Html | str = ""
    share: bool = False
    log_x: bool = False
    log_y: bool = False
    rule: float | None = None
    """A dotted line across, such as a level of significance."""
    y_range: tuple[float, float] | None = None
    """The ends of the y axis, where they do not follow from the values."""
    bars: int = BARS
    x_ticks: Mapping[float, str] | None = None
    """Values of x that are named on the axis, and their names."""
    fixed: bool = False
    """True when the page's legend has nothing to do with it."""
    hidden: frozenset[str] = frozenset()
    numbers: Html | str = ""
    """What stands under the chart for those who would rather read it."""
    described: str = ""
    """What one would see, for those who do not; else the title."""


def line_chart(chart: LineChart, styles: Mapping[str, Style]) -> Html:
    """A figure with its caption."""
    x = scale_for(chart.x, LEFT, WIDTH - RIGHT, log=chart.log_x)
    if not chart.log_x:
        x = Scale(0.0 if min(chart.x, default=0) >= 0 else min(chart.x), max(chart.x, default=1.0), x.start, x.end)
    reach = [value for series in chart.series for value in _reach(series)]
    y = scale_for(
        [*reach, *([chart.rule] if chart.rule else [])], HEIGHT - BOTTOM, TOP, share=chart.share, log=chart.log_y
    )
    if chart.y_range:
        y = Scale(*chart.y_range, y.start, y.end, chart.log_y)
    ordered = sorted(chart.series, key=lambda series: -styles[series.name].number)  # the first is drawn last, on top
    drawn = [_line(series, chart, styles[series.name], x, y) for series in ordered]
    rule = chart.rule and tag("path", class_="rule", d=f"M{LEFT} {y(chart.rule)}H{WIDTH - RIGHT}")
    svg = _svg(chart.described or chart.title, _axes(x, y, chart.x_label, chart.y_label, chart.x_ticks), rule, drawn)
    values = {
        "key": chart.key,
        "title": chart.title,
        "x": list(chart.x),
        "xLabel": chart.x_label,
        "yLabel": chart.y_label,
        "xScale": _plain(x),
        "yScale": _plain(y),
        "share": chart.share,
        "series": [
            {"name": s.name, "number": styles[s.name].number, "y": _finite(s.y), "error": _finite(s.error)}
            for s in chart.series
        ],
    }
    return figure(chart.title, chart.note, svg, values, chart.numbers, kind="lines fixed" if chart.fixed else "lines")


@dataclass(frozen=True, slots=True)
class Point:
    """A strategy's place between two measures."""

    name: str
    x: float
    y: float
    error: float | None = None


def scatter(
    key: str,
    title: str,
    points: Sequence[Point],
    styles: Mapping[str, Style],
    *,
    x_label: str,
    y_label: str,
    note: str = "",
    front: Sequence[str] = (),
    share: bool = True,
) -> Html:
    """Points with names; `front` are joined by steps, the cheapest first."""
    x = scale_for([point.x for point in points], LEFT, WIDTH - RIGHT, log=True)
    y = scale_for([value for p in points for value in (p.y, p.y + (p.error or 0))], HEIGHT - BOTTOM, TOP, share=share)
    by_name = {point.name: point for point in points}
    steps = "".join(
        f"{'M' if not n else 'H'}{x(by_name[name].x)}{f' {y(by_name[name].y)}' if not n else f'V{y(by_name[name].y)}'}"
        for n, name in enumerate(front)
    )
    drawn = []
    for point, (label_x, label_y, anchor) in zip(points, _labels(points, x, y), strict=True):
        style = styles[point.name]
        px, py = x(point.x), y(point.y)
        bar = f"M{px} {y(point.y - point.error)}V{y(point.y + point.error)}" if point.error else ""
        drawn.append(
            tag(
                "g",
                tag("path", class_="bar", d=bar),
                tag(
                    "path",
                    class_=f"mark {style.marker}",
                    d=marker(style.marker if style.marker != "none" else "ring", px, py, 4.2),
                ),
                tag("text", point.name, class_="point", x=label_x, y=label_y, text_anchor=anchor),
                tag("title", f"{point.name}: {tick(round(point.y, 4))} at {tick(round(point.x, 4))}"),
                class_=f"series {style.colour}",
                data_series=style.number,
            )
        )
    svg = _svg(title, _axes(x, y, x_label, y_label), tag("path", class_="front", d=steps), drawn)
    values = {
        "key": key,
        "title": title,
        "columns": ["strategy", x_label, y_label, "stderr"],
        "rows": [[p.name, p.x, p.y, p.error] for p in points],
    }
    return figure(title, note, svg, values, kind="points")


def figure(title: str, note: Html | str, svg: Html, values: object, numbers: Html | str = "", *, kind: str) -> Html:
    """A drawing with its caption, its numbers and what can be downloaded."""
    buttons = [
        tag("button", name, type="button", data_download=form, aria_label=f"Download {title} as {name}", hidden=True)
        for name, form in (("SVG", "svg"), ("CSV", "csv"))
    ]
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), tag("span", buttons, class_="tools"), note and tag("p", note)),
        tag("div", svg, class_="plot"),
        numbers and tag("details", tag("summary", "Numbers"), tag("div", numbers, class_="scroll")),
        data(values, class_="values"),
        class_=f"chart {kind}",
    )


def _svg(label: str, *children: object) -> Html:
    return tag(
        "svg",
        tag("title", label),
        list(children),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=label,
        tabindex=0,
        xmlns="http://www.w3.org/2000/svg",
    )


def _axes(x: Scale, y: Scale, x_label: str, y_label: str, named: Mapping[float, str] | None = None) -> Html:
    named = named or {value: tick(value) for value in x.ticks()}
    floor = HEIGHT - BOTTOM
    grid = "".join(f"M{LEFT} {y(value)}H{WIDTH - RIGHT}" for value in y.ticks())
    marks = "".join(f"M{x(value)} {floor}v4" for value in named)
    return tag(
        "g",
        tag("path", class_="grid", d=grid),
        tag("path", class_="axis", d=f"M{LEFT} {floor}H{WIDTH - RIGHT}{marks}"),
        [tag("text", tick(value), x=LEFT - 7, y=y(value), dy="0.32em", text_anchor="end") for value in y.ticks()],
        [tag("text", name, x=x(value), y=floor + 18, text_anchor="middle") for value, name in named.items()],
        tag("text", x_label, class_="label", x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 8, text_anchor="middle"),
        tag(
            "text",
            y_label,
            class_="label",
            transform=f"translate(13 {(TOP + floor) / 2}) rotate(-90)",
            text_anchor="middle",
        ),
        class_="axes",
        aria_hidden="true",
    )


def _line(series: Series, chart: LineChart, style: Style, x: Scale, y: Scale) -> Html:
    points = [
        (x(at), y(value)) if value is not None and isfinite(value) else None
        for at, value in zip(chart.x, series.y, strict=True)
    ]
    path, pen = "", "M"
    for point in points:
        path += f"{pen}{point[0]} {point[1]}" if point else ""
        pen = "L" if point else "M"
    marks, bars = "", ""
    n = len(points)
    count = min(chart.bars, n)
    # Where there are points enough, series have their bars at different ones, so that bars do not cover each other.
    aside = 0.5 + (0.14 * (style.number % 5 - 2) if n > 3 * count else 0.0)
    picked = sorted({round((step + aside) * n / count - 0.5) for step in range(count)}) if n else []
    for at in picked:
        if (point := points[at]) is None:
            continue
        marks += marker(style.marker, *point)
        error, value = series.error[at] if at < len(series.error) else None, series.y[at]
        if error and isfinite(error) and value is not None:
            low, high = (y(max(y.low, min(y.high, edge))) for edge in (value - error, value + error))
            bars += f"M{point[0]} {low}V{high}m-2.5 0h5m-5 {round(low - high, 2)}h5"
    return tag(
        "g",
        tag("title", series.name),
        tag("path", class_="bar", d=bars),
        tag("path", class_="line", d=path, stroke_dasharray=style.dash or None),
        tag("path", class_=f"mark {style.marker}", d=marks),
        class_=f"series {style.colour}{' off' if series.name in chart.hidden else ''}",
        data_series=style.number,
    )


def _labels(points: Sequence[Point], x: Scale, y: Scale) -> list[tuple[float, float, str]]:
    """Places for the points' names: as near as can be without covering one another or a point."""
    taken = [(x(p.x) - 6, y(p.y) - 6, x(p.x) + 6, y(p.y) + 6) for p in points]
    found: dict[int, tuple[float, float, str]] = {}
    for at in sorted(range(len(points)), key=lambda number: (y(points[number].y), x(points[number].x))):
        px, py, wide = x(points[at].x), y(points[at].y), 7.0 * len(points[at].name)
        best: tuple[float, Box, tuple[float, float, str]] | None = None
        for dx, dy, anchor in _PLACES:
            left = px + dx - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = (left, py + dy - 11, left + wide, py + dy + 3)
            outside = max(0.0, LEFT - box[0]) + max(0.0, box[2] - WIDTH) + max(0.0, box[3] - HEIGHT + BOTTOM)
            bad = sum(_common(box, other) for other in taken) + 40 * (outside + max(0.0, -box[1])) + hypot(dx, dy)
            if best is None or bad < best[0]:
                best = (bad, box, (round(px + dx, 2), round(py + dy, 2), anchor))
        assert best is not None
        taken.append(best[1])
        found[at] = best[2]
    return [found[at] for at in range(len(points))]


def _common(a: Box, b: Box) -> float:
    """The area two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _reach(series: Series) -> list[float]:
    errors = [*series.error, *[None] * (len(series.y) - len(series.error))]
    return [
        edge
        for value, error in zip(series.y, errors, strict=True)
        if value is not None and isfinite(value)
        for edge in (value, value + (error or 0.0))
    ]


def _finite(values: Values) -> list[float | None]:
    return [round(value, 6) if value is not None and isfinite(value) else None for value in values]


def _plain(scale: Scale) -> dict[str, object]:
    return {"low": scale.low, "high": scale.high, "start": scale.start, "end": scale.end, "log": scale.log}
