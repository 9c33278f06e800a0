"""Term vectors: sparse, a weight a term."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from pinakes.text.joined import JoinedTerms

Vector = Mapping[str, int] | Mapping[str, float]


def norm(vector: Vector) -> float:
    """The Euclidean length."""
    return vector.length if isinstance(vector, JoinedTerms) else hypot(*vector.values())


def dot(a: Vector, b: Vector) -> float:
    """The inner product; its cost is that of the smaller vector."""
    if len(a) > len(b):
        a, b = b, a
    get = b.get
    return sum(weight * get(term, 0) for term, weight in a.items())


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of the angle between two vectors (004 eq. 1, weights being term frequencies); 0 if one is empty."""
    return TfCosine(a).similarity(b)


class TfCosine:
    """One vector, such as a topic's, that many others are compared with: its length is taken once."""

    __slots__ = ("norm", "vector")

    def __init__(self, vector: Vector) -> None:
        self.vector = vector
        self.norm = norm(vector)

    def similarity(self, other: Vector) -> float:
        lengths = self.norm * norm(other)
        return min(1.0, dot(self.vector, other) / lengths) if lengths else 0.0
