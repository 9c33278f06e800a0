"""Results of an evaluation that nobody ran: curves drawn at random, but averaged and tested as real ones are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from pinakes.measures.averages import over_topics
from pinakes.measures.catalogue import MEASURES
from pinakes.measures.running import comparison_points, grid, sampled
from pinakes.measures.significance import compare, holm_along, p_along

STRATEGIES = (
    "evidence", "anchor-text", "naive-bayes:price=odds", "focused", "best-first", "naive-bayes", "context-graph",
    "best-n-first:n=256", "pagerank:links=all", "infospiders", "adaptive-cutoff", "cutoff", "breadth-first",
)  # fmt: skip
Study = dict[str, Any]


def study(strategies: Sequence[str] = STRATEGIES, topics: int = 20, pages: int = 1000, oracle: bool = True) -> Study:
    """`results.json`, the better strategies first."""
    draw = np.random.default_rng(7)
    at, ids = grid(pages), [f"topic-{n}" for n in range(topics)]
    names = [*(["oracle"] if oracle else []), *strategies]
    steps = np.arange(1, pages + 1)
    hard = draw.normal(0, 0.08, topics)
    rows: dict[str, dict[str, np.ndarray]] = {}
    for rank, name in enumerate(names):
        skill = 1.0 if name == "oracle" else max(0.02, 0.9 * 0.82**rank)
        luck = hard + draw.normal(0, 0.04, topics) if name != "oracle" else np.zeros(topics)
        final = np.clip(skill + luck, 0.004, 1)[:, None]
        rise = 1 - np.exp(-steps[None, :] / (pages * (0.08 + 0.35 * (1 - final))))
        recall = final * rise * draw.uniform(0.9, 1.0, (topics, 1))
        relevant = draw.integers(40, 200, (topics, 1))
        kinds = {
            "recall": recall,
            "harvest_rate": np.minimum(1, recall * relevant / steps),
            "harvest_judged": np.clip(final * (0.35 + 0.5 * np.exp(-steps / 400)), 0, 1),
            "window_relevance": np.clip(final * np.exp(-steps / 600) + draw.normal(0, 0.01, (topics, pages)), 0, 1),
            "positive_rocchio": np.clip(final * 0.5 * (1 - 0.5 * steps / pages), 0, 1),
            "average_rank": 200 + 2200 * (1 - final) * (0.5 + 0.5 * steps / pages),
            "similarity": 0.15 * final * (1 - 0.4 * steps / pages),
        }
        rows[name] = {kind: np.broadcast_to(values, (topics, pages)).copy() for kind, values in kinds.items()}
    areas = {name: kinds["recall"].sum(axis=1) for name, kinds in rows.items()}
    best = np.max(list(areas.values()), axis=0)
    results: dict[str, Any] = {"web": "webs/schools/web.warc.gz", "pages": pages, "strategies": {}, "tests": []}
    results["topics"] = {topic: {"name": f"Topic {n}", "relevant": 80} for n, topic in enumerate(ids)}
    results |= {"random_state": 0, "dead_links": False, "first_bytes": None, "curves": {}, "along": {}, "sweep": None}
    single: dict[str, dict[str, np.ndarray]] = {}
    for rank, name in enumerate(names):
        single[name] = {"auc": areas[name] / best, "pages": np.full(topics, pages)}
        single[name] |= {f"recall@{n}": rows[name]["recall"][:, n - 1] for n in (100, 300, 1000) if n <= pages}
        single[name] |= {kind: values[:, -1] for kind, values in rows[name].items() if kind != "recall"}
        means = {kind: over_topics(values) for kind, values in single[name].items()}
        cpu = 0.02 * 1.5**rank if rank % 3 else 2.0 / (rank + 1)
        results["strategies"][name] = {
            **{kind: float(average.mean[0]) for kind, average in means.items()},
            "stderr": {k: float(a.stderr[0]) for k, a in means.items()} if topics > 1 else {},
            "limit": 200 if rank % 2 else None,
            "cpu_ms_per_page": cpu,
            "quality_per_cost": float(means["auc"].mean[0]) / cpu,
            "setup": {"pages": 8.0, "searches": 0.0, "backlinks": float(30 * (name == "context-graph"))},
            "outcomes": {"ok": pages * topics},
            "per_topic": {
                t: {"stopped": "budget", "cpu_ms_per_page": cpu, **{k: float(v[n]) for k, v in single[name].items()}}
                for n, t in enumerate(ids)
            },
        }
    for kind in rows[names[0]]:
        lines = {}
        for name in names:
            average = over_topics(np.array([sampled(row, at) for row in rows[name][kind]]))
            stderr = average.stderr.tolist() if topics > 1 else [None] * len(at)
            lines[name] = {"mean": average.mean.tolist(), "stderr": stderr}
        results["curves"][kind] = {"at": list(at), "strategies": lines}
    contest = [name for name in names if name != "oracle"]
    for kind in ("recall", "average_rank"):
        for point in comparison_points(pages):
            values = {s: dict(zip(ids, rows[s][kind][:, point - 1].tolist(), strict=True)) for s in contest}
            found = compare(values, measure=kind, at=point, lower_is_better=MEASURES[kind].better == "lower")
            results["tests"] += [asdict(test) for test in found]
    by_auc = {s: dict(zip(ids, single[s]["auc"].tolist(), strict=True)) for s in contest}
    results["tests"] += [asdict(test) for test in compare(by_auc, measure="auc", at=pages)]
    tables = {s: np.array([sampled(row, at) for row in rows[s]["recall"]]) for s in contest}
    pairs = combinations(contest, 2)
    along: list[dict[str, Any]] = [{"a": a, "b": b, "p": p_along(tables[a], tables[b])} for a, b in pairs]
    for pair, corrected in zip(along, holm_along([pair["p"] for pair in along]), strict=True):
        pair["p_corrected"] = corrected
    results["along"]["recall"] = {"at": list(at), "pairs": along}
    return results


@pytest.fixture(scope="session")
def make_study() -> Callable[..., Study]:
    return study


@pytest.fixture(scope="session")
def typical() -> Study:
    """Thirteen strategies and the oracle on twenty topics."""
    return study()
