"""focused: the baseline of 001 §4."""

from __future__ import annotations

from math import log

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.focused import NO_TERM, SEED_PRICE, Focused
from pinakes.testing import ToyWeb, check_strategy
from pinakes.testing.trial import Trial

S, A, B = "http://a.example/s", "http://a.example/a", "http://a.example/b"


def leaf(name: str) -> str:
    return f"http://a.example/{name}"


def page(terms: dict[str, int], links: tuple[Link, ...] = ()) -> Page:
    return Page(Link("http://x.example/"), "http://x.example/", terms=terms, links=links)


BRIEF = Brief(
    topics=(Topic("birds"),),
    examples={"birds": (page({"owl": 3, "egg": 2}), page({"owl": 1, "nest": 1}))},
    background={"owl": 1, "egg": 2, "nest": 2, "loom": 5, "": 10},
)


def web() -> ToyWeb:
    return ToyWeb(
        {
            S: ("owl nest", [B, A]),
            A: ("owl owl", [leaf("a1"), leaf("a2"), leaf("a3")]),
            B: ("nest loom", [leaf("b1"), leaf("b2")]),
            leaf("a1"): ("owl owl egg", [leaf("a11"), leaf("a12")]),
            **{leaf(name): "leaf" for name in ("a2", "a3", "b1", "b2", "a11", "a12")},
        }
    )


def names(trial: Trial) -> list[str]:
    return [url.rpartition("/")[2] for url in trial.order]


def test_links_are_priced_by_the_likelihood_of_their_page() -> None:
    """P(owl) = 5/10 and P(egg) = 3/10 by eq. 4; a page without a known term comes last."""
    strategy = Focused(BRIEF, kept=2)
    links = (Link(A), Link(B))
    both = list(strategy.visit(page({"owl": 1, "egg": 5}, links), Verdict()))
    assert [link.priority for link in both] == pytest.approx([(log(5 / 10) + log(3 / 10)) / 2] * 2)
    assert [link.priority for link in strategy.visit(page({"loom": 1}, links), Verdict())] == [NO_TERM, NO_TERM]


def test_all_children_are_downloaded_before_the_next_move() -> None:
    """A's children come together, although one of them has better ones of its own; `eager` does not wait."""
    judge = CosineJudge(BRIEF)
    patient = Trial(web(), Focused(BRIEF, kept=2, eager=False), judge, [S]).go()
    assert names(patient) == ["s", "b", "a", "a1", "a2", "a3", "a11", "a12", "b1", "b2"]
    assert patient.steps[0].price == SEED_PRICE
    eager = Trial(web(), Focused(BRIEF, kept=2), judge, [S]).go()
    assert names(eager) == ["s", "b", "a", "a1", "a11", "a12", "a2", "a3", "b1", "b2"]


@pytest.mark.parametrize("eager", [False, True])
def test_it_keeps_the_promises_of_a_strategy(eager: bool) -> None:
    check_strategy(Focused, eager=eager)


def test_rare_is_what_the_reference_has_seldom() -> None:
    """Of two terms one is kept: in the corpus `egg` is rarer than `nest`, on this web's own pages it is the other way
    round. An unlikely term kept makes a lower price."""
    examples = (page({"owl": 1, "egg": 4}), Page(Link(A), A, terms={"owl": 1, "egg": 4}))
    others = tuple(Page(Link(leaf(str(n))), leaf(str(n)), terms={"egg": 1}) for n in range(3))
    birds = Page(Link(B), B, terms={"owl": 1, "nest": 1})
    brief = Brief(
        topics=(Topic("birds"),),
        examples={"birds": (*examples, birds)},
        negatives=others,
        background={"egg": 1, "nest": 90, "owl": 90, "": 100},
    )
    tried = page({"egg": 1, "nest": 1}, (Link(S),))
    corpus, web = (
        next(iter(Focused(brief, kept=1, reference=name).visit(tried, Verdict()))).priority
        for name in ("corpus", "web")
    )
    assert corpus > web
    with pytest.raises(PinakesError, match="neither corpus nor web"):
        Focused(brief, reference="moon")
