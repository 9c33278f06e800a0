"""The judge for simple wishes."""

from __future__ import annotations

from time import perf_counter

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Topic
from pinakes.judges.pattern import PatternJudge
from pinakes.testing import ToyWeb

URL = "http://a.example/birds"


def page(text: str, title: str = "") -> Page:
    return ToyWeb({URL: (text, [], title)}).page(URL)


def test_all_keywords_make_a_nugget() -> None:
    """In any form of the word; the score is the share of the keywords the page has."""
    judge = PatternJudge(Brief(), keywords="owl nest migrating")
    assert judge.judge(page("Owls migrate, nests remain")).nugget
    verdict = judge.judge(page("An owl in its nest"))
    assert verdict.score == pytest.approx(2 / 3) and not verdict.nugget
    assert PatternJudge(Brief(), keywords="owl nest migrating", threshold=0.5).judge(page("owl nest")).nugget


def test_a_topic_stands_in_for_keywords() -> None:
    brief = Brief(topics=(Topic("snowy owls"), Topic("looms")))
    verdict = PatternJudge(brief).judge(page("The snowy owl"))
    assert (verdict.topic, verdict.nugget) == ("snowy owls", True)


def test_a_pattern_must_match_a_line() -> None:
    """Of the title, the address or the text, whatever the letters' case."""
    judge = PatternJudge(Brief(), pattern=r"^call for papers|/birds$")
    assert judge.judge(page("x", title="Call for Papers: VLDB")).nugget
    assert judge.judge(page("anything")).nugget
    assert not PatternJudge(Brief(), pattern="owl.*nest").judge(page("nest, then owl")).nugget
    both = PatternJudge(Brief(), pattern="owl", keywords="nest")
    assert not both.judge(page("owl")).nugget and both.judge(page("owl nest")).nugget


def test_long_lines_are_cut_short() -> None:
    """A quadratic pattern over a long line does not take quadratic time."""
    judge = PatternJudge(Brief(), pattern=r"a*b")
    start = perf_counter()
    judge.judge(page("a" * 100_000))
    assert perf_counter() - start < 2


def test_mistakes_are_told() -> None:
    with pytest.raises(PinakesError, match="no regular expression"):
        PatternJudge(Brief(), pattern="(owl")
    with pytest.raises(PinakesError, match="give keywords"):
        PatternJudge(Brief())
