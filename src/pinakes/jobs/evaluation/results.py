"""What an evaluation found, as one plain mapping: `results.json`.

    web, pages, version, judge, …           what was evaluated, and how
    topics     {ID: {name, examples, seeds, relevant}}             numbers of pages; `relevant` without the examples
    strategies {NAME: {auc, recall@100, …, one key a measure, stderr: {…}, limit, parameters, cpu_ms_per_page,
                       setup: {pages, searches, backlinks}, per_topic: {ID: {…}}}}
    tests      [{a, b, measure, at, t, p, p_corrected, n}]         every two strategies, the oracle left out
    curves     {MEASURE: {at: […], strategies: {NAME: {mean: […], stderr: […]}}}}
    along      {MEASURE: {at: […], pairs: [{a, b, p: […], p_corrected: […]}]}}     p-values along the crawl
    sweep      {parameter, points: [{strategy, value, name}]}, or null
    took       {seconds, crawls, kept, processes}                  the last time: crawls run, and kept from before

Where there is nothing to measure a value is null. All values but `cpu_ms_per_page`, `quality_per_cost` and `took` are
the same whenever the same evaluation is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from math import isfinite, nan
from typing import Any

import numpy as np

from pinakes import __version__
from pinakes.jobs.evaluation.entrants import ORACLE
from pinakes.jobs.evaluation.measuring import Measured, Values
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.runs import Run
from pinakes.measures.averages import over_topics
from pinakes.measures.catalogue import measure_of
from pinakes.measures.cost import quality_per_cost
from pinakes.measures.running import comparison_points, grid
from pinakes.measures.significance import compare, holm_along, p_along

ALONG = ("harvest_rate", "harvest_judged")
"""Measures whose p-values are told along the crawl (002 fig. 2b)."""

Plain = dict[str, Any]


def assemble(
    plan: Plan,
    names: Sequence[str],
    runs: Mapping[Task, Run],
    measured: Mapping[str, Measured],
    *,
    one_tailed: bool = False,
) -> Plain:
    """The results of the named entrants."""
    oracle = {entrant.name for entrant in plan.entrants if entrant.strategy == ORACLE}
    strategies = {name: _strategy(plan, name, runs, measured, oracle) for name in names}
    rivals = [name for name in names if name not in oracle]
    return {
        "web": plan.web,
        "pages": plan.pages,
        "version": __version__,
        "judge": plan.judge or "own",
        "threshold": plan.threshold or "own",
        "random_state": plan.random_state,
        "dead_links": plan.dead_links,
        "dedup": plan.dedup,
        "first_bytes": plan.first_bytes,
        "weights": plan.weights,
        "window": plan.window,
        "window_by": plan.window_by,
        "one_tailed": one_tailed,
        "topics": {
            topic.id: {
                "name": topic.name,
                "description": topic.description,
                "examples": len(topic.examples),
                "seeds": len(topic.seeds),
                "relevant": len(topic.targets),
            }
            for topic in plan.topics
        },
        "strategies": strategies,
        "tests": _tests(plan, rivals, strategies, one_tailed=one_tailed),
        "curves": _curves(plan, names, measured),
        "along": _along(plan, rivals, measured, one_tailed=one_tailed),
        "sweep": None,
    }


def _strategy(
    plan: Plan, name: str, runs: Mapping[Task, Run], measured: Mapping[str, Measured], oracle: set[str]
) -> Plain:
    per_topic: dict[str, Plain] = {}
    made: Run | None = None
    for topic in plan.topics:
        run = runs.get(Task(topic.id, name))
        there = measured.get(topic.id)
        if run is None or there is None or name not in there.runs:
            continue
        made = run
        best = max((there.runs[one].area for one in oracle if one in there.runs), default=0.0)
        per_topic[topic.id] = _on_topic(run, there.runs[name], best)
    keys = dict.fromkeys(key for values in per_topic.values() for key in values if _is_number(per_topic, key))
    means: Plain = {}
    errors: Plain = {}
    for key in keys:
        column = np.array([_float(values.get(key)) for values in per_topic.values()])
        average = over_topics(column)
        means[key], errors[key] = _plain(average.mean[0]), _plain(average.stderr[0])
    setups = [values["setup"] for values in per_topic.values()]
    entrant = plan.entrant(name)
    return {
        **means,
        "stderr": errors,
        "strategy": entrant.strategy,
        "limit": made.limit if made else entrant.max_buffer,
        "parameters": dict(made.settings) if made else dict(entrant.parameters),
        "setup": {kind: _mean([setup[kind] for setup in setups]) for kind in ("pages", "searches", "backlinks")},
        "outcomes": _summed([values["outcomes"] for values in per_topic.values()]),
        "per_topic": per_topic,
    }


def _on_topic(run: Run, worth: Values, best: float) -> Plain:
    auc = worth.area / best if best else None
    pages = len(run.urls)
    return {
        "auc": auc,
        **worth.values,
        "nugget_share": len(run.nuggets) / pages if pages else None,
        "frontier": run.frontier,
        "backlinks": run.backlinks,
        "searches": run.searches,
        "cpu_ms_per_page": round(run.cpu_ms_per_page, 4),
        "quality_per_cost": quality_per_cost(auc, run.cpu_ms_per_page) if auc is not None else None,
        "stopped": run.stopped,
        "outcomes": dict(sorted(run.outcomes.items())),
        "setup": {"pages": run.setup.pages, "searches": run.setup.searches, "backlinks": run.setup.backlinks},
    }


def _tests(plan: Plan, rivals: Sequence[str], strategies: Mapping[str, Plain], *, one_tailed: bool) -> list[Plain]:
    """Paired t-tests at 100, 500, 1,000 pages and at the end. Measures of time are not the same twice: left out."""
    measures = dict.fromkeys(
        key.partition("@")[0] for name in rivals for key in strategies[name]["stderr"] if "@" in key
    )
    families = [("auc", plan.pages, "auc")]
    families += [(one, at, f"{one}@{at}") for one in measures for at in comparison_points(plan.pages)]
    found: list[Plain] = []
    for measure, at, key in families:
        values = {
            name: {topic: row.get(key) for topic, row in strategies[name]["per_topic"].items()} for name in rivals
        }
        if not any(value is not None for row in values.values() for value in row.values()):
            continue
        lower = measure_of(measure).better == "lower"
        tests = compare(values, measure=measure, at=at, one_tailed=one_tailed, lower_is_better=lower)
        found += [{**asdict(test), "t": _plain(test.t) if test.t is not None else None} for test in tests]
    return found


def _curves(plan: Plan, names: Sequence[str], measured: Mapping[str, Measured]) -> Plain:
    at = grid(plan.pages)
    kinds = dict.fromkeys(kind for there in measured.values() for worth in there.runs.values() for kind in worth.curves)
    found: Plain = {}
    for kind in kinds:
        drawn: Plain = {}
        for name in names:
            rows = list(_rows(plan, name, kind, measured).values())
            if rows:
                average = over_topics(rows)
                drawn[name] = {
                    "mean": [_plain(value) for value in average.mean],
                    "stderr": [_plain(value) for value in average.stderr],
                }
        found[kind] = {"at": list(at), "strategies": drawn}
    return found


def _along(plan: Plan, rivals: Sequence[str], measured: Mapping[str, Measured], *, one_tailed: bool) -> Plain:
    found: Plain = {}
    for kind in ALONG:
        tables = {name: _rows(plan, name, kind, measured) for name in rivals}
        pairs: list[Plain] = []
        for a, b in combinations(rivals, 2):
            both = [topic for topic in tables[a] if topic in tables[b]]
            if len(both) > 1:
                ours, theirs = (np.array([tables[name][topic] for topic in both]) for name in (a, b))
                pairs.append({"a": a, "b": b, "p": p_along(ours, theirs, tail="greater" if one_tailed else "two")})
        for pair, corrected in zip(pairs, holm_along([pair["p"] for pair in pairs]), strict=True):
            pair["p"], pair["p_corrected"] = _rounded(pair["p"]), _rounded(corrected)
        if pairs:
            found[kind] = {"at": list(grid(plan.pages)), "pairs": pairs}
    return found


def _rows(plan: Plan, name: str, kind: str, measured: Mapping[str, Measured]) -> dict[str, list[float]]:
    """By topic, a strategy's curve where it has one."""
    there = {topic.id: measured[topic.id].runs[name] for topic in plan.topics if _ran(measured, topic.id, name)}
    return {topic: worth.curves[kind] for topic, worth in there.items() if kind in worth.curves}


def _ran(measured: Mapping[str, Measured], topic: str, name: str) -> bool:
    return topic in measured and name in measured[topic].runs


def _is_number(per_topic: Mapping[str, Plain], key: str) -> bool:
    return all(
        value is None or isinstance(value, (int, float)) for value in (row.get(key) for row in per_topic.values())
    )


def _rounded(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


def _float(value: float | None) -> float:
    return nan if value is None else float(value)


def _plain(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))
