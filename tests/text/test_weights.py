"""Term weights against values worked out by hand."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.text import weights

PAGES = ({"owl": 4, "nest": 2}, {"owl": 1}, {"loom": 3, "nest": 1}, {"loom": 1})
FREQUENCIES = {"owl": 2, "nest": 2, "loom": 2, "": 4}

counts = st.dictionaries(st.sampled_from(["owl", "nest", "loom", "egg"]), st.integers(1, 50))


def test_frequencies_count_documents_not_occurrences() -> None:
    """Each page counts once for a term, and once for the empty stem."""
    assert weights.frequencies_of(PAGES) == FREQUENCIES


def test_idf() -> None:
    """ln(N / df); a term nobody has counts as one page's, a term everybody has tells nothing."""
    assert weights.idf(FREQUENCIES, "owl") == pytest.approx(log(2))
    assert weights.idf(FREQUENCIES, "egg") == pytest.approx(log(4))
    assert weights.idf({"the": 4, "": 4}, "the") == 0
    assert weights.idf({"the": 9, "": 4}, "the") == 0
    assert weights.idf({}, "owl") == 0


def test_at_is_equation_3_1_of_002() -> None:
    """(0.5 + 0.5 tf / max tf) · ln(|C| / df), over the vocabulary; the maximum is that of the whole page."""
    rarity = weights.idfs(FREQUENCIES, ["owl", "nest"])
    found = weights.at({"owl": 2, "nest": 1, "unknown": 8}, rarity)
    assert found == pytest.approx({"owl": (0.5 + 0.5 * 2 / 8) * log(2), "nest": (0.5 + 0.5 / 8) * log(2)})


def test_atc_and_ltc_have_length_1() -> None:
    """The `c` of SMART is the cosine's normalisation."""
    rarity = weights.idfs(FREQUENCIES, ["owl", "nest"])
    page = {"owl": 4, "nest": 2}
    length = sqrt(1.0 + 0.75**2)
    assert weights.atc(page, rarity) == pytest.approx({"owl": 1 / length, "nest": 0.75 / length})
    length = sqrt((1 + log(4)) ** 2 + (1 + log(2)) ** 2)
    assert weights.ltc(page, rarity) == pytest.approx({"owl": (1 + log(4)) / length, "nest": (1 + log(2)) / length})


def test_the_other_papers_forms() -> None:
    """004's two: §4.2 compares with the most frequent term of any page, §4.3 adds 1 to the idf."""
    assert weights.at_of_collection({"owl": 4}, FREQUENCIES, most=8) == pytest.approx({"owl": 0.75 * log(2)})
    assert weights.tf_idf({"owl": 4}, FREQUENCIES) == pytest.approx({"owl": 4 * (1 + log(2))})


@given(counts)
def test_no_page_breaks_a_weighting(page: dict[str, int]) -> None:
    """Empty pages too; weights are never negative."""
    rarity = weights.idfs(FREQUENCIES, ["owl", "nest", "loom"])
    for weigh in (weights.at, weights.atc, weights.ltc):
        assert all(weight >= 0 for weight in weigh(page, rarity).values())
        assert set(weigh(page, rarity)) <= set(page)


def test_strongest_breaks_ties_by_the_alphabet() -> None:
    assert weights.strongest({"b": 1.0, "a": 1.0, "c": 2.0}, 2) == ["c", "a"]
