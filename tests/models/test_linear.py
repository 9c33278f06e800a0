"""The linear classifiers of 004 §4.1, and the alternatives of 002 §7, against hand-made cases and their own optimum."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.models import linear
from pinakes.models.linear import Linear, Table
from pinakes.models.samples import Sample

SAMPLE = Sample(
    positives=({"owl": 3, "egg": 1}, {"owl": 1, "nest": 2}, {"owl": 2, "the": 1}),
    negatives=({"loom": 2, "the": 3}, {"loom": 1}, {"treaty": 2, "egg": 1}, {"treaty": 1, "the": 1}),
)


def drawn(rows: list[list[float]], classes: list[float]) -> Table:
    features = [f"f{at}" for at in range(len(rows[0]))]
    return Table(np.array(rows), np.array(classes), features, dict.fromkeys(features, 1.0), "at")


def test_correlation_coefficient() -> None:
    """Ng, Goh and Low's: the signed square root of chi-square; 1·√N for a perfect feature."""
    found = linear.correlation(SAMPLE)
    assert found["owl"] == pytest.approx(sqrt(7))
    # `the` is on 1 of 3 and 2 of 4 pages
    assert found["the"] == pytest.approx((1 * 2 - 2 * 2) * sqrt(7 / (3 * 4 * 3 * 4)))
    assert found["loom"] < 0 and "" not in found


def test_the_best_features_are_taken() -> None:
    """The 50 of 004, or fewer."""
    data = linear.table(SAMPLE, features=2)
    assert data.features[0] == "owl" and len(data.features) == 2
    assert data.rows.shape == (7, 2) and data.classes.tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_rocchio_by_hand() -> None:
    """16 × the positives' mean less 4 × the negatives', negative weights zeroed, at length 1."""
    model = linear.rocchio(drawn([[1.0, 0.0, 1.0], [0.0, 0.5, 1.0], [0.0, 1.0, 4.0]], [1, 1, 0]))
    raw = {"f0": 16 * 0.5, "f1": 16 * 0.25 - 4 * 1.0, "f2": 16 * 1.0 - 4 * 4.0}
    assert raw["f1"] == raw["f2"] == 0
    assert model.weights == pytest.approx({"f0": 1.0})


def test_widrow_hoff_by_hand() -> None:
    """w ← w − 2η(w·x − y)x with η = 1/(4X²); the answer is the mean of all the w, the first included."""
    model = linear.widrow_hoff(drawn([[1.0, 0.0], [1.0, 1.0]], [1, 0]), [0, 1])
    rate = 1 / (4 * 2)
    first = np.array([2 * rate, 0.0])
    second = first - 2 * rate * (first @ np.array([1.0, 1.0]) - 0) * np.array([1.0, 1.0])
    mean = (first + second) / 3
    assert [model.weights["f0"], model.weights["f1"]] == pytest.approx(mean.tolist())


def test_exponentiated_gradient_by_hand() -> None:
    """w ← w·exp(−2η(w·x − y)x) at sum 1, η = 2/(3R²), from equal weights; the answer is the mean of all the w."""
    model = linear.exponentiated_gradient(drawn([[1.0, 0.0]], [1]), [0])
    up = 0.5 * exp(2 * (2 / 3) * 0.5)
    w = np.array([up, 0.5]) / (up + 0.5)
    mean = (np.array([0.5, 0.5]) + w) / 2
    assert [model.weights["f0"], model.weights["f1"]] == pytest.approx(mean.tolist())
    assert sum(model.weights.values()) == pytest.approx(1)


def test_logistic_regression_is_at_its_optimum() -> None:
    """Where ½|w|² + Σ ln(1 + exp(−y(w·x + b))) is least, its slope is nothing."""
    data = linear.table(SAMPLE)
    model = linear.logistic(data)
    w = np.array([model.weights.get(term, 0.0) for term in data.features])
    signs = 2 * data.classes - 1
    wrong = 1 / (1 + np.exp(signs * (data.rows @ w + model.bias)))
    assert w - data.rows.T @ (signs * wrong) == pytest.approx(np.zeros(len(w)), abs=1e-6)
    assert float(np.sum(signs * wrong)) == pytest.approx(0, abs=1e-6)


def test_support_vectors_are_at_their_optimum() -> None:
    """The primal and the dual of the machine have the same value: no other w is better."""
    data = linear.table(SAMPLE)
    model = linear.support_vectors(data, cost=0.5)
    rows = np.column_stack([data.rows, np.ones(len(data.rows))])
    w = np.array([*(model.weights.get(term, 0.0) for term in data.features), model.bias])
    signs = 2 * data.classes - 1
    primal = 0.5 * w @ w + 0.5 * np.maximum(0, 1 - signs * (rows @ w)).sum()
    for _ in range(200):
        other = w + np.random.default_rng(_).normal(scale=0.05, size=len(w))
        assert 0.5 * other @ other + 0.5 * np.maximum(0, 1 - signs * (rows @ other)).sum() >= primal - 1e-6


@pytest.mark.parametrize("train", ["rocchio", "widrow_hoff", "exponentiated_gradient", "logistic", "support_vectors"])
def test_all_of_them_tell_the_classes_apart(train: str) -> None:
    """On pages that a single word separates."""
    data = linear.table(SAMPLE, features=3)
    order = list(range(7))
    learn = getattr(linear, train)
    model = learn(data, order) if train in ("widrow_hoff", "exponentiated_gradient") else learn(data)
    values = [model.value(page) for page in SAMPLE.documents]
    assert min(values[:3]) > max(values[3:])


def test_threshold_of_best_f1() -> None:
    """Taking the first three finds all positives with one mistake (F1 .8), the first alone gives F1 2/3."""
    values = [(0.9, True), (0.8, False), (0.7, True), (0.1, False)]
    assert linear.best_f1(values) == pytest.approx(0.4)
    assert linear.best_f1([(0.9, True), (0.2, False)]) == pytest.approx(0.55)
    assert linear.best_f1([]) == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_better(values: list[tuple[float, bool]]) -> None:
    """F1 at the answer is the best that any cut between the values gives."""

    def f1(cut: float) -> float:
        hits = sum(value >= cut and wanted for value, wanted in values)
        return 2 * hits / max(1, sum(value >= cut for value, _ in values) + sum(wanted for _, wanted in values))

    assert f1(linear.best_f1(values)) == pytest.approx(max(f1(value) for value, _ in values))


@given(st.dictionaries(st.sampled_from(["owl", "egg", "the", "unknown"]), st.integers(1, 9)))
def test_at_is_summed_without_making_the_vector(page: dict[str, int]) -> None:
    """The quick way gives what the definition does."""
    model = Linear({"owl": 2.0, "egg": -1.0}, 0.5, {"owl": 1.5, "egg": 0.7, "the": 0.1}, "at")
    whole = linear.weigh("at", page, model.rarity)
    assert model.value(page) == pytest.approx(0.5 + sum(model.weights.get(t, 0) * w for t, w in whole.items()))


def test_page_length_is_that_of_the_whole_vocabulary() -> None:
    """A page of which the features are a small part gets a small value."""
    model = linear.rocchio(linear.table(SAMPLE, features=1))
    short, long = {"owl": 1}, {"owl": 1, "loom": 1, "treaty": 1, "egg": 1}
    assert model.value(short) == pytest.approx(1.0) and model.value(long) < 0.7
    assert log(model.value(short)) == pytest.approx(0)
