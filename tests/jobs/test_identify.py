"""Which wanted paper a document is."""

from __future__ import annotations

import pytest

from pinakes.core.page import Link, Page
from pinakes.jobs.harvest.identify import Identifier, Match
from pinakes.text.titles import Work
from pinakes.text.words import Words

WANTED = [
    Work("Deep Owls at Night", ("Anna Berg", "Carl Dale"), 2004, "deep"),
    Work("Deep Owls at Night: The Sequel", ("Anna Berg",), 2005, "sequel"),
    Work("Fish", ("Eve Ford",), 2003, "fish"),
]
BODY = (
    "\nAbstract\nWe study how owls hunt. "
    + "The method is compared with earlier work [1, 2] and found to be better [3] in many ways. " * 150
    + "\n1 Introduction\nOwls hunt [4] at night [5, 6].\nConclusion\nThey do.\nReferences\n[1] Somebody. [2] Another."
)


def identified(text: str, url: str = "http://example.org/x.pdf", title: str = "") -> Match | None:
    words = tuple(Words().stems(text))
    return Identifier(WANTED).identify(Page(Link(url), url, 200, "application/pdf", title, text, words))


@pytest.mark.parametrize(
    "opening",
    [
        "Deep Owls at Night\nAnna Berg and Carl Dale\nUniversity of Somewhere",
        "Proceedings of the Owl Workshop 2004, copyright held by the authors\nDEEP OWLS AT NIGHT\nA. Berg, C. Dale",
        "Deep Owls\nat Nigth\nAnna Berg, Carl Dale",
    ],
)
def test_a_paper_is_known_by_its_opening(opening: str) -> None:
    match = identified(opening + BODY)
    assert match is not None and (match.work.id, match.status) == ("deep", "found"), match


def test_the_longer_title_wins() -> None:
    match = identified("Deep Owls at Night: The Sequel\nAnna Berg" + BODY)
    assert match is not None and match.work.id == "sequel"


def test_slides_are_another_version() -> None:
    match = identified("Deep Owls at Night\nAnna Berg\nOutline\nOwls\nNight\nQuestions?")
    assert match is not None and match.status == "version" and "does not look like a paper" in match.evidence
    assert match.form == "slides or poster"


@pytest.mark.parametrize(
    ("url", "title", "form"),
    [
        ("http://example.org/talks/owls-slides.pdf", "", "slides"),
        ("http://example.org/x.pdf", "Talk at OWL", "slides"),
        ("http://example.org/owl_poster.pdf", "", "poster"),
    ],
)
def test_another_version_says_which(url: str, title: str, form: str) -> None:
    match = identified("Deep Owls at Night\nAnna Berg\nOutline\nOwls\nNight\nQuestions?", url, title)
    assert match is not None and (match.status, match.form) == ("version", form)


@pytest.mark.parametrize(
    ("mark", "form"),
    [
        ("", "paper"),
        ("arXiv:1502.01234v2 [cs.OW] 3 Mar 2015\n", "preprint"),
        ("Preprint submitted to Elsevier\n", "preprint"),
        ("To appear in OWL 2004\n", "preprint"),
        ("queries\nsubmitted to the engine, see arXiv:1502.01234\n", "paper"),
    ],
)
def test_a_preprint_is_found_and_called_so(mark: str, form: str) -> None:
    match = identified(f"Deep Owls at Night\nAnna Berg and Carl Dale\n{mark}" + BODY)
    assert match is not None and (match.status, match.form) == ("found", form)


def test_a_supplement_is_not_the_paper() -> None:
    match = identified("Supplementary Material for:\nDeep Owls at Night\nAnna Berg and Carl Dale" + BODY)
    assert match is not None and match.status == "version" and "supplementary" in match.evidence
    assert match.form == "supplement"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Comments on Deep Owls at Night\nGus Hall, with thanks to Anna Berg" + BODY,
        "Deep Owls at Night\nGus Hall" + BODY,
        "Another Study\nGus Hall" + BODY + " [9] Anna Berg, Carl Dale. Deep Owls at Night. 2004.",
        "A Long Study of the Many Kinds of Birds and Also Some Fish\nEve Ford" + BODY,
        "Curriculum Vitae\nAnna Berg\nEducation\nDeep Owls at Night, with Carl Dale",
    ],
)
def test_what_is_not_it(text: str) -> None:
    assert identified(text) is None
