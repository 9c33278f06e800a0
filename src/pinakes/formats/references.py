"""The reference list of a paper: where it is, and where each entry begins.

Labels tell most lists apart ([1], 1., [Abc99], [Author, 1999]); their numbers must count up. Lists without labels are
divided by their hanging indent, by wider gaps between entries, or, where the page tells nothing, by entries that begin
like a list of authors after a line that ends one.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from pinakes.formats.layout import Layout, Line
from pinakes.formats.prose import hyphen_stays

MOST_ENTRIES = 2_000
_LEAST_UNNAMED = 6
"""Entries a list must have to be believed one without a heading."""
_heading = re.compile(
    r"\W*(?:(?:\d+|[IVX]+|[A-Z])\s*\.?\s*)?(?:references?(?:\s+(?:and\s+notes|cited))?|bibliograph(?:y|ie)|"
    r"literature(?:\s+cited)?|works\s+cited|literatur(?:verzeichnis)?|r[ée]f[ée]rences(?:\s+bibliographiques)?|"
    r"referencias(?:\s+bibliogr[áa]ficas)?|bibliograf[íi]a|riferimenti(?:\s+bibliografici)?|refer[êe]ncias)\s*[.:]?\W*",
    re.IGNORECASE,
).fullmatch
_end = re.compile(
    r"(?:appendix|appendices|supplement|acknowledg|about\s+the\s+authors?|author\s+biograph|biograph(?:y|ies)\b|"
    r"received\b.{0,40}\d{4}|notes\s*$|[A-Z](?:\.\d+)*\.?\s+[A-Z][a-z]+(?:\s|$))",
    re.IGNORECASE,
).match
_behind = re.compile(
    r"(?:table|figure|fig\.)\s+\d+[.:]?$|preprint\s+submitted\s|e-?mail\s+address", re.IGNORECASE
).match
"""What may stand behind a list without a heading of its own."""
_life = re.compile(
    r"[^\W\d_a-z][\w.’'\s-]{4,50}\s(?:\([^()]*\)\s)?(?:received|is\s(?:an?|with)|was\s(?:born|with))\s"
).match
_bracketed = re.compile(r"\s*\[\s?(\d{1,4})\s?\]\s*").match
_dotted = re.compile(r"\s*(\d{1,4})\s?\.\s+(?=\S)").match
_round = re.compile(r"\s*\((\d{1,4})\)\s*").match
_bare = re.compile(r"\s*(\d{1,4})\s+(?=[^\W\d]|[“\"'‘(])").match
_NUMBERED = (_bracketed, _dotted, _round, _bare)
_keyed = re.compile(
    r"\s*\[(?=[^\]]*\d|[^\]]*$)[^\W\d_][^\]]{0,80}(?:\]\s*|$)|\s*\[[^\W\d_]{2,8}\+?\]\s*", re.UNICODE
).match
_year = re.compile(r"(?:19|20)\d\d[a-z]?")
_LOW = r"(?:(?:de|del|della|der|den|di|da|dos|du|van|von|la|le|el|al)\s+){0,3}"
_CAPITAL = r"[^\W\d_a-z][\w'’\-]+"
_author_start = re.compile(
    rf"(?:{_LOW}{_CAPITAL},\s+(?:[^\W\d_a-z]\.|[^\W\d_a-z][\w\-]+)|(?:[^\W\d_a-z]\.[\s-]?)+{_LOW}[^\W\d_a-z]|"
    rf"{_CAPITAL}(?:\s[^\W\d_a-z]\.?)*\s{_LOW}{_CAPITAL}(?:,|\s+and\s|\.|\s\()|[—–-]{{2,}})",
    re.UNICODE,
).match
_entry_end = re.compile(r"[.\])]\s*$|\d\s*$").search


class Entry(NamedTuple):
    text: str
    """Without its label."""
    fonts: str
    """One character for each of the text: the number of its font."""
    label: str = ""


def reference_list(layout: Layout, words: Counter[str]) -> list[Entry]:
    """The entries of the paper's list of references; of several lists the longest."""
    lines = layout.lines()
    best: list[Entry] = []
    for place, line in enumerate(lines):
        if len(line.text) < 60 and _heading(line.text):
            found = _entries(_section(layout, lines, place), words)
            if len(found) >= max(len(best), 1):
                best = found
    return best or _without_heading(layout, lines, words)


def _without_heading(layout: Layout, lines: Sequence[Line], words: Counter[str]) -> list[Entry]:
    """A list that no heading names, as letters to journals have: numbers that count up, nearly all with a year."""
    for place in range(len(lines) - 1, len(lines) // 3, -1):
        if any((found := label(lines[place].text)) and int(found[1]) == 1 for label in _NUMBERED[:2]):
            section = _section(layout, lines, place - 1)
            starts = _numbered(section)
            entries = _divided(section, starts, words) if starts and starts[0] == 0 else []
            dated = sum(bool(_year.search(entry.text)) for entry in entries)
            if len(entries) >= _LEAST_UNNAMED and dated > 0.8 * len(entries):
                return entries
    return []


def _section(layout: Layout, lines: Sequence[Line], heading: int) -> list[Line]:
    """The lines after the heading, up to the next heading or a text of another size."""
    following = lines[heading + 1 :]
    if not following:
        return []
    size = median(line.size for line in following[:12])
    font = Counter(char for line in following[:12] for char in line.fonts).most_common(1)[0][0]
    section: list[Line] = []
    other = 0
    for place, line in enumerate(following):
        life = layout.bold(ord(line.fonts[0])) and not layout.bold(ord(font)) and _life(line.text)
        if section and (life or _behind(line.text)):
            break
        labelled = any(label(line.text) for label in (_bracketed, _dotted, _round)) or _keyed(line.text)
        larger = line.size > 1.06 * size + 0.15
        strange = line.font != ord(font) and layout.bold(line.font) and not layout.bold(ord(font))
        short = len(line.text) < 75 and not _year.search(line.text)
        if section and not labelled and short and (larger or strange) and (line.size >= 0.97 * size):
            after = following[place + 1 : place + 4]
            if _end(line.text) or larger or not any(_year.search(next_line.text) for next_line in after):
                break
        other = other + 1 if abs(line.size - size) > 0.08 * size + 0.15 else 0
        if other > 3:
            del section[-other + 1 :]
            break
        section.append(line)
    return [line for line in section if abs(line.size - size) <= 0.25 * size]


def _entries(section: Sequence[Line], words: Counter[str]) -> list[Entry]:
    if not section:
        return []
    return _divided(section, _numbered(section) or _labelled(section) or _unlabelled(section), words)


def _divided(section: Sequence[Line], starts: Sequence[int], words: Counter[str]) -> list[Entry]:
    found: list[Entry] = []
    if not starts:
        return []
    for start, stop in zip(starts, [*starts[1:], len(section)], strict=True):
        entry = _entry(_together(section, start, stop), words)
        if entry.text:
            found.append(entry)
    return found[:MOST_ENTRIES]


def _together(section: Sequence[Line], start: int, stop: int) -> list[Line]:
    """The lines of an entry, less footnotes set between it and its end: after a gap, smaller or with a mark."""
    kept = [section[start]]
    for line in section[start + 1 : stop]:
        last = kept[-1]
        same = line.page == last.page and line.column == last.column
        if same and last.y - line.y > 2.2 * last.size and re.match(r"[\d*∗†‡§¶]", line.text):
            break
        if same and last.y - line.y > 4 * last.size:
            break
        kept.append(line)
    return kept


def _numbered(section: Sequence[Line]) -> list[int]:
    """Where numbers that count up begin lines."""
    best: list[int] = []
    for label in _NUMBERED:
        starts, expected = list[int](), 0
        for place, line in enumerate(section):
            found = label(line.text)
            if not found:
                continue
            number = int(found[1])
            if (not starts and number in (0, 1)) or (starts and expected <= number <= expected + 2):
                starts.append(place)
                expected = number + 1
        # Brackets are unmistakable; a bare number may be a page or a year.
        least = 2 if label is _bracketed else 3
        if len(starts) >= least and len(starts) > 1.5 * len(best) and len(starts) > 0.08 * len(section):
            best = starts
    return best


def _labelled(section: Sequence[Line]) -> list[int]:
    """Where labels such as [Abc99] or [Author, 1999] begin lines."""
    starts = [place for place, line in enumerate(section) if _keyed(line.text)]
    return starts if len(starts) >= 3 and starts[0] < 3 and len(starts) > 0.1 * len(section) else []


def _unlabelled(section: Sequence[Line]) -> list[int]:
    starts = _hanging(section) or _spaced(section) or _by_words(section)
    # A line that goes on in the middle of a sentence begins nothing, wherever it stands.
    return [
        place
        for place in starts
        if not place or _author_start(section[place].text) or _entry_end(section[place - 1].text)
    ]


def _hanging(section: Sequence[Line]) -> list[int]:
    margins: dict[tuple[int, int], float] = {}
    for line in section:
        key = line.page, line.column
        margins[key] = min(margins.get(key, line.x0), line.x0)
    # A column with nothing but the rest of an entry has the margin of the same column elsewhere.
    for key, margin in margins.items():
        same = [other for (_, column), other in margins.items() if column == key[1] and 3 < margin - other < 40]
        everything = [line for line in section if (line.page, line.column) == key]
        if same and all(line.x0 - margin < 2.5 for line in everything) and not _author_start(everything[0].text):
            margins[key] = min(same)
    indents = [line.x0 - margins[line.page, line.column] for line in section]
    if _first_line(indents):
        return [place for place, indent in enumerate(indents) if indent > 4]
    starts = [place for place, indent in enumerate(indents) if indent <= 3]
    hanging = sum(indent > 4 for indent in indents) / len(indents)
    # Few indented lines are a sign, too, where the others all begin with names: short entries.
    named = sum(bool(_author_start(section[place].text)) for place in starts) > 0.8 * len(starts)
    return starts if 0.2 < hanging < 0.95 or (hanging > 0 and named) else []


def _first_line(indents: Sequence[float]) -> bool:
    """Whether entries begin with an indented line instead."""
    return len(indents) > 3 and indents[0] > 4 and 0.1 < sum(indent > 4 for indent in indents) / len(indents) < 0.5


def _spaced(section: Sequence[Line]) -> list[int]:
    gaps = [
        above.y - line.y if (above.page, above.column) == (line.page, line.column) else 0.0
        for above, line in itertools.pairwise(section)
    ]
    within = sorted(gap for gap in gaps if 0 < gap < 40)
    if len(within) < 4:
        return []
    usual = within[len(within) // 5]
    wide = [gap for gap in within if gap > 1.2 * usual]
    if not 0.08 * len(within) < len(wide) < 0.75 * len(within):
        return []
    starts = [0]
    for place, gap in enumerate(gaps, start=1):
        turned = gap <= 0 and _author_start(section[place].text) and _entry_end(section[place - 1].text)
        named = gap > 1.08 * usual and _author_start(section[place].text) and _entry_end(section[place - 1].text)
        if gap > 1.2 * usual or turned or named:
            starts.append(place)
    return starts


def _by_words(section: Sequence[Line]) -> list[int]:
    starts = [0]
    for place, (above, line) in enumerate(itertools.pairwise(section), start=1):
        so_far = " ".join(earlier.text for earlier in section[starts[-1] : place])
        if _entry_end(above.text) and _author_start(line.text) and _year.search(so_far):
            starts.append(place)
    return starts


def _entry(lines: Sequence[Line], words: Counter[str]) -> Entry:
    text, fonts = "", ""
    for line in lines:
        new, marks = line.text, line.fonts
        if not text:
            text, fonts = new, marks
            continue
        divided = re.search(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$", text)
        begins = re.match(r"[^\W_]+(?:-[^\W\d_]+)*", new)
        if divided and begins:
            if not hyphen_stays(divided[1], begins[0], words):
                text, fonts = text[:-1], fonts[:-1]
        elif not (text.endswith(("-", "/", "–")) or _within_address(text, new)):
            text, fonts = f"{text} ", fonts + marks[:1]
        text, fonts = text + new, fonts + marks
    length = _label_length(text)
    return Entry(text[length:], fonts[length:], text[:length].strip(" []().")[:100])


def _within_address(text: str, following: str) -> bool:
    last = text.rsplit(" ", 1)[-1]
    return bool(re.match(r"(?:https?://|www\.)\S*[/._=&?~-]$", last)) and not following[:1].isupper()


def _label_length(text: str) -> int:
    labels: Iterator[Callable[[str], re.Match[str] | None]] = iter((_bracketed, _dotted, _round, _keyed, _bare))
    for label in labels:
        found = label(text)
        if found and "]" not in text[found.end() - 1 : found.end() + 1].replace("]", "", 1):
            return found.end()
    return 0
