"""Is this page like the topic? The cosine of their term frequencies (004 eq. 1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.text.topics import topic_vectors
from pinakes.text.vectors import TfCosine

SENTENCE_THRESHOLD = 0.15
"""A sentence shares few words even with pages that are all about it."""


@dataclass
class CosineJudge:
    brief: Brief
    threshold: Any = parameter(
        "auto",
        "A page that scores this much is a nugget. `auto` takes three quarters of the mean cosine of each example "
        "with the others, or .15 where only words describe the topic.",
    )

    def __post_init__(self) -> None:
        vectors = topic_vectors(self.brief)
        self._topics = {name: TfCosine(vector) for name, vector in vectors.items()}
        if self.threshold == "auto":
            self.threshold = self._calibrated()
        if not isinstance(self.threshold, (int, float)) or not 0 <= self.threshold <= 1:
            raise PinakesError(f"The judge's threshold is {self.threshold}; give a number from 0 to 1, or auto.")

    def judge(self, page: Page) -> Verdict:
        scores = {name: min(1.0, topic.similarity(page.terms)) for name, topic in self._topics.items()}
        best = max(scores, key=scores.__getitem__, default="")
        score = scores.get(best, 0.0)
        return Verdict(score, best, scores, score >= self.threshold)

    def _calibrated(self) -> float:
        """0.75 × the mean leave-one-out cosine of the examples."""
        likeness: list[float] = []
        for examples in self.brief.examples.values():
            whole: Counter[str] = Counter()
            for example in examples:
                whole.update(example.terms)
            for example in examples if len(examples) > 1 else ():
                others = Counter(whole)
                others.subtract(example.terms)
                likeness.append(TfCosine(+others).similarity(example.terms))
        return 0.75 * sum(likeness) / len(likeness) if likeness else SENTENCE_THRESHOLD
