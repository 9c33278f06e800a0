"""Is this page like one of the topics? Its correlation with the nearest centroid (000 §2–3, eq. 1).

A PDF or PostScript file whose words could not be read takes the correlation of the page that links to it (000,
footnote 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.judges.inheritance import Inheritance
from pinakes.judges.verdicts import threshold_of
from pinakes.models.centroid import Centroids, Counts, Rarity, concatenated, leave_one_out
from pinakes.text.background import english
from pinakes.text.words import Words

SENTENCE_THRESHOLD = 0.15
"""A sentence shares few words even with pages that are all about it."""


@dataclass
class CentroidsJudge:
    brief: Brief
    threshold: Any = parameter(
        0.35,
        "A page that correlates this much is a nugget; the paper advises .35 and has .5 in its study. `auto` takes "
        "three quarters of the mean correlation of each example with the others, or .15 where no topic has two.",
    )
    weights: str = parameter(
        "tf-idf",
        "What a term of a centroid weighs: `tf-idf`, with document frequencies from the examples of all topics and the "
        "reference corpus (the table that ships, where a single topic has nothing else to be compared with), or `tf`.",
    )
    documents: str = parameter("tf", "What a term of a page weighs: `tf`, or `tf-idf` like the centroids.")
    form: str = parameter("cosine", "Eq. 1 as the standard `cosine` it is said to be, or as `printed`.")

    def __post_init__(self) -> None:
        for name, value, choice in (
            ("weights", self.weights, ("tf-idf", "tf")),
            ("documents", self.documents, ("tf-idf", "tf")),
            ("form", self.form, ("cosine", "printed")),
        ):
            if value not in choice:
                raise PinakesError(f"The judge centroids takes {name}={choice[0]} or {name}={choice[1]}, not {value}.")
        topics = _documents_of(self.brief)
        self._rarity = self._compared(topics) if self.weights == "tf-idf" else Rarity(())
        vectors = {}
        for name, documents in topics.items():
            counts = concatenated(documents)
            vectors[name] = self._rarity.weigh(counts) or counts
        self._centroids = Centroids(vectors, self.form)
        self._documents = Inheritance()
        self.threshold = self._calibrated() if self.threshold == "auto" else threshold_of(self.threshold)

    def judge(self, page: Page) -> Verdict:
        if (inherited := self._documents.of(page)) is not None:
            return inherited
        terms = self._rarity.weigh(page.terms) if self.documents == "tf-idf" else page.terms
        scores = self._centroids.correlations(terms)
        best = max(scores, key=scores.__getitem__, default="")
        score = scores.get(best, 0.0)
        verdict = Verdict(score, best, scores, score >= self.threshold)
        self._documents.bequeath(page, verdict)
        return verdict

    def state(self) -> Plain:
        return self._documents.state()

    def restore(self, state: Plain) -> None:
        self._documents.restore(state)

    def _compared(self, topics: Mapping[str, Sequence[Counts]]) -> Rarity:
        """How rare terms are on the pages of all topics and whatever else is known."""
        everything = [document for documents in topics.values() for document in documents]
        everything += [page.terms for page in self.brief.negatives]
        background = self.brief.background
        if not background and not self.brief.negatives and len(topics) < 2:
            # Its own pages alone would make the topic's best words look common.
            background = english()
        return Rarity(everything, background)

    def _calibrated(self) -> float:
        """0.75 × the mean leave-one-out correlation of the examples."""
        weigh = self.documents == "tf-idf"
        scores = [
            score
            for documents in _documents_of(self.brief).values()
            for score in leave_one_out(documents, self._rarity, weigh, self.form)
        ]
        return 0.75 * sum(scores) / len(scores) if scores else SENTENCE_THRESHOLD


def _documents_of(brief: Brief) -> dict[str, list[Counts]]:
    """The term counts of each topic's examples, or of its own words where it has none."""
    words = Words()
    return {
        topic.name: [page.terms for page in brief.examples.get(topic.name, ())]
        or [words.counts(words.stems(topic.text))]
        for topic in brief.topics
    }
