"""The contrast judge: like one topic, unlike the others."""

from __future__ import annotations

from math import log, sqrt

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.judges.contrast import FALLBACK, ContrastJudge

A = "http://a.example/"


def page(url: str = A, links: tuple[str, ...] = (), **terms: int) -> Page:
    return Page(Link(url), url, status=200, terms=terms, links=tuple(Link(to, parent=url) for to in links))


BIRDS = (page(owl=2, nest=1, site=1), page(owl=1, wing=1, site=1))
LOOMS = (page(loom=3, site=1), page(loom=1, thread=1, site=2))
BRIEF = Brief(topics=(Topic("birds"), Topic("looms")), examples={"birds": BIRDS, "looms": LOOMS})


def test_the_score_by_hand() -> None:
    """One example a topic, one word each: the centroid is (1, -½) at length one."""
    brief = Brief(topics=(Topic("a"), Topic("b")), examples={"a": (page(x=1),), "b": (page(y=1),)})
    judge = ContrastJudge(brief)
    length = sqrt(1 + 0.25)
    assert judge.judge(page(x=5)).scores == pytest.approx({"a": 1 / length, "b": 0.0})
    # idf = ln(3 / 1.5) for x and y, ln(3 / .5) for a word nobody has
    known, unknown = log(2), log(6)
    expected = known / sqrt(known**2 + unknown**2) / length
    assert judge.judge(page(x=1, z=1)).score == pytest.approx(expected)


def test_a_page_goes_to_its_nearest_topic() -> None:
    judge = ContrastJudge(BRIEF)
    verdict = judge.judge(page(owl=3, wing=1))
    assert verdict.topic == "birds" and verdict.nugget
    assert judge.judge(page(loom=1)).topic == "looms"
    assert not judge.judge(page(kettle=3)).nugget


def test_what_everybody_shares_counts_for_nobody() -> None:
    """A page of common words alone is no nugget, unlike one with a telling word."""
    judge = ContrastJudge(BRIEF)
    assert judge.judge(page(site=9)).score < judge.threshold < judge.judge(page(site=9, owl=9)).score


def test_relations_do_not_count_against_each_other() -> None:
    """An ancestor's examples are not taken off a child's centroid, a stranger's are."""
    examples = {"birds": BIRDS, "owls": (page(owl=4),)}
    strangers = Brief(topics=(Topic("birds"), Topic("owls")), examples=examples)
    related = Brief(topics=(Topic("birds"), Topic("owls", parent="birds")), examples=examples)
    nearer = ContrastJudge(related).correlations({"owl": 2, "wing": 1})
    further = ContrastJudge(strangers).correlations({"owl": 2, "wing": 1})
    assert nearer["owls"] > further["owls"]


def test_a_document_without_words_inherits() -> None:
    """000, footnote 1: a PDF that cannot be read has the correlation of the page that links to it."""
    judge = ContrastJudge(BRIEF)
    parent = judge.judge(page(links=("http://a.example/scan.pdf",), owl=2))
    assert judge.judge(page("http://a.example/scan.pdf")) == parent
    assert judge.judge(page("http://a.example/other.pdf")).score == 0.0


def test_the_threshold_is_calibrated_or_given() -> None:
    alone = Brief(topics=(Topic("birds"),), examples={"birds": (page(owl=1),)})
    assert ContrastJudge(alone).threshold == FALLBACK
    assert 0 < ContrastJudge(BRIEF).threshold < 1
    assert ContrastJudge(BRIEF, threshold=0.3).threshold == 0.3


def test_a_topic_without_examples_is_its_words() -> None:
    judge = ContrastJudge(Brief(topics=(Topic("owls", "night hunters"), Topic("looms"))))
    assert judge.judge(page(owl=1, night=1)).topic == "owls"


def test_without_topics_there_is_nothing_to_compare_with() -> None:
    with pytest.raises(PinakesError, match="needs a topic"):
        ContrastJudge(Brief())
