"""Compares a strategy of one's own with two of the papers', on the demo web: python examples/evaluate_demo.py [DIR]."""

from __future__ import annotations

import sys

import pinakes
from pinakes.strategies.breadth_first import BreadthFirst


class DeepestFirst(BreadthFirst):
    """Links furthest from the seeds go first: a crawl that runs away."""

    def visit(self, page, verdict):  # type: ignore[no-untyped-def]
        return [link.priced(float(link.depth)) for link in page.links]


if __name__ == "__main__":
    found = pinakes.evaluate(
        {"deepest-first": DeepestFirst, "best-first": {}, "odds": "naive-bayes:price=odds"},
        topics="demo:topics.jsonl",
        web="demo",
        pages=40,
        out=sys.argv[1] if len(sys.argv) > 1 else None,
        processes=1,
    )
    for name, auc, recall in found.table("auc", "harvest_rate"):
        print(f"{name:15} AUC {auc}   harvest rate {recall}")
    print(f"Results: {found.out}")
