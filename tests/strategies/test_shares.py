"""Shares: no topic starves, whatever strategy is inside, and the strategy's own order holds within a topic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.core.roles import Dropping, Repricing
from pinakes.strategies.best_first import BestFirst
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.strategies.evidence import Evidence
from pinakes.strategies.pagerank import PageRank
from pinakes.strategies.shares import Shares
from pinakes.testing.strategy import check_strategy

BRIEF = Brief(topics=(Topic("owls"), Topic("looms")))


def page(url: str, links: list[tuple[str, str]], topic: str = "") -> Page:
    out = tuple(Link(to, anchor=anchor, parent=url, depth=1) for to, anchor in links)
    return Page(Link(url, topic=topic), url, status=200, terms={"word": 1}, links=out)


def verdict(topic: str, nugget: bool = True) -> Verdict:
    return Verdict(0.5, topic, {topic: 0.5}, nugget)


def ordered(strategy: Shares, urls: list[str]) -> list[str]:
    """The addresses in the order they are due."""
    prices = strategy.reprice(urls)
    return [url for _, _, url in sorted(zip([-price for price in prices], range(len(urls)), urls, strict=True))]


def test_topics_take_turns() -> None:
    """A hundred links of one topic do not hold up three of another."""
    strategy = Shares(BreadthFirst(BRIEF), BRIEF)
    owls = [(f"http://o.example/{n}", "owls") for n in range(100)]
    looms = [(f"http://l.example/{n}", "looms") for n in range(3)]
    admitted = list(strategy.visit(page("http://a.example/", owls + looms), verdict("owls")))
    assert Counter(link.topic for link in admitted) == {"owls": 100, "looms": 3}
    first = ordered(strategy, [link.url for link in admitted])[:6]
    assert first == [url for pair in zip([u for u, _ in owls[:3]], [u for u, _ in looms], strict=True) for url in pair]


def test_prices_at_admission_take_turns_too() -> None:
    """A strategy that does not reprice has its links due one after another within a topic from the first."""
    strategy = Shares(BreadthFirst(BRIEF), BRIEF)
    links = [("http://o.example/1", "owls"), ("http://o.example/2", "owls"), ("http://l.example/1", "looms")]
    admitted = list(strategy.visit(page("http://a.example/", links), verdict("owls")))
    prices = [link.priority for link in admitted]
    assert prices[0] == prices[2] > prices[1]


def test_within_a_topic_the_strategy_decides() -> None:
    """Best-first prices by the parent page; the better parent's link goes first though it came later."""
    strategy = Shares(BestFirst(BRIEF), BRIEF)
    poor = Page(Link("http://a.example/"), "http://a.example/", status=200, terms={"word": 9},
                links=(Link("http://o.example/1", anchor="owls"),))  # fmt: skip
    good = Page(Link("http://b.example/"), "http://b.example/", status=200, terms={"owl": 9},
                links=(Link("http://o.example/2", anchor="owls"),))  # fmt: skip
    urls = [link.url for one in (poor, good) for link in strategy.visit(one, verdict("owls"))]
    assert ordered(strategy, urls) == ["http://o.example/2", "http://o.example/1"]


def test_a_topic_that_was_fetched_much_waits() -> None:
    strategy = Shares(Evidence(BRIEF), BRIEF)
    for n in range(5):
        strategy.visit(page(f"http://o.example/{n}", [], topic="owls"), verdict("owls"))
    links = [("http://o.example/x", "owls"), ("http://l.example/x", "looms")]
    strategy.visit(page("http://a.example/", links, topic="owls"), verdict("owls"))
    assert ordered(strategy, [url for url, _ in links])[0] == "http://l.example/x"


def test_a_dull_host_stands_behind() -> None:
    """Many pages and no nugget: its links go after the others of their topic (000 §3)."""
    strategy = Shares(BreadthFirst(BRIEF), BRIEF)
    for n in range(30):
        strategy.visit(page(f"http://dull.example/{n}", [], topic="owls"), verdict("owls", nugget=False))
        strategy.visit(page(f"http://good.example/{n}", [], topic="owls"), verdict("owls"))
    links = [("http://dull.example/x", "owls"), ("http://good.example/x", "owls")]
    strategy.visit(page("http://a.example/", links, topic="owls"), verdict("owls"))
    assert ordered(strategy, [url for url, _ in links]) == ["http://good.example/x", "http://dull.example/x"]


@pytest.mark.parametrize("kind", [BreadthFirst, Evidence])
def test_state_is_plain_and_restores(kind: Any) -> None:
    strategy, other = Shares(kind(BRIEF), BRIEF), Shares(kind(BRIEF), BRIEF)
    links = [(f"http://o.example/{n}", "owls" if n % 3 else "looms") for n in range(20)]
    urls = [link.url for link in strategy.visit(page("http://a.example/", links), verdict("owls"))]
    strategy.reprice(urls)
    strategy.dropped(urls[:2], "evicted")
    other.restore(strategy.state())
    assert other.state() == strategy.state()
    assert other.reprice(urls) == strategy.reprice(urls)


def test_only_a_strategy_with_prices_is_asked_again() -> None:
    """First in, first out: the turn given at first stays. With prices, every page changes the turns."""
    plain, priced = Shares(BreadthFirst(BRIEF), BRIEF), Shares(BestFirst(BRIEF), BRIEF)
    assert isinstance(plain, Repricing) and isinstance(plain, Dropping)
    links = [("http://o.example/1", "owls"), ("http://l.example/1", "looms")]
    for n, terms in enumerate(({"owl": 1}, {"word": 1})):
        one = page(f"http://a.example/{n}", [(f"{url}{n}", anchor) for url, anchor in links])
        given = list(plain.visit(one, verdict("owls")))
        assert not plain.stale
        assert plain.reprice([link.url for link in given]) == [link.priority for link in given]
        priced.visit(replace(one, terms=terms), verdict("owls"))
    assert priced.stale
    priced.reprice([])
    assert not priced.stale


@dataclass
class SharedPageRank(Shares):
    """As a job makes it."""

    brief: Brief

    def __post_init__(self) -> None:
        Shares.__init__(self, PageRank(self.brief, links="all", every=3), self.brief)


@dataclass
class SharedBreadth(Shares):
    brief: Brief

    def __post_init__(self) -> None:
        Shares.__init__(self, BreadthFirst(self.brief), self.brief)


@pytest.mark.parametrize("kind", [SharedPageRank, SharedBreadth])
def test_it_keeps_what_strategies_promise(kind: Any) -> None:
    check_strategy(kind)
