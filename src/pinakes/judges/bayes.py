"""Is this page of the wanted class? Naive Bayes, as 002 judges pages (§3.3): the posterior of the positive class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.judges.verdicts import best_of
from pinakes.models.bayes import Gaussian, gaussian, multinomial, posterior
from pinakes.models.linear import Classifier, Linear
from pinakes.models.samples import Sample, samples_of

FORMS: Mapping[str, tuple[Callable[[Sample], Classifier], Callable[..., Classifier]]] = {
    "multinomial": (multinomial, Linear),
    "gaussian": (gaussian, Gaussian),
}
"""How each form is learnt, and how it is made of plain data."""


@dataclass
class NaiveBayesJudge:
    brief: Brief
    form: str = parameter("multinomial", "`multinomial`, or `gaussian` as in Weka.")
    threshold: float = parameter(0.5, "A page of this posterior is a nugget.")
    model: Any = parameter(None, "A trained judge's data, instead of the brief's examples.")

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise PinakesError(f"naive-bayes: form={self.form} is neither {' nor '.join(FORMS)}.")
        learn, made = FORMS[self.form]
        self.topics: dict[str, Classifier] = {}
        if self.model is None:
            self.topics.update({name: learn(sample) for name, sample in samples_of(self.brief).items()})
        else:
            self.topics.update({name: made(**plain) for name, plain in self.model.items()})

    def judge(self, page: Page) -> Verdict:
        scores = {name: posterior(model.value(page.terms)) for name, model in self.topics.items()}
        return best_of(scores, self.threshold)

    def words(self, n: int) -> list[tuple[str, float]]:
        """The words it goes by, the strongest first."""
        found = [word for model in self.topics.values() for word in model.words(n)]
        return sorted(found, key=lambda word: -word[1])[:n]

    def plain(self) -> Plain:
        """What was learnt, to be given again as `model`."""
        return {name: model.plain() for name, model in self.topics.items()}
