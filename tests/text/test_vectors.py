from __future__ import annotations

from math import isclose, sqrt

from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.vectors import TfCosine, cosine, dot, norm

VECTORS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 50))


def test_cosine_by_hand() -> None:
    """cos((1, 2), (2, 0, 1)) on a shared first axis is 2 / (√5 · √5)."""
    a, b = {"x": 1, "y": 2}, {"x": 2, "z": 1}
    assert dot(a, b) == 2
    assert isclose(norm(a), sqrt(5))
    assert isclose(cosine(a, b), 2 / 5)


def test_cosine_of_nothing_is_nothing() -> None:
    assert cosine({}, {"x": 1}) == 0.0
    assert cosine({}, {}) == 0.0


@given(VECTORS, VECTORS)
def test_cosine_is_a_symmetric_share(a: dict[str, int], b: dict[str, int]) -> None:
    assert isclose(cosine(a, b), cosine(b, a), abs_tol=1e-12)
    assert 0.0 <= cosine(a, b) <= 1.0
    assert TfCosine(a).similarity(b) == cosine(a, b)
    if a:
        assert isclose(cosine(a, a), 1.0)
        assert isclose(cosine(a, {term: 3 * weight for term, weight in a.items()}), 1.0)
