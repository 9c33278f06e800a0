"""Is this page of the wanted class? The linear classifiers with which 004 §4.1 assesses crawls.

The 50 features of the highest correlation coefficient, and the threshold of best F1 on the training pages, which is
brought to a score of .5 so that topics can be compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.judges.verdicts import best_of
from pinakes.models.linear import Linear, Table, best_cut, exponentiated_gradient, rocchio, table, widrow_hoff
from pinakes.models.samples import Sample, samples_of


@dataclass
class LinearJudge(ABC):
    """What the three have in common."""

    brief: Brief
    features: int = parameter(50, "How many terms are looked at: those of the highest correlation coefficient.")
    weighting: str = parameter("atc", "How a page's terms are weighed: `atc`, `ltc` or `at`.")
    threshold: float = parameter(0.5, "A page of this score is a nugget; .5 stands for the threshold of best F1.")
    model: Any = parameter(None, "A trained judge's data, instead of the brief's examples.")

    def __post_init__(self) -> None:
        self.topics: dict[str, tuple[Linear, float]] = {}
        if self.model is None:
            self.topics.update({name: self._learnt(sample) for name, sample in samples_of(self.brief).items()})
        else:
            for name, plain in self.model.items():
                self.topics[name] = Linear(**plain["linear"]), plain["cut"]

    @staticmethod
    @abstractmethod
    def train(data: Table, order: Sequence[int]) -> Linear:
        """Learn from the pages of the table, taking them in this order."""

    def judge(self, page: Page) -> Verdict:
        scores = {name: scaled(model.value(page.terms), cut) for name, (model, cut) in self.topics.items()}
        return best_of(scores, self.threshold)

    def words(self, n: int) -> list[tuple[str, float]]:
        """The words it goes by, the strongest first."""
        found = [word for model, _ in self.topics.values() for word in model.words(n)]
        return sorted(found, key=lambda word: -word[1])[:n]

    def plain(self) -> Plain:
        """What was learnt, to be given again as `model`."""
        return {name: {"linear": model.plain(), "cut": cut} for name, (model, cut) in self.topics.items()}

    def _learnt(self, sample: Sample) -> tuple[Linear, float]:
        data = table(sample, self.features, self.weighting)
        order = list(range(len(data.rows)))
        Random(self.brief.random_state).shuffle(order)
        model = self.train(data, order)
        return model, best_cut(model, sample)


@dataclass
class RocchioJudge(LinearJudge):
    """β = 16, γ = 4."""

    @staticmethod
    def train(data: Table, order: Sequence[int]) -> Linear:
        return rocchio(data)


@dataclass
class WidrowHoffJudge(LinearJudge):
    """One pass over the pages, η = 1/(4X²)."""

    @staticmethod
    def train(data: Table, order: Sequence[int]) -> Linear:
        return widrow_hoff(data, order)


@dataclass
class EGJudge(LinearJudge):
    """Exponentiated gradient: one pass over the pages, η = 2/(3R²)."""

    @staticmethod
    def train(data: Table, order: Sequence[int]) -> Linear:
        return exponentiated_gradient(data, order)


def scaled(value: float, cut: float) -> float:
    """A value as a score in [0, 1], the cut at .5."""
    value, cut = min(1.0, max(0.0, value)), min(1.0 - 1e-9, max(1e-9, cut))
    return 0.5 * value / cut if value < cut else 0.5 + 0.5 * (value - cut) / (1.0 - cut)
