"""One crawl of an evaluation: a strategy, a topic, a closed web, and the pages in the order they came home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pinakes.core.engine import Engine, Limits
from pinakes.core.page import Brief, Link
from pinakes.core.roles import Judge, Strategy
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.library.memory import MemoryLedger


@dataclass(frozen=True, slots=True)
class Run:
    """What a strategy fetched for a topic."""

    strategy: str
    topic: str
    urls: tuple[str, ...]
    """Final addresses of the pages read, in order."""
    stopped: str
    cpu_ms_per_page: float
    limit: int | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


async def run_strategy(
    name: str, strategy: Strategy, judge: Judge, topic: EvaluationTopic, brief: Brief, web: ClosedWeb, pages: int
) -> Run:
    """Crawl until the budget is met or the strategy ends, on a frontier in memory."""
    ledger = MemoryLedger()
    engine = Engine(
        web=web,
        frontier=MemoryFrontier(limit=strategy.limit),
        judge=judge,
        strategy=strategy,
        ledger=ledger,
        limits=Limits(pages=pages, commit_pages=1 << 30, commit_seconds=float("inf")),
        backlinks=web,
        dedup=False,
    )
    engine.seed([Link(url) for url in topic.seeds])
    stopped = await engine.run()
    progress = engine.progress
    return Run(
        strategy=name,
        topic=topic.id,
        urls=tuple(ledger.urls),
        stopped=stopped,
        cpu_ms_per_page=1000 * progress.strategy_seconds / max(1, progress.pages),
        limit=strategy.limit,
        outcomes=progress.outcomes,
    )
