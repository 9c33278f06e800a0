"""The figures published before, and what makes the difference."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from evaluated.study import Study, cell, change, table

PUBLISHED = {
    "breadth-first": (0.010, 0.129),
    "cutoff:cutoff=2": (0.010, 0.182),
    "adaptive-cutoff": (0.009, 0.307),
    "infospiders": (0.093, 0.001),
    "pagerank:links=all:limit=none": (0.194, 0.349),
    "naive-bayes": (0.560, 0.476),
    "naive-bayes:price=odds": (0.767, 0.473),
    "best-first": (0.628, 0.397),
    "best-first:weights=tf-idf:limit=none": (0.605, 0.490),
    "best-n-first:weights=tf-idf:limit=none": (0.598, 0.490),
    "best-n-first:n=256:weights=tf-idf:limit=none": (0.226, 0.306),
    "focused": (0.671, 0.450),
    "context-graph:backlinks=0": (0.474, 0.446),
    "context-graph": (0.455, 0.511),
    "anchor-text": (0.777, 0.439),
}
"""AUC on schools and webkb, as a simulator written before Pinakes measured it."""
WEBS = ("schools", "webkb")
CLOSE = 0.03
EXPLAINING = (
    "cutoff:cutoff=1",
    "cutoff:cutoff=20",
    "infospiders:stranded=die",
    "pagerank:links=all:limit=none:weights=tf-idf",
    "pagerank:links=all:limit=none:every=50",
    "best-first:limit=none",
    "context-graph:kept=1000",
    "context-graph:kept=1000:backlinks=0",
)
"""Strategies with one thing changed, by which differences are explained and claims tested."""
MORE = (*(name for name in PUBLISHED if ":" in name), *EXPLAINING)
"""What the further runs of a web are made with."""
HERE = Path(__file__).resolve().parent
CHANGED = HERE.parent / "counterfactuals.json"

HEAD = """The same strategies were measured on these webs before, by a small simulator whose program is not part of
Pinakes; what it did where a paper leaves a choice is known only as far as its figures tell. It had no limits of waiting
links (`limit=none`). Differences of more than .03 are in bold. Below is what came of looking for their causes: runs in
which one thing is changed, by a parameter or, marked with °, in the program (`docs/counterfactuals.py`).
"""


def published(studies: Sequence[Study]) -> str:
    there = [study for study in studies if study.name in WEBS]
    rows = []
    for name, figures in PUBLISHED.items():
        cells = []
        for study in there:
            figure = figures[WEBS.index(study.name)]
            ours = study.value(name)
            apart = "–" if ours is None else change(ours - figure)
            far = ours is not None and abs(round(ours, 3) - figure) > CLOSE
            cells += [study.shown(name, error=True), cell(figure), f"**{apart}**" if far else apart]
        rows.append([name, *cells])
    head = ["strategy", *(text for study in there for text in (study.name, "published", "difference"))]
    return "\n".join(("## Against the published figures\n", HEAD, table(head, rows), _causes(studies)))


def _causes(studies: Sequence[Study]) -> str:
    """causes.md with its figures: `{schools STRATEGY}` is the AUC of a further run, `{CHANGE STRATEGY}` that
    with a change of the program."""
    webs = {study.name: study for study in studies}
    changed = json.loads(CHANGED.read_bytes())["figures"] if CHANGED.exists() else {}

    def figure(found: re.Match[str]) -> str:
        where, strategy = found.groups()
        if where in WEBS:
            return webs[where].shown(strategy) if where in webs and webs[where].row(strategy) else "not run"
        areas = changed.get(where, {}).get("auc", {})
        return f"{cell(areas[strategy][0])}°" if strategy in areas else "not run"

    return re.sub(r"\{([\w-]+) (\S+)\}", figure, (HERE / "causes.md").read_text())
