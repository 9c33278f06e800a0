"""BibTeX: entries, macros, concatenation, cross-references, LaTeX in values.

A bibliography written by many hands is rarely clean. An entry that cannot be read is reported with its line and the
reading goes on at the next one; nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pinakes.formats.bibliography import (
    LONGEST,
    MOST_PROBLEMS,
    MOST_WORKS,
    Bibliography,
    Problem,
    Work,
    decoded,
    doi_in,
    given_first,
    year_in,
)
from pinakes.formats.latex import plain

_DEEPEST = 200
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_at = re.compile(r"@\s*([A-Za-z]+)\s*([{(])")
_next_entry = re.compile(r"^[ \t]*@\s*[A-Za-z]+\s*[{(]", re.MULTILINE)
_name = re.compile(r"\s*([^\s={}()\",#%]+)\s*=\s*")
_key = re.compile(r"\s*([^,={}\"]*?)\s*(?=[,})])")
_bare = re.compile(r"[^\s,#{}()\"=]+")
_keyed_start = re.compile(r"@\s*[A-Za-z]+\s*[{(]\s*[^\s,={}]+\s*,")
_space = re.compile(r"\s*")
_blank = re.compile(r"[\s,]*")
_and = re.compile(r"\s+and\s+", re.IGNORECASE)
_INHERITED = ("booktitle", "journal", "year", "date", "publisher", "editor", "series", "volume")


class _MalformedError(Exception):
    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place


class _Entry:
    """An entry as it is written: its kind, its key, and its fields in small letters with macros resolved."""

    __slots__ = ("fields", "key", "kind", "line")

    def __init__(self, kind: str, key: str, fields: dict[str, str], line: int) -> None:
        self.kind, self.key, self.fields, self.line = kind, key, fields, line


def read_bibtex(data: bytes) -> Bibliography:
    """The works of a BibTeX file and what in it could not be read."""
    text = decoded(data)
    lines = _Lines(text)
    macros = {month[:3].lower(): month for month in _MONTHS}
    entries: list[_Entry] = []
    problems: list[Problem] = []
    place = 0
    while (start := _at.search(text, place)) and len(entries) < MOST_WORKS and len(problems) < MOST_PROBLEMS:
        kind, line = start[1].lower(), lines.of(start.start())
        if text.rfind("\n", 0, start.start()) < text.rfind("%", 0, start.start()) and _commented(text, start.start()):
            place = start.end()
            continue
        try:
            place = _item(text, start, kind, line, macros, entries)
        except _MalformedError as error:
            problems.append(Problem(line, f"the @{start[1]} of line {line} is not closed or not well-formed: {error}"))
            # The next line that begins an entry is where the reading can go on.
            after = _next_entry.search(text, start.end())
            place = after.start() if after else len(text)
    named = {entry.key.lower(): entry for entry in entries if entry.key}
    works: list[Work] = []
    for entry in entries:
        fields = _with_parents(entry, named)
        work = _work(entry, fields)
        if work.title or work.authors:
            works.append(work)
        else:
            problems.append(Problem(entry.line, f"the @{entry.kind} of line {entry.line} has no title"))
    return Bibliography(tuple(works), tuple(sorted(problems)))


def _item(text: str, start: re.Match[str], kind: str, line: int, macros: dict[str, str], entries: list[_Entry]) -> int:
    """Read one @thing; the answer is where the next may begin."""
    close = "}" if start[2] == "{" else ")"
    if kind == "comment":
        return start.end()
    if kind == "preamble":
        return _value(text, start.end(), macros)[1]
    if kind == "string":
        fields, place = _fields(text, start.end(), close, macros)
        macros.update(fields)
        return place
    key = _key.match(text, start.end())
    place = key.end() if key else start.end()
    fields, place = _fields(text, place, close, macros)
    entries.append(_Entry(kind, key[1] if key else "", fields, line))
    return place


def _fields(text: str, place: int, close: str, macros: Mapping[str, str]) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    while True:
        place = _skipped(_blank, text, place)
        if place >= len(text):
            raise _MalformedError(place, "the file ends within it")
        if text[place] == close:
            return fields, place + 1
        name = _name.match(text, place)
        if not name:
            found = text[place : place + 20].partition("\n")[0]
            raise _MalformedError(place, f"“{found}” is neither a field nor the end")
        value, place = _value(text, name.end(), macros)
        fields.setdefault(name[1].lower(), value)


def _value(text: str, place: int, macros: Mapping[str, str]) -> tuple[str, int]:
    """A value: braced, quoted, a number or a macro, and several of them joined by #."""
    parts: list[str] = []
    while True:
        place = _skipped(_space, text, place)
        char = text[place : place + 1]
        if char in ('"', "{"):
            end = _quoted(text, place) if char == '"' else _braced(text, place)
            parts.append(text[place + 1 : end])
            place = end + 1
        elif bare := _bare.match(text, place):
            parts.append(macros.get(bare[0].lower(), bare[0]))
            place = bare.end()
        else:
            raise _MalformedError(place, "a value is missing")
        place = _skipped(_space, text, place)
        if text[place : place + 1] != "#":
            return "".join(parts)[:LONGEST], place
        place += 1


def _braced(text: str, place: int) -> int:
    """Where the brace that opens here is closed."""
    depth = 0
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 1
        elif char == "{":
            depth += 1
            if depth > _DEEPEST:
                break
        elif char == "}":
            depth -= 1
            if not depth:
                return place
        elif char == "@" and _next_entry.match(text, text.rfind("\n", 0, place) + 1) and _is_start(text, place):
            raise _MalformedError(place, "a brace is not closed")
        place += 1
    raise _MalformedError(place, "a brace is not closed")


def _quoted(text: str, place: int) -> int:
    """Where the quotation mark that opens here is closed; those within braces do not count."""
    depth, place = 0, place + 1
    while place < len(text):
        char = text[place]
        if char == "\\" and depth:
            place += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        elif char == '"' and depth <= 0:
            return place
        elif char == "@" and _is_start(text, place):
            break
        place += 1
    raise _MalformedError(place, "a quotation mark is not closed")


def _is_start(text: str, place: int) -> bool:
    """Whether an @ begins an entry, with a key behind it and nothing before it on its line."""
    line = text.rfind("\n", 0, place) + 1
    return not text[line:place].strip() and bool(_keyed_start.match(text[place : place + 200]))


def _commented(text: str, place: int) -> bool:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line.lstrip().startswith("%")


def _skipped(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    place = found.end() if found else place
    while text[place : place + 1] == "%":  # a comment, which BibTeX itself would not allow here
        end = text.find("\n", place)
        place = len(text) if end < 0 else end + 1
        found = pattern.match(text, place)
        place = found.end() if found else place
    return place


def _with_parents(entry: _Entry, named: Mapping[str, _Entry]) -> dict[str, str]:
    """The fields of an entry and, where it lacks them, of the entry it refers to."""
    fields = dict(entry.fields)
    parent = named.get(fields.get("crossref", "").strip().lower())
    if parent is None or parent is entry:
        return fields
    for name in _INHERITED:
        if name in parent.fields:
            fields.setdefault(name, parent.fields[name])
    if "booktitle" not in fields and "title" in parent.fields and "title" in entry.fields:
        fields["booktitle"] = parent.fields["title"]
    return fields


def _work(entry: _Entry, fields: Mapping[str, str]) -> Work:
    def said(*names: str) -> str:
        return next((value for name in names if (value := plain(fields.get(name, "")))), "")

    subtitle = said("subtitle")
    title = said("title") + (f": {subtitle}" if subtitle else "")
    keywords = re.split(r"\s*[;,]\s*", said("keywords", "keyword", "author_keywords"))
    return Work(
        title=title.strip(" ."),
        authors=tuple(authors(fields.get("author") or fields.get("editor", ""))),
        year=year_in(said("year", "date", "issued")),
        venue=said("journal", "journaltitle", "booktitle", "school", "institution", "publisher", "howpublished"),
        kind=entry.kind,
        doi=doi_in(fields.get("doi", "")) or doi_in(fields.get("url", "")),
        url=said("url") or _address(fields.get("howpublished", "")),
        abstract=said("abstract"),
        keywords=tuple(keyword for keyword in keywords if keyword),
        key=entry.key,
        line=entry.line,
    )


def authors(value: str) -> list[str]:
    """The names of an author field: separated by `and` outside braces; a name in braces is an organisation."""
    names: list[str] = []
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f"\x03{len(held) - 1}\x03"

    value = re.sub(r"(?<![\w\\])\{[^{}]*\s[^{}]*\}(?!\w)", hold, " ".join(value.split()))
    for part in _and.split(value):
        name = re.sub(r"\x03(\d+)\x03", lambda found: held[int(found[1])], part)
        if name.lower() in ("others", "et al", "et al."):
            continue
        whole = name.startswith("{") and name.endswith("}") and name.count("{") == 1
        name = plain(name) if whole else given_first(plain(name))
        if name:
            names.append(name)
    return names[:1000]


def _address(text: str) -> str:
    found = re.search(r"https?://[^\s{}\"]+", text)
    return found[0] if found else ""


class _Lines:
    """Numbers of lines, counted as the reading goes forward."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._line = text, 0, 1

    def of(self, place: int) -> int:
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line
