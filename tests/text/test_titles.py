"""Titles of papers: which are one paper's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.titles import TitleIndex, Work, compare, title_words

AUTHORS = ("Anna Berg", "Carl Dale")
TITLE = "Efficient Crawling of Deep Library Catalogues"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (TITLE, "Eﬃcient crawling of deep library catalogues."),
        (TITLE, "{E}fficient {C}rawling of Deep Library-Catalogues"),
        (TITLE, "Efficent Crawling of Deep Library Catalogeus"),
        (TITLE, "Efficient Crawling of Deep Library Catalogues: A Case Study"),
        ("Data base Systems for Owls", "Database Systems for Owls"),
        ("Étude sur les réseaux", "Etude sur les reseaux"),
        ("OwlFinder: Finding Owls at Night", "OwlFinder"),
        ("The Rise of the Owls", "Rise of Owls"),
    ],
)
def test_one_paper(a: str, b: str) -> None:
    decision = compare(Work(a, AUTHORS, 2004), Work(b, ("A. Berg", "C. Dale"), 2004))
    assert decision.same, decision.why


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Learning Owls, Part I", "Learning Owls, Part II"),
        ("Learning to Rank Owls in 2D Space", "Learning to Rank Owls in 3D Space"),
        ("Crawling Is Hard on the Deep Web of Libraries", "Crawling Is Not Hard on the Deep Web of Libraries"),
        ("A Theory of Owls", "A Theory of Fish"),
        ("Owls: A Survey of Their Nests", "Owls: Diet in Winter 2"),
        ("", "A Theory of Owls"),
    ],
)
def test_two_papers(a: str, b: str) -> None:
    decision = compare(Work(a, AUTHORS, 2004), Work(b, AUTHORS, 2004))
    assert not decision.same, decision.why


def test_authors_and_years_guard() -> None:
    assert not compare(Work(TITLE, AUTHORS, 2004), Work(TITLE, ("Eve Ford",), 2004)).same
    assert compare(Work(TITLE, AUTHORS, 2004), Work(TITLE)).same
    assert not compare(Work(TITLE, AUTHORS, 2004), Work(TITLE, (), 2012)).same
    assert compare(Work(TITLE, AUTHORS, 2004), Work(TITLE, ("Berg, A.",), 2012)).same
    assert not compare(Work("Introduction", AUTHORS), Work("Introduction")).same
    assert "no author is shared" in compare(Work(TITLE, AUTHORS), Work(TITLE, ("Eve Ford",))).why


def test_an_index_finds_the_work() -> None:
    works = [Work(f"{TITLE} {word}", AUTHORS, 2000 + n, word) for n, word in enumerate(("Birds", "Boats", "Bread"))]
    found = TitleIndex(works).find(Work("Eficient Crawling of Deep Library Catalogues Boats", AUTHORS, 2001))
    assert found is not None and found[0].id == "Boats"
    assert TitleIndex(works).find(Work("Something Else Entirely", AUTHORS)) is None
    assert TitleIndex([]).find(Work(TITLE)) is None


@given(st.text(), st.text())
def test_any_two_texts_are_compared_either_way(a: str, b: str) -> None:
    assert compare(Work(a), Work(b)).same == compare(Work(b), Work(a)).same
    assert title_words(" ".join(title_words(a))) == title_words(a)
