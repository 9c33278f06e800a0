"""How like a topic a page is: the cosine of 004 eq. 1, over term frequencies or over TF-IDF."""

from __future__ import annotations

from typing import Protocol

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief
from pinakes.models.samples import reference_of
from pinakes.text.topics import topic_vectors
from pinakes.text.vectors import TfCosine
from pinakes.text.weights import Counts, Frequencies, idf, tf_idf


class Likeness(Protocol):
    """A topic that pages are compared with."""

    def similarity(self, other: Counts) -> float:
        """From 0 to 1."""


class TfIdfCosine:
    """The cosine over f · (1 + ln(N / n)), the weights that 004 §4.3 measures with."""

    def __init__(self, vector: Counts, frequencies: Frequencies) -> None:
        self._topic = TfCosine(tf_idf(vector, frequencies))
        self._weights = _Weights(frequencies)

    def similarity(self, other: Counts) -> float:
        weights = self._weights
        return self._topic.similarity({term: count * weights[term] for term, count in other.items()})


class _Weights(dict[str, float]):
    """What one occurrence of a term weighs; worked out once for the terms of the reference corpus."""

    def __init__(self, frequencies: Frequencies) -> None:
        super().__init__({term: 1.0 + idf(frequencies, term) for term in frequencies})
        self._unknown = 1.0 + idf(frequencies, "\0")

    def __missing__(self, term: str) -> float:
        return self._unknown


def likenesses(brief: Brief, weights: str) -> list[Likeness]:
    """Each topic of the brief, to compare pages with by `tf` or by `tf-idf`."""
    vectors = topic_vectors(brief).values()
    if weights == "tf":
        return [TfCosine(vector) for vector in vectors]
    if weights == "tf-idf":
        reference = reference_of(brief)
        return [TfIdfCosine(vector, reference) for vector in vectors]
    raise PinakesError(f"weights={weights} is neither tf nor tf-idf.")
