"""Best-first, 004 §6.1 and figure 2, step by step; best-N-first."""

from __future__ import annotations

from math import sqrt

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.core.parameters import build, parameters_of
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.best_first import BestFirst, BestNFirst
from pinakes.testing.toy import ToyWeb
from pinakes.testing.trial import Trial

A, B, C, D, E, F = (f"http://{name}.example/" for name in "abcdef")
BRIEF = Brief(topics=(Topic("owl falcon"),))
WEB = {
    A: ("owl owl stone", [C, D]),
    B: ("stone falcon stone stone", [E]),
    C: ("falcon and the owl", [F]),
    D: ("stone", [B]),
    E: "stone",
    F: "stone",
}
SIMILAR_TO_A = 2 / sqrt(2 * 5)
"""004 eq. 1 by hand: the topic is (owl 1, falcon 1), page A (owl 2, stone 1)."""
SIMILAR_TO_B = 1 / sqrt(2 * 10)


def crawl(strategy: BestFirst, web: ToyWeb | None = None) -> Trial:
    return Trial(web or ToyWeb(WEB), strategy, CosineJudge(BRIEF), [A, B]).go()


def test_a_link_costs_the_cosine_of_its_page() -> None:
    """Figure 2: the links of A before that of B, and that of C, which is all about the topic, before D."""
    trial = crawl(BestFirst(BRIEF))
    assert trial.order == [A, B, C, F, D, E]
    prices = {step.url: step.price for step in trial.steps}
    assert prices[C] == prices[D] == pytest.approx(SIMILAR_TO_A)
    assert prices[E] == pytest.approx(SIMILAR_TO_B)
    assert prices[F] == pytest.approx(1.0)


def test_the_worst_link_goes_beyond_max_buffer() -> None:
    """Figure 2's MAX_BUFFER: with room for two, D goes when A is read and E when C is."""
    trial = crawl(BestFirst(BRIEF, limit=2), ToyWeb({**WEB, C: ("falcon and the owl", [F, D])}))
    assert trial.order == [A, B, C, F, D]
    assert [data for kind, data in trial.journal.notes if kind == "dropped"][:2] == [
        ["evicted", [D]],
        ["evicted", [E]],
    ]
    assert trial.frontier.most == 2


def test_a_link_met_again_on_a_better_page_moves_up() -> None:
    """E waits at B's price until A links to it too."""
    web = ToyWeb({B: ("stone falcon stone stone", [A, E, D]), A: ("owl falcon", [E]), D: "stone", E: "stone"})
    trial = Trial(web, BestFirst(BRIEF), CosineJudge(BRIEF), [B]).go()
    assert [(step.url, round(step.price, 4)) for step in trial.steps][2:] == [(E, 1.0), (D, round(SIMILAR_TO_B, 4))]


def test_the_nearest_of_several_topics_counts() -> None:
    brief = Brief(topics=(Topic("owl falcon"), Topic("stone")))
    trial = Trial(ToyWeb(WEB), BestFirst(brief), CosineJudge(brief), [A, B]).go()
    prices = {step.url: step.price for step in trial.steps}
    assert prices[E] == pytest.approx(3 / sqrt(10))


def test_rare_terms_may_weigh_more() -> None:
    """By term frequencies the page of many stones is the better one, by TF-IDF that of the rarer owl."""
    brief = Brief(topics=(Topic("owl stone"),), background={"": 100, "owl": 1, "stone": 90})
    pages = [Page(Link(A), A, terms=terms, links=(Link(B),)) for terms in ({"owl": 1}, {"stone": 4, "owl": 1})]
    tf, idf = (
        [next(iter(BestFirst(brief, weights=weights).visit(page, Verdict(0.0)))).priority for page in pages]
        for weights in ("tf", "tf-idf")
    )
    assert tf[0] < tf[1] and idf[0] > idf[1]


def test_best_n_first_chooses_n_links_before_it_reads_any() -> None:
    """C and D are claimed together, so F, which C leads to, comes after D."""
    assert crawl(BestNFirst(BRIEF, n=2)).order == [A, B, C, D, F, E]
    assert crawl(BestNFirst(BRIEF, n=1)).order == crawl(BestFirst(BRIEF)).order


def test_best_n_first_takes_n_and_no_batch() -> None:
    """n is sixteen unless told, and is the batch."""
    known = [(known.name, known.default) for known in parameters_of(BestNFirst)]
    assert known == [("limit", None), ("weights", "tf"), ("n", 16)]
    made = build(BestNFirst, "The strategy best-n-first", BRIEF, {"n": "256"})
    assert made.batch == 256
    assert BestNFirst(BRIEF).batch == 16
    with pytest.raises(PinakesError):
        BestNFirst(BRIEF, n=0)
