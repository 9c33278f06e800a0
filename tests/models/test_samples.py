"""What two-class models learn from."""

from __future__ import annotations

from dataclasses import replace

from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.models.samples import reference_of, samples_of
from pinakes.text.background import english


def page(name: str, **terms: int) -> Page:
    return Page(Link(f"http://a.example/{name}"), f"http://a.example/{name}", terms=terms)


def test_negatives_are_the_briefs_or_else_the_other_topics_examples() -> None:
    """An example that two topics share is not held against either."""
    shared = page("shared", both=1)
    brief = Brief(
        topics=(Topic("birds"), Topic("cloth")),
        examples={"birds": (page("owl", owl=1), shared), "cloth": (page("loom", loom=1), shared)},
    )
    assert samples_of(brief)["birds"].negatives == ({"loom": 1},)
    given = Brief(topics=brief.topics, examples=brief.examples, negatives=(page("x", other=1),))
    assert samples_of(given)["cloth"].negatives == ({"other": 1},)


def test_words_stand_in_for_examples_and_the_background_for_negatives() -> None:
    """A sentence is an example; documents drawn from the background's frequencies are its counter-examples."""
    brief = Brief(topics=(Topic("snowy owls"),), background={"always": 10, "never": 0, "half": 5, "": 10})
    sample = samples_of(brief, ratio=200)["snowy owls"]
    assert sample.positives == ({"snowi": 1, "owl": 1},)
    assert len(sample.negatives) == 200
    assert all("always" in terms and "never" not in terms for terms in sample.negatives)
    assert 60 < sum("half" in terms for terms in sample.negatives) < 140
    assert samples_of(brief, ratio=200)["snowy owls"] == sample


def test_with_nothing_to_go_by() -> None:
    """No topic, no sample; no negatives at all, an empty page."""
    assert samples_of(Brief()) == {}
    assert samples_of(Brief(topics=(Topic("owls"),)))["owls"].negatives == ({},)


def test_reference_is_the_background_the_shipped_table_or_the_web_itself() -> None:
    given = Brief(examples={"birds": (page("owl", owl=3),)}, negatives=(page("x", owl=1, loom=1),))
    assert reference_of(given) == english()
    layered = replace(given, layers=((page("list", owl=1),),), background={"owl": 7, "": 9})
    assert reference_of(layered) == {"owl": 7, "": 9}
    assert reference_of(layered, own=True) == {"owl": 3, "loom": 1, "": 3}


def test_a_bounded_draw_of_negatives_takes_its_share_of_every_topic() -> None:
    """Twice the positives, out of eight other topics of four pages each: one of each, by chance which."""
    pages = {f"t{kind}": tuple(page(f"{kind}/{n}", **{f"k{kind}": n + 1}) for n in range(4)) for kind in range(9)}
    drawn = set()
    for state in range(6):
        brief = Brief(topics=(Topic("t0"),), examples=pages, random_state=state)
        negatives = samples_of(brief, ratio=2.0)["t0"].negatives
        assert [next(iter(terms)) for terms in negatives] == [f"k{kind}" for kind in range(1, 9)]
        assert samples_of(brief, ratio=2.0)["t0"].negatives == negatives
        drawn.add(tuple(next(iter(terms.values())) for terms in negatives))
    assert len(drawn) > 1
