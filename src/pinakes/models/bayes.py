"""Naive Bayes: is a page of the wanted class?

Two forms. The multinomial one takes weights for counts (001 eq. 4 smooths them the same way) and is a linear model.
The gaussian one is that of the Weka software, which 002 §3.3 used: each term's weight is normally distributed in a
class. Both answer with log-odds, since posteriors of long pages are 0 or 1 to the last digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import erfc, exp, log, sqrt
from typing import Any

import numpy as np

from pinakes.models.linear import Linear
from pinakes.models.samples import Sample
from pinakes.text.vectors import Vector
from pinakes.text.weights import Counts, Weights, at, frequencies_of, idfs

PRECISION = 0.01
"""Weka's assumed distance between a term's values, where only one value was seen."""
LEAST = log(1e-75)
"""Weka takes no probability for less than 1e-75."""


def posterior(log_odds: float) -> float:
    """Pr(c⁺ | page)."""
    if log_odds >= 0:
        return 1.0 / (1.0 + exp(-min(log_odds, 700.0)))
    odds = exp(max(log_odds, -700.0))
    return odds / (1.0 + odds)


def word_log_probabilities(documents: Iterable[Vector], vocabulary: Iterable[str]) -> Weights:
    """ln P(w | c) of each word of the vocabulary in the documents of one class, by Laplace's rule (001 eq. 4)."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document)
    words = tuple(vocabulary)
    total = log(len(words) + sum(counts[word] for word in words)) if words else 0.0
    return {word: log(1 + counts[word]) - total for word in words}


def multinomial(sample: Sample) -> Linear:
    """The multinomial form, whose counts are the terms' weights."""
    rarity = _rarity(sample)
    positives, negatives = (
        word_log_probabilities([at(page, rarity) for page in pages], rarity)
        for pages in (sample.positives, sample.negatives)
    )
    weights = {word: positives[word] - negatives[word] for word in rarity}
    return Linear(weights, _prior(sample), rarity, "at")


class Gaussian:
    """The gaussian form: a mean and a deviation for each term's *at* weight in each class, the wanted class first."""

    def __init__(
        self,
        rarity: Mapping[str, float],
        prior: float,
        precision: Sequence[float],
        mean: Sequence[Sequence[float]],
        deviation: Sequence[Sequence[float]],
    ) -> None:
        self.rarity, self.prior = rarity, prior
        self.precision, self.mean, self.deviation = precision, mean, deviation
        self._number = {term: at for at, term in enumerate(rarity)}
        # Most terms are absent from a page: what that amounts to is worked out once, and mended term by term. Weights
        # are rounded to the precision, so that few are ever met: what each adds is remembered.
        self._steps = [weight / step for weight, step in zip(rarity.values(), precision, strict=True)]
        self._absent = [self._ratio(at, 0) for at in range(len(rarity))]
        self._start = prior + sum(self._absent)
        self._added: list[dict[int, float]] = [{} for _ in rarity]

    def value(self, counts: Counts) -> float:
        """Log-odds of the wanted class."""
        most = max(counts.values(), default=1)
        number, added = self._number, self._added
        odds = self._start
        for term, count in counts.items():
            at = number.get(term)
            if at is None:
                continue
            steps = round((0.5 + 0.5 * count / most) * self._steps[at])  # 002 eq. 3.1
            more = added[at].get(steps)
            if more is None:
                more = added[at][steps] = self._ratio(at, steps) - self._absent[at]
            odds += more
        return odds

    def words(self, n: int) -> list[tuple[str, float]]:
        """The terms whose mean differs most between the classes, in deviations; those of the wanted class first."""
        apart = {
            term: (self.mean[0][at] - self.mean[1][at]) / (self.deviation[0][at] + self.deviation[1][at])
            for term, at in self._number.items()
        }
        return sorted(apart.items(), key=lambda entry: (-entry[1], entry[0]))[:n]

    def plain(self) -> dict[str, Any]:
        return {
            "rarity": dict(self.rarity),
            "prior": self.prior,
            "precision": list(self.precision),
            "mean": [list(row) for row in self.mean],
            "deviation": [list(row) for row in self.deviation],
        }

    def _ratio(self, at: int, steps: int) -> float:
        """What a term's weight, in steps of its precision, says for the wanted class."""
        return self._log_probability(0, at, steps) - self._log_probability(1, at, steps)

    def _log_probability(self, kind: int, at: int, steps: int) -> float:
        """ln of the normal distribution's mass within half the precision of the rounded weight."""
        precision, deviation = self.precision[at], self.deviation[kind][at]
        off = -abs(steps * precision - self.mean[kind][at])
        mass = _normal((off + precision / 2) / deviation) - _normal((off - precision / 2) / deviation)
        return max(LEAST, log(mass)) if mass > 0.0 else LEAST


def gaussian(sample: Sample) -> Gaussian:
    """Learn the gaussian form, as Weka's NaiveBayes does with its NormalEstimator."""
    rarity = _rarity(sample)
    number = {term: at for at, term in enumerate(rarity)}
    table = np.zeros((len(sample.documents), len(rarity)))
    for row, page in enumerate(sample.documents):
        for term, weight in at(page, rarity).items():
            table[row, number[term]] = weight
    steps = np.diff(np.sort(table, axis=0), axis=0)
    apart = (steps > 0).sum(axis=0)
    precision = np.where(apart > 0, steps.sum(axis=0) / np.maximum(apart, 1), PRECISION)
    rounded = np.rint(table / precision) * precision
    halves = (rounded[: len(sample.positives)], rounded[len(sample.positives) :])
    mean = [half.mean(axis=0).tolist() for half in halves]
    deviation = [np.maximum(precision / 6, half.std(axis=0)).tolist() for half in halves]
    return Gaussian(rarity, _prior(sample), precision.tolist(), mean, deviation)


def _normal(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * erfc(-z / sqrt(2.0))


def _rarity(sample: Sample) -> Weights:
    """The idf of the vocabulary: every term of the collection C of positive and negative examples."""
    frequencies = frequencies_of(sample.documents)
    return idfs(frequencies, (term for term in frequencies if term))


def _prior(sample: Sample) -> float:
    """Log-odds of the classes, by Laplace's rule."""
    return log((len(sample.positives) + 1) / (len(sample.negatives) + 1))
