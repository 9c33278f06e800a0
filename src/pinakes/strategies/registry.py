"""The strategies by name, with the paper each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief
from pinakes.core.parameters import build
from pinakes.core.registry import Registry
from pinakes.core.roles import Strategy


class Entry(NamedTuple):
    where: str
    paper: str
    summary: str


TABLE = {
    "evidence": Entry(
        "pinakes.strategies.evidence:Evidence",
        "ours",
        "Pools every kind of evidence over all pages that link to a link, and reprices all links each turn.",
    ),
    "breadth-first": Entry(
        "pinakes.strategies.breadth_first:BreadthFirst",
        "the baseline of all five papers",
        "Every link in the order it was met.",
    ),
    "best-first": Entry(
        "pinakes.strategies.best_first:BestFirst",
        "Menczer et al. 2001, §6.1",
        "Links of the pages most like the topic go first.",
    ),
    "best-n-first": Entry(
        "pinakes.strategies.best_first:BestNFirst",
        "Menczer, Pant and Srinivasan 2004",
        "Best-first, the N best links at a time.",
    ),
    "pagerank": Entry(
        "pinakes.strategies.pagerank:PageRank",
        "Menczer et al. 2001, §6.2",
        "Links to the pages most linked to go first.",
    ),
    "infospiders": Entry(
        "pinakes.strategies.infospiders:InfoSpiders",
        "Menczer et al. 2001, §6.3",
        "Agents that follow links, learn, multiply and die.",
    ),
    "cutoff": Entry(
        "pinakes.strategies.cutoff:Cutoff",
        "Bergmark et al. 2002, eq. 2",
        "No path goes on further than the cutoff from its last nugget.",
    ),
    "adaptive-cutoff": Entry(
        "pinakes.strategies.adaptive_cutoff:AdaptiveCutoff",
        "Bergmark et al. 2002, eq. 3",
        "A path of poor pages ends sooner than one of almost-nuggets.",
    ),
    "focused": Entry(
        "pinakes.strategies.focused:Focused",
        "Diligenti et al. 2000, §4",
        "Links of the pages most like the examples go first, by naive Bayes.",
    ),
    "context-graph": Entry(
        "pinakes.strategies.context_graph:ContextFocused",
        "Diligenti et al. 2000",
        "Back-links of the examples teach how far a page is from a target.",
    ),
    "naive-bayes": Entry(
        "pinakes.strategies.naive_bayes:NaiveBayes",
        "Pant et al. 2004, §3.4",
        "Links of the pages most probably wanted go first.",
    ),
    "anchor-text": Entry(
        "pinakes.strategies.anchor_text:AnchorText",
        "Zhuang et al. 2005, §3.3",
        "Keywords in anchors put links into high, medium and low queues.",
    ),
}

MEMBERS = ("limit", "batch", "seed", "visit", "state", "restore")
"""What every strategy has."""
STRATEGIES = Registry("strategy", "pinakes.strategies", {name: entry.where for name, entry in TABLE.items()})


def make_strategy(name: str, brief: Brief, parameters: Mapping[str, Any]) -> Strategy:
    return make_kind(STRATEGIES.find(name), name, brief, parameters)


def make_kind(kind: type, name: str, brief: Brief, parameters: Mapping[str, Any]) -> Strategy:
    """The strategy of a class, which `name` is known by."""
    made: Strategy = build(kind, f"The strategy {name}", brief, parameters)
    missing = [member for member in MEMBERS if not hasattr(made, member)]
    if missing:
        raise PinakesError(f"The strategy {name} lacks {', '.join(missing)}; see pinakes.core.roles.Strategy.")
    for bound in ("batch", "limit"):
        value = getattr(made, bound)
        if value is not None and value < 1:
            raise PinakesError(f"The strategy {name} cannot work with {bound}={value}; it must be at least 1.")
    return made
