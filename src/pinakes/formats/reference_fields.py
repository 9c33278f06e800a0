"""What a reference says: its authors, its title and its year.

Styles differ in order and punctuation, so several signs are asked, the surest first: quotation marks round the title,
a year behind the authors, the point or colon where a list of names ends, and a change of font.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pinakes.formats import names

_LONGEST = 4_000
_YEAR = r"(?:1[6-9]\d\d|20[0-4]\d)"
_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?|"
    r"Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_years = re.compile(rf"(?<![\d.:/–-]){_YEAR}(?=[a-z]?(?![\d/]|[–-]\d|\.\d))")
_quoted = re.compile(r"[“\"„«]([^“”\"„«»]{3,400}?)[”\"»“]|``(.{6,400}?)(?:''|”|\")|‘‘(.{6,400}?)’’")
_dated = re.compile(
    rf"^(.{{2,900}}?)[\s,.:]*[(\[]?\s*((?:{_YEAR}|in press|to appear|forthcoming|n\.d\.)[a-z]?)"
    r"(?:,\s*[A-Z][a-z]+(?:\s\d+)?)?\s*[)\]]?\s*[.,:;]?\s+(?=\S)",
    re.IGNORECASE,
)
_stop = re.compile(
    r"([.?!])[”\"’']?(?:\s+(?=[^\sa-z]|[a-z][A-Z]|(?i:in[:\s]|https?:|www\.|arxiv|ph\.?d|vol\.|pages\b|pp\.))|\s*$)"
)
_abbreviated = re.compile(
    r"(?:^|[\s(\-‐.])(?:[^\W\d_]|[A-Z][a-z]?|vs|cf|etc|e\.g|i\.e|St|Dr|Mr|Mrs|Jr|Sr|No|Nos|Vol|pp|al|Ch|Yu|Eds?|eds?|"
    r"Proc|Conf|Int|Trans|Symp|Univ|Dept|Inc|Ltd|Corp|Theor|Comput|Sci|Math|Lect|Appl|Phys|Rev|Lett|Tech|Rep)$"
).search
_venue = re.compile(
    r",\s+(?=(?:in[:\s]|In[:\s]|in\s*:|[Pp]roc(?:eedings|\.|\s)|J\.\s|Journal\b|IEEE\b|ACM\b|SIAM\b|"
    r"Trans(?:actions|\.)|Lect(?:ure|\.)\s|LNCS|Springer|Elsevier|Wiley|Academic Press|MIT Press|Cambridge\s|Oxford\s|"
    r"Addison|Prentice|Morgan|Tech(?:nical|\.)\s[Rr]ep|Ph\.?\s?D|PhD|Master|[Tt]hesis|Comm(?:unications|un?\.|\.)|"
    r"Ann(?:als|\.)\s|Theor(?:et|\.)|Math\.|Inform\.|Int(?:ernational|\.)\s|vol\.|volume\s|no\.|pp\.|pages\s|ch\.|"
    r"chapter\s|ed(?:ition|s?\.)|[Pp]reprint|[Aa]rXiv|https?:|www\.|Available|Online|Accessed|Manuscript|"
    rf"[Uu]npublished|[Ss]ubmitted|[Tt]o appear|Univ|Report|RFC|\(?{_YEAR}\b|\d+\s?\())"
)
_journal = re.compile(
    r",\s+(?=(?:[Ii]n:\s|Proc(?:eedings|\.)\s|J\.\s|Journal\sof|Trans(?:actions\son|\.\s)|Theor(?:et|\.)|Lect\.\s|"
    r"LNCS\b|vol\.|volume\s\d|pp\.|pages\s\d|Ph\.?\s?D|PhD\s|arXiv|https?:|"
    rf"\(?(?:{_MONTH}\s)?{_YEAR}[a-z]?\)?\s*(?:[.,;]|$)))"
)
_in = re.compile(r"[.,?!]?\s+(?:In|in):\s|[.,]\s+[Ii]n\s+(?=[A-Z“\"’'0-9])|\s+In\s+(?=Proc)")
_address = re.compile(r"(?:https?://|www\.|ftp://|\burl\b|\bdoi\b)", re.IGNORECASE)
_et_al = re.compile(r",?\s*(?:and\s+others|et\.?\s+al\.?)", re.IGNORECASE)
_editors = re.compile(r",?\s*\(?\b(?:eds?|editors?)\b\.?\)?[.,:]?", re.IGNORECASE)
_chunks = re.compile(r"\s*(?:[,;]\s*(?:and\s+|&\s*|und\s+|et\s+|y\s+)?|\s(?:and|&|und|et|y)\s)\s*")
_initials = re.compile(r"(?:[^\W\d_a-z]{1,2}\.?[\s\-‐]*){1,5}(?:,?\s*(?:Jr|Sr|II|III)\.?)?", re.UNICODE).fullmatch
_INITIAL = r"[^\W\d_a-z](?:[^\W\d_A-Z])?\."
_CAPITAL = r"[^\W\d_a-z][\w'’\-‐]*"
_LOW = (
    r"(?:(?:de|del|della|der|den|des|di|da|do|dos|du|van|von|vom|zu|la|le|el|al|bin|ben|ibn|ter|ten|y|af|"
    r"Van|Von|De|Di|La|Le|Mc|Mac|d['’]|O['’])\s+)"
)
_JUNIOR = r"(?:,?\s*(?:Jr|Sr|II|III)\.?)?"
_initials_first = re.compile(rf"(?:{_INITIAL}[\s\-‐]*)+{_LOW}*{_CAPITAL}(?:\s+{_CAPITAL}){{0,2}}{_JUNIOR}").fullmatch
_names_first = re.compile(
    rf"{_CAPITAL}(?:\s+(?:{_INITIAL}|[^\W\d_a-z]|{_CAPITAL}))*\s+{_LOW}*{_CAPITAL}{_JUNIOR}"
).fullmatch
_surname = re.compile(rf"{_LOW}*{_CAPITAL}(?:[\s]+{_LOW}*{_CAPITAL}){{0,2}}").fullmatch
_given = re.compile(rf"{_CAPITAL}(?:\s+(?:{_INITIAL}|[^\W\d_a-z]))+").fullmatch
_surname_initials = re.compile(rf"{_LOW}*{_CAPITAL}(?:\s{_CAPITAL})?\s+[^\W\d_a-z]{{1,3}}").fullmatch
_trailing_year = re.compile(rf",\s+(?:{_MONTH}\s+)?{_YEAR}$")
_short_year = re.compile(r"[’'‘](\d\d)\b")
_dashes = re.compile(r"^[—–\-_]{2,}[\s.,]*")


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
        return text[: quoted.start()], quoted[1] or quoted[2] or quoted[3]
    dated = _dated.match(text)
    if dated and (is_author_list(dated[1]) or (re.match(rf"{_YEAR}", text) and dated.end() < 8)):
        rest = dated.end()
        return dated[1], text[rest : _title_end(text, rest, slanted, commas=False)]
    stop = _authors_end(text)
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
    inside = (quoted[1] or quoted[2] or quoted[3]).rstrip()
    closed = inside.endswith((",", ".", "?", "!")) or re.match(r"\s*[,.(]|\s*$|\s+(?:[A-Z]|in\b)", text[quoted.end() :])
    if " " not in inside and not inside.endswith((",", ".")):
        return False
    return (not before or before.endswith((".", ",", ":", ")", ";"))) and bool(closed)


def is_author_list(text: str, *, closed: bool = True) -> bool:
    """Whether a text is nothing but names of authors. `closed` where a full stop or a year ends it."""
    text = _editors.sub("", _et_al.sub("", text)).strip(" ,.;:&")
    text = _dashes.sub("", text)
    if not text:
        return True
    chunks = [chunk.strip() for chunk in _chunks.split(text) if chunk.strip()]
    kinds = [_kind(chunk) for chunk in chunks]
    if not kinds or "" in kinds:
        return False
    surname_first = kinds[0] == "surname" and len(kinds) > 1
    if surname_first and kinds[1] in ("surname", "given"):
        # Smith, John, and Jane Doe: only a full stop tells that it is no title.
        rest = kinds[2:]
        return closed and len(chunks[0].split()) == 1 and (all(k == "full" for k in rest) or _pairs(kinds))
    for place, kind in enumerate(kinds):
        # A surname alone needs its initials beside it.
        if kind in ("surname", "given") and "initials" not in kinds[place + 1 : place + 2] and len(kinds) > 1:
            return False
        # Where the first author has initials, words without any are rather the beginning of the title.
        if kind == "full" and (surname_first or (not closed and kinds[0] == "name")):
            beside = "initials" in kinds[place + 1 : place + 2]
            if not beside:
                return False
    return kinds != ["surname"] or len(text.split()) == 1


def _pairs(kinds: list[str]) -> bool:
    """Surname, given name and surname, given name …"""
    return len(kinds) % 2 == 0 and all(kind in ("surname", "given", "initials") for kind in kinds)


def _kind(chunk: str) -> str:
    """What a part of a list of names is: a `name` with initials, a `full` name, `initials`, a `surname`, or nothing."""
    chunk = chunk.strip(" .") if len(chunk) > 3 else chunk.strip()
    if len(chunk) > 60:
        return ""
    if _initials(chunk):
        return "initials"
    if _initials_first(chunk) or _surname_initials(chunk):
        return "name"
    if _names_first(chunk) and len(chunk.split()) <= 5 and not names.is_institution(chunk):
        return "name" if re.search(_INITIAL, chunk) else "full"
    if _given(chunk):
        return "given"
    return "surname" if _surname(chunk) else ""


def _authors_end(text: str) -> int:
    """Where the names end: the longest beginning that is nothing but names, up to the first full stop."""
    best = 0
    for found in re.finditer(r"[.:,;](?=\s)|\s(?=\(\s*(?:eds?|" + _YEAR + r"))|\s(?=[“\"])", text[:1500]):
        place = found.start()
        before = text[:place]
        hard = found[0] == ":" or (found[0] == "." and not _abbreviated(before))
        if len(before) > 1 and is_author_list(before, closed=hard):
            best = place
            if hard:
                return best
        elif hard:
            break
    return best


def _title_end(text: str, start: int, slanted: list[bool], *, commas: bool) -> int:
    ends = [len(text)]
    for found in _stop.finditer(text, start):
        if found[1] == "." and _abbreviated(text[start : found.start()]) and found.end() < len(text):
            continue
        if found.start() - start < 3:
            continue
        ends.append(found.start() + (found[1] != "."))
        break
    signs = (_in, _address, _venue if commas else _journal)
    ends += [sign.start() for pattern in signs if (sign := pattern.search(text, start + 3))]
    if commas:
        ends += _font_changes(text, start, slanted)
    return min(ends)


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


def author_names(text: str) -> list[str]:
    """Names of a list of authors, given names first."""
    text = _dashes.sub("", _editors.sub(" ", _et_al.sub(" ", text))).strip(" ,;:&(")
    found: list[str] = []
    waiting = ""
    for chunk in _chunks.split(text):
        chunk = chunk.strip(" ;:&")  # noqa: PLW2901
        if not chunk:
            continue
        kind = _kind(chunk)
        if waiting:
            if kind in ("initials", "given") or (kind == "surname" and len(found) == 0 and " " not in chunk):
                found.append(f"{_dotted(chunk) if kind == 'initials' else chunk.strip('.')} {waiting}")
                waiting = ""
                continue
            found.append(waiting)
            waiting = ""
        if kind == "surname" or (kind in ("name", "full") and _surname(chunk) and _next_initials(text, chunk)):
            waiting = chunk.strip(".")
        elif kind in ("name", "full", "given"):
            found.append(chunk.strip("."))
        elif kind == "" and len(chunk) < 80 and any(map(str.isalpha, chunk)):
            found.append(chunk.strip(" ."))
    if waiting:
        found.append(waiting)
    return found[:200]


def _next_initials(text: str, chunk: str) -> bool:
    after = text[text.find(chunk) + len(chunk) :].lstrip()
    return bool(re.match(r",\s*(?:[^\W\d_a-z]\.?[\s\-‐]*)+(?:[,;.]|$|\s(?:and|&))", after))


def _dotted(initials: str) -> str:
    initials = initials.strip()
    return initials if initials.endswith(".") else f"{initials}."
