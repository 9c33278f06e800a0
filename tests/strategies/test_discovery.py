"""Discovery: a topic without examples is searched for, and what is found stands in for them."""

from __future__ import annotations

import json

from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.core.roles import Ask
from pinakes.strategies.discovery import Discovery
from pinakes.strategies.evidence import Evidence

OWLS, LOOMS = Topic("owls", "barn owls at night"), Topic("looms")
HITS = ["http://a.example/", "http://b.example/"]


def page(url: str, text: str) -> Page:
    return Page(Link(url), url, status=200, terms=dict.fromkeys(text.split(), 1))


def test_only_topics_without_examples_are_searched_for() -> None:
    """The others ask who links to theirs."""
    example = page("http://loom.example/", "warp weft")
    found = Discovery(Brief(topics=(OWLS, LOOMS), examples={"looms": (example,)}), hubs=4, hits=2)
    assert [(ask.kind, ask.url) for ask in found.asks()] == [("backlinks", example.url), ("search", OWLS.text)]
    assert not Discovery(Brief(topics=(OWLS,)), hubs=4, hits=0).asks()


def test_hits_come_first_and_their_hubs_after_the_seeds() -> None:
    """Back-links of the hits are asked for in the examples' stead."""
    strategy = Evidence(Brief(topics=(OWLS,)), search=2)
    [seed] = strategy.seed([Link("http://seed.example/")])
    [ask] = strategy.asks()
    first, second = strategy.answered(ask, HITS)
    assert [first.url, second.url] == HITS and first.priority > second.priority > seed.priority
    asks = list(strategy.asks())
    assert asks == [Ask("backlinks", url, 100) for url in HITS]
    assert not list(strategy.answered(asks[0], ["http://hub.example/"]))
    [hub] = strategy.answered(asks[1], ["http://hub.example/", "http://other.example/"])
    assert hub.url == "http://hub.example/" and seed.priority > hub.priority > 10


def test_what_a_hit_says_counts_as_wanted() -> None:
    """Words that only the hits have speak for a page, also after a round trip through plain data."""
    strategy = Evidence(Brief(topics=(OWLS,)), search=2)
    [ask] = strategy.asks()
    links = list(strategy.answered(ask, HITS))
    told = page("http://c.example/", "pellets voles meadow")

    def likely(one: Evidence) -> float:
        return one._model.probability(one._model.document(told.terms))

    before = likely(strategy)
    for link in links:
        text = "barn owl pellets voles meadow" if link.url == HITS[0] else "owl night pellets voles ears"
        list(strategy.visit(Page(link, link.url, status=200, terms=dict.fromkeys(text.split(), 1)), Verdict()))
    assert likely(strategy) > before + 0.2
    again = Evidence(Brief(topics=(OWLS,)), search=2)
    again.restore(json.loads(json.dumps(strategy.state())))
    assert likely(again) == likely(strategy)
    again._model.refit()
    strategy._model.refit()
    assert likely(again) == likely(strategy)
