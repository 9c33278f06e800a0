"""InfoSpiders, 004 §6.3 and figure 4, step by step."""

from __future__ import annotations

import json
from collections import Counter
from math import sqrt
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.infospiders import EXTINCT, REVISITING, InfoSpiders
from pinakes.testing.toy import ToyWeb
from pinakes.testing.trial import Trial

A, B, C, D, E = (f"http://{name}.example/" for name in "abcde")
TOPIC = (Topic("owl falcon"),)
HALF = {"owl": 1, "stone": 1}
"""Similarity to the topic by eq. 1: 1 / √(2 · 2) = .5."""
ALL = {"owl": 1, "falcon": 1}
NONE = {"stone": 1}


def brief(pages: int = 100, random_state: int = 0) -> Brief:
    return Brief(topics=TOPIC, pages=pages, random_state=random_state)


def page(url: str, terms: dict[str, int], links: list[str], revisit: bool = False, **more: Any) -> Page:
    found = tuple(Link(to, parent=url, depth=1) for to in links)
    return Page(Link(url), url, status=200, terms=terms, links=found, revisit=revisit, **more)


def agents(strategy: InfoSpiders) -> list[dict[str, Any]]:
    plain: list[dict[str, Any]] = strategy.state()["agents"]
    return plain


def energies(strategy: InfoSpiders) -> list[float]:
    return [agent["energy"] for agent in agents(strategy)]


def goals(links: Any) -> list[str]:
    return [link.url for link in links]


def test_one_agent_a_seed_with_half_of_theta() -> None:
    """Figure 4: energy Θ/2 = 1; cost n Θ / (2 MAX_PAGES) = 2 · 2 / 200 = .02; situating costs nothing."""
    strategy = InfoSpiders(brief(pages=100))
    assert goals(strategy.seed([Link(A), Link(B)])) == [A, B]
    assert [agent["keywords"] for agent in agents(strategy)] == [["falcon", "owl"]] * 2
    strategy.visit(page(A, ALL, [C]), Verdict())
    assert energies(strategy) == [1.0, 1.0]
    assert strategy.state()["counts"][0] == pytest.approx(0.02)


def test_energy_step_by_step() -> None:
    """1, then + .5 − .01, then a page of nothing: − .01."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A)])
    assert goals(strategy.visit(page(A, NONE, [B]), Verdict())) == [B]
    assert goals(strategy.visit(page(B, HALF, [C]), Verdict())) == [C]
    assert energies(strategy) == pytest.approx([1.49])
    strategy.visit(page(C, NONE, [D]), Verdict())
    assert energies(strategy) == pytest.approx([1.48])


def test_an_agent_of_theta_splits() -> None:
    """1.49 + 1 − .01 = 2.48 ≥ 2: both have 1.24, and the young one exchanged `falcon` for `nest`."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A)])
    strategy.visit(page(A, NONE, [B]), Verdict())
    strategy.visit(page(B, HALF, [C]), Verdict())
    links = strategy.visit(page(C, {"owl": 3, "falcon": 2, "nest": 1}, [D, E]), Verdict())
    similarity = 5 / sqrt(2 * 14)
    assert energies(strategy) == pytest.approx([(1.48 + similarity) / 2] * 2)
    assert [agent["keywords"] for agent in agents(strategy)] == [["falcon", "owl"], ["nest", "owl"]]
    assert set(goals(links)) <= {D, E} and len(goals(links)) == 2


def test_nobody_splits_beyond_the_greatest_population() -> None:
    strategy = InfoSpiders(brief(pages=100), agents=1)
    strategy.seed([Link(A)])
    for url, after in ((A, B), (B, C), (C, D)):
        strategy.visit(page(url, ALL, [after]), Verdict())
    assert energies(strategy) == pytest.approx([2.98])


def test_an_agent_without_energy_dies_and_the_last_ends_the_crawl() -> None:
    """MAX_PAGES 2, one seed: cost .5, so that two pages of nothing use up the energy of 1."""
    strategy = InfoSpiders(brief(pages=2))
    strategy.seed([Link(A)])
    strategy.visit(page(A, ALL, [B]), Verdict())
    strategy.visit(page(B, NONE, [C]), Verdict())
    assert (energies(strategy), strategy.ended) == ([0.5], "")
    assert not list(strategy.visit(page(C, NONE, [D]), Verdict()))
    assert (energies(strategy), strategy.ended) == ([], EXTINCT)


def test_a_page_visited_again_gains_nothing_and_costs_a_tenth() -> None:
    """The frontier says B was visited; the agent asks for it and pays .001 instead of .01."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A)])
    strategy.visit(page(A, NONE, [B]), Verdict())
    assert list(strategy.asks()) == []
    strategy.dropped([B], "visited")
    assert [(ask.kind, ask.url) for ask in strategy.asks()] == [("revisit", B)]
    strategy.visit(page(B, ALL, [C], revisit=True), Verdict())
    assert energies(strategy) == pytest.approx([0.999])


def test_agents_that_want_one_page_share_it() -> None:
    """Two agents pick C: it comes home once, one gains from it, the other pays a tenth."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A), Link(B)])
    for url in (A, B):
        assert goals(strategy.visit(page(url, NONE, [C]), Verdict())) == [C]
    assert goals(strategy.visit(page(C, HALF, [D]), Verdict())) == [D, D]
    assert sorted(energies(strategy)) == pytest.approx([1 - 0.002, 1 + 0.5 - 0.02])


def test_a_page_that_is_on_its_way_to_another_agent_is_shared() -> None:
    """The frontier refuses C because it is being fetched for the first agent; the second does not ask for it again."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A), Link(B)])
    strategy.visit(page(A, NONE, [C]), Verdict())
    strategy.visit(page(B, NONE, [C]), Verdict())
    strategy.dropped([C], "visited")
    assert list(strategy.asks()) == []
    strategy.visit(page(C, HALF, [D]), Verdict())
    assert [agent["goal"] for agent in agents(strategy)] == [D, D]


def test_the_net_learns_what_the_link_was_worth() -> None:
    """The link to B has `owl` beside it; B is worth nothing, so the agent thinks less of `owl` afterwards."""
    strategy = InfoSpiders(brief(pages=100))
    strategy.seed([Link(A)])
    link = Link(B, parent=A, depth=1, at=1, anchor="B")
    strategy.visit(Page(Link(A), A, terms=HALF, words=("owl", "b"), links=(link,)), Verdict())
    assert agents(strategy)[0]["inputs"] == [0.0, 1.0]
    strategy.visit(page(B, NONE, [C]), Verdict())
    falcon, owl, bias = agents(strategy)[0]["net"][0][0]
    assert falcon == 1.0
    assert owl < 1.0
    assert bias == pytest.approx(owl - 1.0)


def test_at_a_dead_end_the_agent_goes_back_to_its_last_page() -> None:
    """B has no links: the agent reads A again at a tenth of the cost and takes the link that is left."""
    web = ToyWeb({A: ("stone", [B, C]), B: "stone", C: ("stone", [D]), D: ("stone", [A])})
    strategy = InfoSpiders(brief(pages=100))
    trial = Trial(web, strategy, CosineJudge(brief()), [A]).go(pages=4)
    assert [url for url in trial.order if url != B] == [A, C, D]
    if B in trial.order:
        assert ("revisit", A) in trial.journal.notes


def test_from_a_page_that_failed_the_agent_goes_back_and_does_not_try_it_again() -> None:
    web = ToyWeb({A: ("stone", [B, C]), C: ("stone", [D]), D: ("stone", [A])}, errors={B: "timeout"})
    for random_state in range(4):
        given = brief(100, random_state)
        trial = Trial(web, InfoSpiders(given), CosineJudge(given), [A]).go(pages=3)
        assert [step.url for step in trial.steps if step.outcome == "ok"] == [A, C, D]


def test_an_agent_with_nowhere_to_go_back_to_dies() -> None:
    trial = Trial(ToyWeb({A: "owl"}), InfoSpiders(brief()), CosineJudge(brief()), [A, B]).go()
    assert (trial.order, trial.stopped) == ([A, B], EXTINCT) or (trial.order, trial.stopped) == ([B, A], EXTINCT)


def test_agents_may_die_where_they_are_stranded() -> None:
    """At a dead end as on a page that failed; the crawl ends with the last of them."""
    web = ToyWeb({A: ("stone", [B]), B: "stone", C: ("stone", [D])}, errors={D: "timeout"})
    strategy = InfoSpiders(brief(), stranded="die")
    trial = Trial(web, strategy, CosineJudge(brief()), [A, C]).go()
    assert (sorted(trial.order), trial.stopped) == ([A, B, C, D], EXTINCT)
    assert ("revisit", A) not in trial.journal.notes


def test_a_link_out_of_scope_makes_the_agent_choose_again_at_no_cost() -> None:
    web = ToyWeb({A: ("stone", [B, C]), C: ("stone", [D])})
    strategy = InfoSpiders(brief(pages=100))
    trial = Trial(web, strategy, CosineJudge(brief()), [A], scope=[B]).go(pages=2)
    assert trial.order == [A, C]
    assert energies(strategy) == pytest.approx([0.99])


def test_redirects_lead_agents_on() -> None:
    """B leads to C on another host, and E is another name for C: the agents get there all the same."""
    web = ToyWeb({A: ("stone", [B]), D: ("stone", [E]), C: ("owl", [A])}, redirects={B: C, E: C})
    strategy = InfoSpiders(brief(pages=10), deliveries=1)
    trial = Trial(web, strategy, CosineJudge(brief()), [A, D]).go(pages=10)
    assert set(trial.order) == {A, C, D}
    assert Counter(web.fetched)[C] == 1
    assert [agent["trail"][:2] for agent in agents(strategy)] == [[A, C], [D, C]]


def test_agents_that_only_revisit_end_the_crawl() -> None:
    """Two pages that link to each other and nothing else: after 10 × 5 deliveries it is enough."""
    web = ToyWeb({A: ("stone", [B]), B: ("owl", [A])})
    trial = Trial(web, InfoSpiders(brief(pages=5)), CosineJudge(brief()), [A]).go(pages=5)
    assert trial.stopped == REVISITING
    assert trial.order == [A, B]


def test_each_turn_a_random_agent_moves() -> None:
    """Four agents on roads of their own: over 400 turns each moves about as often as the others."""
    roads = {
        f"http://{host}.example/{n}": ("stone", [f"http://{host}.example/{n + 1}"])
        for host in "abcd"
        for n in range(450)
    }
    trial = Trial(
        ToyWeb(roads),
        InfoSpiders(brief(pages=100_000)),
        CosineJudge(brief()),
        [f"http://{h}.example/0" for h in "abcd"],
    )
    trial.go(pages=404)
    moves = Counter(url[7] for url in trial.order)
    assert sum(moves.values()) == 404
    assert all(70 <= moves[host] <= 132 for host in "abcd"), moves
    longest = max(len(run) for run in "".join(url[7] for url in trial.order).replace("b", "x").split("x"))
    assert longest > 4


def test_other_random_states_take_other_ways() -> None:
    fork = {A: ("stone", [f"http://{n}.example/" for n in range(20)])}
    chosen = set()
    for random_state in range(5):
        strategy = InfoSpiders(brief(100, random_state))
        strategy.seed([Link(A)])
        chosen.update(goals(strategy.visit(ToyWeb(fork).page(A), Verdict())))
    assert len(chosen) > 1


def test_the_fuller_original_runs() -> None:
    """With a hidden layer, Q-learning and its own keywords as the measure it goes elsewhere, and restores."""
    strategy = InfoSpiders(brief(), net="multi-layer", hidden=3, learning="q", predict="keywords")
    strategy.seed([Link(A)])
    strategy.visit(page(A, HALF, [B, C]), Verdict())
    goal = agents(strategy)[0]["goal"]
    before = agents(strategy)[0]["net"]
    assert [len(layer) for layer in before] == [3, 1]
    strategy.visit(page(goal, HALF, [D]), Verdict())
    assert agents(strategy)[0]["net"] != before
    other = InfoSpiders(brief(), net="multi-layer", hidden=3, learning="q", predict="keywords")
    other.restore(json.loads(json.dumps(strategy.state())))
    assert json.dumps(other.state()) == json.dumps(strategy.state())


def test_q_learning_looks_one_page_further() -> None:
    """The same dud teaches less distrust when a link on it promises something."""
    weights = {}
    for learning in ("one-step", "q"):
        strategy = InfoSpiders(brief(), learning=learning)
        strategy.seed([Link(A)])
        near = Link(B, parent=A, depth=1, at=1, anchor="B")
        strategy.visit(Page(Link(A), A, terms=HALF, words=("owl", "b"), links=(near,)), Verdict())
        onward = Link(C, parent=B, depth=2, at=1, anchor="C")
        strategy.visit(Page(near, B, terms=NONE, words=("owl", "c"), links=(onward,)), Verdict())
        weights[learning] = agents(strategy)[0]["net"][0][0][1]
    assert weights["one-step"] < weights["q"]


@pytest.mark.parametrize(
    "wrong", [{"net": "deep"}, {"learning": "none"}, {"predict": "x"}, {"temperature": 0}, {"theta": 0}]
)
def test_parameters_that_cannot_work_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(PinakesError):
        InfoSpiders(brief(), **wrong)
