"""The t-tests of an evaluation's report: who beats whom at a point, and from when on (002 fig. 2b)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.evaluation_view import BASELINE, View
from pinakes.report.markup import Html, data, join, tag
from pinakes.report.numbers import p_is, p_value
from pinakes.report.palette import Style
from pinakes.report.tables import matrix

LEAST = 1e-6
"""The chart's floor: smaller p-values lie on it."""


def tests(view: View) -> Html:
    """A matrix of all pairs, and the p-value of any pair along the crawl."""
    return join((_matrix(view), _along(view) or ""))


def _matrix(view: View) -> Html:
    families: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for test in view.results["tests"]:
        families.setdefault((str(test["measure"]), int(test["at"] or view.pages)), []).append(test)
    rank = {name: n for n, name in enumerate((view.primary, *MEASURES))}
    order = sorted(families, key=lambda family: (rank.get(family[0], len(rank)), family[0], -family[1]))
    names = [name for name in view.contestants if any(name in (t["a"], t["b"]) for t in view.results["tests"])]
    number = {name: n for n, name in enumerate(names)}
    views = [_view(view, families[family], family[0], number) for family in order]
    rows = [(name, [_cell(views[0], row, column) for column in range(len(names))]) for row, name in enumerate(names)]
    options = [
        tag("option", measure_of(m).label if "@" in m else f"{measure_of(m).label} at {at:,} pages", value=n)
        for n, (m, at) in enumerate(order)
    ]
    return tag(
        "div",
        tag("div", tag("label", "Compared by ", tag("select", options, autocomplete="off")), class_="choice"),
        matrix("Corrected p-values of every two strategies", "", names, rows, class_="tests"),
        tag(
            "p",
            "Corrected p-values. The strategy of the row is ",
            tag("span", "▲ better", class_="win"),
            " or ",
            tag("span", "▼ worse", class_="lose"),
            f" than that of the column where p < {view.alpha:g}; elsewhere the difference may be chance.",
            class_="key",
        ),
        data({"views": views}, class_="values"),
        class_="table",
        data_matrix=True,
    )


def _view(
    view: View, tests: Sequence[Mapping[str, Any]], measure: str, number: Mapping[str, int]
) -> dict[str, list[str]]:
    lower = measure_of(measure).better == "lower"
    found: dict[str, list[str]] = {}
    for test in tests:
        if test["a"] not in number or test["b"] not in number:
            continue
        a, b, p = number[test["a"]], number[test["b"]], test["p_corrected"]
        ahead = _ahead(view, test, lower)
        figures = f"t = {_t(test['t'])}, {p_is(test['p'])}, corrected {p_is(p)}, n = {test['n']}"
        hint = f"{test['a']} against {test['b']}: {figures}"
        real = p < view.alpha and ahead
        for key, sign in ((f"{a},{b}", ahead), (f"{b},{a}", -ahead)):
            arrow = ("▲ " if sign > 0 else "▼ ") if real else ""
            found[key] = [f"{arrow}{p_value(p)}", ("win" if sign > 0 else "lose") if real else "same", hint]
    return found | {f"{n},{n}": ["", "self", ""] for n in range(len(number))}


def _ahead(view: View, test: Mapping[str, Any], lower: bool) -> int:
    """1 when a is the better, -1 when b is, 0 when they are equal."""
    t = test["t"]
    if t is None:
        # All topics differ by the same: the sign is that of the means, where the results have them.
        at = f"{test['measure']}@{test['at']}"
        means = [view.value(test[side], at) or view.value(test[side], test["measure"]) or 0.0 for side in ("a", "b")]
        t = means[0] - means[1]
    return 0 if not t else (1 if (t > 0) != lower else -1)


def _along(view: View) -> Html | None:
    found = {measure: drawn["pairs"] for measure, drawn in (view.results.get("along") or {}).items() if drawn["pairs"]}
    if not found:
        return None
    names = view.contestants
    number = {name: n for n, name in enumerate(names)}
    pairs = {
        measure: {
            f"{number[pair['a']]},{number[pair['b']]}": [
                None if p is None else float(f"{p:.3g}") for p in pair.get("p_corrected") or pair["p"]
            ]
            for pair in lines
            if pair["a"] in number and pair["b"] in number
        }
        for measure, lines in found.items()
    }
    first = next(iter(found))
    one = 0
    two = number.get(BASELINE, len(names) - 1)
    two = two if two != one else min(1, len(names) - 1)
    shown = pairs[first].get(f"{one},{two}") or pairs[first].get(f"{two},{one}") or []
    pages = view.results["along"][first]["at"]
    line = Series(f"{names[one]} against {names[two]}", shown or [None] * len(pages))
    # The scale is the same for every pair, so that the script can draw any of them on it.
    chart = line_chart(
        LineChart(
            key="p-values",
            title="p-value along the crawl",
            x=pages,
            x_label="pages",
            y_label="p (logarithmic)",
            series=[line],
            note=_along_note(view, found),
            log_y=True,
            rule=view.alpha,
            bars=0,
            y_range=(LEAST, 1.0),
            fixed=True,
        ),
        {line.name: Style(0, "c0", "", "none")},
    )
    options = [tag("option", measure_of(measure).label, value=measure) for measure in found]
    selects = [
        tag("label", "Measure ", tag("select", options, autocomplete="off")),
        tag("label", "Strategy ", tag("select", _options(names, one), autocomplete="off")),
        tag("label", "against ", tag("select", _options(names, two), autocomplete="off")),
    ]
    return tag(
        "div",
        tag("div", selects, class_="choice", hidden=True),
        chart,
        data({"names": names, "pairs": pairs}, class_="values"),
        class_="table along",
        data_pairs=True,
    )


def _along_note(view: View, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """What the p-values are corrected for: results made before they were are told apart."""
    corrected = all("p_corrected" in pair for lines in found.values() for pair in lines)
    said = "Corrected for all pairs at each point by Holm's method" if corrected else "Not corrected"
    return f"{said}. Below the dotted line (p = {view.alpha:g}) the two differ at that point of the crawl."


def _options(names: Sequence[str], chosen: int) -> list[Html]:
    return [tag("option", name, value=n, selected=n == chosen) for n, name in enumerate(names)]


def _cell(cells: Mapping[str, Sequence[str]], row: int, column: int) -> Html:
    shown, kind, hint = cells.get(f"{row},{column}", ("", "none", ""))
    return tag("td", shown, class_=kind, data_cell=f"{row},{column}", title=hint or None)


def _t(t: float | None) -> str:
    return "–" if t is None else f"{t:.2f}"
