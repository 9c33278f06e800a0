"""Centroids: a weighted term vector for each topic, and how well a document correlates with the nearest one.

Bergmark, Lagoze and Sbityakov 2002 (seed 000), §2 and §3. A topic's centroid is made of its example pages put end to
end; a term weighs its frequency there, divided by its frequency in the pages of all topics (TF-IDF). Eq. 1 as printed,

    score = sqrt( Σ d_i² c_i² / ‖c‖ )

is not the "standard cosine correlation" the paper says it is: a page made of the centroid's very words scores below 1
as soon as it has two of them. Both forms are here, and both take document and centroid at unit length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt

from pinakes.text.vectors import Vector, norm

Counts = Mapping[str, int]


class Rarity:
    """How much a term tells a topic from the others: ln(N / df) over the documents of all topics.

    Without documents, every term weighs the same.
    """

    def __init__(self, documents: Iterable[Counts], background: Counts | None = None) -> None:
        """`background`: document frequencies to add, the empty term counting their documents."""
        self._frequencies = Counter(background or {})
        self._documents = self._frequencies.pop("", 0)
        for document in documents:
            self._documents += 1
            self._frequencies.update(document.keys())

    def weigh(self, counts: Counts) -> Mapping[str, float]:
        """TF-IDF weights; a term that is in all documents is left out."""
        if not self._documents:
            return counts
        total, frequencies = log(self._documents), self._frequencies
        weighed = {term: count * (total - log(max(1, frequencies[term]))) for term, count in counts.items()}
        return {term: weight for term, weight in weighed.items() if weight > 0.0}


class Centroids:
    """Several centroids at once, by name."""

    def __init__(self, vectors: Mapping[str, Vector], form: str = "cosine") -> None:
        """`form`: `cosine`, or `printed` for eq. 1 to the letter."""
        self.names = tuple(vectors)
        self._printed = form == "printed"
        # Each term with the centroids that have it, so that a page costs what it shares with them.
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for number, vector in enumerate(vectors.values()):
            length = norm(vector)
            for term, weight in vector.items() if length else ():
                self._postings.setdefault(term, []).append((number, weight / length))

    def correlations(self, document: Vector) -> dict[str, float]:
        """The document's score with each centroid, in [0, 1]."""
        sums = [0.0] * len(self.names)
        length = norm(document)
        postings = self._postings
        for term, weight in document.items() if length else ():
            for number, share in postings.get(term, ()):
                product = weight * share
                sums[number] += product * product if self._printed else product
        if length:
            # eq. 1, where ‖d‖ = ‖c‖ = 1
            sums = [min(1.0, (sqrt(total) if self._printed else total) / length) for total in sums]
        return dict(zip(self.names, sums, strict=True))


def concatenated(documents: Iterable[Counts]) -> Counter[str]:
    """The term frequencies of documents put end to end."""
    whole: Counter[str] = Counter()
    for document in documents:
        whole.update(document)
    return whole


def leave_one_out(documents: Sequence[Counts], rarity: Rarity, weigh_documents: bool, form: str) -> list[float]:
    """Each document's correlation with the centroid of the others; none for fewer than two."""
    whole, scores = concatenated(documents), list[float]()
    for document in documents if len(documents) > 1 else ():
        others = Counter(whole)
        others.subtract(document)
        centroid = Centroids({"": rarity.weigh(+others)}, form)
        scores.append(centroid.correlations(rarity.weigh(document) if weigh_documents else document)[""])
    return scores
