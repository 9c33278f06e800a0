"""How series are told apart: colour, dash and marker together, so that neither colour-blind readers nor grey printers
lose any.

Colours are classes (`c0` … `c6`), whose values the style sheet gives for light and dark. Seven colours and four dashes
make 28 different lines before any is used twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.report.markup import Html, tag

COLOURS = 7
DASHES = ("", "7 3", "2 2.5", "9 3 2 3")
MARKERS = ("circle", "square", "triangle", "diamond", "down", "cross", "ring")


@dataclass(frozen=True, slots=True)
class Style:
    """The look of one series."""

    number: int
    colour: str
    dash: str
    marker: str


def styles(names: Sequence[str], plain: str = "oracle") -> dict[str, Style]:
    """A look for each name, in order; the one called `plain` is a thin dotted line in the colour of the text."""
    found, used = {}, 0
    for number, name in enumerate(names):
        if name == plain:
            found[name] = Style(number, "ink", "1 3", "none")
        else:
            found[name] = Style(number, f"c{used % COLOURS}", DASHES[used % len(DASHES)], MARKERS[used % len(MARKERS)])
            used += 1
    return found


def marker(kind: str, x: float, y: float, r: float = 3.2) -> str:
    """The path of a marker."""
    x, y = round(x, 2), round(y, 2)
    if kind == "none":
        return ""
    if kind in ("circle", "ring"):
        return f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
    if kind == "square":
        s = r * 0.9
        return f"M{x - s:.2f} {y - s:.2f}h{2 * s:.2f}v{2 * s:.2f}h{-2 * s:.2f}z"
    if kind == "diamond":
        s = r * 1.25
        return f"M{x} {y - s:.2f}l{s} {s}l{-s} {s}l{-s} {-s}z"
    if kind == "cross":
        s = r * 0.85
        return f"M{x - s:.2f} {y - s:.2f}l{2 * s:.2f} {2 * s:.2f}m0 {-2 * s:.2f}l{-2 * s:.2f} {2 * s:.2f}"
    s = r * 1.2 * (1 if kind == "triangle" else -1)
    return f"M{x} {y - s:.2f}l{s:.2f} {1.8 * s:.2f}h{-2 * s:.2f}z"


def swatch(style: Style) -> Html:
    """A piece of the line, for legends."""
    return tag(
        "svg",
        tag("path", class_="line", d="M1 7H33", stroke_dasharray=style.dash or None),
        tag("path", class_=f"mark {style.marker}", d=marker(style.marker, 17, 7)),
        class_=f"swatch {style.colour}",
        viewBox="0 0 34 14",
        width=34,
        height=14,
        aria_hidden="true",
    )
