"""Works as bibliographies list them, and what their formats have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

MOST_BYTES = 64 << 20
MOST_WORKS = 200_000
MOST_PROBLEMS = 1_000
LONGEST = 20_000
"""Characters of a field; the rest of an abstract longer than that is dropped."""
_year = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_orcid = re.compile(r"(?<![\dX])(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])(?![\dX])", re.IGNORECASE)
_doi = re.compile(r"\b10\.\d{4,9}/\S+")


@dataclass(frozen=True, slots=True)
class Work:
    """One entry of a bibliography."""

    title: str = ""
    authors: tuple[str, ...] = ()
    """Given names first."""
    year: int | None = None
    venue: str = ""
    """The journal or the proceedings."""
    kind: str = ""
    """As the format calls it, in small letters: `article`, `inproceedings`, `jour`."""
    doi: str = ""
    url: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    key: str = ""
    """What the bibliography calls it."""
    line: int = 0
    """Where in the file it begins."""
    booktitle: str = ""
    """The proceedings in full, where the venue is only their short name."""
    affiliations: tuple[str, ...] = ()
    """Of each author, empty where unknown; or of the paper, where the source does not say whose."""
    identities: tuple[str, ...] = ()
    """Who each author is: the address of an ORCID or of a dblp person, empty where unknown."""


@dataclass(frozen=True, slots=True)
class Person:
    """What a directory of people knows of somebody."""

    names: tuple[str, ...]
    urls: tuple[str, ...] = ()
    """Homepages, profiles and identifiers."""
    affiliation: str = ""

    @property
    def orcid(self) -> str:
        return next((orcid for url in self.urls if "orcid.org/" in url and (orcid := orcid_in(url))), "")


_PARTICLES = frozenset(
    [
        "al",
        "bin",
        "da",
        "de",
        "del",
        "della",
        "den",
        "der",
        "di",
        "do",
        "dos",
        "du",
        "el",
        "la",
        "le",
        "ten",
        "ter",
        "van",
        "von",
        "y",
        "zu",
    ]
)
"""Small words that belong to the family name after them."""


class Problem(NamedTuple):
    """What could not be read, and where."""

    line: int
    what: str


class Bibliography(NamedTuple):
    works: tuple[Work, ...] = ()
    problems: tuple[Problem, ...] = ()


def year_in(text: str) -> int | None:
    """The first year a text names."""
    found = _year.search(text)
    return int(found[1]) if found else None


def doi_in(text: str) -> str:
    """A DOI, without the address of its resolver."""
    found = _doi.search(text.replace("\\_", "_"))
    return found[0].rstrip(".,;)>\"'").lower() if found else ""


def orcid_in(text: str) -> str:
    """The address of an ORCID whose check digit is right (ISO 7064 MOD 11-2); nothing for anything else."""
    found = _orcid.search(text)
    if not found:
        return ""
    digits = "".join(found.groups()).upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    right = digits[-1] == ("X" if check == 10 else str(check))
    return f"https://orcid.org/{'-'.join(found.groups()).upper()}" if right else ""


def given_first(name: str) -> str:
    """`Family, Given` and `Family, Jr, Given` with the given names in front; other names as they are."""
    parts = [" ".join(part.split()) for part in name.split(",")]
    parts = [part for part in parts if part]
    if len(parts) == 2:
        return f"{parts[1]} {parts[0]}"
    if len(parts) > 2:
        return f"{parts[2]} {parts[0]} {parts[1]}"
    return parts[0] if parts else ""


def family_first(name: str) -> str:
    """`Given Family` as catalogues file it, `Family, Given`; a name of one word, or with a comma, as it is."""
    if "," in name:
        return name
    *given, family = name.split() or [""]
    while given and given[-1].lower() in _PARTICLES:
        family = f"{given.pop()} {family}"
    return f"{family}, {' '.join(given)}" if given else family


def decoded(data: bytes) -> str:
    """A text file that does not say its encoding: UTF-8 or UTF-16 by their marks, else UTF-8, else Latin-1."""
    data = data[:MOST_BYTES]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            # A file cut in the middle of a character is still UTF-8.
            cut = error.reason == "unexpected end of data"
            text = data.decode("utf-8-sig", "ignore") if cut else data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
