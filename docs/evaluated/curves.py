"""Learning curves as SVG: one measure large, or all of them side by side, with bars of ± one standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from evaluated.study import Row, Study
from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.report.numbers import Scale, scale_for, tick

COLOURS = ("#d1495b", "#1f5fa8", "#2e8b57", "#8a4fbf", "#d98200", "#00909e", "#7a5c3a", "#c2309b", "#6b7a00", "#e88fa0",
           "#7fb2d9", "#8fae8b")  # fmt: skip
ORACLE = "#222222"
BARS = 6
"""Error bars a line has: more would hide it."""
TOP, BOTTOM, LEFT = 26, 46, 56
LABELS = 130
"""Room at the right of a large chart for the names."""
STEP = 2
"""Every so manieth point of a curve is drawn; there are fifty."""


@dataclass(frozen=True)
class Frame:
    """A place on the picture that a chart is drawn in."""

    x: float
    y: float
    width: float
    height: float

    def across(self, part: float) -> float:
        return self.x + LEFT + part * (self.width - LEFT)

    def up(self, part: float) -> float:
        return self.y + self.height - BOTTOM - min(1.0, max(0.0, part)) * (self.height - TOP - BOTTOM)


def measures(study: Study) -> list[str]:
    """Those there are curves of, in the catalogue's order."""
    return [name for name in MEASURES if name in study.results["curves"]]


def one(study: Study, measure: str) -> str:
    """One measure, the names where the lines end."""
    width, height = 760, 400
    frame = Frame(0, 0, width - LABELS, height)
    drawn, ends = _chart(study, measure, frame)
    places = _spread([y for _, _, y in ends], frame.up(0.0) + 4)
    drawn += [
        f'<text x="{frame.across(1.0) + 6:.1f}" y="{place + 4:.1f}" fill="{colour}">{escape(name)}</text>'
        for (name, colour, _), place in zip(ends, places, strict=True)
    ]
    return _picture(width, height, f"{measure_of(measure).label}, {study.name}", drawn)


def panels(study: Study, shown: Sequence[str], columns: int = 2) -> str:
    """Several measures under one legend."""
    width, height, legend = 420, 290, 22 * -(-len(study.ranked) // 4) + 12
    drawn: list[str] = []
    for number, name in enumerate(study.ranked):
        x, y = 16 + number % 4 * 208, 20 + number // 4 * 22
        drawn.append(f'<path d="M{x} {y - 4}h22" stroke="{_colour(study, name)}" stroke-width="3"/>')
        drawn.append(f'<text x="{x + 28}" y="{y}">{escape(name)}</text>')
    for number, measure in enumerate(shown):
        frame = Frame(number % columns * width, legend + number // columns * height, width - 22, height)
        drawn += _chart(study, measure, frame)[0]
    rows = -(-len(shown) // columns)
    return _picture(columns * width, legend + rows * height, f"Every measure over the crawl, {study.name}", drawn)


def _chart(study: Study, measure: str, frame: Frame) -> tuple[list[str], list[tuple[str, str, float]]]:
    """The drawing, and where each line ends: name, colour, height."""
    curves: Row = study.results["curves"][measure]
    known, at = measure_of(measure), curves["at"]
    names = [name for name in study.ranked if name in curves["strategies"]]
    means = [value for name in names for value in curves["strategies"][name]["mean"] if value is not None]
    y = scale_for(means, frame.up(0.0), frame.up(1.0), share=known.share)
    x = Scale(0.0, float(study.pages), frame.across(0.0), frame.across(1.0))
    title = known.label + (" (lower is better)" if known.better == "lower" else "")
    parts = [f'<text x="{x.start:.1f}" y="{frame.y + 16:.1f}" font-weight="bold">{escape(title)}</text>']
    for value in y.ticks():
        parts.append(f'<path d="M{x.start:.1f} {y(value):.1f}H{x.end:.1f}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{x.start - 7:.1f}" y="{y(value) + 4:.1f}" text-anchor="end">{tick(value)}</text>')
    parts += [f'<text x="{x(n):.1f}" y="{y.start + 18:.1f}" text-anchor="middle">{tick(n)}</text>' for n in x.ticks(4)]
    parts.append(f'<text x="{frame.across(0.5):.1f}" y="{y.start + 36:.1f}" text-anchor="middle">pages fetched</text>')
    kept = sorted({*range(0, len(at), STEP), len(at) - 1})
    ends = []
    for number, name in reversed(list(enumerate(names))):  # the best is drawn last, on top
        colour, curve = _colour(study, name), curves["strategies"][name]
        there = [(x(at[n]), curve["mean"][n], curve["stderr"][n] or 0.0) for n in kept if curve["mean"][n] is not None]
        if not there:
            continue
        line = " ".join(f"{place:.1f},{y(mean):.1f}" for place, mean, _ in there)
        # Bars of different lines stand at different pages, so that they do not cover each other.
        barred = there[number % 4 :: max(1, len(kept) // BARS)]
        bars = "".join(f"M{place:.1f} {y(mean - error):.1f}V{y(mean + error):.1f}" for place, mean, error in barred)
        dash = ' stroke-dasharray="6 4"' if name == "oracle" else ""
        parts.append(f'<path d="{bars}" stroke="{colour}" opacity=".6"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        ends.append((name, colour, y(there[-1][1])))
    return parts, ends


def _colour(study: Study, name: str) -> str:
    """The same in every chart, and on every web."""
    names = sorted(study.rivals)
    return COLOURS[names.index(name) % len(COLOURS)] if name in names else ORACLE


def _picture(width: float, height: float, title: str, drawn: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif"'
        f' font-size="12" role="img"><title>{escape(title)}</title>'
    )
    return "\n".join((head, f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>', *drawn, "</svg>\n"))


def _spread(places: Sequence[float], floor: float, gap: float = 13.0) -> list[float]:
    """Places moved apart as little as need be, in their order, so that names do not cover each other."""
    order = sorted(range(len(places)), key=places.__getitem__)
    found = list(places)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + gap)
    over = max(found, default=0.0) - floor
    if over > 0 and order:  # pushed beyond the floor: back up, as little as need be
        found[order[-1]] -= over
        for after, before in pairwise(reversed(order)):
            found[before] = min(found[before], found[after] - gap)
    return found
