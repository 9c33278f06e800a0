"""Works in a table: CSV and the like as databases, publishers and spreadsheets write it.

Columns are found by their headings, the delimiter and the encoding by looking; authors stand in one cell in many ways.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence

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

_COLUMNS: Mapping[str, Sequence[str]] = {
    "title": ("title", "item title", "article title", "document title", "paper title", "publication title"),
    "authors": ("authors", "author", "author names", "author full names", "creators", "creator", "author s"),
    "year": ("year", "publication year", "pub year", "py", "date", "published", "publication date", "issued"),
    "venue": (
        "venue", "conference", "conference name", "journal", "journal book", "source title", "source",
        "container title", "publication", "publication name", "publication title", "book title", "booktitle",
        "proceedings",
    ),
    "booktitle": ("booktitle", "book title", "proceedings title", "conference title"),
    "doi": ("doi", "item doi", "doi link"),
    "url": ("url", "link", "urls", "pdf link", "pdf"),
    "id": ("id", "key", "item key", "pmid", "eid", "citekey", "identifier"),
    "abstract": ("abstract", "abstract note"),
    "affiliations": ("affiliations", "author affiliations", "affiliation"),
}  # fmt: skip
"""What a field's column may be called, the likeliest first."""
_plain = re.compile(r"[^a-z0-9]+")
_run_together = re.compile(r"(?<=[a-z])(?=[A-Z])")
_initials = re.compile(r"[A-Z]{1,3}")


def read_csv_works(data: bytes) -> Bibliography:
    """The works of a table whose first row names its columns."""
    text = decoded(data)
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return Bibliography(problems=(Problem(1, "the file is empty"),))
    rows = csv.reader(text.split("\n"), delimiter=_delimiter(lines[0]), skipinitialspace=True)
    columns: dict[str, int] = {}
    works: list[Work] = []
    problems: list[Problem] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not columns:
                columns = _columns(row)
                if "title" not in columns:
                    named = ", ".join(cell.strip()[:30] for cell in row[:8])
                    return Bibliography(problems=(Problem(rows.line_num, f"no column is called Title, only {named}"),))
                continue
            work = _work(row, columns, rows.line_num)
            if work.title and len(works) < MOST_WORKS:
                works.append(work)
            elif not work.title and len(problems) < MOST_PROBLEMS:
                problems.append(Problem(rows.line_num, "no title"))
    except csv.Error as error:
        problems.append(Problem(rows.line_num, str(error)))
    return Bibliography(tuple(works), tuple(problems))


def _delimiter(header: str) -> str:
    """The sign that parts the first row into most cells; quoted parts do not count."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=lambda sign: (bare.count(sign), sign == ","))


def _columns(header: Sequence[str]) -> dict[str, int]:
    names = [_plain.sub(" ", cell.lower()).strip() for cell in header]
    found: dict[str, int] = {}
    for field, known in _COLUMNS.items():
        at = next(
            (names.index(name) for name in known if name in names and names.index(name) not in found.values()), -1
        )
        if at >= 0:
            found[field] = at
    return found


def _work(row: Sequence[str], columns: Mapping[str, int], line: int) -> Work:
    cell = {field: " ".join(row[at].split())[:LONGEST] if at < len(row) else "" for field, at in columns.items()}
    return Work(
        title=cell["title"],
        authors=tuple(authors(cell.get("authors", ""))),
        year=year_in(cell.get("year", "")),
        venue=cell.get("venue", ""),
        doi=doi_in(cell.get("doi", "")),
        url=cell.get("url", ""),
        abstract=cell.get("abstract", ""),
        key=cell.get("id", ""),
        line=line,
        booktitle=cell.get("booktitle", ""),
        affiliations=tuple(part.strip() for part in cell.get("affiliations", "").split(";") if part.strip()),
    )


def authors(cell: str) -> list[str]:
    """The names in a cell: parted by semicolons, bars, `and`, commas, or nothing at all."""
    for sign in (r";", r"\|", r"\s+and\s+", r"\s*&\s*"):
        parts = [part.strip(" ,") for part in re.split(sign, cell) if part.strip(" ,")]
        if len(parts) > 1:
            # `A, B and C`: what stands before the `and` is a list by commas, unless it is `Family, Given`.
            spread = [name for part in parts for name in (_by_commas(part) if sign[0] == "\\" else [part])]
            return [_name(part) for part in spread]
    return [_name(part) for part in _by_commas(cell)]


def _by_commas(cell: str) -> list[str]:
    parts = [part.strip() for part in cell.split(",") if part.strip()]
    if len(parts) > 1 and all(" " in part for part in parts):
        return parts
    if len(parts) > 2 and len(parts) % 2 == 0 and all(" " not in part or "." in part for part in parts):
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    if len(parts) > 2:
        return parts
    pieces = _run_together.split(cell)
    if len(parts) < 2 and len(pieces) > 1 and all(" " in piece.strip() for piece in pieces):
        return [piece.strip() for piece in pieces]  # Springer writes `Anna BergTom Holm`
    return [cell.strip()] if cell.strip() else []


def _name(name: str) -> str:
    """Given names first; `Berg A` is PubMed's way of writing `A Berg`."""
    words = name.split()
    if "," not in name and len(words) > 1 and _initials.fullmatch(words[-1]) and not _initials.fullmatch(words[0]):
        return f"{words[-1]} {' '.join(words[:-1])}"
    return given_first(name)
