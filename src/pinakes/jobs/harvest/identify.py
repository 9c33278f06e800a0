"""Which wanted paper is this document? Told by its opening, where a paper has its title and its authors.

Papers that a document merely cites stand further down or without their authors beside them, so the title has to open
the document and an author has to be named there. Slides and posters of the same title are another version of the
paper, not the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from pinakes.core.page import Brief, Page
from pinakes.jobs.harvest.forms import BESIDE, other_form, text_form
from pinakes.judges.publication import PublicationJudge
from pinakes.text.names import PersonName, name_words
from pinakes.text.titles import Work, title_words

OPENING = 160
"""Words in which a title has to begin: after a banner, a copyright notice or a cover sheet."""
FRONT = 450
"""Words in which the authors have to be named."""
SURE_WORDS = 4
"""A title of so many words opens no other document; a shorter one has to have a line to itself."""
ALIKE = 92.0
NEAR = 6
"""Words before a title in which a document says that it goes with the paper."""
_ABOUT = frozenset(("comment", "comments", "reply", "response", "rejoinder", "review", "rebuttal", "discussion"))
_LINKING = frozenset(("on", "to", "of"))


@dataclass(frozen=True, slots=True)
class Match:
    """A document and the wanted paper it is."""

    work: Work
    url: str
    status: str
    """`found`, or `version` for slides, a poster or another form of the same work."""
    confidence: float
    evidence: str
    form: str
    """What of the work it is: see `forms`."""


class Identifier:
    """Compares documents with the wanted papers."""

    def __init__(self, wanted: Iterable[Work]) -> None:
        self._works = [(work, title_words(work.title)) for work in wanted]
        self._judge = PublicationJudge(Brief())
        self._holding: dict[str, list[int]] = {}
        for number, (_, words) in enumerate(self._works):
            # Every title is looked up by its longest words: a misreading seldom hits two of them.
            for word in sorted(set(words), key=lambda word: (-len(word), word))[:2]:
                self._holding.setdefault(word, []).append(number)

    def identify(self, page: Page) -> Match | None:
        """The wanted paper a document is, if it is one."""
        text = page.text[:20_000]
        words = title_words(text)[:FRONT]
        if not words:
            return None
        opening = words[: OPENING + 40]
        known = set(opening)
        numbers = {number for word in known for number in self._holding.get(word, ())}
        numbers |= set(self._split(opening))
        best: tuple[float, int, Work, str] | None = None
        names = name_words(text)[: FRONT + 100]
        for number in sorted(numbers):
            work, title = self._works[number]
            at, likeness = _opens(title, opening)
            if likeness < ALIKE:
                continue
            authors = [name for name in work.authors if PersonName.read(name).named_in(names)]
            if work.authors and not authors:
                continue
            if len(title) < SURE_WORDS and not _is_a_line(title, text):
                continue
            if at > 1 and opening[at - 1] in _LINKING and opening[at - 2] in _ABOUT:
                continue  # `Comments on …` is about the paper
            evidence = f"the title stands at word {at + 1}"
            if likeness < 100:
                evidence += f" ({likeness:.0f} % alike)"
            if authors:
                evidence += f"; {len(authors)} of {len(work.authors)} authors are named"
            # Of two titles that fit, the longer says more; then the one that stands first.
            rank = (len(title) * likeness / 100 - 0.02 * at, -at, work, evidence)
            if best is None or rank[:2] > best[:2]:
                best = rank
        if best is None:
            return None
        _, before, work, evidence = best
        at = -before
        verdict = self._judge.judge(page)
        beside = next((word for word in opening[max(0, at - NEAR) : at] if word in BESIDE), "")
        if verdict.nugget and beside:
            confidence = round(verdict.score / 2, 3)
            return Match(work, page.url, "version", confidence, f"{evidence}, behind “{beside}”", BESIDE[beside])
        if verdict.nugget:
            return Match(work, page.url, "found", round(0.5 + verdict.score / 2, 3), evidence, text_form(page))
        signs = [sign.name for sign in self._judge.signs(page) if sign.weight < 0]
        if "a curriculum vitae" in signs:
            return None  # it names its author's papers and is none
        why = f"; it does not look like a paper ({', '.join(signs) or 'short lines or few words'})"
        form = other_form(page, "a course" in signs)
        return Match(work, page.url, "version", round(0.5 - verdict.score / 2, 3), evidence + why, form)

    def is_publication(self, page: Page) -> bool:
        """True for an academic publication, wanted or not; False for slides, course notes, CVs, posters."""
        return self._judge.judge(page).nugget

    def _split(self, opening: list[str]) -> Iterable[int]:
        """Titles of whose longest words one stands in two pieces, as where a line broke without a hyphen's mark."""
        for a, b in pairwise(opening):
            yield from self._holding.get(a + b, ())


def _is_a_line(title: list[str], text: str) -> bool:
    """True when a title is a line of its own, or two, among the first of a text."""
    lines = ["".join(title_words(line)) for line in text.split("\n", 60)[:60]]
    joined = "".join(title)
    return joined in lines or any(a + b == joined for a, b in pairwise(lines))


def _opens(title: list[str], opening: list[str]) -> tuple[int, float]:
    """Where in the opening a title stands, and how alike what stands there is (in percent)."""
    if not title:
        return 0, 0.0
    joined = "".join(title)
    running, starts = "".join(opening), []
    at = 0
    for word in opening:
        starts.append(at)
        at += len(word)
    exact = running.find(joined)
    if exact >= 0 and exact in starts and starts.index(exact) < OPENING:
        return starts.index(exact), 100.0
    best = (0, 0.0)
    for number, start in enumerate(starts[:OPENING]):
        if opening[number][:1] == title[0][:1]:
            likeness = ratio(joined, running[start : start + len(joined)], score_cutoff=ALIKE)
            if likeness > best[1]:
                best = number, likeness
    return best
