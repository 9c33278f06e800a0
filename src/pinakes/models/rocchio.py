"""The page model of `evidence`: a calibrated Rocchio centroid with negative feedback only.

x = (1 + ln tf) · idf, normalised; c = unit(mean of the examples) − ½ · unit(mean of the negatives); a page's
probability is a sigmoid of x·c placed between what the negatives and what the examples score. Terms are hashed into a
table of fixed size, so that memory is bounded however long the crawl.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh32_intdigest

from pinakes.core.page import Brief
from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.text.words import Words

BITS = 20
SIZE = 1 << BITS
NEGATIVE = 0.5
STEEPNESS = 6.0
MIDDLE = 0.55
RECENT = 400
"""Fetched pages whose scores say where the middle of the negatives lies."""
SENTENCE_FLOOR = 0.12
SENTENCE_QUANTILE = 0.98
REMEMBERED = 500_000

Numbers = NDArray[np.float64]
Ids = NDArray[np.int64]


class TermIds(dict[str, int]):
    """Stems to places in the table; remembers many, forgets all when there are too many."""

    def __missing__(self, stem: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        number = self[stem] = xxh32_intdigest(stem.encode("utf-8", "surrogatepass")) & (SIZE - 1)
        return number

    def of(self, stems: Iterable[str]) -> Ids:
        return np.fromiter(map(self.__getitem__, stems), np.int64)


@dataclass(slots=True)
class Vector:
    """A page as places in the table and weights, of length one."""

    ids: Ids
    weights: Numbers


@dataclass(slots=True)
class Centre:
    """What one topic looks like."""

    positive: Numbers
    """unit(mean of the examples), or the words of a sentence."""
    examples: list[Vector] = field(default_factory=list)
    alone: list[Numbers] = field(default_factory=list)
    """For each example the centroid of the others, so that it is not its own example."""


def unit(vector: Numbers) -> Numbers:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


class PageModel:
    """Scores pages and pieces of text against every topic of a brief; the best topic counts."""

    def __init__(self, brief: Brief) -> None:
        self.ids, self._words = TermIds(), Words()
        documents = max(1, brief.background.get("", 0))
        self.idf = np.full(SIZE, np.log((documents + 1) / 0.5))
        if brief.background:
            stems = [stem for stem in brief.background if stem]
            df = np.zeros(SIZE)
            np.add.at(df, self.ids.of(stems), [brief.background[stem] for stem in stems])
            self.idf = np.maximum(0.05, np.log((documents + 1) / (df + 0.5)))
        self._negatives = [self.vector(page.terms) for page in brief.negatives]
        self._background = self._sum(self._negatives)
        self._feedback, self._feedback_pages = np.zeros(SIZE), 0
        self._centres = [self._centre(brief, topic.name, topic.text) for topic in brief.topics]
        self._recent: deque[Vector] = deque(maxlen=RECENT)
        self.refit()

    def vector(self, terms: Mapping[str, int]) -> Vector:
        ids = self.ids.of(terms)
        weights = (1.0 + np.log(np.fromiter(terms.values(), np.float64, len(terms)))) * self.idf[ids]
        length = float(np.sqrt(weights @ weights))
        return Vector(ids, weights / length if length else weights)

    def probability(self, vector: Vector) -> float:
        """How likely the page is what is wanted, in (.01, .99)."""
        if not self._centres:
            return 0.5
        scores = self.columns[:, vector.ids] @ vector.weights
        logits = STEEPNESS / self._spread * (scores - self._low - MIDDLE * self._spread)
        return float(np.clip(1.0 / (1.0 + np.exp(-logits.max())), 0.01, 0.99))

    def watch(self, vector: Vector) -> None:
        """A page was fetched: it helps to say what an ordinary page scores."""
        self._recent.append(vector)

    def refuse(self, vector: Vector) -> None:
        """Negative feedback: the page is not wanted, and neither was its link."""
        np.add.at(self._feedback, vector.ids, vector.weights)
        self._feedback_pages += 1

    def refit(self) -> None:
        """Place the centroids and the sigmoid anew."""
        weight = 1.0
        if self._negatives and self._feedback_pages > len(self._negatives):
            weight = len(self._negatives) / self._feedback_pages
        self._place(NEGATIVE * unit(self._background + weight * self._feedback))
        self._calibrate(self._negative)

    def state(self) -> Plain:
        return {
            "feedback": [_sparse(self._feedback), self._feedback_pages],
            "recent": [[pack(vector.ids), pack(vector.weights)] for vector in self._recent],
            "fitted": [_sparse(self._negative), pack(self._low), pack(self._spread)],
        }

    def restore(self, state: Plain) -> None:
        """The fit is taken over as it was, not made anew: pages came home since."""
        feedback, self._feedback_pages = state["feedback"]
        self._feedback = _dense(feedback)
        self._recent.extend(Vector(unpack(ids), unpack(weights)) for ids, weights in state["recent"])
        negative, low, spread = state["fitted"]
        self._place(_dense(negative))
        self._low, self._spread = unpack(low), unpack(spread)

    def _place(self, negative: Numbers) -> None:
        self._negative = negative
        self.columns = np.array([centre.positive - negative for centre in self._centres]).reshape(-1, SIZE)
        self.gains = self.columns * self.idf

    def _calibrate(self, negative: Numbers) -> None:
        ordinary = [*self._negatives, *self._recent]
        low, spread = list[float](), list[float]()
        for centre, column in zip(self._centres, self.columns, strict=True):
            scores = np.array([float(column[vector.ids] @ vector.weights) for vector in ordinary] or [0.0])
            middle = float(np.median(scores))
            if centre.alone:
                pairs = zip(centre.examples, centre.alone, strict=True)
                high = float(np.mean([(others - negative)[v.ids] @ v.weights for v, others in pairs]))
            else:
                high = max(SENTENCE_FLOOR, float(np.quantile(scores, SENTENCE_QUANTILE)))
            low.append(middle)
            spread.append(max(1e-3, high - middle))
        self._low, self._spread = np.array(low), np.array(spread)

    def _centre(self, brief: Brief, name: str, text: str) -> Centre:
        examples = [self.vector(page.terms) for page in brief.examples.get(name, ())]
        if not examples:
            counts = self._words.counts([*self._words.stems(name), *self._words.stems(text)])
            return Centre(unit(self._dense(self.vector(counts))))
        whole = self._sum(examples)
        alone = [unit(whole - self._dense(example)) for example in examples] if len(examples) > 1 else []
        return Centre(unit(whole), examples, alone)

    def _dense(self, vector: Vector) -> Numbers:
        return self._sum([vector])

    def _sum(self, vectors: Sequence[Vector]) -> Numbers:
        total = np.zeros(SIZE)
        for vector in vectors:
            np.add.at(total, vector.ids, vector.weights)
        return total


def _sparse(vector: Numbers) -> Plain:
    places = np.nonzero(vector)[0]
    return [pack(places), pack(vector[places])]


def _dense(sparse: Plain) -> Numbers:
    vector = np.zeros(SIZE)
    vector[unpack(sparse[0])] = unpack(sparse[1])
    return vector
