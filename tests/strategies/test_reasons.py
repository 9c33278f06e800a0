"""What evidence knows of a link, in words."""

from __future__ import annotations

from math import log

from pinakes.strategies.link_evidence import FEATURES
from pinakes.strategies.reasons import in_words


def words(anchor: str = "", **values: float) -> str:
    return "; ".join(in_words({name: (values.get(name, 0.0), 1.0) for name in FEATURES}, anchor))


def test_reasons_name_parents_anchor_and_siblings() -> None:
    """The ones that matter, and no others."""
    told = words(
        "owls", log_inlinks=log(4), log_support=log(3.1), anchor_max=0.5, sib_mean=0.8, near=0.8, host=0.75, dir=0.3
    )
    assert told.startswith("linked from 3 pages, about 2 of them good; anchor “owls” is like the topic; ")
    assert "siblings on those pages were 80 % good" in told
    assert "pages of its directory 30 %" in told and "its host" not in told


def test_a_single_parent_is_told_by_its_worth() -> None:
    """And an anchor that says nothing is not called like the topic."""
    told = words("click here", log_inlinks=log(2), vote_max=0.12)
    assert told.startswith("linked from a page that is 12 % what is wanted; anchor “click here”; siblings")


def test_nothing_known_gives_no_reasons() -> None:
    assert in_words({}) == []
