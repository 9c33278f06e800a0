"""Snippets: the passage that says most about the topic, and never a menu where there is prose."""

from __future__ import annotations

from typing import Any

import pytest

from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.jobs.snippets import LENGTH, Snippets, cut, day_of

BRIEF = Brief(topics=(Topic("owls", "night hunters"), Topic("looms", "warp and weft")))
NONE: Any = None


def page(text: str) -> Page:
    return Page(Link("http://a.example/"), "http://a.example/", text=text)


def test_the_passage_with_most_of_the_words() -> None:
    text = "Owls Owls Owls menu\nTea is made with water.\nAn owl hunts at night. It is quiet.\nLooms have a warp."
    snippets = Snippets(NONE, BRIEF)
    assert snippets.of(page(text), "owls") == "An owl hunts at night. It is quiet."
    assert snippets.of(page(text), "looms") == "Looms have a warp."


def test_a_page_without_sentences_shows_its_lines() -> None:
    assert Snippets(NONE, BRIEF).of(page("Owls\nNight"), "owls") == "Owls Night"
    assert Snippets(NONE, BRIEF).of(page(""), "owls") == ""


def test_long_ones_end_at_a_word() -> None:
    text = "word " * 200
    short = cut(text.strip())
    assert len(short) <= LENGTH and short.endswith("word…")


@pytest.mark.parametrize(
    ("modified", "at", "day"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0, "2015-10-21"),
        ("yesterday", 86_400.0, "1970-01-02"),
        ("", 0.0, ""),
    ],
)
def test_dates(modified: str, at: float, day: str) -> None:
    assert day_of(modified, at) == day
