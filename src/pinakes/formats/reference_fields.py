"""What a reference says: its authors, its title and its year.

Styles differ in order and punctuation, so several signs are asked, the surest first: quotation marks round the title,
a year behind the authors, the point or colon where a list of names ends, and a change of font.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pinakes.formats.reference_authors import abbreviated, author_names, ends_names, et_al, is_author_list

_LONGEST = 4_000
_YEAR = r"(?:1[6-9]\d\d|20[0-4]\d)"
_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?|"
    r"Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_years = re.compile(rf"(?<![\d.:/–-]){_YEAR}(?=[a-z]?(?![\d/]|[–-]\d|\.\d))")
_quoted = re.compile(
    r"[“\"„«]([^“”\"„«»]{3,400}?)[”\"»“]|``(.{6,400}?)(?:''|”|\")|‘‘(.{6,400}?)’’|"
    # Single marks are apostrophes, too: one that closes a title stands before or behind a stop or a comma.
    r"(?<!\w)[‘']((?:[^‘’']|[’'](?![,.;:]|\s+(?:in|[A-Z])\b)){6,400}?)[’'](?=[,.;:]|(?<=[,.?!].)\s)"
)
_dated = re.compile(
    rf"^(.{{2,900}}?)[\s,.:]*[(\[]?\s*((?:{_YEAR}|in press|to appear|forthcoming|n\.d\.)[a-z]?)"
    r"(?:,\s*[A-Z][a-z]+(?:\s\d+)?)?\s*[)\]]?\s*[.,:;]?\s+(?=\S)",
    re.IGNORECASE,
)
_stop = re.compile(
    r"([.?!])[”\"’']?(?:\s+(?=[^\sa-z]|[a-z][A-Z]|(?i:in[:\s]|https?:|www\.|arxiv|ph\.?d|vol\.|pages\b|pp\.))|\s*$)"
)
_venue = re.compile(
    r",\s+(?=(?:in[:\s]|In[:\s]|in\s*:|[Pp]roc(?:eedings|\.|\s)|J\.\s|Journal\b|IEEE\b|ACM\b|SIAM\b|"
    r"Trans(?:actions|\.)|Lect(?:ure|\.)\s|LNCS|Springer|Elsevier|Wiley|Academic Press|MIT Press|Cambridge\s|Oxford\s|"
    r"Addison|Prentice|Morgan|Tech(?:nical|\.)\s[Rr]ep|Ph\.?\s?D|PhD|Master|[Tt]hesis|Comm(?:unications|un?\.|\.)|"
    r"Ann(?:als|\.)\s|Theor(?:et|\.)|Math\.|Inform\.|Int(?:ernational|\.)\s|vol\.|volume\s|no\.|pp\.|pages\s|ch\.|"
    r"chapter\s|ed(?:ition|s?\.)|[Pp]reprint|[Aa]rXiv|https?:|www\.|Available|Online|Accessed|Manuscript|"
    rf"[Uu]npublished|[Ss]ubmitted|[Tt]o appear|Univ|Report|RFC|\(?{_YEAR}\b(?!\s?[–-]\s?\d)|\d+\s?\(|"
    # A name of capitals and what numbers a volume or pages of it: a journal nobody needs to know.
    rf"[A-Z][^,.]{{1,80}}(?:\.[^,.]{{1,30}}){{0,5}}?,?\s\d+\s?\({_YEAR}\)|[A-Z][^,]{{1,100}},\s{_YEAR},\s(?:pp?\.|pages\s)))"
)
_journal = re.compile(
    r",\s+(?=(?:[Ii]n:\s|Proc(?:eedings|\.)\s|J\.\s|Journal\sof|Trans(?:actions\son|\.\s)|Theor(?:et|\.)|Lect\.\s|"
    r"LNCS\b|vol\.|volume\s\d|pp\.|pages\s\d|Ph\.?\s?D|PhD\s|arXiv|https?:|"
    rf"\(?(?:{_MONTH}\s)?{_YEAR}[a-z]?\)?\s*(?:[.,;]|$)))"
)
_no_venue = re.compile(rf"{_MONTH}|pp|vol|no|pages|doi").fullmatch
_in = re.compile(r"[.,?!]?\s+(?:In|in):\s|[.,]\s+[Ii]n\s+(?=[A-Z“\"’'0-9])|\s+In\s+(?=Proc)")
_aside = re.compile(
    r"\s\((?=\d+(?:st|nd|rd|th)\s+ed|(?:rev\w*|first|second|third)\.?\s+ed|vols?\.|pp\.|[^()]{3,80}"
    rf",\s{_YEAR}\)\.?\s*$)",
    re.IGNORECASE,
)
"""What stands in round brackets behind a title: which edition, which pages, who published it and when."""
_named_venue = re.compile(
    r"\b(?:proc|journal|transactions|trans\.|conference|symposium|workshop|press|publish|university|report|springer|elsevier|"
    r"wiley|acm|ieee|arxiv|advances\sin|lecture\snotes|letters|review|thesis)|\d",
    re.IGNORECASE,
).search
_address = re.compile(r"(?:https?://|www\.|ftp://|\burl\b|\bdoi\b)", re.IGNORECASE)
_trailing_year = re.compile(rf",\s+(?:{_MONTH}\s+)?{_YEAR}$")
_closing_year = re.compile(rf"[\s.,]*[(\[]?\b{_YEAR}[a-z]?[)\]]?[.,:;]?\s*$")
_short_year = re.compile(r"[’'‘](\d\d)\b")


class Fields(NamedTuple):
    title: str
    authors: tuple[str, ...]
    year: int | None


def fields(raw: str, fonts: str = "", italic: Callable[[int], bool] = lambda font: False) -> Fields:
    """Authors, title and year of one reference; what is not found is empty."""
    text = raw[:_LONGEST]
    slanted = [italic(ord(char)) for char in fonts[: len(text)]]
    slanted += [False] * (len(text) - len(slanted))
    authors, title = _parted(text, slanted)
    title = _clean(title)
    if (not title or _address.match(title)) and len(authors.strip()) > 3:
        authors, title = "", _clean(authors)  # a page of the web, named and then located
    return Fields(title, tuple(author_names(authors)), _year_of(text, title))


def _parted(text: str, slanted: list[bool]) -> tuple[str, str]:
    """The part that names the authors, and the title."""
    quoted = _quoted.search(text)
    if quoted and quoted.start() < 0.75 * len(text) and _quotes_title(text, quoted):
        return _closing_year.sub("", text[: quoted.start()]), _inside(quoted)
    dated = _dated.match(text)
    if dated and (is_author_list(dated[1]) or (re.match(rf"{_YEAR}", text) and dated.end() < 8)):
        rest = dated.end()
        return dated[1], text[rest : _title_end(text, rest, slanted, commas=False)]
    stop = _authors_end(text, slanted)
    if stop:
        mark = re.compile(r"[\s,.:;]*").match(text, stop)
        start = mark.end() if mark else stop
        if year := re.compile(rf"\(?{_YEAR}[a-z]?\)?[.,:]?\s+").match(text, start):
            start = year.end()
        commas = text[stop : stop + 1] in (",", "") or text[max(0, start - 2) : start].startswith(",")
        return text[:stop], text[start : _title_end(text, start, slanted, commas=commas)]
    end = _title_end(text, 0, slanted, commas=True)
    after = text[end:].lstrip(" .,")
    # A short first sentence before another one is rather an organisation than a title.
    short = len(text[:end].split()) <= 3 and not _address.match(after) and len(after.split()) > 4
    if short and not _in.match(text[end:]):
        start = end + (len(text[end:]) - len(text[end:].lstrip(" .,")))
        second = _title_end(text, start, slanted, commas=False)
        if second - start > 12:
            return text[:end], text[start:second]
    return "", text[:end]


def _quotes_title(text: str, quoted: re.Match[str]) -> bool:
    """Whether quotation marks hold the title, and not words within it or the name of a volume."""
    before = text[: quoted.start()].rstrip()
    if re.search(r"\b(?:in:?|eds?\.,?|editors?,?)$", before, re.IGNORECASE):
        return False
    inside = _inside(quoted).rstrip()
    closed = inside.endswith((",", ".", "?", "!")) or re.match(r"\s*[,.(]|\s*$|\s+(?:[A-Z]|in\b)", text[quoted.end() :])
    if " " not in inside and not inside.endswith((",", ".")):
        return False
    return (not before or before.endswith((".", ",", ":", ")", ";"))) and bool(closed)


def _inside(quoted: re.Match[str]) -> str:
    return str(next(filter(None, quoted.groups())))


def _authors_end(text: str, slanted: list[bool]) -> int:
    """Where the names end: the longest beginning of nothing but names, up to the first full stop or slanted letter."""
    best = 0
    for found in re.finditer(r"[.:,;](?=\s)|\s(?=\(\s*(?:eds?|" + _YEAR + r"))|\s(?=[“\"])", text[:1500]):
        place = found.start()
        before = text[:place]
        after = min(found.end() + 1, len(slanted) - 1)
        slants = slanted[after] and not any(slanted[:place]) and not et_al.match(text, place + 1)
        hard = found[0] == ":" or slants or (found[0] == "." and ends_names(before))
        if len(before) > 1 and is_author_list(before, closed=hard):
            best = place
            if hard:
                return best
        elif hard:
            break
    return best


def _title_end(text: str, start: int, slanted: list[bool], *, commas: bool, asked: bool = False) -> int:
    ends = [len(text)]
    for found in _stop.finditer(text, start):
        if found[1] == "." and abbreviated(text[start : found.start()]) and found.end() < len(text):
            continue
        if found.start() - start < 3:
            continue
        if found[1] == "?" and not asked and _asks_first(text, found.end(), slanted, commas=commas):
            asked = True
            continue
        ends.append(found.start() + (found[1] != "."))
        break
    signs = (_in, _address, _aside, _venue if commas else _journal)
    ends += [sign.start() for pattern in signs if (sign := pattern.search(text, start + 3))]
    if commas:
        ends += _font_changes(text, start, slanted)
    return min(ends)


def _asks_first(text: str, start: int, slanted: list[bool], *, commas: bool) -> bool:
    """Whether a title goes on behind a question mark: with words set like it, no venue, and a venue behind them."""
    if start >= len(text) or slanted[start] != slanted[max(start - 3, 0)]:
        return False
    if _in.match(text, start - 2) or _address.match(text, start):
        return False
    end = _title_end(text, start, slanted, commas=commas, asked=True)
    goes_on, behind = text[start:end], text[end:]
    if len(goes_on.split()) < 2 or _named_venue(goes_on) or re.match(r"\W+\d(?!\d?(?:st|nd|rd|th))", behind):
        return False
    return not all(_no_venue(word) for word in re.findall(r"[^\W\d_]{2,}", behind))


def _font_changes(text: str, start: int, slanted: list[bool]) -> list[int]:
    """Commas at which upright letters follow slanted ones, or the other way round."""
    for found in re.finditer(r",\s+", text[start:]):
        place = start + found.start()
        after = start + found.end()
        if after < len(slanted) and place - start > 5:
            before = slanted[start:place]
            if sum(before) in (0, len(before)) and slanted[after] != slanted[place - 1]:
                return [place]
    return []


def _clean(title: str) -> str:
    title = _trailing_year.sub("", " ".join(title.split()).strip(" ,;:“”\"'‘’«»„."))
    return title if sum(map(str.isalpha, title)) > 1 else ""


def _year_of(text: str, title: str) -> int | None:
    outside = text.replace(title, " ", 1) if len(title) > 6 else text
    cut = re.split(r"(?i)\b(?:accessed|retrieved|visited|last checked|available)\b", outside)[0]
    for part in (cut, outside, text):
        if in_round := re.findall(rf"\(\s*(?:[A-Z][a-z]+\.?\s+)?({_YEAR})[a-z]?\s*\)", part):
            return int(in_round[-1] if not part.startswith("(") else in_round[0])
        if found := _years.findall(part):
            return int(found[-1])
    if short := _short_year.findall(outside):
        return int(short[-1]) + (1900 if int(short[-1]) > 50 else 2000)
    return None
