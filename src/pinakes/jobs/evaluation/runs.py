"""One crawl of an evaluation: a strategy, a topic, a closed web, and the pages in the order they came home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Link
from pinakes.core.parameters import settings
from pinakes.core.roles import Backlinks, Judge, Progress, Search, Strategy, Web
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.evaluation.journal import RunLedger
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.jobs.layers import Setup


@dataclass(frozen=True, slots=True)
class Run:
    """What a strategy fetched for a topic, as plain data."""

    strategy: str
    """The entrant's name."""
    topic: str
    urls: tuple[str, ...]
    """Final addresses of the pages read, in order."""
    stopped: str
    cpu_ms_per_page: float
    limit: int | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """All parameters of the strategy."""
    nuggets: tuple[int, ...] = ()
    """Which of the pages, counted from 0, the crawling judge took for nuggets."""
    documents: tuple[int, ...] = ()
    """Which of the pages are documents (PDF, PostScript)."""
    depths: tuple[int, ...] = ()
    """How many links from a seed each page was reached by."""
    frontier: int = 0
    """The most links that ever waited."""
    setup: Setup = field(default_factory=Setup)
    """What was asked before the crawl, beside the budget."""
    backlinks: int = 0
    """Back-links asked for in the crawl."""
    searches: int = 0
    """Searches asked for in the crawl."""
    key: str = ""
    """What made the run, in a few characters."""


async def run_strategy(
    name: str,
    strategy: Strategy,
    judge: Judge,
    topic: EvaluationTopic,
    brief: Brief,
    web: Web,
    pages: int,
    *,
    backlinks: Backlinks | None = None,
    search: Search | None = None,
    max_buffer: int | None = None,
    dedup: bool = False,
    setup: Setup | None = None,
) -> Run:
    """Crawl until the budget is met or the strategy ends, on a frontier in memory."""
    ledger = RunLedger(dedup=dedup)
    limit = strategy.limit if max_buffer is None else max_buffer
    frontier, most = MemoryFrontier(limit=limit), 0

    def watch(progress: Progress) -> None:
        nonlocal most
        most = max(most, progress.waiting)

    engine = Engine(
        web=web,
        frontier=frontier,
        judge=judge,
        strategy=strategy,
        ledger=ledger,
        limits=Limits(pages=pages, commit_pages=1 << 30, commit_seconds=float("inf")),
        backlinks=backlinks,
        search=search,
        dedup=dedup,
        watch=watch,
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
        limit=limit,
        outcomes=progress.outcomes,
        settings=settings(strategy),
        nuggets=tuple(ledger.nuggets),
        documents=tuple(ledger.documents),
        depths=tuple(ledger.depths),
        frontier=most,
        setup=setup or Setup(),
        backlinks=ledger.asked["backlinks"],
        searches=ledger.asked["search"],
    )
