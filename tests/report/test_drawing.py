"""Numbers, scales, looks and charts."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from pinakes.report.charts import LineChart, Point, Series, line_chart, scatter
from pinakes.report.numbers import Scale, p_is, p_value, scale_for, short, tick
from pinakes.report.palette import MARKERS, marker, styles


def test_numbers_are_short() -> None:
    """Shares with three digits, others with as many as matter."""
    assert [short(v) for v in (0.89812, 1.0, None, float("nan"))] == ["0.898", "1.000", "–", "–"]
    assert [short(v, share=False) for v in (1234.5, 123.4, 12.0, 0.5, 0.0321)] == [
        "1,234",
        "123",
        "12",
        "0.50",
        "0.032",
    ]
    assert [p_value(p) for p in (0.00001, 0.0004, 0.0214, 1.0)] == ["<\u00a0.0001", ".0004", ".021", "1"]
    assert p_is(0.021) == "p = .021" and p_is(0.0) == "p <\u00a0.0001"
    assert [tick(v) for v in (0, 0.2, 1000, 1e-6, 0.0005)] == ["0", "0.2", "1,000", "10⁻⁶", "0.0005"]


def test_scales_have_round_ends() -> None:
    """They hold all values; a share's ends at 1; a logarithmic one has decades."""
    assert (scale_for([0.1, 0.63], 0, 10, share=True).low, scale_for([0.1, 0.63], 0, 10, share=True).high) == (0, 0.8)
    assert scale_for([0.2, 0.99], 0, 10, share=True).high == 1.0
    assert scale_for([3, 87], 0, 10).ticks() == [0, 20, 40, 60, 80, 100]
    assert Scale(0.001, 1, 0, 30, log=True)(0.1) == pytest.approx(20)
    assert Scale(0.001, 1, 0, 30, log=True).ticks() == pytest.approx([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1])
    assert scale_for([], 0, 10).ticks() and scale_for([5.0], 0, 1).high >= 5 and scale_for([0.0], 0, 1).high > 0


def test_twenty_looks_differ() -> None:
    """By colour and dash, even without markers; the oracle has its own."""
    looks = styles(["oracle", *(f"s{n}" for n in range(20))])
    assert len({(look.colour, look.dash) for look in looks.values()}) == 21
    assert looks["oracle"].colour == "ink" and looks["s0"].dash == ""
    assert all(marker(kind, 1, 2) for kind in MARKERS) and marker("none", 1, 2) == ""


def drawn(**changes: object) -> ElementTree.Element:
    chart = LineChart(
        key="k",
        title="A <title>",
        x=[1, 2, 3],
        x_label="pages",
        y_label="y",
        series=[Series("a & b", [0.1, None, 0.5], [0.1, None, 0.2]), Series("hidden", [0, 0, 0])],
        share=True,
        hidden=frozenset({"hidden"}),
        **changes,  # type: ignore[arg-type]
    )
    made = line_chart(chart, styles(["a & b", "hidden"]))
    found = re.search(r"<svg.*?</svg>", made, re.S)
    assert found
    return ElementTree.fromstring(found[0].replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def test_a_line_breaks_where_there_is_no_value() -> None:
    """Two points with a gap are two moves; the drawing is well-formed and described."""
    svg = drawn()
    groups = {group.findtext("title"): group for group in svg.findall("g") if group.get("data-series")}
    assert groups["a & b"].find("path[@class='line']").get("d").count("M") == 2  # type: ignore[union-attr]
    assert "off" in groups["hidden"].get("class", "") and "off" not in groups["a & b"].get("class", "")
    assert svg.get("aria-label") == "A <title>" and svg.get("role") == "img"


def test_error_bars_reach_one_standard_error() -> None:
    """From .3 to .7 at the last point, on an axis from 0 to .8."""
    svg = drawn(bars=3)
    group = next(group for group in svg.findall("g") if group.findtext("title") == "a & b")
    low, high = re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", group.find("path[@class='bar']").get("d"))[-1]  # type: ignore
    bottom, top = 330 - 46, 14
    assert float(low) == pytest.approx(bottom - 0.3 / 0.8 * (bottom - top), abs=0.02)
    assert float(high) == pytest.approx(bottom - 0.7 / 0.8 * (bottom - top), abs=0.02)


def test_names_of_points_do_not_cover_each_other() -> None:
    """Four points on one spot: four places."""
    points = [Point(f"strategy-{n}", 1.0 + n / 1000, 0.5) for n in range(4)]
    made = scatter("k", "t", points, styles([p.name for p in points]), x_label="x", y_label="y", front=["strategy-0"])
    places = re.findall(r'class="point" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"', made)
    assert len(set(places)) == 4
