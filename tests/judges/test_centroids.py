"""The centroids judge, 000 §2–3: weights and eq. 1 by hand."""

from __future__ import annotations

import json
from collections import Counter
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.judges.centroids import CentroidsJudge
from pinakes.judges.registry import make_judge
from pinakes.models.centroid import Centroids, Rarity, concatenated, leave_one_out
from pinakes.text.background import english

A, B, PAPER = "http://a.example/", "http://b.example/", "http://a.example/paper.pdf"


def page(url: str = A, links: tuple[str, ...] = (), type: str = "text/html", **terms: int) -> Page:
    return Page(Link(url), url, status=200, type=type, terms=terms, links=tuple(Link(to, parent=url) for to in links))


BIRDS = (page(owl=2, nest=1, page=1), page(owl=1, wing=1, page=1))
LOOMS = (page(loom=3, page=1), page(loom=1, thread=1, page=2))
BRIEF = Brief(topics=(Topic("birds"), Topic("looms")), examples={"birds": BIRDS, "looms": LOOMS})


def test_weights_by_hand() -> None:
    """TF in the concatenated pages times ln(4 / df) over the pages of both topics; `page`, in all, tells nothing."""
    rarity = Rarity([document.terms for document in (*BIRDS, *LOOMS)])
    centroid = rarity.weigh(concatenated(document.terms for document in BIRDS))
    assert centroid == pytest.approx({"owl": 3 * log(4 / 2), "nest": log(4), "wing": log(4)})


def test_the_correlation_is_the_cosine_with_the_nearest_centroid() -> None:
    """The bird centroid is ln 2 times (owl 3, nest 2, wing 2); the page is (owl 1, page 1)."""
    verdict = CentroidsJudge(BRIEF).judge(page(owl=1, page=1))
    assert verdict.score == pytest.approx(3 / (sqrt(17) * sqrt(2)))
    assert (verdict.topic, verdict.nugget) == ("birds", True)
    assert verdict.scores == pytest.approx({"birds": verdict.score, "looms": 0.0})


def test_the_printed_form_of_eq_1_differs_from_the_cosine() -> None:
    """On one shared term they agree; on two, the printed form says .734 of a page that is the centroid itself."""
    vectors = {"c": {"owl": 3.0, "nest": 4.0}}
    cosine, printed = Centroids(vectors), Centroids(vectors, form="printed")
    assert cosine.correlations({"owl": 5}) == pytest.approx(printed.correlations({"owl": 5})) == {"c": 0.6}
    assert cosine.correlations({"owl": 3, "nest": 4})["c"] == pytest.approx(1.0)
    assert printed.correlations({"owl": 3, "nest": 4})["c"] == pytest.approx(sqrt(0.36 * 0.36 + 0.64 * 0.64))
    assert sqrt(0.36 * 0.36 + 0.64 * 0.64) == pytest.approx(0.7343, abs=1e-4)


def test_the_printed_form_can_be_asked_for() -> None:
    twins = page(owl=3, nest=2, wing=2)
    assert CentroidsJudge(BRIEF).judge(twins).score == pytest.approx(1.0)
    assert CentroidsJudge(BRIEF, form="printed").judge(twins).score == pytest.approx(sqrt(81 + 16 + 16) / 17)


def test_term_frequencies_alone_can_be_asked_for() -> None:
    """Then `page` counts like any word: the bird centroid is (owl 3, nest 1, wing 1, page 2)."""
    assert CentroidsJudge(BRIEF, weights="tf").judge(page(page=1)).score == pytest.approx(3 / sqrt(1 + 16 + 9))
    assert CentroidsJudge(BRIEF).judge(page(page=1)).score == 0.0


def test_documents_can_be_weighed_too() -> None:
    """With TF-IDF on both sides the common word no longer dilutes the page."""
    assert CentroidsJudge(BRIEF, documents="tf-idf").judge(page(owl=1, page=9)).score == pytest.approx(3 / sqrt(17))


def test_a_single_topic_is_compared_with_the_table_that_ships() -> None:
    """Its own pages alone would make its best words look common. Other documents take the table's place."""
    alone = Brief(topics=BRIEF.topics[:1], examples={"birds": BIRDS})
    assert CentroidsJudge(alone, weights="tf").judge(page(page=1)).score == pytest.approx(2 / sqrt(15))
    known = english()
    documents = known[""] + len(BIRDS)
    weights = {
        term: count * log(documents / (known.get(term, 0) + within))
        for term, count, within in (("owl", 3, 2), ("nest", 1, 1), ("wing", 1, 1), ("page", 2, 2))
    }
    length = sqrt(sum(weight**2 for weight in weights.values()))
    assert CentroidsJudge(alone).judge(page(owl=1)).score == pytest.approx(weights["owl"] / length)
    compared = Brief(topics=BRIEF.topics[:1], examples={"birds": BIRDS}, negatives=LOOMS)
    assert CentroidsJudge(compared).judge(page(page=1)).score == 0.0
    corpus = Brief(topics=BRIEF.topics[:1], examples={"birds": BIRDS}, background={"": 98, "page": 98, "owl": 1})
    verdict = CentroidsJudge(corpus).judge(page(owl=1))
    weights = {"owl": 3 * log(100 / 3), "nest": log(100), "wing": log(100)}
    assert verdict.score == pytest.approx(weights["owl"] / sqrt(sum(weight**2 for weight in weights.values())))


def test_the_threshold_is_the_papers_unless_told() -> None:
    assert CentroidsJudge(BRIEF).threshold == 0.35
    assert CentroidsJudge(BRIEF, threshold=0.5).threshold == 0.5
    on_the_edge = CentroidsJudge(BRIEF, threshold=3 / sqrt(17)).judge(page(owl=1))
    assert on_the_edge.nugget


def test_auto_is_three_quarters_of_the_mean_leave_one_out_correlation() -> None:
    """By hand with TF: each bird page against the other, and each loom page."""
    birds = (2 * 1 + 1 * 1) / (sqrt(6) * sqrt(3))
    looms = (3 * 1 + 1 * 2) / (sqrt(10) * sqrt(6))
    judge = CentroidsJudge(BRIEF, threshold="auto", weights="tf")
    assert judge.threshold == pytest.approx(0.75 * (2 * birds + 2 * looms) / 4)
    assert all(judge.judge(example).nugget for example in (*BIRDS, *LOOMS))


def test_auto_without_two_examples_is_the_threshold_of_sentences() -> None:
    assert CentroidsJudge(Brief(topics=(Topic("owls and their nests"),)), threshold="auto").threshold == 0.15
    assert leave_one_out([{"owl": 1}], Rarity(()), False, "cosine") == []


def test_words_alone_make_a_centroid() -> None:
    """A topic without examples is its name and description."""
    judge = CentroidsJudge(Brief(topics=(Topic("owls", "nests"),)))
    assert judge.judge(page(owl=1, nest=1)).score == pytest.approx(1.0)


def test_without_topics_nothing_is_a_nugget() -> None:
    verdict = CentroidsJudge(Brief()).judge(page(owl=1))
    assert (verdict.score, verdict.topic, verdict.nugget) == (0.0, "", False)


def test_topics_that_cannot_be_told_apart_fall_back_on_frequencies() -> None:
    """Where every word is in every page TF-IDF leaves nothing, and TF counts."""
    same = Brief(topics=(Topic("a"), Topic("b")), examples={"a": BIRDS[:1], "b": BIRDS[:1]})
    assert CentroidsJudge(same).judge(page(owl=2, nest=1, page=1)).score == pytest.approx(1.0)


def test_a_document_takes_its_parents_correlation_until_it_is_read() -> None:
    """000, footnote 1: the PDF that could not be read is in the collection its parent is in."""
    judge = CentroidsJudge(BRIEF)
    parent = judge.judge(page(A, links=(PAPER, B), owl=3, nest=1))
    unread = page(PAPER, type="application/pdf")
    assert judge.judge(unread) == parent
    assert judge.judge(page(PAPER, type="application/pdf", loom=5)).topic == "looms"
    assert judge.judge(page(B)).score == 0.0


def test_of_several_parents_the_best_counts() -> None:
    judge = CentroidsJudge(BRIEF)
    judge.judge(page(A, links=(PAPER,), owl=1, stone=9))
    best = judge.judge(page(B, links=(PAPER,), owl=3))
    judge.judge(page("http://c.example/", links=(PAPER,), stone=1))
    assert judge.judge(page(PAPER, type="application/pdf")) == best


def test_a_document_met_under_another_name_inherits_too() -> None:
    judge = CentroidsJudge(BRIEF)
    parent = judge.judge(page(A, links=(PAPER,), owl=3))
    moved = Page(Link(PAPER), "http://a.example/files/1", type="application/pdf")
    assert judge.judge(moved) == parent


def test_what_a_document_inherits_outlives_a_resumed_crawl() -> None:
    """The state is plain data, holds each parent's verdict once, and keeps the order of the documents."""
    judge, again = CentroidsJudge(BRIEF), CentroidsJudge(BRIEF)
    other = "http://a.example/notes.ps.gz"
    parent = judge.judge(page(A, links=(PAPER, other), owl=3))
    judge.judge(page(B, links=("http://b.example/x.pdf",), loom=2))
    kept = json.loads(json.dumps(judge.state()))
    assert len(kept["verdicts"]) == 2 and len(kept["documents"]) == 3
    again.restore(kept)
    assert again.judge(page(PAPER, type="application/pdf")) == again.judge(page(other)) == parent
    assert again.judge(page("http://b.example/x.pdf")).topic == "looms"
    assert again.state() == judge.state()


vectors = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 50), max_size=7)


@given(st.lists(vectors, min_size=1, max_size=4), vectors, st.sampled_from(["cosine", "printed"]))
def test_correlations_are_in_0_to_1_and_do_not_depend_on_length(
    centroids: list[dict[str, int]], document: dict[str, int], form: str
) -> None:
    """Scores are bounded, and a page said twice over correlates the same; printed never exceeds the cosine."""
    named = {str(number): vector for number, vector in enumerate(centroids)}
    scores = Centroids(named, form).correlations(document)
    assert all(0.0 <= score <= 1.0 for score in scores.values())
    twice = Counter(document) + Counter(document)
    assert Centroids(named, form).correlations(twice) == pytest.approx(scores)
    cosines = Centroids(named).correlations(document)
    assert all(scores[name] <= cosines[name] + 1e-12 for name in named)


@pytest.mark.parametrize("wrong", [{"weights": "bm25"}, {"form": "dice"}, {"documents": "log"}])
def test_unknown_choices_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(PinakesError):
        CentroidsJudge(BRIEF, **wrong)


def test_auto_can_be_asked_for_by_name() -> None:
    """On the command line the threshold is a number, or the word the manual has for calibrating it."""
    assert 0 < make_judge("centroids", BRIEF, {"threshold": "auto"}).threshold < 1
    assert make_judge("centroids", BRIEF, {"threshold": "0.5"}).threshold == 0.5
    with pytest.raises(PinakesError, match="neither a number nor"):
        make_judge("centroids", BRIEF, {"threshold": "some"})
