"""Discovery: a topic without examples is searched for, and what is found stands in for them."""

from __future__ import annotations

import json

from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.core.roles import Ask
from pinakes.strategies.discovery import Discovery
from pinakes.strategies.evidence import Evidence

OWLS, LOOMS = Topic("owls", "barn owls at night"), Topic("looms")
HITS = ["http://a.example/", "http://b.example/"]
HUB, OTHER = "http://hub.example/", "http://other.example/"


def page(url: str, text: str) -> Page:
    return Page(Link(url), url, status=200, terms=dict.fromkeys(text.split(), 1))


def test_only_topics_without_examples_are_searched_for() -> None:
    """The others ask who links to theirs."""
    example = page("http://loom.example/", "warp weft")
    found = Discovery(Brief(topics=(OWLS, LOOMS), examples={"looms": (example,)}), hubs=4, hits=2)
    assert [(ask.kind, ask.url) for ask in found.asks()] == [("backlinks", example.url), ("search", OWLS.text)]
    assert not Discovery(Brief(topics=(OWLS,)), hubs=4, hits=0).asks()


def searched(hits: list[str], parents: dict[str, list[str]]) -> tuple[Evidence, list[Link]]:
    """A strategy that looked for owls, and where it begins."""
    strategy = Evidence(Brief(topics=(OWLS,)), search=len(hits))
    [ask] = strategy.asks()
    assert (ask.kind, ask.url) == ("search", OWLS.text) and not list(strategy.answered(ask, hits))
    asks = list(strategy.asks())
    assert asks == [Ask("backlinks", url, 100) for url in hits]
    return strategy, [link for ask in asks for link in strategy.answered(ask, parents.get(ask.url, []))]


def told(strategy: Evidence, begun: list[Link]) -> tuple[float, float]:
    """How likely a page is that shares words with the hits only, before and after they are read."""
    words = page("http://c.example/", "pellets voles meadow")

    def likely() -> float:
        return strategy._model.probability(strategy._model.document(words.terms))

    before = likely()
    for link in begun:
        terms = dict.fromkeys(["owl", "night", "pellets", "voles", "ears", "meadow"], 1)
        list(strategy.visit(Page(link, link.url, status=200, terms=terms), Verdict()))
    return before, likely()


def test_hits_come_first_and_their_hubs_after_the_seeds() -> None:
    """Once it is known who links to them."""
    strategy, begun = searched(HITS, {HITS[0]: [HUB], HITS[1]: [HUB, OTHER]})
    [seed] = strategy.seed([Link("http://seed.example/")])
    assert [link.url for link in begun] == [*HITS, HUB]
    first, second, hub = (link.priority for link in begun)
    assert first > second > seed.priority > hub > 10


def test_what_vouched_hits_say_counts_as_wanted() -> None:
    """Three that one page links to, or all where no back-links are known; not hits that have nothing in common."""
    hits = [*HITS, "http://d.example/"]
    before, after = told(*searched(hits, {url: [HUB] for url in hits}))
    assert after > before + 0.2
    before, after = told(*searched(hits, {}))
    assert after > before + 0.2
    before, after = told(*searched(hits, {url: [url + "parent"] for url in hits}))
    assert after <= before


def test_what_was_found_is_kept() -> None:
    """A round trip through plain data changes nothing, now or when the model looks anew."""
    hits = [*HITS, "http://d.example/"]
    strategy, begun = searched(hits, {url: [HUB] for url in hits})
    _, after = told(strategy, begun)
    again = Evidence(Brief(topics=(OWLS,)), search=3)
    again.restore(json.loads(json.dumps(strategy.state())))
    assert told(again, [])[0] == after
    for one in (strategy, again):
        one._model.refit()
    assert told(again, [])[0] == told(strategy, [])[0]
