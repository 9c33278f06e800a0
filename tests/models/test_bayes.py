"""Naive Bayes against cases worked out by hand."""

from __future__ import annotations

import json
from math import erf, exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.models.bayes import LEAST, Gaussian, gaussian, multinomial, posterior, word_log_probabilities
from pinakes.models.linear import Linear
from pinakes.models.samples import Sample

SAMPLE = Sample(
    positives=({"owl": 2, "egg": 1}, {"owl": 1}),
    negatives=({"loom": 1}, {"loom": 2, "egg": 2}, {"loom": 1}, {"owl": 1, "loom": 3}),
)
pages = st.dictionaries(st.sampled_from(["owl", "egg", "loom", "other"]), st.integers(1, 9))


def normal(z: float) -> float:
    return 0.5 * (1 + erf(z / sqrt(2)))


def test_words_are_smoothed_by_equation_4_of_001() -> None:
    """(1 + occurrences in the class) / (|V| + all occurrences in the class)."""
    found = word_log_probabilities([{"owl": 2, "egg": 1}, {"owl": 1, "stranger": 7}], ["owl", "egg", "loom"])
    assert {word: exp(value) for word, value in found.items()} == pytest.approx(
        {"owl": 4 / 7, "egg": 2 / 7, "loom": 1 / 7}
    )
    assert word_log_probabilities([{"owl": 2}], []) == {}


def test_multinomial_by_hand() -> None:
    """Counts are the at weights of eq. 3.1; the odds of the classes are smoothed; unknown words say nothing."""
    rarity = {"owl": log(6 / 3), "egg": log(6 / 2), "loom": log(6 / 4)}
    owl, egg, loom = rarity["owl"], rarity["egg"], rarity["loom"]
    positive = {"owl": owl + owl, "egg": 0.75 * egg, "loom": 0.0}
    negative = {"owl": (0.5 + 0.5 / 3) * owl, "egg": egg, "loom": 4 * loom}
    log_ratio = {
        word: log((1 + positive[word]) / (3 + sum(positive.values())))
        - log((1 + negative[word]) / (3 + sum(negative.values())))
        for word in rarity
    }
    model = multinomial(SAMPLE)
    page = {"owl": 2, "loom": 1, "unknown": 1}
    by_hand = log(3 / 5) + owl * log_ratio["owl"] + 0.75 * loom * log_ratio["loom"]
    assert model.value(page) == pytest.approx(by_hand)
    assert model.words(9)[0] == ("owl", pytest.approx(log_ratio["owl"]))
    assert "loom" not in dict(model.words(9))


def test_gaussian_by_hand() -> None:
    """Weka's: a term's precision is the mean step between its values, which are rounded to it; the deviation is at
    least a sixth of that; the probability is the mass within half a precision of the value."""
    sample = Sample(positives=({"owl": 1}, {"owl": 1}), negatives=({"egg": 1}, {"egg": 1, "owl": 1}))
    idf = log(4 / 3)
    model = gaussian(sample)
    assert model.mean[0][0] == pytest.approx(idf) and model.mean[1][0] == pytest.approx(idf / 2)
    assert model.deviation[0][0] == pytest.approx(idf / 6) and model.deviation[1][0] == pytest.approx(idf / 2)
    owl = log(normal(3) - normal(-3)) - log(normal(2) - normal(0))
    egg = log(normal(3) - normal(-3)) - log(normal(-3) - normal(-9))  # every negative page has one
    assert model.value({"owl": 1}) == pytest.approx(log(3 / 3) + owl + egg)


def test_gaussian_takes_no_probability_for_less_than_weka_does() -> None:
    """A term that no positive page has costs at most ln 1e-75."""
    sample = Sample(positives=({"owl": 1}, {"owl": 1}), negatives=({"a": 1, "b": 9}, {"a": 9, "b": 1}, {"a": 4}))
    model = gaussian(sample)
    assert model._log_probability(0, model._number["a"], 40) == LEAST


@given(pages)
def test_plain_data_makes_the_same_model(page: dict[str, int]) -> None:
    """Both forms survive JSON."""
    for model, made in ((multinomial(SAMPLE), Linear), (gaussian(SAMPLE), Gaussian)):
        again = made(**json.loads(json.dumps(model.plain())))
        assert again.value(page) == pytest.approx(model.value(page))


@given(st.floats(-1e6, 1e6))
def test_posterior_is_a_probability(odds: float) -> None:
    assert 0 <= posterior(odds) <= 1
    assert posterior(odds) + posterior(-odds) == pytest.approx(1)
