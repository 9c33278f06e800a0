"""How like a topic a page is."""

from __future__ import annotations

from math import log, sqrt

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Topic
from pinakes.models.likeness import TfIdfCosine, likenesses
from pinakes.text.vectors import cosine


def test_tf_idf_by_hand() -> None:
    """Of 8 documents one has owl, all have nest: owl weighs 1 + ln 8, nest 1."""
    owl = 1 + log(8)
    found = TfIdfCosine({"owl": 1, "nest": 1}, {"": 8, "owl": 1, "nest": 8}).similarity({"owl": 2})
    assert found == pytest.approx(2 * owl * owl / (sqrt(owl * owl + 1) * 2 * owl))
    assert found > cosine({"owl": 1, "nest": 1}, {"owl": 2})


def test_a_term_the_reference_lacks_counts_as_rare() -> None:
    assert TfIdfCosine({"loom": 1}, {"": 8}).similarity({"loom": 3}) == pytest.approx(1.0)
    assert TfIdfCosine({"loom": 1}, {}).similarity({}) == 0.0


def test_topics_by_either_weight() -> None:
    brief = Brief(topics=(Topic("owl nest"),), background={"": 8, "owl": 1, "nest": 8})
    page = {"owl": 2}
    assert likenesses(brief, "tf")[0].similarity(page) == pytest.approx(sqrt(0.5))
    assert likenesses(brief, "tf-idf")[0].similarity(page) > 0.9
    with pytest.raises(PinakesError, match="neither tf nor tf-idf"):
        likenesses(brief, "idf")
