"""Cutoff, 000: the paths of table 1."""

from __future__ import annotations

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Verdict, distance_of
from pinakes.strategies.cutoff import Cutoff
from pinakes.testing.toy import ToyWeb
from pinakes.testing.trial import Trial


class Nuggets:
    """A judge that goes by a page's title: `0` is a nugget, `X` a dud, as table 1 writes them."""

    threshold = 0.5

    def judge(self, page: Page) -> Verdict:
        return Verdict(float(page.title == "0"), nugget=page.title == "0")


def at(number: int) -> str:
    return f"http://a.example/{number}"


def path(drawn: str) -> ToyWeb:
    """A path in the notation of table 1, such as `0-X-X-0`: each page links to the next."""
    kinds = drawn.split("-")
    pages = {at(n): (f"page {n}", [at(n + 1)] if n + 1 < len(kinds) else [], kind) for n, kind in enumerate(kinds)}
    return ToyWeb(pages)


def distances(drawn: str, cutoff: int, pages: int | None = None) -> list[int]:
    """The distances of the pages that are reached, from the first on."""
    trial = Trial(path(drawn), Cutoff(Brief(), cutoff=cutoff), Nuggets(), [at(0)]).go(pages)
    return [distance_of(page, verdict) for page, verdict in trial.journal.visits]


@pytest.mark.parametrize(
    ("drawn", "cutoff", "reached"),
    [
        ("0-0", 0, [0, 0]),
        ("0-X-X-X-X-0", 4, [0, 1, 2, 3, 4, 0]),
        ("0-X-X-0-X-0", 2, [0, 1, 2, 0, 1, 0]),
        ("X-X-X-0", 2, [0, 1, 2, 0]),
    ],
)
def test_complete_paths_of_table_1(drawn: str, cutoff: int, reached: list[int]) -> None:
    """Eq. 2 along a path: a nugget is at 0, a dud one further than its parent; a seed is a pseudo-nugget."""
    assert distances(drawn, cutoff) == reached


@pytest.mark.parametrize(
    ("drawn", "cutoff", "reached"),
    [
        ("0-X-X-X-X-0", 3, [0, 1, 2, 3, 4]),
        ("0-X-X-0-X-0", 1, [0, 1, 2]),
        ("0-X-0", 0, [0, 1]),
        ("X-0-X-X", 0, [0, 0, 1]),
    ],
)
def test_a_path_ends_when_its_distance_exceeds_the_cutoff(drawn: str, cutoff: int, reached: list[int]) -> None:
    """The dud beyond the cutoff is read, its links are not followed."""
    assert distances(drawn, cutoff) == reached


def test_an_incomplete_path_ends_with_the_crawl() -> None:
    """Table 1's 0-X…X below the cutoff: time is up while a link still waits."""
    trial = Trial(path("0-X-X-X-0"), Cutoff(Brief(), cutoff=20), Nuggets(), [at(0)]).go(pages=3)
    assert (trial.stopped, trial.order) == ("budget", [at(0), at(1), at(2)])
    assert len(trial.frontier) == 1


def test_the_brief_crawl_of_table_1() -> None:
    """A tree of a nugget with a nugget and a dud below it, first in first out; only the nugget is followed."""
    web = ToyWeb(
        {
            at(0): ("root", [at(1), at(2)], "0"),
            at(1): ("dud", [at(3)], "X"),
            at(2): ("nugget", [at(4)], "0"),
            at(3): ("never reached", [], "0"),
            at(4): ("below the nugget", [], "X"),
        }
    )
    trial = Trial(web, Cutoff(Brief()), Nuggets(), [at(0)]).go()
    assert trial.order == [at(0), at(1), at(2), at(4)]


def test_a_page_met_on_two_paths_keeps_the_lesser_distance() -> None:
    """Page 4 is met first behind two duds, then behind a nugget, while it waits: its distance is 1, not 3."""
    web = ToyWeb(
        {
            at(0): ("root", [at(1), at(2)], "0"),
            at(1): ("dud", [at(4)], "X"),
            at(2): ("nugget", [at(4)], "0"),
            at(4): ("met twice", [at(5)], "X"),
            at(5): ("end", [], "X"),
        }
    )
    trial = Trial(web, Cutoff(Brief(), cutoff=1), Nuggets(), [at(0)]).go()
    assert trial.order == [at(0), at(1), at(2), at(4), at(5)]
    assert [step.distance for step in trial.steps] == [0, 0, 0, 0, 1]


def test_a_negative_cutoff_is_refused() -> None:
    with pytest.raises(PinakesError):
        Cutoff(Brief(), cutoff=-1)
