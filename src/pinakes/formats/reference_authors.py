"""Lists of authors in references: whether a text is one, where one ends, and the names it holds.

Lists are written in many ways: initials before the surname or behind it, with points or without, the first author's
surname in front and the others' not. Only a few words are needed to tell; what is no list is rather the title.
"""

from __future__ import annotations

import re

from pinakes.formats import names

et_al = re.compile(r",?\s*(?:and\s+others|et\.?\s+al\.?)", re.IGNORECASE)
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
_dashes = re.compile(r"^[—–\-_]{2,}[\s.,]*")
abbreviated = re.compile(
    r"(?:^|[\s(\-‐.])(?:[^\W\d_]|[A-Z][a-z]?|vs|cf|etc|e\.g|i\.e|St|Dr|Mr|Mrs|Jr|Sr|No|Nos|Vol|pp|al|Ch|Yu|Eds?|eds?|"
    r"Proc|Conf|Int|Trans|Symp|Univ|Dept|Inc|Ltd|Corp|Theor|Comput|Sci|Math|Lect|Appl|Phys|Rev|Lett|Tech|Rep)$"
).search


def is_author_list(text: str, *, closed: bool = True) -> bool:
    """Whether a text is nothing but names of authors. `closed` where a full stop or a year ends it."""
    text = _editors.sub("", et_al.sub("", text)).strip(" ,.;:&")
    text = _dashes.sub("", text)
    if not text:
        return True
    if closed and ";" in text:
        # Smith, John; Doe, Jane: each part is one person.
        return all(is_author_list(part) for part in re.split(r"\s*;\s*(?:and\s|&\s)?", text) if part.strip())
    chunks = [chunk.strip() for chunk in _chunks.split(text) if chunk.strip()]
    kinds = [_kind(chunk) for chunk in chunks]
    if not kinds or "" in kinds:
        return False
    if kinds[:2] == ["surname", "name"] and _given(chunks[1].rstrip(".") + "."):
        kinds[1] = "given"  # Smith, John A.
    surname_first = kinds[0] == "surname" and len(kinds) > 1
    if surname_first and kinds[1] in ("surname", "given"):
        # Smith, John, and Jane Doe: only a full stop tells that it is no title.
        rest = kinds[2:]
        lone = len(re.sub(rf"^{_LOW}+", "", chunks[0]).split()) == 1
        return closed and lone and (all(k in ("full", "name") for k in rest) or _pairs(kinds))
    for place, kind in enumerate(kinds):
        # A surname alone needs its initials beside it.
        if kind in ("surname", "given") and "initials" not in kinds[place + 1 : place + 2] and len(kinds) > 1:
            return False
        # Where the first author has initials, words without any are rather the beginning of the title.
        if kind == "full" and (surname_first or (not closed and _begins_with_initials(chunks[0]))):
            beside = "initials" in kinds[place + 1 : place + 2]
            if not beside:
                return False
    return kinds != ["surname"] or len(text.split()) == 1


def _begins_with_initials(chunk: str) -> bool:
    return bool(re.match(_INITIAL, chunk) or _surname_initials(chunk))


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


def ends_names(before: str) -> bool:
    """Whether a full stop ends the names before it, and not an initial or an abbreviation."""
    if re.search(r"\bet\.?\s+al$", before):
        return True
    if not abbreviated(before):
        return True
    # Surname and initials without points throughout: Smith J, Doe JR.
    people = [chunk for chunk in _chunks.split(before) if chunk.strip()]
    if len(people) > 1 and all(map(_surname_initials, people)):
        return True
    # Two letters are an initial at the beginning of a name (Yu., Ch.), a surname behind a given name (Li, Ng).
    last = re.search(r"[^\W\d_]{2,}\s+(?:[^\W\d_]\.\s*)*([^\W\d_][a-z])$", people[-1]) if people else None
    return bool(last) and people[-1].split()[0].lower() not in names.PARTICLES


def author_names(text: str) -> list[str]:
    """Names of a list of authors, given names first."""
    text = _dashes.sub("", _editors.sub(" ", et_al.sub(" ", text))).strip(" ,;:&(")
    found: list[str] = []
    if re.search(r";.*,|,.*;", text):  # Smith, John; Doe, Jane
        return [name for part in text.split(";") for name in author_names(re.sub(r"^\s*(?:and|&)\s", "", part))][:200]
    waiting = ""
    for chunk in _chunks.split(text):
        chunk = chunk.strip(" ;:&")  # noqa: PLW2901
        if not chunk:
            continue
        kind = _kind(chunk)
        if waiting:
            if kind == "name" and not found and _given(chunk.rstrip(".") + "."):
                found.append(f"{_dotted(chunk)} {waiting}")  # Smith, John A.
                waiting = ""
                continue
            if kind in ("initials", "given") or (kind == "surname" and len(found) == 0 and " " not in chunk):
                found.append(f"{_dotted(chunk) if kind == 'initials' else chunk.strip('.')} {waiting}")
                waiting = ""
                continue
            found.append(waiting)
            waiting = ""
        if kind == "surname" or (kind in ("name", "full") and _surname(chunk) and _next_initials(text, chunk)):
            waiting = chunk.strip(".")
        elif kind == "name" and "." not in chunk.rstrip(".") and _surname_initials(chunk.rstrip(".")):
            surname, _, initials = chunk.rstrip(".").rpartition(" ")
            found.append(f"{' '.join(f'{letter}.' for letter in initials)} {surname}")
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
