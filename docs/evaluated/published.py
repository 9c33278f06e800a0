"""The figures published before, and what makes the difference."""

from __future__ import annotations

from collections.abc import Sequence

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
    "best-first:weights=tf-idf": (0.605, 0.490),
    "best-n-first:weights=tf-idf": (0.598, 0.490),
    "best-n-first:n=256:weights=tf-idf": (0.226, 0.306),
    "focused": (0.671, 0.450),
    "context-graph:backlinks=0": (0.474, 0.446),
    "context-graph": (0.455, 0.511),
    "anchor-text": (0.777, 0.439),
}
"""AUC on schools and webkb, as a simulator written before Pinakes measured it."""
WEBS = ("schools", "webkb")
CLOSE = 0.03
CAUSES = ()
MORE = tuple(name for name in PUBLISHED if ":" in name)

HEAD = ""


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
    return "\n".join(("## Against the published figures\n", HEAD, table(head, rows)))
