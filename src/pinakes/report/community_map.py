"""The map of communities as a drawing: circles sized by pages, lines by likeness, labels that cover nothing.

Every circle is a link to its community's part of the page, so that a mouse, a finger, a keyboard and a screen reader
all open it the same way, with or without a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from pinakes.core.counting import count_of
from pinakes.jobs.panorama.communities import Community, CommunityMap
from pinakes.report.markup import Html, tag

UNIT = 260.0
"""Pixels of a map's unit, in which the circles start on a ring of radius 1."""
MARGIN = 30.0
LINE_HEIGHT = 19.0
LETTER = 9.6
"""Width of a letter, generously: labels are placed before any font is known."""
LONGEST = 26
WORDS_SHOWN = 3
FAINTEST = 0.05
"""Lines between communities less alike than this are left out."""


FARTHEST = 4.0

Round = tuple[float, float, float]
"""A circle: x, y and radius."""
Tie = tuple[tuple[float, float], tuple[float, float], float]
"""A line: where it begins and ends, and how thick it is."""
LESS = 0.5


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """The area two boxes share."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(wide, 0.0) * max(high, 0.0)


class Placed(NamedTuple):
    """A label and where it stands."""

    lines: tuple[str, ...]
    x: float
    y: float
    anchor: str
    box: Box


def drawing(found: CommunityMap, title: str) -> Html:
    """The map as SVG."""
    circles, labels = arranged(found)
    boxes = [Box(x - r, y - r, x + r, y + r) for x, y, r in circles] + [label.box for label in labels]
    left = min((box.left for box in boxes), default=0.0) - MARGIN
    top = min((box.top for box in boxes), default=0.0) - MARGIN
    wide = max((box.right for box in boxes), default=1.0) - left + MARGIN
    high = max((box.bottom for box in boxes), default=1.0) - top + MARGIN
    return tag(
        "svg",
        tag("title", title),
        tag("g", _lines(found, circles), class_="ties"),
        [
            _circle(number, community, circle, label)
            for number, (community, circle, label) in enumerate(zip(found.communities, circles, labels, strict=True), 1)
        ],
        viewBox=f"{left:.0f} {top:.0f} {wide:.0f} {high:.0f}",
        class_="map",
        role="group",
        aria_label=title,
        xmlns="http://www.w3.org/2000/svg",
    )


def arranged(found: CommunityMap) -> tuple[list[Round], list[Placed]]:
    """The circles and labels in pixels; where labels have no room the circles move apart, and keep their sizes."""
    apart = 1.0
    while True:
        circles = [
            (c.circle.x * UNIT * apart, c.circle.y * UNIT * apart, c.circle.radius * UNIT) for c in found.communities
        ]
        ties = [(circles[i][:2], circles[j][:2], width) for i, j, width in ties_of(found)]
        labels = place_labels(found.communities, circles, ties)
        if apart > FARTHEST or not _crowded(circles, labels):
            return circles, labels
        apart *= 1.12


def _crowded(circles: Sequence[Round], labels: Sequence[Placed]) -> bool:
    """True when a label lies over another, or over a circle."""
    for at, label in enumerate(labels):
        if any(label.box.overlap(other.box) for other in labels[:at]):
            return True
        if any(label.box.overlap(Box(x - r, y - r, x + r, y + r)) for x, y, r in circles):
            return True
    return False


def ties_of(found: CommunityMap) -> list[tuple[int, int, float]]:
    """Which communities are tied by a line, and how thick it is."""
    pairs = [(i, j, found.likeness[i][j]) for i in range(len(found.communities)) for j in range(i)]
    return [(i, j, 1 + 14 * likeness) for i, j, likeness in pairs if likeness >= FAINTEST]


def place_labels(communities: Sequence[Community], circles: Sequence[Round], ties: Sequence[Tie] = ()) -> list[Placed]:
    """A place for each label, below, above or beside its circle, where it covers no circle and no other label; nor,
    where it can, a line."""
    round_boxes = [Box(x - r, y - r, x + r, y + r) for x, y, r in circles]
    placed: dict[int, Placed] = {}
    # The crowded ones first: whoever stands between others has the fewest places to choose from.
    order = sorted(range(len(circles)), key=lambda i: circles[i][0] ** 2 + circles[i][1] ** 2)
    for number in order:
        lines = tuple(_short(word) for word in communities[number].label[:WORDS_SHOWN]) or ("…",)
        choices = list(_places(lines, circles[number]))
        taken = [box for at, box in enumerate(round_boxes) if at != number] + [one.box for one in placed.values()]
        placed[number] = min(choices, key=lambda choice: _covered(choice.box, taken, ties))
    return [placed[number] for number in range(len(circles))]


def _covered(box: Box, taken: Sequence[Box], ties: Sequence[Tie]) -> float:
    """The area of what a label would lie over; a line shines through, and counts less."""
    return sum(box.overlap(other) for other in taken) + sum(
        LESS * width * _length_within(box, *ends) for *ends, width in ties
    )


def _length_within(box: Box, one: tuple[float, float], other: tuple[float, float]) -> float:
    """How much of a line lies in a box (Liang and Barsky's clipping)."""
    (x, y), (dx, dy) = one, (other[0] - one[0], other[1] - one[1])
    enters, leaves = 0.0, 1.0
    for step, room in ((-dx, x - box.left), (dx, box.right - x), (-dy, y - box.top), (dy, box.bottom - y)):
        if step == 0:
            if room < 0:
                return 0.0
        elif step < 0:
            enters = max(enters, room / step)
        else:
            leaves = min(leaves, room / step)
    return max(0.0, leaves - enters) * hypot(dx, dy)


def _places(lines: tuple[str, ...], circle: Round) -> list[Placed]:
    x, y, r = circle
    wide = LETTER * max(map(len, lines))
    high = LINE_HEIGHT * len(lines)
    below, above = y + r + 6, y - r - 6 - high
    middle = y - high / 2
    return [
        Placed(lines, x, below, "middle", Box(x - wide / 2, below, x + wide / 2, below + high)),
        Placed(lines, x, above, "middle", Box(x - wide / 2, above, x + wide / 2, above + high)),
        Placed(lines, x + r + 8, middle, "start", Box(x + r + 8, middle, x + r + 8 + wide, middle + high)),
        Placed(lines, x - r - 8, middle, "end", Box(x - r - 8 - wide, middle, x - r - 8, middle + high)),
        Placed(lines, x, below + 22, "middle", Box(x - wide / 2, below + 22, x + wide / 2, below + 22 + high)),
        Placed(lines, x, above - 22, "middle", Box(x - wide / 2, above - 22, x + wide / 2, above - 22 + high)),
    ]


def _lines(found: CommunityMap, circles: Sequence[Round]) -> list[Html]:
    drawn = []
    for i, j, width in ties_of(found):
        (x1, y1, _), (x2, y2, _) = circles[i], circles[j]
        drawn.append(
            tag(
                "line",
                tag("title", f"Likeness of {i + 1} and {j + 1}: {found.likeness[i][j]:.2f}"),
                x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}",
                stroke_width=f"{width:.1f}",
            )
        )  # fmt: skip
    return drawn


def _circle(number: int, community: Community, circle: Round, label: Placed) -> Html:
    x, y, r = circle
    name = ", ".join(community.label)
    lines = [
        tag("tspan", line, x=f"{label.x:.1f}", dy=f"{LINE_HEIGHT if at else LINE_HEIGHT * 0.75:.1f}")
        for at, line in enumerate(label.lines)
    ]
    return tag(
        "a",
        tag("title", f"{name}: {count_of(community.pages, 'page')}"),
        tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{r:.1f}"),
        tag("text", number, x=f"{x:.1f}", y=f"{y:.1f}", class_="number", dy="0.35em", text_anchor="middle"),
        tag("text", lines, y=f"{label.y:.1f}", class_=_where(label, circle), text_anchor=label.anchor),
        href=f"#community-{number}",
        class_=f"community c{(number - 1) % 7}",
        data_community=number,
        aria_label=f"Community {number}: {name}, {count_of(community.pages, 'page')}",
    )


def _where(label: Placed, circle: Round) -> str:
    """Phones show a label's first line only: one that stands above its circle comes down by the lines that are gone."""
    above = label.box.bottom <= circle[1] - circle[2]
    return f"label above-{len(label.lines)}" if above else "label"


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else f"{word[: LONGEST - 1].rstrip()}…"
