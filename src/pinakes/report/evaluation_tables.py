"""The tables of an evaluation's report: by strategy, by topic, and all parameters and limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pinakes.core.counting import count_of
from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.report.evaluation_view import View
from pinakes.report.markup import Html, data, join, tag
from pinakes.report.numbers import short
from pinakes.report.tables import Cell, Column, matrix, shade, sortable

JUDGED = ("harvest_judged", "window_relevance", "positive_rocchio", "positive_widrow_hoff", "positive_eg",
          "average_rank", "average_rank_bm25", "similarity")  # fmt: skip
REACH = ("documents", "remoteness", "robustness", "robustness_servers", "nugget_share", "frontier", "backlinks",
         "searches")  # fmt: skip
COST = ("cpu_ms_per_page", "quality_per_cost")


def by_strategy(view: View) -> Html:
    """Tables of means: against known pages, by measures that need none, and the rest."""
    known = ("auc", *view.recalls(), "harvest_rate", "search_length", "pages")
    others = tuple(
        m for m in view.measures_shown if m not in {*known, *JUDGED, *REACH, *COST, *MEASURES} and m != "recall"
    )
    parts = (
        ("Against the known relevant pages", "known", known),
        ("By measures that need no known pages", "independent", JUDGED),
        ("Reach and frontier", "reach", (*REACH, *others)),
    )
    tables = [_measures(view, caption, key, measures) for caption, key, measures in parts]
    return join(table for table in tables if table)


def by_topic(view: View) -> Html:
    """A matrix of topics and strategies; which measure it shows can be chosen."""
    choices = [
        m
        for m in (view.primary, *view.recalls(), *view.measures_shown)
        if any(view.of_topic(s, t, m) is not None for s in view.names for t in view.topics)
    ]
    choices = list(dict.fromkeys(choices))
    if not choices:
        return tag("p", "There are no values by topic.")
    views = [_topic_view(view, measure) for measure in choices]
    rows = []
    for row, (topic, about) in enumerate(view.topics.items()):
        name = str(about.get("name") or topic)
        cells = [_drawn(views[0], f"{row},{column}") for column in range(len(view.names))]
        rows.append((name, cells))
    options = [tag("option", measure_of(name).label, value=n) for n, name in enumerate(choices)]
    return tag(
        "div",
        tag(
            "div",
            tag("label", "Measure ", tag("select", options, autocomplete="off")),
            class_="choice",
        ),
        matrix("Every topic with every strategy", "Topic", view.names, rows, class_="heat"),
        data({"views": views}, class_="values"),
        class_="table",
        data_matrix=True,
    )


def settings(view: View) -> Html:
    """What was asked for, what each strategy was given, and how its crawls ended."""
    about = {"web": view.results.get("web"), "pages": view.pages, "topics": len(view.topics)}
    about |= {
        key: value for key, value in view.results.items() if key not in about and not isinstance(value, dict | list)
    }
    if took := view.results.get("took"):
        about["took"] = _took(took)
    lines = [
        tag("div", tag("dt", str(key).replace("_", " ")), tag("dd", _plain(value))) for key, value in about.items()
    ]
    columns = [
        Column("Strategy", number=False),
        Column("Limit", "Links the frontier may hold"),
        Column("Parameters", number=False),
        Column("Ended by", "Why its crawls stopped, and how many did", number=False),
        Column("Outcomes", "What became of the links it fetched", number=False),
    ]
    rows = []
    for name in view.names:
        strategy = view.results["strategies"][name]
        limit = strategy.get("limit")
        rows.append(
            [
                Cell(name, name),
                Cell(
                    f"{limit:,}" if isinstance(limit, int) else "none",
                    limit if isinstance(limit, int) else float(1 << 53),
                ),
                Cell(_plain(strategy.get("parameters") or "defaults"), ""),
                Cell(_plain(Counter(_endings(strategy)) or "–"), ""),
                Cell(_plain(strategy.get("outcomes") or "–"), ""),
            ]
        )
    said = [*(view.results.get("complaints") or ()), *(view.results.get("notes") or ())]
    notes = said and tag("ul", [tag("li", sentence) for sentence in said], class_="notes")
    return join(
        (tag("dl", lines, class_="settings"), notes, sortable("Strategies as they ran", columns, rows, "settings"))
    )


def _took(took: Mapping[str, Any]) -> str:
    minutes, seconds = divmod(round(took["seconds"]), 60)
    kept = f"; {took['kept']:,} were there from before" if took["kept"] else ""
    many = count_of(took["processes"], "process", "processes")
    return f"{minutes} min {seconds} s for {count_of(took['crawls'], 'crawl')} on {many}{kept}"


def _endings(strategy: Mapping[str, Any]) -> list[str]:
    """Why each of its crawls stopped."""
    rows = strategy.get("per_topic", {}).values()
    return [str(row["stopped"]) for row in rows if "stopped" in row]


def _measures(view: View, caption: str, key: str, measures: Sequence[str]) -> Html | None:
    present = [name for name in measures if view.has(name)]
    if not present:
        return None
    columns = [Column("Strategy", number=False)]
    for name in present:
        measure = measure_of(name)
        columns.append(Column(measure.label, f"{measure.says} {measure.direction}"))
    best = {name: _best(view, name) for name in present}
    rows = [[Cell(s, s), *(_value(view, s, name, best[name]) for name in present)] for s in view.names]
    return sortable(caption, columns, rows, key)


def cost(view: View) -> Html | None:
    """What the strategies' decisions take, and what they used beside their budget."""
    present = [name for name in COST if view.has(name)]
    setups = {name: view.results["strategies"][name].get("setup") or {} for name in view.names}
    kinds = [kind for kind in ("pages", "searches", "backlinks") if any(kind in setup for setup in setups.values())]
    if not present and not kinds:
        return None
    columns = [Column("Strategy", number=False), *(Column(measure_of(m).label, measure_of(m).says) for m in present)]
    words = {"pages": "Set-up pages", "searches": "Set-up searches", "backlinks": "Set-up back-links"}
    columns += [
        Column(words[kind], "Used before or beside the crawl, not counted in its budget; a topic") for kind in kinds
    ]
    best = {name: _best(view, name) for name in present}
    rows = [
        [
            Cell(s, s),
            *(_value(view, s, name, best[name]) for name in present),
            *(Cell(short(setups[s].get(kind), share=False), setups[s].get(kind)) for kind in kinds),
        ]
        for s in view.names
    ]
    return sortable("Cost and set-up", columns, rows, "cost")


def _best(view: View, measure: str) -> float | None:
    values = [value for name in view.contestants if (value := view.value(name, measure)) is not None]
    better = measure_of(measure).better
    if not values or not better:
        return None
    return max(values) if better == "higher" else min(values)


def _value(view: View, name: str, measure: str, best: float | None) -> Cell:
    value, error, share = view.value(name, measure), view.error(name, measure), measure_of(measure).share
    extra = f"± {short(error, share)}" if error and value is not None else ""
    return Cell(short(value, share), value, best is not None and value == best and name in view.contestants, extra)


def _topic_view(view: View, name: str) -> dict[str, list[str]]:
    measure = measure_of(name)
    found: dict[str, list[str]] = {}
    for row, topic in enumerate(view.topics):
        values = [view.of_topic(strategy, topic, name) for strategy in view.names]
        there = [value for value in values if value is not None]
        low, high = (min(there), max(there)) if there else (0.0, 1.0)
        low, high = (0.0, 1.0) if measure.share and high <= 1.0 and name != "similarity" else (low, high)
        for column, value in enumerate(values):
            step = shade(value, low, high, lower_is_better=measure.better == "lower") if measure.better else "h1"
            shown = (
                short(value, measure.share).removeprefix("0")
                if value is not None and value < 1
                else short(value, measure.share)
            )
            found[f"{row},{column}"] = [shown or "0", step, ""]
    return found


def _drawn(cells: Mapping[str, Sequence[str]], key: str) -> Html:
    shown, step, hint = cells[key]
    return tag("td", shown, class_=step, data_cell=key, title=hint or None)


def _plain(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(v)}" for key, v in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or "–"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)
