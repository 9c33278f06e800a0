"""Terms kept for crawls that are analysed later, in either catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.page import Brief, Fetched, Link, Page, Verdict
from pinakes.core.roles import Progress
from pinakes.library.desk import library_path
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.library.terms import KeptTerms
from pinakes.strategies.breadth_first import BreadthFirst


def check(folder: Path) -> None:
    """What a ledger keeps comes back, in any order asked for; what it did not is not known."""
    counts = {"owl": 2, "hélice": 70_000, "barn": 1}
    with Library(folder, write=True, create=True) as library:
        terms = KeptTerms(library.connection)
        assert terms.known([1, 2]) == set(), "a library nobody analyses has none"
        recipe = Recipe("panorama", "breadth-first", "cosine", "demo", options={"keep_terms": True})
        ledger = library.begin(recipe)
        terms.keep(7, counts)
        terms.keep(3, {"moth": 1})
        terms.keep(7, {"another": 1})
        page = Page(Link("http://a.example/"), "http://a.example/", error="timeout")
        ledger.deliver(Fetched(page), page, Verdict(), None)
        ledger.commit(Progress(), BreadthFirst(Brief()))
    with Library(folder) as library:
        terms = KeptTerms(library.connection)
        assert terms.known([9, *range(1200)]) == {3, 7}
        assert list(terms.of([7, 3])) == [{**counts, "hélice": 65_535}, {"moth": 1}]


def test_in_sqlite(tmp_path: Path) -> None:
    check(tmp_path / "library")


def test_in_postgresql(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))
    folder = library_path(database)
    with Library(folder, write=True, create=True, archive=str(tmp_path / "pages")):
        pass
    check(folder)
