"""Is this page like one of the topics, and unlike the others? Its correlation with the nearest *contrasted* centroid.

Ours: the paper's classing by the nearest centroid (000 §2, eq. 1) with the term weights of later years. A term weighs
(1 + ln tf) · idf on pages and examples alike; a topic's centroid is the mean of its examples at length one, less half
the mean of the examples of all topics it is not related to. What a page shares with everybody so counts for nobody.
A topic's ancestors and descendants in the hierarchy do not count against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Topic, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.judges.inheritance import Inheritance
from pinakes.judges.verdicts import best_of, threshold_of
from pinakes.text.words import Words

Numbers = NDArray[np.float64]
Counts = Mapping[str, int]

FALLBACK = 0.08
"""The threshold where no topic has two examples to calibrate it by."""
LEAST_IDF = 0.05


@dataclass
class ContrastJudge:
    brief: Brief
    threshold: Any = parameter(
        "auto",
        "A page that correlates this much is a nugget; `auto` takes three quarters of the mean correlation of each "
        "example with the others, or .08 where no topic has two.",
    )
    contrast: float = parameter(0.5, "How much of the other topics' mean is taken off a centroid.")

    def __post_init__(self) -> None:
        if not self.brief.topics:
            raise PinakesError("The judge contrast needs a topic to compare pages with; give --topic or --example.")
        documents = _documents_of(self.brief)
        negatives = [page.terms for page in self.brief.negatives]
        everything = [counts for group in documents.values() for counts in group] + negatives
        self._vocabulary = {term: n for n, term in enumerate(sorted({term for one in everything for term in one}))}
        self._idf = self._rarity(everything, compared=len(documents) > 1 or bool(negatives or self.brief.background))
        vectors = {name: np.array([self._dense(counts) for counts in group]) for name, group in documents.items()}
        others = [self._dense(counts) for counts in negatives]
        strangers = {
            topic.name: _unit(
                sum([vectors[name].sum(0) for name in _strangers(topic, self.brief.topics)], _sum(others))
            )
            for topic in self.brief.topics
        }
        self._names = tuple(documents)
        columns = [self._centroid(vectors[name].sum(0), strangers[name]) for name in self._names]
        self._columns: Numbers = np.array(columns).reshape(len(self._names), -1).T
        self._inheritance = Inheritance()
        self.threshold = (
            self._calibrated(vectors, strangers) if self.threshold == "auto" else threshold_of(self.threshold)
        )

    def judge(self, page: Page) -> Verdict:
        if (inherited := self._inheritance.of(page)) is not None:
            return inherited
        verdict = best_of(self.correlations(page.terms), self.threshold)
        self._inheritance.bequeath(page, verdict)
        return verdict

    def state(self) -> Plain:
        return self._inheritance.state()

    def restore(self, state: Plain) -> None:
        self._inheritance.restore(state)

    def correlations(self, terms: Counts) -> dict[str, float]:
        """The cosine with each centroid, in [0, 1]."""
        vocabulary, unknown = self._vocabulary, 0.0
        known, counts = list[int](), list[int]()
        for term, count in terms.items():
            if (n := vocabulary.get(term)) is None:
                unknown += (1.0 + log(count)) ** 2
            else:
                known.append(n)
                counts.append(count)
        if not known:
            return dict.fromkeys(self._names, 0.0)
        weights = (1.0 + np.log(counts)) * self._idf[known]
        # A term no example has is as rare as can be; it lengthens the page without bringing it nearer to anybody.
        length = np.sqrt(weights @ weights + unknown * self._rarest**2)
        scores = np.clip(weights @ self._columns[known] / length, 0.0, 1.0)
        return dict(zip(self._names, scores.tolist(), strict=True))

    def _rarity(self, everything: Sequence[Counts], *, compared: bool) -> Numbers:
        """ln((N + 1) / (df + ½)) over examples and background; where nothing is there to compare with, 1."""
        background = self.brief.background
        if not compared:
            self._rarest = 1.0
            return np.ones(len(self._vocabulary))
        documents = len(everything) + background.get("", 0)
        df = np.array([background.get(term, 0) for term in self._vocabulary], float)
        for counts in everything:
            df[[self._vocabulary[term] for term in counts]] += 1
        self._rarest = log((documents + 1) / 0.5)
        idf: Numbers = np.maximum(LEAST_IDF, np.log((documents + 1) / (df + 0.5)))
        return idf

    def _dense(self, counts: Counts) -> Numbers:
        vector = np.zeros(len(self._vocabulary))
        if counts:
            places = [self._vocabulary[term] for term in counts]
            vector[places] = (1.0 + np.log(list(counts.values()))) * self._idf[places]
        return _unit(vector)

    def _centroid(self, examples: Numbers, strangers: Numbers) -> Numbers:
        return _unit(_unit(examples) - self.contrast * strangers)

    def _calibrated(self, vectors: Mapping[str, Numbers], strangers: Mapping[str, Numbers]) -> float:
        """0.75 × the mean correlation of each example with the centroid of its topic's others."""
        scores = [
            float(example @ self._centroid(group.sum(0) - example, strangers[name]))
            for name, group in vectors.items()
            if len(group) > 1
            for example in group
        ]
        return max(0.01, 0.75 * sum(scores) / len(scores)) if scores else FALLBACK


def _documents_of(brief: Brief) -> dict[str, list[Counts]]:
    """The term counts of each topic's examples, or of its own words where it has none."""
    words = Words()
    return {
        topic.name: [page.terms for page in brief.examples.get(topic.name, ())]
        or [words.counts(words.stems(topic.text))]
        for topic in brief.topics
    }


def _strangers(topic: Topic, topics: Sequence[Topic]) -> list[str]:
    """The topics that are neither above nor below this one."""
    above = {one.name: one.parent for one in topics}

    def ancestors(name: str) -> set[str]:
        found = {name}
        while (name := above.get(name, "")) and name not in found:
            found.add(name)
        return found

    mine = ancestors(topic.name)
    return [one.name for one in topics if one.name not in mine and topic.name not in ancestors(one.name)]


def _unit(vector: Any) -> Numbers:
    array = np.asarray(vector, float)
    length = float(np.linalg.norm(array))
    return array / length if length else array


def _sum(vectors: Sequence[Numbers]) -> Any:
    return np.sum(vectors, axis=0) if vectors else 0.0
