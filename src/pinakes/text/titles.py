"""Titles of papers: whether two are one paper's, and why.

Titles are met with typing errors, other subtitles, ligatures, accents, words joined and split, and two papers may have
titles that differ by one word. So two titles are aligned word by word: what differs has to look like an error of
typing, a number or a word that was exchanged makes another paper, and authors and years guard the decision.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import log

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from pinakes.text.names import Agreement, PersonName, folded

YEARS_APART = 2
"""A preprint and its paper may be so many years apart and still be taken for one without the authors' word."""
SHORT_HEAD = 0.8
"""Likeness of two titles that share only a word before the colon, such as a system's name."""
OTHER = "another title"
NEAR, SAID = 0.6, 80
"""Titles less alike than this are not worth telling; and so many letters of a difference are."""
_words = re.compile(r"[^\W_]+").findall
_markup = re.compile(r"<[^<>]{1,40}>|\\[a-zA-Z]+\s*|[{}$~^]")
_subtitle = re.compile(r"\s*(?:[:?!]|\s[-–—]+)\s+")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": ""})
_ROMAN = re.compile(r"[ivx]{1,5}")
_TELLING = frozenset(("no", "not", "non", "un"))
_EMPTY = frozenset(("a", "an", "the"))


def title_words(title: str) -> list[str]:
    """A title as titles are compared: folded words, markup and articles left out."""
    plain = unicodedata.normalize("NFKC", title.translate(_LIGATURES))
    return [word for word in _words(folded(_markup.sub(" ", plain))) if word not in _EMPTY]


@dataclass(frozen=True, slots=True)
class Work:
    """A paper as a bibliography names it."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two records are one paper, how sure that is, and why."""

    same: bool
    confidence: float
    why: str


def compare(a: Work, b: Work) -> Decision:
    """Decide whether two records are of one paper."""
    likeness, how = _titles_alike(a.title, b.title)
    if not likeness:
        return Decision(False, 0.0, how)
    shared = shared_authors(a.authors, b.authors)
    years = abs(a.year - b.year) if a.year and b.year else None
    if shared == 0:
        return Decision(False, 0.0, f"{how}, but no author is shared")
    if shared is None:
        # Nobody says who wrote one of them: a short or changed title is too little, and years must not contradict.
        long = len(title_words(a.title)) >= 5
        if likeness < 0.98 and not (likeness >= 0.93 and (years == 0 or long)):
            return Decision(False, likeness / 2, f"{how}, and no authors to tell by")
        if years is not None and years > YEARS_APART:
            return Decision(False, likeness / 2, f"{how}, but {years} years apart and no authors to tell by")
        if len(title_words(a.title)) < 3 and years != 0:
            return Decision(False, likeness / 2, "the title is too short to tell by it alone")
        return Decision(True, 0.9 * likeness, how)
    if likeness == SHORT_HEAD and (shared < min(2, len(a.authors), len(b.authors)) or (years or 0) > YEARS_APART):
        return Decision(False, likeness / 2, f"{how}, and what is left of it is a single word")
    if likeness < 0.9 and years is not None and years > 2 * YEARS_APART:
        return Decision(False, likeness / 2, f"{how}, but {years} years apart")
    return Decision(True, likeness, f"{how}; {shared} shared author{'s' * (shared > 1)}")


def shared_authors(a: Sequence[str], b: Sequence[str]) -> int | None:
    """How many authors two lists share; None where a list is empty."""
    if not a or not b:
        return None
    others = [PersonName.read(name) for name in b]
    names = [PersonName.read(name) for name in a]
    return sum(any(_may_be(name, other) for other in others) for name in names)


class TitleIndex:
    """Works looked up by title: few candidates share a title's rarer words, and only those are compared."""

    CANDIDATES = 12

    def __init__(self, works: Iterable[Work]) -> None:
        self.works = tuple(works)
        self._holding: dict[str, list[int]] = {}
        self._joined: dict[str, list[int]] = {}
        for number, work in enumerate(self.works):
            words = title_words(work.title)
            self._joined.setdefault("".join(words), []).append(number)
            for piece in set(_pieces(words)):
                self._holding.setdefault(piece, []).append(number)

    def find(self, work: Work) -> tuple[Work, Decision] | None:
        """The work that is the same paper, if there is one, and why."""
        best: tuple[Work, Decision] | None = None
        for number in self._candidates(work):
            decision = compare(self.works[number], work)
            if decision.same and (best is None or decision.confidence > best[1].confidence):
                best = self.works[number], decision
        return best

    def nearest(self, work: Work) -> tuple[Work, float, str] | None:
        """The work that comes nearest without being the same paper: how alike the titles are, and what speaks against
        it. None where nothing is near."""
        words = "".join(title_words(work.title))
        near = [(ratio(words, "".join(title_words(self.works[n].title))) / 100, n) for n in self._candidates(work)]
        for likeness, number in sorted(near, key=lambda one: (-one[0], one[1])):
            decision = compare(self.works[number], work)
            if not decision.same:
                other = self.works[number]
                why = difference(work.title, other.title) if decision.why == OTHER else decision.why
                return (other, likeness, why) if likeness >= NEAR or decision.why != OTHER else None
        return None

    def _candidates(self, work: Work) -> list[int]:
        words = title_words(work.title)
        votes: Counter[int] = Counter()
        for piece in set(_pieces(words)):
            holding = self._holding.get(piece, ())
            weight = log(1 + len(self.works) / len(holding)) if holding else 0.0
            for number in holding:
                votes[number] += weight  # type: ignore[assignment]
        exact = self._joined.get("".join(words), [])
        likely = [number for number, _ in votes.most_common(self.CANDIDATES)]
        return list(dict.fromkeys([*exact, *likely]))


def _pieces(words: Sequence[str]) -> list[str]:
    """What a title is looked up by: its words, and their beginnings and ends, which a typing error seldom hits both."""
    return [piece for word in words for piece in ((word, word[:4], word[-4:]) if len(word) > 5 else (word,))]


def _may_be(a: PersonName, b: PersonName) -> bool:
    """One person, allowing an error of typing in a long surname."""
    if a.agrees(b) != Agreement.NONE:
        return True
    if not a.given or not b.given:
        return a.joined == b.joined
    near = len(a.joined) >= 5 and OSA.distance(a.joined, b.joined, score_cutoff=1) <= 1
    return near and a.given[0][0] == b.given[0][0]


def _titles_alike(a: str, b: str) -> tuple[float, str]:
    """How alike two titles are (0 when they are two papers'), and in which way."""
    one, two = title_words(a), title_words(b)
    if not one or not two:
        return 0.0, "a title is missing"
    if "".join(one) == "".join(two):
        return 1.0, "the same title"
    if likeness := _misspelt(one, two):
        return likeness, "the same title but for spelling"
    if likeness := _same_head(a, b):
        return likeness, "the same title but for its subtitle"
    return 0.0, OTHER


def difference(a: str, b: str) -> str:
    """What makes two titles two papers', in words."""
    one, two = title_words(a), title_words(b)
    if _numbers(one) != _numbers(two):
        numbers = [" ".join(_numbers(words)) or "none" for words in (one, two)]
        return f"{OTHER}: other numbers ({numbers[0]} and {numbers[1]})"
    apart = [code for code in SequenceMatcher(None, one, two, autojunk=False).get_opcodes() if code[0] != "equal"]
    left = " … ".join(" ".join(one[i:j]) for _, i, j, _, _ in apart if i < j)
    right = " … ".join(" ".join(two[k:m]) for _, _, _, k, m in apart if k < m)
    if left and right:
        return f"{OTHER}: “{left[:SAID]}” and “{right[:SAID]}” are no errors of typing"
    return f"{OTHER}: only one has “{(left or right)[:SAID]}”"


def _misspelt(one: Sequence[str], two: Sequence[str]) -> float:
    """How alike two titles are whose differences are all errors of typing; 0 when some word is another word."""
    likeness = ratio("".join(one), "".join(two)) / 100
    if likeness < 0.85 or _numbers(one) != _numbers(two):
        return 0.0
    errors = 0
    for tag, i, j, k, m in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag != "equal":
            left, right = "".join(one[i:j]), "".join(two[k:m])
            distance = OSA.distance(left, right)
            errors += 1
            if len(left) + len(right) <= 3 and likeness >= 0.95 and (left or right) not in _TELLING:
                continue  # an article or the like, misspelt or lost
            # A word that is there or not there, or that differs by much of its length, makes another title.
            if not left or not right or distance > max(1, min(3, max(len(left), len(right)) // 4)):
                return 0.0
            if min(len(left), len(right)) < 4 and likeness < 0.93:
                return 0.0  # of a short word one letter is much, unless all the rest of a long title agrees
    return likeness if errors <= max(2, len(one) // 3) else 0.0


def _same_head(a: str, b: str) -> float:
    """How alike two titles are of which one has a subtitle that the other lacks, or has otherwise."""
    heads = [title_words(_subtitle.split(_markup.sub(" ", title), maxsplit=1)[0]) for title in (a, b)]
    wholes = [title_words(title) for title in (a, b)]
    for head, whole in ((heads[0], wholes[1]), (heads[1], wholes[0]), (heads[0], heads[1])):
        telling = len(head) >= 3 or len("".join(head)) >= 12
        if len("".join(head)) >= 4 and ("".join(head) == "".join(whole) or (telling and _misspelt(head, whole))):
            rest = [words[len(head) :] for words in wholes]
            if _numbers(rest[0]) != _numbers(rest[1]) and all(rest):
                return 0.0
            return 0.88 if telling else SHORT_HEAD
    return 0.0


def _numbers(words: Sequence[str]) -> list[str]:
    """Numbers, digits or Roman, by which the parts of a series are told apart."""
    return [word for word in words if any(map(str.isdigit, word)) or _ROMAN.fullmatch(word)]
