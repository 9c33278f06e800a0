"""The judges that learn from examples: Naive Bayes, Rocchio, Widrow-Hoff, exponentiated gradient."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.core.parameters import build, settings
from pinakes.judges.bayes import NaiveBayesJudge
from pinakes.judges.linear import EGJudge, LinearJudge, RocchioJudge, WidrowHoffJudge, scaled

JUDGES = [NaiveBayesJudge, RocchioJudge, WidrowHoffJudge, EGJudge]
LINEAR = [RocchioJudge, WidrowHoffJudge, EGJudge]


def page(terms: dict[str, int]) -> Page:
    return Page(Link("http://x.example/"), "http://x.example/", terms=terms)


BRIEF = Brief(
    topics=(Topic("birds"),),
    examples={"birds": (page({"owl": 2, "egg": 1, "the": 3}), page({"owl": 1, "nest": 2}), page({"owl": 4}))},
    negatives=tuple(page({word: 2, "the": n}) for n, word in enumerate(["loom", "treaty", "engine", "loom", "egg"], 1)),
)
pages = st.dictionaries(st.sampled_from(["owl", "egg", "loom", "the", "stranger"]), st.integers(1, 9))


@pytest.mark.parametrize("kind", JUDGES)
def test_it_tells_nuggets_from_duds(kind: type[LinearJudge]) -> None:
    """A page about owls is a nugget, one about looms is not."""
    judge = kind(BRIEF)
    assert judge.judge(page({"owl": 3, "nest": 1})).nugget
    assert not judge.judge(page({"loom": 3, "the": 1})).nugget
    assert judge.words(5)[0][0] == "owl"


@given(pages)
@pytest.mark.parametrize("kind", JUDGES)
def test_scores_are_in_the_unit_interval_and_plain_data_judges_the_same(
    kind: type[LinearJudge], terms: dict[str, int]
) -> None:
    """Made again of its own data, without the examples, by name and parameters, it says the same."""
    judge = kind(BRIEF)
    kept = json.loads(json.dumps({**settings(judge), "model": judge.plain()}))
    again = build(kind, "the judge", Brief(), kept)
    verdict = judge.judge(page(terms))
    assert 0 <= verdict.score <= 1 and verdict.nugget == (verdict.score >= judge.threshold)
    assert again.judge(page(terms)).score == pytest.approx(verdict.score)


def test_naive_bayes_scores_the_posterior() -> None:
    """Of a page without known words: that of the classes themselves, 4 to 6 by Laplace's rule."""
    assert NaiveBayesJudge(BRIEF).judge(page({"stranger": 1})).score == pytest.approx(4 / 10)
    with pytest.raises(PinakesError, match="multinomial nor gaussian"):
        NaiveBayesJudge(BRIEF, form="other")


@pytest.mark.parametrize("kind", LINEAR)
def test_half_is_the_threshold_of_best_f1(kind: type[LinearJudge]) -> None:
    """The training pages are told apart without a mistake, as a single word does."""
    judge = kind(BRIEF)
    assert all(judge.judge(example).score > 0.5 for example in BRIEF.examples["birds"])
    assert all(judge.judge(example).score < 0.5 for example in BRIEF.negatives)


@pytest.mark.parametrize("kind", LINEAR)
def test_fifty_features(kind: type[LinearJudge]) -> None:
    """No more terms weigh anything than were asked for."""
    many = {f"word{n}": 1 for n in range(200)}
    brief = replace(BRIEF, examples={"birds": (page(many), page({**many, "owl": 1}))})
    assert kind(brief).features == 50
    ((model, _),) = kind(brief).topics.values()
    assert len(model.weights) == 50
    ((model, _),) = kind(brief, features=3).topics.values()
    assert len(model.weights) == 3


def test_topics_are_judged_apart() -> None:
    """Each against the negatives; the best one speaks."""
    brief = replace(
        BRIEF,
        topics=(Topic("birds"), Topic("law")),
        examples={**BRIEF.examples, "law": (page({"court": 2}), page({"court": 1, "judge": 1}))},
    )
    verdict = RocchioJudge(brief).judge(page({"court": 1}))
    assert verdict.topic == "law" and set(verdict.scores) == {"birds", "law"} and verdict.nugget
    assert RocchioJudge(Brief()).judge(page({"court": 1})).nugget is False


@given(st.floats(-1, 2), st.floats(-0.5, 1.5))
def test_scaling_keeps_the_order_and_puts_the_cut_at_a_half(value: float, cut: float) -> None:
    assert 0 <= scaled(value, cut) <= 1
    assert (scaled(value, cut) >= 0.5) == (min(1.0, max(0.0, value)) >= min(1 - 1e-9, max(1e-9, cut)))
    assert scaled(value, cut) <= scaled(value + log(2), cut)
