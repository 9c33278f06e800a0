"""Bars with error bars and the single topics as dots, a row each, so that long names stay readable on a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pinakes.report.markup import Html, data, tag
from pinakes.report.numbers import scale_for, short
from pinakes.report.palette import Style, swatch


@dataclass(frozen=True, slots=True)
class Bar:
    """A strategy's mean, its standard error, and the values it is the mean of."""

    name: str
    value: float | None
    error: float | None = None
    dots: Sequence[float] = ()


def bar_chart(
    key: str, title: str, bars: Sequence[Bar], styles: Mapping[str, Style], *, note: str = "", share: bool = True
) -> Html:
    """The bars in the order given."""
    reach = [value for bar in bars for value in (bar.value, *bar.dots) if value is not None]
    scale = scale_for(reach, 0, 100, share=share)
    rows = [_row(bar, styles[bar.name], scale.low, scale.high, share) for bar in bars]
    values = {
        "key": key,
        "title": title,
        "columns": ["strategy", "mean", "stderr"],
        "rows": [[bar.name, bar.value, bar.error] for bar in bars],
    }
    button = tag(
        "button", "CSV", type="button", data_download="csv", aria_label=f"Download {title} as CSV", hidden=True
    )
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), tag("span", button, class_="tools"), note and tag("p", note)),
        tag("ol", rows, class_="bars", aria_label=title),
        data(values, class_="values"),
        class_="chart",
    )


def _row(bar: Bar, style: Style, low: float, high: float, share: bool) -> Html:
    def at(value: float) -> float:
        return round(100 * (min(max(value, low), high) - low) / ((high - low) or 1), 2)

    parts = []
    if bar.value is not None:
        parts.append(tag("path", class_="fill", d=f"M0 3H{at(bar.value)}V17H0z"))
        # A line of no length with round ends is a dot, however the drawing is stretched.
        parts.append(tag("path", class_="dots", d="".join(f"M{at(dot)} 10h0" for dot in bar.dots)))
        if bar.error:
            ends = at(bar.value - bar.error), at(bar.value + bar.error)
            whisker = f"M{ends[0]} 10H{ends[1]}M{ends[0]} 6v8M{ends[1]} 6v8"
            parts.append(tag("path", class_="whisker", d=whisker))
    error = f"± {short(bar.error, share)}" if bar.error else ""
    return tag(
        "li",
        tag("span", swatch(style), tag("span", bar.name), class_="name"),
        tag("svg", parts, class_="track", viewBox="0 0 100 20", preserveAspectRatio="none", aria_hidden="true"),
        tag("span", short(bar.value, share), " ", tag("small", error), class_="value"),
        class_=style.colour,
        data_series=style.number,
    )
