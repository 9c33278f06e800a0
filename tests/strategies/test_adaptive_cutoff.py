"""Adaptive cutoff, 000 eq. 3 in both readings, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.strategies.adaptive_cutoff import AdaptiveCutoff

OUT = Link("http://a.example/out", depth=9)


def walk(strategy: AdaptiveCutoff, correlations: Sequence[float], threshold: float = 0.5) -> list[bool]:
    """Which pages of a path are followed, given their correlations; the first is the seed."""
    followed = []
    distance = 0
    for depth, score in enumerate(correlations):
        url, nugget = f"http://a.example/{depth}", score >= threshold
        link = Link(url, parent=f"http://a.example/{depth - 1}", depth=depth, distance=distance)
        links = strategy.visit(Page(link, url, links=(OUT,)), Verdict(score, nugget=nugget))
        distance = 0 if nugget or not depth else distance + 1
        followed.append(bool(list(links)))
        if not followed[-1]:
            break
    return followed


def test_printed_distances_by_hand() -> None:
    """After a nugget, duds of correlation .4 and .3 with C = 20: .6, then .7 e^(.06)."""
    strategy = AdaptiveCutoff(Brief())
    assert walk(strategy, [0.9, 0.4, 0.3]) == [True, True, True]
    assert strategy.state() == pytest.approx({"http://a.example/1": 0.6, "http://a.example/2": 0.7 * exp(2 * 0.6 / 20)})


def test_printed_path_ends_at_the_cap() -> None:
    """A second page of correlation .05 after one of .05: .95 e^(.095) = 1.0447, capped at 1."""
    assert walk(AdaptiveCutoff(Brief()), [0.9, 0.05, 0.05]) == [True, True, False]
    assert walk(AdaptiveCutoff(Brief()), [0.9, 0.0]) == [True, False]


def test_printed_small_cutoff_grows_faster() -> None:
    """With C = 1 even a page of .4 after one of .4 is too far: .6 e^(1.2) = 1.99."""
    assert walk(AdaptiveCutoff(Brief(), cutoff=1.0), [0.9, 0.4, 0.4]) == [True, True, False]
    assert walk(AdaptiveCutoff(Brief(), cutoff=20.0), [0.9, 0.4, 0.4]) == [True, True, True]


def test_additive_distances_by_hand() -> None:
    """C = 3, duds of correlation .1: 1, then 1 + .9 e^(2/3) = 2.7530, then 2.7530 + .9 e^(1.8353) = 8.39 > 3."""
    strategy = AdaptiveCutoff(Brief(), form="additive", cutoff=3.0)
    assert walk(strategy, [0.9, 0.1, 0.1, 0.1]) == [True, True, True, False]
    assert strategy.state() == pytest.approx({"http://a.example/1": 1.0, "http://a.example/2": 1 + 0.9 * exp(2 / 3)})


def test_additive_is_never_kinder_than_the_fixed_cutoff() -> None:
    """Each dud adds at least 1, however good; beyond C = 2 even almost-nuggets end: 1 + .51 e = 2.386."""
    assert walk(AdaptiveCutoff(Brief(), form="additive", cutoff=2.0), [0.9, 0.49, 0.49]) == [True, True, False]
    assert walk(AdaptiveCutoff(Brief(), form="additive", cutoff=2.4), [0.9, 0.49, 0.49]) == [True, True, True]


def test_the_two_paths_of_section_5_3() -> None:
    """path1 (.45 .25 .30 .35) goes on where path2 (.10 .05 .09 .35) has long ended, as the paper wants."""
    assert walk(AdaptiveCutoff(Brief()), [0.9, 0.45, 0.25, 0.30, 0.35]) == [True] * 5
    assert walk(AdaptiveCutoff(Brief()), [0.9, 0.10, 0.05]) == [True, True, False]


def test_a_nugget_begins_anew_and_a_seed_counts_as_one() -> None:
    strategy = AdaptiveCutoff(Brief())
    assert walk(strategy, [0.0, 0.05, 0.6, 0.05]) == [True] * 4
    assert "http://a.example/2" not in strategy.state()


def test_a_link_that_a_nugget_has_too_starts_from_there() -> None:
    """The engine says so by the distance 0, whoever the first parent was."""
    strategy = AdaptiveCutoff(Brief(), cutoff=1.0)
    walk(strategy, [0.9, 0.4])
    url = "http://a.example/met-again"
    link = Link(url, parent="http://a.example/1", depth=2, distance=0)
    assert strategy.visit(Page(link, url, links=(OUT,)), Verdict(0.4))
    assert strategy.state()[url] == pytest.approx(0.6)


def test_failed_pages_teach_nothing() -> None:
    strategy = AdaptiveCutoff(Brief())
    link = Link("http://a.example/1", parent="http://a.example/0", depth=1)
    assert not strategy.visit(Page(link, link.url, error="timeout"), Verdict())
    assert strategy.state() == {}


@given(st.lists(st.floats(0.0, 0.49), max_size=12), st.floats(0.1, 40.0), st.sampled_from(["printed", "additive"]))
def test_the_distance_is_bounded_while_a_path_goes_on(scores: list[float], cutoff: float, form: str) -> None:
    """A page that is followed is nearer than the cap or the cutoff, and what is beyond is not followed."""
    strategy = AdaptiveCutoff(Brief(), form=form, cutoff=cutoff)
    followed = walk(strategy, [0.9, *scores])
    on = followed.index(False) if False in followed else len(followed)
    for number in range(1, on):
        distance = strategy.state()[f"http://a.example/{number}"]
        assert 0.0 < distance < 1.0 if form == "printed" else number <= distance <= cutoff


def test_parameters_out_of_reach_are_refused() -> None:
    with pytest.raises(PinakesError):
        AdaptiveCutoff(Brief(), cutoff=0)
    with pytest.raises(PinakesError):
        AdaptiveCutoff(Brief(), form="cubic")
