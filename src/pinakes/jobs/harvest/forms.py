"""What of a work a document is: the paper, its preprint, slides, a poster, a supplement.

A preprint is the work's full text and counts as the paper; it is only called what it is. Slides and the like are
another version, which a library that wants the paper may still be glad of.
"""

from __future__ import annotations

import re

from pinakes.core.page import Page

PAPER, PREPRINT, SLIDES, POSTER, COURSE, ABSTRACT = "paper", "preprint", "slides", "poster", "course notes", "abstract"
UNSURE = "slides or poster"
SUPPLEMENT, ERRATUM = "supplement", "erratum"
OPENING, STAMPED = 2_500, 8_000
"""Characters in which a text says that it is a preprint; arXiv's stamp stands in the margin, and is read sooner or
later."""
SHORT = 700
"""Words of an abstract at most, where its lines are full."""
FULL = 6.0
"""Words a line has in running text; slides and posters have fewer."""
BESIDE = {
    **dict.fromkeys(("supplement", "supplementary", "supplemental", "supplements"), SUPPLEMENT),
    **dict.fromkeys(("appendix", "appendices", "addendum"), "appendix"),
    **dict.fromkeys(("erratum", "errata", "corrigendum"), ERRATUM),
}
"""Words before a title that say the document goes with the paper, and what they call it."""
_stamp = re.compile(r"arxiv:\s?[\w./-]+v\d+\s*\[", re.IGNORECASE)
_unprinted = re.compile(
    r"\b[Pp]reprint\b|^\W{0,3}(?:PREPRINT|DRAFT|Draft|Submitted (?:to|for)|Under (?:double-blind )?review|To appear)\b"
    r"|\b[Uu]nder review (?:as|by|at|for)\b|\b[Aa]ccepted manuscript\b"
    r"|\b[Aa]uthor['’]?s['’]? (?:version|copy|manuscript)\b",
    re.MULTILINE,
)
_letters = re.compile(r"[^\W\d_]+").findall
_TALKS = frozenset(("slides", "slide", "talk", "talks", "presentation", "presentations", "handout", "handouts"))
_POSTERS = frozenset(("poster", "posters"))


def text_form(page: Page) -> str:
    """What a document is that reads like a paper."""
    if _stamp.search(page.text[:STAMPED]) or _unprinted.search(page.text[:OPENING]):
        return PREPRINT
    return PAPER


def other_form(page: Page, course: bool) -> str:
    """What a document is that has a paper's title and does not read like one: what its address or title calls it,
    else what its lines look like."""
    said = {word.lower() for word in _letters(f"{page.url.partition('://')[2].partition('/')[2]} {page.title}")}
    if not said.isdisjoint(_POSTERS):
        return POSTER
    if not said.isdisjoint(_TALKS):
        return SLIDES
    if course:
        return COURSE
    words, lines = len(page.words), sum(1 for line in page.text.split("\n") if line.strip())
    if words / max(1, lines) < FULL:
        return UNSURE
    return ABSTRACT if words < SHORT else "another text"
