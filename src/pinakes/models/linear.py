"""Linear models of a topic, and how the papers train them.

A linear model's value for a page is the sum of its terms' weights, each times the term's weight on the page.
004 §4.1 names Rocchio, Widrow-Hoff and exponentiated gradient and refers to Lewis, Schapire, Callan and Papka,
*Training algorithms for linear text classifiers* (SIGIR 1996), for them; its features are the 50 best by Ng, Goh and
Low's correlation coefficient (SIGIR 1997), its threshold the one of best F1 on the training pages.
Support vector machines and logistic regression are the alternatives 002 §7 wished to try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pinakes.models.samples import Sample
from pinakes.text.weights import Counts, Weights, at, atc, frequencies_of, idfs, ltc, strongest

Matrix = NDArray[np.float64]

WEIGHTINGS: Mapping[str, Callable[[Counts, Mapping[str, float]], Weights]] = {"at": at, "atc": atc, "ltc": ltc}


def weigh(weighting: str, counts: Counts, rarity: Mapping[str, float]) -> Weights:
    return WEIGHTINGS[weighting](counts, rarity)


class Classifier(Protocol):
    """A model that sets pages of a class apart from others."""

    @property
    def rarity(self) -> Mapping[str, float]:
        """The idf of every term of the vocabulary."""

    def value(self, counts: Counts) -> float:
        """How much a page is of the class."""

    def words(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak most for the class, the strongest first."""

    def plain(self) -> dict[str, Any]:
        """The model as plain data."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A weight for each term, and what is added whatever the page."""

    weights: Mapping[str, float]
    bias: float
    rarity: Mapping[str, float]
    """The idf of every term of the vocabulary, be it among the weights or not."""
    weighting: str = "atc"
    _joint: Mapping[str, float] = field(init=False, repr=False, compare=False)
    """Weight times idf, for weightings that are not brought to length 1."""

    def __post_init__(self) -> None:
        joint = {term: weight * self.rarity[term] for term, weight in self.weights.items()}
        object.__setattr__(self, "_joint", joint)

    def value(self, counts: Counts) -> float:
        if self.weighting == "at":
            return self.bias + self._at(counts)
        get = self.weights.get
        page = WEIGHTINGS[self.weighting](counts, self.rarity)
        return self.bias + sum(weight * get(term, 0.0) for term, weight in page.items())

    def _at(self, counts: Counts) -> float:
        """The sum over the page's *at* weights, without making them one by one."""
        get = self._joint.get
        most = max(counts.values(), default=1)
        return sum((0.5 + 0.5 * count / most) * get(term, 0.0) for term, count in counts.items())

    def words(self, n: int) -> list[tuple[str, float]]:
        return [(term, self.weights[term]) for term in strongest(self.weights, n) if self.weights[term] > 0]

    def plain(self) -> dict[str, Any]:
        return {
            "weights": dict(self.weights),
            "bias": self.bias,
            "rarity": dict(self.rarity),
            "weighting": self.weighting,
        }


def correlation(sample: Sample) -> Weights:
    """Ng, Goh and Low's correlation coefficient of every term with the wanted class: chi-square's root, signed."""
    wanted, other = (frequencies_of(pages) for pages in (sample.positives, sample.negatives))
    n_wanted, n_other = len(sample.positives), len(sample.negatives)
    total = n_wanted + n_other
    found = {}
    for term in {**wanted, **other}:
        if not term:
            continue
        a, b = wanted.get(term, 0), other.get(term, 0)  # with the term, wanted and not
        c, d = n_wanted - a, n_other - b  # without it
        spread = (a + c) * (b + d) * (a + b) * (c + d)
        found[term] = (a * d - c * b) * sqrt(total / spread) if spread else 0.0
    return found


@dataclass(frozen=True, slots=True)
class Table:
    """A sample as a matrix of the chosen features, a row a page, and the classes as 1 and 0."""

    rows: Matrix
    classes: Matrix
    features: Sequence[str]
    rarity: Weights
    weighting: str

    def model(self, weights: Matrix, bias: float = 0.0) -> Linear:
        named = {term: float(weight) for term, weight in zip(self.features, weights, strict=True) if weight}
        return Linear(named, float(bias), self.rarity, self.weighting)


def table(sample: Sample, features: int | None = None, weighting: str = "atc") -> Table:
    """The sample over its best `features`; a page's length is that over its whole vocabulary."""
    frequencies = frequencies_of(sample.documents)
    rarity = idfs(frequencies, (term for term in frequencies if term))
    chosen = strongest(correlation(sample), features) if features else sorted(rarity)
    number = {term: at for at, term in enumerate(chosen)}
    rows = np.zeros((len(sample.documents), len(chosen)))
    for row, page in enumerate(sample.documents):
        for term, weight in weigh(weighting, page, rarity).items():
            if term in number:
                rows[row, number[term]] = weight
    classes = np.array([1.0] * len(sample.positives) + [0.0] * len(sample.negatives))
    return Table(rows, classes, chosen, rarity, weighting)


def rocchio(data: Table, beta: float = 16.0, gamma: float = 4.0) -> Linear:
    """β × the mean of the positives − γ × the mean of the negatives, negative weights zeroed; brought to length 1."""
    positive = data.classes > 0
    weights = beta * _mean(data.rows[positive]) - gamma * _mean(data.rows[~positive])
    weights = np.maximum(weights, 0.0)
    length = float(np.linalg.norm(weights))
    return data.model(weights / length if length else weights)


def widrow_hoff(data: Table, order: Sequence[int]) -> Linear:
    """w ← w − 2η(w·x − y)x over the pages in `order`, η = 1/(4X²); the mean of all the w."""
    longest = float(np.max(np.linalg.norm(data.rows, axis=1), initial=0.0)) or 1.0
    rate = 1.0 / (4.0 * longest**2)
    w = np.zeros(data.rows.shape[1])
    total = w.copy()
    for row in order:
        x, y = data.rows[row], data.classes[row]
        w = w - 2.0 * rate * (w @ x - y) * x
        total += w
    return data.model(total / (len(order) + 1))


def exponentiated_gradient(data: Table, order: Sequence[int]) -> Linear:
    """w ← w·exp(−2η(w·x − y)x), brought to sum 1, over the pages in `order`, η = 2/(3R²); the mean of all the w."""
    spread = float(np.max(np.ptp(data.rows, axis=1), initial=0.0)) if data.rows.size else 0.0
    rate = 2.0 / (3.0 * (spread or 1.0) ** 2)
    size = data.rows.shape[1]
    w = np.full(size, 1.0 / size) if size else np.zeros(0)
    total = w.copy()
    for row in order if size else ():
        x, y = data.rows[row], data.classes[row]
        w = w * np.exp(-2.0 * rate * (w @ x - y) * x)
        w /= w.sum()
        total += w
    return data.model(total / (len(order) + 1))


def logistic(data: Table, penalty: float = 1.0, steps: int = 50) -> Linear:
    """Least ½·penalty·|w|² + Σ ln(1 + exp(−y(w·x + b))), found by Newton's method in the span of the pages."""
    size = len(data.rows)
    signs = 2.0 * data.classes - 1.0
    design = np.column_stack([data.rows @ data.rows.T, np.ones(size)])  # w = Σ aᵢxᵢ, and the bias
    ridge = np.zeros((size + 1, size + 1))
    ridge[:size, :size] = penalty * design[:, :size]
    found = np.zeros(size + 1)
    for _ in range(steps):
        wrong = 1.0 / (1.0 + np.exp(np.clip(signs * (design @ found), -500, 500)))
        slope = ridge @ found - design.T @ (signs * wrong)
        curve = ridge + design.T @ (design * (wrong * (1.0 - wrong))[:, None])
        step = np.linalg.solve(curve + 1e-9 * np.eye(size + 1), slope)
        found -= step
        if float(np.max(np.abs(step))) < 1e-10:
            break
    return data.model(data.rows.T @ found[:size], found[size])


def support_vectors(data: Table, cost: float = 1.0, rounds: int = 1000) -> Linear:
    """Least ½|w|² + C Σ max(0, 1 − y(w·x)), the bias a feature of 1: dual coordinate descent (Hsieh et al. 2008)."""
    rows = np.column_stack([data.rows, np.ones(len(data.rows))])
    signs = 2.0 * data.classes - 1.0
    lengths = np.einsum("ij,ij->i", rows, rows)
    alpha, w = np.zeros(len(rows)), np.zeros(rows.shape[1])
    for _ in range(rounds):
        moved = 0.0
        for i in range(len(rows)):
            slope = signs[i] * (w @ rows[i]) - 1.0
            new = min(max(alpha[i] - slope / lengths[i], 0.0), cost)
            w += (new - alpha[i]) * signs[i] * rows[i]
            moved = max(moved, abs(new - alpha[i]))
            alpha[i] = new
        if moved < 1e-8:
            break
    return data.model(w[:-1], w[-1])


def best_f1(values: Iterable[tuple[float, bool]]) -> float:
    """The threshold of best F1 over values of pages that are wanted or not: half-way to the next lower value."""
    ranked = sorted(values, key=lambda entry: -entry[0])
    wanted = sum(positive for _, positive in ranked)
    best, threshold, hits = -1.0, 0.0, 0
    for rank, (value, positive) in enumerate(ranked, 1):
        hits += positive
        below = ranked[rank][0] if rank < len(ranked) else min(value, 0.0)
        f1 = 2.0 * hits / (rank + wanted)
        if (rank == len(ranked) or below < value) and f1 > best:
            best, threshold = f1, (value + below) / 2
    return threshold


def best_cut(model: Linear, sample: Sample) -> float:
    """The model's threshold of best F1 on the pages of a sample."""
    values = [(model.value(page), True) for page in sample.positives]
    return best_f1([*values, *((model.value(page), False) for page in sample.negatives)])


def _mean(rows: Matrix) -> Matrix:
    return rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
