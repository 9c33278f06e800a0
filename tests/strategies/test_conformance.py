"""Every strategy keeps what strategies promise, and the checks would notice if one did not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict, distance_of
from pinakes.core.parameters import parameter
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.adaptive_cutoff import AdaptiveCutoff
from pinakes.strategies.best_first import BestFirst, BestNFirst
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.strategies.cutoff import Cutoff
from pinakes.strategies.infospiders import InfoSpiders
from pinakes.strategies.pagerank import PageRank
from pinakes.strategies.registry import STRATEGIES
from pinakes.testing.strategy import check_strategy
from pinakes.testing.trial import Trial

CHOICES: list[tuple[type, dict[str, Any]]] = [
    (BreadthFirst, {"batch": 4}),
    (BestNFirst, {"n": 5}),
    (PageRank, {"links": "all", "every": 3, "buffer": 9}),
    (InfoSpiders, {"batch": 3, "predict": "keywords"}),
    (InfoSpiders, {"net": "multi-layer", "learning": "q"}),
    (Cutoff, {"cutoff": 20}),
    (AdaptiveCutoff, {"form": "additive", "cutoff": 2.0}),
]


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_every_registered_strategy_conforms(name: str) -> None:
    check_strategy(name)


@pytest.mark.parametrize(("kind", "parameters"), CHOICES, ids=lambda value: getattr(value, "__name__", ""))
def test_their_other_forms_conform(kind: type, parameters: dict[str, Any]) -> None:
    check_strategy(kind, **parameters)


# -- the checks themselves -------------------------------------------------------------------------------------


@dataclass
class Sound:
    """A strategy that draws prices by lot; the broken ones below differ in one thing each."""

    brief: Brief
    limit: int | None = parameter(None, "How many links may wait.")
    batch: int = parameter(1, "How many links are claimed at once.")
    random: Random = field(default_factory=Random, init=False)

    def __post_init__(self) -> None:
        self.random.seed(self.brief.random_state)

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return links

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return [link._replace(priority=self.random.random()) for link in page.links]

    def state(self) -> Any:
        return self.random.getstate()

    def restore(self, state: Any) -> None:
        version, internal, gauss = state
        self.random.setstate((version, tuple(internal), gauss))


class Unseeded(Sound):
    def __post_init__(self) -> None:
        self.random = Random()


class Forgetful(Sound):
    def state(self) -> Any:
        return None

    def restore(self, state: Any) -> None:
        pass


class Opaque(Sound):
    def state(self) -> Any:
        return {"random": self.random}


class Priceless(Sound):
    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return [link._replace(priority=float("nan")) for link in page.links]


class Fragile(Sound):
    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        assert page.terms, "a page without terms"
        return super().visit(page, verdict)


class Stubborn(Sound):
    """Tries the neighbours of pages that failed."""

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        links = () if page.readable else (Link(f"{page.url}x", parent=page.url, depth=1),)
        return [*super().visit(page, verdict), *links]


class Boundless(Sound):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.limit = None


class Demanding(Sound):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.first = self.brief.topics[0]


class Moody(Sound):
    """Its prices depend on which addresses were asked for before."""

    stale = True

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        return [self.random.random() for _ in urls]


def test_a_sound_strategy_passes() -> None:
    check_strategy(Sound)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Unseeded, "same random state"),
        (Forgetful, "restore"),
        (Opaque, "plain data"),
        (Priceless, "finite"),
        (Fragile, "without terms"),
        (Stubborn, "which failed"),
        (Boundless, "limit"),
        (Moody, "reprice"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_promise_is_noticed(kind: type, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_strategy(kind)


def test_a_strategy_that_needs_a_topic_must_say_so() -> None:
    """An IndexError is no answer to a person without topics; `PinakesError` is."""
    with pytest.raises(IndexError):
        check_strategy(Demanding)


# -- what holds on any web -------------------------------------------------------------------------------------


class Graph:
    """A web of numbered pages, some about the topic, some of which fail; nothing is parsed."""

    ordered = True

    def __init__(self, links: dict[int, list[int]], on_topic: set[int], failing: set[int]) -> None:
        self.links, self.on_topic, self.failing = links, on_topic, failing
        self.fetched: list[str] = []

    async def fetch(self, link: Link) -> Fetched:
        self.fetched.append(link.url)
        number = int(link.url.rsplit("/", 1)[1])
        if number in self.failing:
            return Fetched(Page(link, link.url, error="timeout"))
        words = ("owl", "falcon", "stone") if number in self.on_topic else ("stone", "owl", "wall", "wall")
        terms = {word: words.count(word) for word in words}
        links = tuple(
            Link(at(to), anchor=words[to % 3], at=to % 3, parent=link.url, depth=link.depth + 1)
            for to in self.links.get(number, [])
        )
        return Fetched(Page(link, link.url, status=200, words=words, terms=terms, links=links))

    async def close(self) -> None:
        pass


def at(number: int) -> str:
    return f"http://{'abc'[number % 3]}.example/{number}"


numbers = st.integers(0, 14)
graphs = st.builds(
    Graph,
    st.dictionaries(numbers, st.lists(numbers, max_size=6), max_size=15),
    st.sets(numbers),
    st.sets(st.integers(3, 14), max_size=4),
)
BRIEF = Brief(topics=(Topic("owl falcon"),), pages=12)
KINDS = [BreadthFirst, BestFirst, BestNFirst, PageRank, InfoSpiders, Cutoff, AdaptiveCutoff]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(web=graphs, limit=st.none() | st.integers(1, 4), pages=st.integers(1, 12))
def test_limits_hold_nothing_is_fetched_twice_and_paths_are_consistent(
    kind: type, web: Graph, limit: int | None, pages: int
) -> None:
    """Whatever the web: the budget and the limit are kept, and every page's place on its path follows from its
    parent's: level 1 + depth, and the distance of eq. 2 from the nearest page that led to it."""
    web.fetched.clear()
    trial = Trial(web, kind(BRIEF, limit=limit), CosineJudge(BRIEF, threshold=0.6), [at(0), at(1)]).go(pages)
    assert trial.progress is not None and trial.progress.pages <= pages
    assert limit is None or trial.frontier.most <= limit
    assert len(web.fetched) == len(set(web.fetched))
    assert trial.stopped
    before: dict[str, tuple[Page, Verdict]] = {}
    for page, verdict in trial.journal.visits:
        link = page.link
        if link.depth:
            parent, its_verdict = before[link.parent]
            assert link.depth == parent.link.depth + 1
            leading = [
                distance_of(*seen) for seen in before.values() if any(out.url == link.url for out in seen[0].links)
            ]
            assert link.distance in leading
            assert link.distance <= distance_of(parent, its_verdict)
        else:
            assert link.distance == 0
        before[page.url] = (page, verdict)


@settings(max_examples=60, deadline=None)
@given(web=graphs, cutoff=st.integers(0, 4))
def test_a_cutoff_follows_exactly_the_pages_within_it(web: Graph, cutoff: int) -> None:
    """Without a limit or a budget, a page is fetched just when it is a seed or a page within the cutoff links to it."""
    web.fetched.clear()
    trial = Trial(web, Cutoff(BRIEF, cutoff=cutoff), CosineJudge(BRIEF, threshold=0.6), [at(0), at(1)]).go()
    within = [page for page, verdict in trial.journal.visits if distance_of(page, verdict) <= cutoff]
    wanted = {at(0), at(1)} | {link.url for page in within for link in page.links}
    assert set(web.fetched) == wanted


def test_the_graph_is_a_web() -> None:
    """What the properties are tested on gives pages with links, topics and failures."""
    web = Graph({0: [1, 2]}, {0}, {2})
    page = asyncio.run(web.fetch(Link(at(0)))).page
    assert [link.url for link in page.links] == [at(1), at(2)]
    assert asyncio.run(web.fetch(Link(at(2)))).page.error == "timeout"
