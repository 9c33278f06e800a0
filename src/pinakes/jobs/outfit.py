"""What a crawl sets out with: its strategy and its judge, and what they must learn before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pinakes.core.page import Brief
from pinakes.core.parameters import parameters_of
from pinakes.core.roles import Judge, Strategy
from pinakes.jobs.judging import load_judge, open_judge
from pinakes.jobs.layers import with_layers
from pinakes.jobs.webs import Opened
from pinakes.judges.registry import JUDGES
from pinakes.strategies.registry import STRATEGIES, make_strategy
from pinakes.strategies.shares import Shares

CALIBRATED = frozenset({"cosine", "centroids", "contrast"})
"""Judges that set their threshold by the examples, unless they are given one."""


def judge_for(kind: type, given: str) -> str:
    """The judge's name: as given, else the one the strategy goes by in its paper, else the cosine with the topic."""
    return given or str(getattr(kind, "judged_by", "cosine"))


class Outfit(NamedTuple):
    brief: Brief
    strategy: Strategy
    judge: Judge
    judge_name: str
    """The judge's own name, where a file was given that holds one."""


async def outfit(
    strategy: str,
    judge: str,
    given: Mapping[str, Any],
    brief: Brief,
    opened: Opened,
    judges: Mapping[str, Any] | None = None,
) -> Outfit:
    """Make strategy and judge of parameters as a person gave them; `threshold` is the judge's, and so is what only the
    judge knows. `judges` are more of those."""
    kind = STRATEGIES.find(strategy)
    judge = judge_for(kind, judge)
    theirs = {"threshold"} | (_known(JUDGES.find(judge)) - _known(kind) if judge in JUDGES.names() else set())
    own = {name: value for name, value in given.items() if name not in theirs}
    judges = {**(judges or {}), **{name: value for name, value in given.items() if name in theirs}}
    if judge in CALIBRATED:
        judges.setdefault("threshold", "auto")
    if "layers" in getattr(kind, "needs", ()) and opened.backlinks is not None:
        brief, _ = await with_layers(brief, opened.web, opened.backlinks, opened.search)
    names = _known(kind)
    if judge not in CALIBRATED and "labels" in names:
        # A judge that was trained or chosen knows better what is wanted than a model of the topic's words.
        own.setdefault("labels", "judge")
    if not opened.web.ordered and "eager" in names:
        # A live crawl does not wait for the last child of a page before it goes on.
        own.setdefault("eager", True)
    name = load_judge(Path(judge)).judge if Path(judge).is_file() else judge
    return Outfit(brief, make_strategy(strategy, brief, own), open_judge(judge, brief, judges), name)


def _known(kind: type) -> set[str]:
    return {parameter.name for parameter in parameters_of(kind)}


def shared(strategy: Strategy, brief: Brief, options: Mapping[str, Any]) -> Strategy:
    """The strategy, giving each topic its turn where the job wants that; `shares` is the size of its collections."""
    size = options.get("shares", 0)
    if not size:
        return strategy
    made: Any = Shares(strategy, brief, size)
    wrapped: Strategy = made
    return wrapped
