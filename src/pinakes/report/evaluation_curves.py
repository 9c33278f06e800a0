"""The drawings of an evaluation's report: learning curves, bars, quality against cost, sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.measures.cost import undominated
from pinakes.measures.running import comparison_points
from pinakes.report.bars import Bar, bar_chart
from pinakes.report.charts import LineChart, Point, Series, line_chart, scatter
from pinakes.report.evaluation_view import ORACLE, View
from pinakes.report.markup import Html, join, tag
from pinakes.report.numbers import short
from pinakes.report.palette import styles, swatch

BARS = ("auc", "harvest_judged", "positive_rocchio", "average_rank", "similarity")
"""Measures that have bars of their own."""


def learning_curves(view: View) -> Html:
    """A chart a measure, and one legend for all of them."""
    present = view.results.get("curves") or {}
    order = [name for name in MEASURES if name in present] + sorted(set(present) - set(MEASURES))
    charts = [_curve(view, name, present[name]["at"], present[name]["strategies"]) for name in order]
    return tag("div", _legend(view), tag("div", charts, class_="panels"), class_="with-legend")


def bars(view: View) -> Html:
    """The primary measure, then the others that 004 compares by."""
    shown = [name for name in dict.fromkeys((view.primary, *BARS)) if view.has(name)]
    return tag("div", [_bars(view, name) for name in shown], class_="panels")


def _bars(view: View, name: str) -> Html:
    """The strategies by one measure, the best first, with their topics as dots."""
    measure = measure_of(name)
    lines = [
        Bar(strategy, value, view.error(strategy, name), view.over_topics(strategy, name))
        for strategy in view.contestants
        if (value := view.value(strategy, name)) is not None
    ]
    lines.sort(key=lambda bar: (bar.value or 0.0) * (1 if measure.better == "lower" else -1))
    note = f"{measure.says}{' Lower is better.' if measure.better == 'lower' else ''}"
    return bar_chart(f"{name}-bars", measure.label, lines, view.styles, note=note, share=measure.share)


def cost(view: View) -> Html | None:
    """Quality over the strategy's time, with those that none beats in both."""
    measure = measure_of(view.primary)
    points = [
        Point(name, spent, value, view.error(name, view.primary))
        for name in view.contestants
        if (spent := view.value(name, "cpu_ms_per_page")) and (value := view.value(name, view.primary)) is not None
    ]
    if not points:
        return None
    sign = -1 if measure.better == "lower" else 1
    front = undominated({point.name: (sign * point.y, point.x) for point in points})
    drawing = scatter(
        "quality-cost",
        f"{measure.label} against CPU time",
        points,
        view.styles,
        x_label="CPU ms a page (logarithmic)",
        y_label=measure.label,
        front=front,
        share=measure.share,
    )
    return tag("div", drawing, _bars(view, "cpu_ms_per_page"), class_="panels")


def sweeps(view: View) -> Html | None:
    """Quality against a parameter, a line a strategy."""
    sweep = view.results.get("sweep")
    if not sweep or not sweep.get("points"):
        return None
    parameter, measure = str(sweep["parameter"]), measure_of(view.primary)
    values = list(dict.fromkeys(str(point["value"]) for point in sweep["points"]))
    places = _places(values)
    lines: dict[str, dict[float, str]] = {}
    for point in sweep["points"]:
        if point["name"] in view.results["strategies"]:
            lines.setdefault(str(point["strategy"]), {})[places[str(point["value"])]] = point["name"]
    x = sorted(places.values())
    series = [
        Series(
            strategy,
            [view.value(names[at], view.primary) if at in names else None for at in x],
            [view.error(names[at], view.primary) if at in names else None for at in x],
        )
        for strategy, names in lines.items()
    ]
    looks = styles(list(lines))
    key = [tag("span", swatch(looks[name]), name, class_=f"entry {looks[name].colour}") for name in lines]
    chart = LineChart(
        key=f"sweep-{parameter}",
        title=f"{measure.label} against {parameter}",
        x=x,
        x_label=parameter,
        y_label=measure.label,
        series=series,
        note=tag("span", key, class_="entries"),
        share=measure.share,
        log_x=x[0] > 0 and x[-1] / x[0] > 10,
        bars=len(x),
        x_ticks={place: value for value, place in places.items()},
        fixed=True,
    )
    return tag("div", line_chart(chart, looks), class_="panels")


def _places(values: list[str]) -> dict[str, float]:
    """Where values stand on an axis: at their number, or one after the other when some are words."""
    try:
        return {value: float(value) for value in values}
    except ValueError:
        return {value: float(at) for at, value in enumerate(values)}


def _curve(view: View, name: str, pages: list[int], lines: Mapping[str, Mapping[str, Any]]) -> Html:
    measure = measure_of(name)
    series = [Series(s, lines[s]["mean"], lines[s].get("stderr") or ()) for s in view.names if s in lines]
    source = f" ({measure.cited})" if measure.source else ""
    return line_chart(
        LineChart(
            key=name,
            title=measure.label,
            x=pages,
            x_label="pages",
            y_label=measure.label,
            series=series,
            note=f"{measure.says} {measure.direction}{source}",
            share=measure.share,
            hidden=view.hidden,
            numbers=_numbers(view, lines, pages, measure.share),
            described=_described(view, lines, measure.label, measure.share),
        ),
        view.styles,
    )


def _numbers(view: View, lines: Mapping[str, Mapping[str, Any]], pages: list[int], share: bool) -> Html:
    """The curves at the points of comparison, as a table."""
    points = [at for at in comparison_points(view.pages) if at in pages] or pages[-1:]
    head = tag(
        "tr", tag("th", "Strategy", scope="col"), [tag("th", f"{at:,}", scope="col", class_="number") for at in points]
    )
    rows = []
    for name in view.names:
        if name not in lines:
            continue
        cells = []
        for at in points:
            place = pages.index(at)
            error = (lines[name].get("stderr") or [None] * len(pages))[place]
            cells.append(
                tag(
                    "td",
                    short(lines[name]["mean"][place], share),
                    (" ", tag("small", f"± {short(error, share)}")) if error else None,
                    class_="number",
                )
            )
        rows.append(tag("tr", tag("th", name, scope="row"), cells))
    return tag("table", tag("thead", head), tag("tbody", rows))


def _described(view: View, lines: Mapping[str, Mapping[str, Any]], label: str, share: bool) -> str:
    """What one would see, for those who do not."""
    ends = [f"{name} {short(lines[name]['mean'][-1], share)}" for name in view.contestants if name in lines]
    more = f" and {len(ends) - 6} more" if len(ends) > 6 else ""
    return f"{label} over pages crawled. At {view.pages:,} pages: {', '.join(ends[:6])}{more}."


def _legend(view: View) -> Html:
    measure = measure_of(view.primary)
    items = [
        tag(
            "li",
            tag(
                "button",
                swatch(view.styles[name]),
                tag("span", name, class_="name"),
                tag("span", short(view.value(name, view.primary), measure.share), class_="value"),
                type="button",
                class_=view.styles[name].colour,
                aria_pressed="true" if name in view.visible else "false",
                data_series=view.styles[name].number,
                data_best="1" if name in view.visible else "0",
            ),
        )
        for name in [*view.contestants, *([ORACLE] if ORACLE in view.names else [])]
    ]
    picks = [
        tag("button", label, type="button", data_pick=pick)
        for pick, label in (("best", "Best"), ("all", "All"), ("none", "None"))
    ]
    return tag(
        "aside",
        tag("h3", join(("Strategy, ", measure.label))),
        tag("ul", items),
        tag("div", picks, class_="pick", hidden=True),
        tag("p", "Press to show or hide; point at one to find it.", class_="hint"),
        class_="legend",
        aria_label="Legend: strategies shown in the charts",
    )
