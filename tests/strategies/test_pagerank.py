"""PageRank as a strategy, 004 §6.2 and figure 3, step by step."""

from __future__ import annotations

import json

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.pagerank import PageRank
from pinakes.testing.toy import ToyWeb
from pinakes.testing.trial import Trial

S, T, X, Y, Z, IN = (
    "http://s.example/",
    "http://t.example/",
    "http://x.example/",
    "http://y.example/",
    "http://z.example/",
    "http://s.example/in",
)
BRIEF = Brief(topics=(Topic("owl falcon"),))


def page(url: str, links: list[str], price: float = 1.0, **terms: int) -> Page:
    found = tuple(Link(to, parent=url, depth=1) for to in links)
    return Page(Link(url, priority=price), url, status=200, terms=terms or {"stone": 1}, links=found)


def prices(links: object) -> dict[str, float]:
    return {link.url: link.priority for link in links}  # type: ignore[attr-defined]


def test_every_outlink_enters_the_frontier_unranked_until_ranks_are_recomputed() -> None:
    """Figure 3 enqueues new links without a rank: each is worth what a page that nobody links to is, 1 − γ at first."""
    strategy = PageRank(BRIEF, every=1)
    assert prices(strategy.visit(page(S, [X, Y, IN]), Verdict())) == pytest.approx(dict.fromkeys((X, Y, IN), 0.2))
    x, inside = strategy.reprice([X, IN])
    assert x > inside
    assert prices(strategy.visit(page(T, [X, Z]), Verdict())) == pytest.approx({X: x, Z: inside})


def test_on_a_web_of_one_domain_all_links_can_count() -> None:
    """S's own link to the same host counts as the others do."""
    strategy = PageRank(BRIEF, links="all", every=1)
    strategy.visit(page(S, [X, Y, IN, IN]), Verdict())
    x, y, inside = strategy.reprice([X, Y, IN])
    assert x == pytest.approx(y) == pytest.approx(inside)


def test_recomputed_ranks_by_hand() -> None:
    """Buffered: S -> X, S -> Y. The sinks X and Y link to all three pages of the buffered web.

    s = .2 + .8 · 2x/3 and x = s + .8 s/2 = 1.4 s, so s = .2 / (1 − .8 · 2.8/3) = .789474 and x = 1.105263. A link that
    no buffered page counts has what a page without in-links has, which is s.
    """
    strategy = PageRank(BRIEF, every=1, convergence=1e-12)
    strategy.visit(page(S, [X, Y, IN]), Verdict())
    assert strategy.stale
    assert strategy.reprice([X, IN, Y]) == pytest.approx([1.105263, 0.789474, 1.105263], abs=1e-6)
    assert not strategy.stale


def test_a_page_linked_to_more_often_ranks_higher() -> None:
    """T links to X too: X leads, then Y; and S, which nobody links to, has the least."""
    strategy = PageRank(BRIEF, every=2)
    strategy.visit(page(S, [X, Y]), Verdict())
    assert not strategy.stale
    strategy.visit(page(T, [X]), Verdict())
    x, y, z = strategy.reprice([X, Y, Z])
    assert x > y > z


def test_ranks_are_recomputed_every_25_pages() -> None:
    """Figure 3's multiples of 25, failures not counted."""
    strategy = PageRank(BRIEF)
    stale = []
    for number in range(60):
        url = f"http://h{number}.example/"
        stale.append(strategy.stale)
        strategy.reprice([])
        if number % 6 == 5:
            strategy.visit(Page(Link(url), url, error="timeout"), Verdict())
        strategy.visit(page(url, [X]), Verdict())
    assert [number for number, was in enumerate(stale) if was] == [25, 50]


def test_the_least_similar_page_leaves_a_full_buffer() -> None:
    """Figure 3: a new page always enters; of the others the one least like the topic goes, by eq. 1."""
    strategy = PageRank(BRIEF, buffer=2)
    strategy.visit(page(S, [X], owl=1, falcon=1), Verdict())
    strategy.visit(page(T, [Y], owl=1, stone=3), Verdict())
    strategy.visit(page(Z, [IN]), Verdict())
    held = {url: similarity for url, similarity, _ in strategy.state()["buffer"]}
    assert held == pytest.approx({S: 1.0, Z: 0.0})


def test_a_whole_crawl() -> None:
    """Both hubs point at X, one at Y: once ranks are computed X comes before Y, although it was met later. Z, met on X
    since, has no rank yet and waits behind Y."""
    web = ToyWeb(
        {
            S: ("first hub", [Y, X]),
            T: ("second hub", [X]),
            X: ("much linked", [Z]),
            Y: ("less linked", []),
            Z: ("behind the much linked", []),
        }
    )
    trial = Trial(web, PageRank(BRIEF, every=2), CosineJudge(BRIEF), [S, T]).go()
    assert trial.order == [S, T, X, Y, Z]
    assert [data for kind, data in trial.journal.notes if kind == "reprice"] == [2, 1]


def test_beyond_the_limit_the_least_ranked_link_goes() -> None:
    """MAX_BUFFER links: Z, the last of the new ones that have no rank yet, makes room."""
    web = ToyWeb({S: ("hub", [X, Y]), X: ("x", [IN, Z]), Y: "y", IN: "in", Z: "z"})
    trial = Trial(web, PageRank(BRIEF, limit=2, every=1), CosineJudge(BRIEF), [S]).go()
    assert trial.order == [S, X, IN, Y]


def test_state_is_plain_and_whole() -> None:
    """A restored strategy has the same prices, also those of links met since the last recomputation."""
    strategy = PageRank(BRIEF, every=2)
    strategy.visit(page(S, [X, Y]), Verdict())
    strategy.visit(page(T, [X]), Verdict())
    strategy.reprice([])
    strategy.visit(page(Z, [IN], price=1.7), Verdict())
    other = PageRank(BRIEF, every=2)
    other.restore(json.loads(json.dumps(strategy.state())))
    urls = [S, T, X, Y, Z, IN]
    assert list(other.reprice(urls)) == list(strategy.reprice(urls))
    unknown, met_since = other.reprice(["http://unknown.example/", IN])
    assert met_since == unknown < other.reprice([X])[0]


@pytest.mark.parametrize("wrong", [{"links": "some"}, {"damping": 1.0}, {"buffer": 0}, {"convergence": 0.0}])
def test_parameters_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PinakesError):
        PageRank(BRIEF, **wrong)  # type: ignore[arg-type]
