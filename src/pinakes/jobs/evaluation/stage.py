"""Where the runs of an evaluation take place: a web and its topics, open in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page
from pinakes.core.parameters import parameters_of
from pinakes.core.roles import Backlinks, Search, Strategy, Web
from pinakes.jobs.evaluation.closed import LEAST, MEMORY, ClosedWeb
from pinakes.jobs.evaluation.entrants import ORACLE, Entrant
from pinakes.jobs.evaluation.oracle import Inward, Oracle, inward_links
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.runs import Run, run_strategy
from pinakes.jobs.evaluation.topics import EvaluationTopic, brief_of
from pinakes.jobs.judging import open_judge
from pinakes.jobs.layers import Setup, with_layers
from pinakes.jobs.outfit import CALIBRATED, judge_for
from pinakes.jobs.webs import open_frozen
from pinakes.strategies.registry import make_kind
from pinakes.web.frozen import FrozenWeb


class Ground(Web, Protocol):
    """A web whose pages can be looked up after the crawl, too."""

    @property
    def documents(self) -> Mapping[str, Sequence[str]]:
        """The documents that pages looked at link to."""

    async def page(self, url: str) -> Page | None: ...


class Stage:
    """One process's view of an evaluation."""

    def __init__(
        self,
        plan: Plan,
        web: Ground,
        *,
        frozen: FrozenWeb | None = None,
        search: Search | None = None,
        backlinks: Backlinks | None = None,
    ) -> None:
        self.plan, self.web, self.frozen = plan, web, frozen
        self._search, self._backlinks = search, backlinks
        self._examples: dict[str, Page] | None = None

    @classmethod
    def frozen_stage(cls, plan: Plan) -> Stage:
        frozen = open_frozen(plan.web, records=False, first_bytes=plan.first_bytes)
        memory = max(LEAST, MEMORY // max(2, plan.processes))
        closed = ClosedWeb(frozen, dead_links=plan.dead_links, memory=memory)
        return cls(plan, closed, frozen=frozen, search=closed, backlinks=closed)

    async def run(self, task: Task) -> Run:
        """One crawl."""
        topic, entrant = self.plan.topic(task.topic), self.plan.entrant(task.entrant)
        if task.half:
            topic = replace(topic, seeds=topic.seeds[task.half - 1 :: 2])
        brief, setup = await self.brief(topic), Setup()
        if entrant.strategy == ORACLE:
            strategy: Strategy = self._oracle(topic)
        else:
            if "layers" in getattr(entrant.kind, "needs", ()) and self._backlinks is not None:
                brief, setup = await with_layers(brief, self.web, self._backlinks, self._search)
            strategy = self._strategy(entrant, brief)
        run = await run_strategy(
            entrant.name,
            strategy,
            self.judge(brief, entrant),
            topic,
            brief,
            self.web,
            self.plan.pages,
            backlinks=self._backlinks,
            search=self._search,
            max_buffer=entrant.max_buffer,
            dedup=self.plan.dedup,
            setup=setup,
        )
        return replace(run, key=self.plan.key(task))

    async def rehearse(self) -> None:
        """Make every strategy and the judge once, so that what cannot work is said before anything runs."""
        brief = await self.brief(self.plan.topics[0])
        wrong: dict[str, None] = {}
        for entrant in self.plan.entrants:
            if entrant.strategy == ORACLE:
                continue
            self.judge(brief, entrant)
            try:
                self._strategy(entrant, brief)
            except PinakesError as error:
                wrong[f"{entrant.name}: {error}"] = None
            except Exception as error:
                wrong[f"{entrant.name} cannot be made: {type(error).__name__}: {error}."] = None
        if wrong:
            raise PinakesError(" ".join(wrong))

    async def brief(self, topic: EvaluationTopic) -> Brief:
        """What judges and strategies may learn from, alike."""
        return brief_of(
            topic,
            self.plan.topics,
            await self.examples(),
            budget=self.plan.pages,
            random_state=self.plan.random_state,
        )

    async def examples(self) -> Mapping[str, Page]:
        """The example pages of all topics."""
        if self._examples is None:
            urls = {url for topic in self.plan.topics for url in topic.examples}
            pages = {url: await self.web.page(url) for url in sorted(urls)}
            self._examples = {url: page for url, page in pages.items() if page is not None}
        return self._examples

    async def slim(self, url: str) -> Page:
        """A page's words only, for what is measured after the crawl."""
        return Page(Link(url), url, terms=await self.terms(url))

    async def terms(self, url: str) -> Mapping[str, int]:
        page = await self.web.page(url)
        return page.terms if page is not None else {}

    async def documents(self, url: str) -> Sequence[str]:
        """The documents a page links to, also those the web does not hold."""
        if url not in self.web.documents:
            await self.web.page(url)
        return self.web.documents.get(url, ())

    def outlinks(self, url: str) -> Sequence[str]:
        assert self.frozen is not None
        return self.frozen.outlinks(url)

    def judge(self, brief: Brief, entrant: Entrant) -> Any:
        """The crawling judge of an entrant."""
        name = judge_for(Oracle if entrant.strategy == ORACLE else entrant.kind, self.plan.judge)
        given: dict[str, Any] = {"threshold": self.plan.threshold} if self.plan.threshold else {}
        if name in CALIBRATED:
            given.setdefault("threshold", "auto")
        return open_judge(name, brief, given)

    @staticmethod
    def _strategy(entrant: Entrant, brief: Brief) -> Strategy:
        given = dict(entrant.parameters)
        if entrant.max_buffer is not None and any(known.name == "limit" for known in parameters_of(entrant.kind)):
            given["limit"] = entrant.max_buffer
        return make_kind(entrant.kind, entrant.strategy, brief, given)

    def _oracle(self, topic: EvaluationTopic) -> Oracle:
        return Oracle(topic.targets, self._inward, self._resolve)

    @cached_property
    def _inward(self) -> Inward:
        assert self.frozen is not None
        return inward_links(self.frozen)

    @cached_property
    def _resolve(self) -> Mapping[str, str]:
        assert self.frozen is not None
        return self.frozen.redirects()
