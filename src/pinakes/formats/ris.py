"""RIS, as reference managers and publishers write it.

Tags differ between writers (T1 or TI, A1 or AU, Y1 or PY), values go on over lines, the end mark is sometimes missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

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

_tag = re.compile(r"\ufeff?([A-Z][A-Z0-9])(?:  ?-(?: (.*)|\s*)|  -(\S.*))$").match
_TITLES = ("TI", "T1", "CT", "BT")
_AUTHORS = ("AU", "A1")
_VENUES = ("JO", "JF", "T2", "JA", "J2", "BT", "T3", "PB")
_YEARS = ("PY", "Y1", "DA")
"""Not Y2: it says when somebody looked at the work."""
_ADDRESSES = ("UR", "L1", "L2", "LK")


def read_ris(data: bytes) -> Bibliography:
    """The works of a RIS file and what in it could not be read."""
    works: list[Work] = []
    problems: list[Problem] = []
    for line, fields, complaint in _records(decoded(data)):
        if complaint and len(problems) < MOST_PROBLEMS:
            problems.append(Problem(line, complaint))
        if not fields:
            continue
        work = _work(fields, line)
        if work.title or work.authors:
            works.append(work)
        elif len(problems) < MOST_PROBLEMS:
            problems.append(Problem(line, f"the record of line {line} has no title"))
        if len(works) >= MOST_WORKS:
            break
    return Bibliography(tuple(works), tuple(problems))


def _records(text: str) -> Iterator[tuple[int, dict[str, list[str]], str]]:
    """Line, fields and complaint of each record."""
    fields: dict[str, list[str]] = {}
    start, last, stray = 0, "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        found = _tag(line.rstrip())
        if not found:
            if fields and last and line.strip():
                fields[last][-1] = f"{fields[last][-1]} {line.strip()}"[:LONGEST]
            elif line.strip() and not fields:
                stray = stray or number
            continue
        tag, value = found[1], (found[2] or found[3] or "").strip()
        if tag == "TY":
            if fields:
                yield start, fields, f"the record of line {start} has no end (ER)"
            fields, start, last = {"TY": [value]}, number, "TY"
        elif tag == "ER":
            if fields:
                yield start, fields, ""
            fields, last = {}, ""
        elif fields:
            fields.setdefault(tag, []).append(value[:LONGEST])
            last = tag
        else:
            stray = stray or number
    if fields:
        yield start, fields, f"the record of line {start} has no end (ER)"
    elif stray and not start:
        yield stray, {}, f"line {stray} belongs to no record: a record begins with TY"


def _work(fields: Mapping[str, Sequence[str]], line: int) -> Work:
    def all_of(*tags: str) -> list[str]:
        return [" ".join(value.split()) for tag in tags for value in fields.get(tag, ()) if value.strip()]

    def first(*tags: str) -> str:
        return next(iter(all_of(*tags)), "")

    title = first(*_TITLES)
    addresses = [part for value in all_of(*_ADDRESSES) for part in re.split(r"\s*;\s*(?=https?:)", value)]
    return Work(
        title=title.strip(" ."),
        # Some writers give every author under both tags.
        authors=tuple(dict.fromkeys(given_first(name) for name in all_of(*_AUTHORS) or all_of("A2", "ED"))),
        year=year_in(" ".join(all_of(*_YEARS))),
        venue=next((venue for venue in all_of(*_VENUES) if venue != title), ""),
        kind=first("TY").lower(),
        doi=doi_in(first("DO")) or next((doi for address in all_of("UR", "M3", "N1") if (doi := doi_in(address))), ""),
        url=next(iter(addresses), ""),
        abstract=first("AB", "N2"),
        keywords=tuple(word.strip("* ") for value in all_of("KW") for word in re.split(r"\s*;\s*", value)),
        key=first("ID"),
        line=line,
    )
