"""A vein: rich, then exhausted, then rich again."""

from __future__ import annotations

from pinakes.core.vein import WINDOW, Vein


def test_a_vein_is_exhausted_when_little_comes_after_much() -> None:
    """Six nuggets in ten, then one in a hundred."""
    vein = Vein([page % 10 < 6 for page in range(2 * WINDOW)])
    assert not vein.exhausted and str(vein) == ""
    for page in range(WINDOW):
        vein.add(page == 50)
    assert vein.exhausted and vein.best == 60
    assert str(vein) == "The vein seems exhausted: 1 nugget in the last 100 pages, 60 in the best 100."
    for _ in range(20):
        vein.add(True)
    assert not vein.exhausted


def test_where_nothing_was_found_nothing_is_exhausted() -> None:
    """A crawl from far away has yet to find its vein; and one that just began had no time to."""
    assert not Vein([False] * 1000).exhausted
    assert not Vein([True] * 90 + [False] * 100).exhausted
    assert Vein([True] * 90 + [False] * 200).exhausted
