"""A crawl in memory, to try a strategy with: the real engine and frontier, a drawn web, and a journal.

trial = Trial(web, BestFirst(brief), CosineJudge(brief), seeds=["http://a.example/"])
trial.go(pages=20)
trial.order, trial.stopped
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Fetched, Link, Page, Verdict
from pinakes.core.roles import (
    Admitted,
    Ask,
    Asking,
    Backlinks,
    Dropping,
    Judge,
    Progress,
    Repricing,
    Strategy,
    Twin,
    Web,
)
from pinakes.frontier.memory import MemoryFrontier
from pinakes.testing.ledger import MemoryLedger

Event = tuple[str, Any]


class Step(NamedTuple):
    """A link that came home."""

    url: str
    outcome: str
    price: float
    depth: int
    distance: int
    """The parent's distance."""
    nugget: bool


class Journal(MemoryLedger):
    """A ledger that also keeps what the strategy was told, in order, as a library on disk does."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Twin | None) -> None:
        super().deliver(fetched, page, verdict, twin)
        self.events.append(("page", (page, verdict)))

    def note(self, kind: str, data: Any) -> None:
        super().note(kind, data)
        self.events.append((kind, data))


class WatchedFrontier(MemoryFrontier):
    """A frontier that refuses prices which are no numbers, and remembers how many links ever waited at once."""

    most = 0

    def admit(self, links: Iterable[Link]) -> Admitted:
        given = list(links)
        for link in given:
            assert isfinite(link.priority), f"the price of {link.url} is {link.priority}; prices must be finite"
        answer = super().admit(given)
        self.most = max(self.most, len(self))
        return answer

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        assert len(urls) == len(prices), f"reprice was asked for {len(urls)} prices and gave {len(prices)}"
        for url, price in zip(urls, prices, strict=True):
            assert isfinite(price), f"reprice gave {url} the price {price}; prices must be finite"
        super().reprice(urls, prices)


class Trial:
    """One crawl, which may be taken up again and again, also with another strategy in the place of the first."""

    def __init__(
        self,
        web: Web,
        strategy: Strategy,
        judge: Judge,
        seeds: Sequence[str],
        backlinks: Backlinks | None = None,
        scope: Sequence[str] = (),
    ) -> None:
        """`scope`: addresses that are refused."""
        self.web, self.strategy, self.judge, self.seeds, self.backlinks = web, strategy, judge, seeds, backlinks
        self.refused = frozenset(scope)
        self.journal = Journal()
        self.frontier = WatchedFrontier(limit=strategy.limit)
        self.progress: Progress | None = None
        self.stopped = ""

    def go(self, pages: int | None = None) -> Trial:
        """Crawl until this many pages are read in all, or until something else ends it."""
        engine = Engine(
            web=self.web,
            frontier=self.frontier,
            judge=self.judge,
            strategy=self.strategy,
            ledger=self.journal,
            limits=Limits(pages=pages),
            backlinks=self.backlinks,
            scope=lambda link: "scope" if link.url in self.refused else "",
            begun=self.progress,
        )
        if self.progress is None:
            engine.seed([Link(url) for url in self.seeds])
        self.stopped = asyncio.run(engine.run())
        self.progress = engine.progress
        return self

    @property
    def steps(self) -> list[Step]:
        return [
            Step(page.url, page.outcome, page.link.priority, page.link.depth, page.link.distance, verdict.nugget)
            for page, verdict in self.journal.visits
        ]

    @property
    def order(self) -> list[str]:
        """The addresses that came home, in order."""
        return [step.url for step in self.steps]


def replay(events: Iterable[Event], strategy: Strategy, trial: Trial) -> None:
    """Tell a fresh strategy what another was told, as a crawl that is resumed does."""
    for kind, data in events:
        if kind == "seed":
            list(strategy.seed([Link(url) for url in data]))
        elif kind == "page":
            list(strategy.visit(*data))
        elif kind == "revisit":
            found = asyncio.run(trial.journal.recall(data)) or Page(Link(data), data, error="not-found")
            page = replace(found, revisit=True)
            list(strategy.visit(page, trial.judge.judge(page) if page.readable else Verdict()))
        elif kind == "dropped" and isinstance(strategy, Dropping):
            strategy.dropped(data[1], data[0].partition(":")[0])
        elif kind == "asked" and isinstance(strategy, Asking):
            list(strategy.asks())
        elif kind == "answered" and isinstance(strategy, Asking):
            list(strategy.answered(Ask(*data[0]), data[1]))
        elif kind == "reprice" and isinstance(strategy, Repricing):
            strategy.reprice([])
