"""anchor-text: 003 §3.3."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.anchor_keywords import HIGH, LOW, MEDIUM, Followed, learn, priorities
from pinakes.strategies.anchor_text import AnchorText
from pinakes.testing import ToyWeb, check_strategy
from pinakes.testing.trial import Trial

SITE = "http://lab.example"


def site() -> ToyWeb:
    """Figure 4's site: S → A, B, C; A → P; C → D, E; D → P, …; the links that lead to papers have keywords."""
    return ToyWeb(
        {
            f"{SITE}/s": ("Start", [(f"{SITE}/a", "People"), (f"{SITE}/b", "News"), (f"{SITE}/c", "Research group")]),
            f"{SITE}/a": ("A", [(f"{SITE}/1.pdf", "my thesis"), (f"{SITE}/f", "Photos")]),
            f"{SITE}/b": ("B", [(f"{SITE}/g", "Older news")]),
            f"{SITE}/c": ("C", [(f"{SITE}/d", "Publications"), (f"{SITE}/e", "Visitors")]),
            f"{SITE}/d": ("D", [(f"{SITE}/2.pdf", "VLDB"), (f"{SITE}/h", "Home")]),
            f"{SITE}/e": "E",
            f"{SITE}/f": "F",
            f"{SITE}/g": "G",
            f"{SITE}/h": "H",
            f"{SITE}/1.pdf": "Paper one",
            f"{SITE}/2.pdf": "Paper two",
        }
    )


def crawl(web: ToyWeb, strategy: AnchorText) -> list[tuple[str, float]]:
    trial = Trial(web, strategy, CosineJudge(Brief(topics=(Topic("papers"),))), [f"{SITE}/s"]).go()
    return [(step.url.rpartition("/")[2], step.price) for step in trial.steps]


def priority(strategy: AnchorText, anchor: str, parent: float = LOW, url: str = f"{SITE}/x") -> float | None:
    page = Page(Link(f"{SITE}/p", priority=parent), f"{SITE}/p", links=(Link(url, anchor),))
    return next((link.priority for link in strategy.visit(page, Verdict())), None)


def test_a_trained_list_adds_to_the_papers_sample() -> None:
    """`base=none` goes by the training alone."""
    learnt = {"handbook": 0.9, "people": 0.9}
    both = AnchorText(Brief(), keywords="trained", weights=learnt)
    alone = AnchorText(Brief(), keywords="trained", weights=learnt, base="none")
    assert priority(both, "Program and handbook") == priority(alone, "The handbook") == HIGH
    assert priority(both, "Our people") == HIGH and priority(both, "Program") == HIGH
    assert priority(alone, "Program") == LOW
    with pytest.raises(PinakesError, match="neither table4 nor none"):
        AnchorText(Brief(), keywords="trained", weights=learnt, base="table5")


def test_luck_teaches_nothing_when_one_must_be_sure() -> None:
    """Three of ten links with a name led to papers, as one in five did of all: that may be chance."""
    lucky, telling = frozenset(["john"]), frozenset(["public"])
    links = [Followed(lucky, [1.0])] * 3 + [Followed(lucky, [])] * 7
    links += [Followed(telling, [1.0])] * 9 + [Followed(telling, [])] * 3
    links += [Followed(frozenset(), [1.0])] * 10 + [Followed(frozenset(), [])] * 78
    assert learn(links, ratio=1.0, sure=0.0).keys() == {"john", "public"}
    assert learn(links, ratio=1.0).keys() == {"public"}


def test_figure_4_with_the_keywords_of_table_4() -> None:
    """ "Node C will be crawled with a medium priority … the priority of the node E is reduced to low … that of D is
    increased to high"; the seed is Low, and papers are fetched as soon as they are found."""
    strategy = AnchorText(Brief(), keywords="table4")
    strategy._priorities = {"group": MEDIUM, "people": MEDIUM, "pub": HIGH}
    assert crawl(site(), strategy) == [
        ("s", LOW),
        ("a", MEDIUM),
        ("1.pdf", 3.0),
        ("c", MEDIUM),
        ("d", HIGH),
        ("2.pdf", 3.0),
        ("h", MEDIUM),  # D's, less one
        ("b", LOW),
        ("f", LOW),  # A's, less one
        ("e", LOW),  # C's, less one
        ("g", LOW),
    ]


@given(st.integers(0, 2), st.integers(0, 2))
def test_get_priority(weight: int, parent: int) -> None:
    """The pseudo-code of §3.3, case by case."""
    strategy = AnchorText(Brief(), keywords="table4")
    anchor = {LOW: "home", MEDIUM: "faculty", HIGH: "papers"}[weight]
    if weight == 0 and parent > 0:
        expected = parent - 1
    elif weight > 0:
        expected = weight
    else:
        expected = LOW
    assert priority(strategy, anchor, float(parent)) == expected


def test_table_4_matches_parts_of_words_and_the_best_keyword_counts() -> None:
    """ "pub" is in "Publications"; a link with a Medium and a High keyword is High."""
    strategy = AnchorText(Brief(), keywords="table4")
    assert priority(strategy, "Publications") == HIGH
    assert priority(strategy, "List of people") == HIGH
    assert priority(strategy, "Our laboratory") == MEDIUM
    assert priority(strategy, "Weather") == LOW
    words = AnchorText(Brief(), keywords="table4", match="word")
    assert priority(words, "Publications") == LOW and priority(words, "papers") == HIGH


def test_ignore_and_allow_lists() -> None:
    """Table 2's file types and addresses are dropped; outside the allowed hosts only documents are fetched."""
    strategy = AnchorText(
        Brief(),
        keywords="table4",
        ignore=f".jpg {SITE}/courses",
        allow=f"{SITE}/ http://other.example",
    )
    assert priority(strategy, "paper", url=f"{SITE}/me.JPG?size=9") is None
    assert priority(strategy, "paper", url=f"{SITE}/courses.html") is None
    assert priority(strategy, "paper", url="http://far.example/") is None
    assert priority(strategy, "paper", url="http://far.example/x.pdf") == 3.0
    assert priority(strategy, "paper", url="http://other.example/list") == HIGH
    assert priority(strategy, "paper", url=f"{SITE}/list") == HIGH


def test_topic_keywords_are_the_strongest_terms_of_examples_and_topic() -> None:
    """The first are High, the next Medium; words of every page weigh nothing. The topic's own words weigh as much as
    the examples together: "birds" comes first although no example has it."""
    pages = [Page(Link(f"{SITE}/{n}"), f"{SITE}/{n}", terms={"owl": 9, "nest": 3, "the": 9}) for n in range(2)]
    background = {"owl": 2, "nest": 2, "loom": 4, "the": 6, "": 6}
    brief = Brief(topics=(Topic("birds"),), examples={"birds": tuple(pages)}, background=background)
    strategy = AnchorText(brief, high_terms=1, medium_terms=1)
    assert priority(strategy, "All birds") == HIGH
    assert priority(strategy, "The snowy owl") == MEDIUM
    assert priority(strategy, "Nests and eggs") == LOW
    assert priority(AnchorText(brief, high_terms=2, medium_terms=1), "Nests and eggs") == MEDIUM
    assert priority(strategy, "the loom") == LOW


def test_a_term_of_one_example_is_no_keyword() -> None:
    """Names and numbers of a single page are rare, thus strong; they say nothing about the topic."""
    texts = ({"owl": 1, "smith": 9}, {"owl": 1, "nest": 1}, {"owl": 1, "nest": 1})
    pages = [Page(Link(f"{SITE}/{n}"), f"{SITE}/{n}", terms=terms) for n, terms in enumerate(texts)]
    background = {"smith": 1, "owl": 9, "nest": 9, "": 100}
    brief = Brief(examples={"birds": tuple(pages)}, background=background)
    assert priority(AnchorText(brief), "J. Smith") == LOW and priority(AnchorText(brief), "nests") == HIGH
    assert priority(AnchorText(brief, common=1), "J. Smith") == HIGH
    assert priority(AnchorText(brief, common=3), "nests") == LOW
    alone = Brief(examples={"birds": tuple(pages[:1])}, background=background)
    assert priority(AnchorText(alone), "J. Smith") == HIGH  # one example is all there is


def test_stems_of_a_topic_match_words_and_keywords_of_a_list_match_substrings() -> None:
    """ "pub" is in "Publications"; the stem "art" of a topic is not in "Department"."""
    page = Page(Link(f"{SITE}/1"), f"{SITE}/1", terms={"art": 3})
    brief = Brief(examples={"art": (page,)}, background={"": 9})
    assert priority(AnchorText(brief), "Department") == LOW
    assert priority(AnchorText(brief), "Arts") == HIGH
    assert priority(AnchorText(brief, match="substring"), "Department") == HIGH
    assert priority(AnchorText(brief, keywords="table4"), "Publications") == HIGH
    assert priority(AnchorText(brief, keywords="table4", match="word"), "Publications") == LOW


def test_trained_weights_become_priorities() -> None:
    """More than a half is High: the link is closer to the paper than to the seed."""
    assert priorities({"paper": 1.0, "group": 0.5, "nothing": 0.0}, 0.5) == {"paper": HIGH, "group": MEDIUM}
    strategy = AnchorText(Brief(), keywords="trained", weights={"keywords": {"paper": 0.9, "group": 0.3}})
    assert priority(strategy, "Papers") == HIGH and priority(strategy, "The group") == MEDIUM


def test_keywords_are_learnt_as_section_3_3_says() -> None:
    """Common on links that lead to papers, rare on the others; a keyword's weight is the mean over its links."""
    links = [
        Followed(frozenset({"paper", "home"}), [1.0, 0.5]),
        Followed(frozenset({"paper"}), [0.75]),
        Followed(frozenset({"group"}), [0.5]),
        Followed(frozenset({"home"}), []),
        Followed(frozenset({"home"}), []),
    ]
    learnt = learn(links, common=1, ratio=2.0, sure=0.0)
    assert learnt["paper"] == (0.75, 2, 0) and learnt["group"].weight == 0.5
    assert "home" not in learnt  # on one of three, and on two of two
    assert set(learn(links, common=2, sure=0.0)) == {"paper"}
    assert learn([]) == {}


def test_wrong_parameters_say_what_is_right() -> None:
    with pytest.raises(PinakesError, match="pinakes train anchors"):
        AnchorText(Brief(), keywords="trained")
    with pytest.raises(PinakesError, match="table4, trained, topic"):
        AnchorText(Brief(), keywords="table5")
    with pytest.raises(PinakesError, match="auto, substring, word"):
        AnchorText(Brief(), match="regex")


@pytest.mark.parametrize("keywords", ["table4", "topic"])
def test_it_keeps_the_promises_of_a_strategy(keywords: str) -> None:
    check_strategy(AnchorText, keywords=keywords)
