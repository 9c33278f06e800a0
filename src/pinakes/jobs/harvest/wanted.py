"""What should be there, what is there, and what is missing.

The papers of a venue (the metadata) less those the library holds. A paper is held when a holding is the same paper by
title, guarded by authors and year; every decision is kept with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pinakes.core.errors import PinakesError
from pinakes.library.harvests import Nearest
from pinakes.text.titles import Decision, TitleIndex, Work, title_words


@dataclass(frozen=True, slots=True)
class Record:
    """A paper as some source of metadata describes it."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    id: str = ""
    booktitle: str = ""
    doi: str = ""
    urls: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    """Who each author is: the address of an ORCID or a dblp person, empty where unknown."""

    @property
    def work(self) -> Work:
        return Work(self.title, self.authors, self.year, self.id)


@dataclass(frozen=True, slots=True)
class Held:
    """A wanted paper that is there already."""

    record: Record
    by: Work
    decision: Decision


@dataclass(frozen=True, slots=True)
class Wanted:
    """A venue's papers, split into what is there and what is not."""

    records: tuple[Record, ...]
    held: dict[str, Held]
    """By the record's id."""
    near: dict[str, Nearest] = field(default_factory=dict)
    """Of records that are not held, the holding that came nearest."""

    @property
    def missing(self) -> tuple[Record, ...]:
        return tuple(record for record in self.records if record.id not in self.held)

    def by_year(self) -> list[Year]:
        """Papers, authors, held and missing of each year (003 table 5), the years in order."""
        years = [*sorted({record.year for record in self.records if record.year}), None]
        table = [self._year(year) for year in years]
        return [year for year in table if year.papers]

    def _year(self, year: int | None) -> Year:
        papers = [record for record in self.records if record.year == year]
        held = sum(record.id in self.held for record in papers)
        authors = len({name for record in papers for name in record.authors})
        return Year(year, len(papers), authors, held, len(papers) - held)


@dataclass(frozen=True, slots=True)
class Year:
    """One year of a venue."""

    year: int | None
    papers: int
    authors: int
    held: int
    missing: int


def parse_years(text: str) -> tuple[int, int]:
    """`1998-2004`, or one year."""
    first, dash, last = text.strip().replace("–", "-").partition("-")
    try:
        years = int(first), int(last if dash else first)
    except ValueError:
        raise PinakesError(f"--years {text} is not a span of years; write it like 1998-2004, or 2001.") from None
    if years[0] > years[1]:
        raise PinakesError(f"--years {text} ends before it begins; write it like 1998-2004.")
    return years


def chosen(records: Iterable[Record], venue: str = "", years: tuple[int, int] | None = None) -> tuple[Record, ...]:
    """The records of a venue and a span of years, each paper once, every one with an id."""
    found: dict[str, Record] = {}
    for record in records:
        if not title_words(record.title):
            continue
        if venue and not of_venue(record, venue):
            continue
        if years and not (record.year and years[0] <= record.year <= years[1]):
            continue
        key = " ".join(title_words(record.title)) + f"|{record.year or ''}|{','.join(record.authors[:1])}"
        if key not in found:
            found[key] = record if record.id else replace(record, id=f"paper-{len(found) + 1:04d}")
    return tuple(found.values())


def of_venue(record: Record, venue: str) -> bool:
    """True when the venue's name, or its words in a longer one, name the record's venue."""
    wanted = title_words(venue)
    for name in (record.venue, record.booktitle):
        words = title_words(name)
        if words == wanted or (wanted and any(words[at : at + len(wanted)] == wanted for at in range(len(words)))):
            return True
    return False


def less(records: Sequence[Record], holdings: Iterable[Work]) -> Wanted:
    """Compare the wanted papers with what is held."""
    index = TitleIndex(holdings)
    held: dict[str, Held] = {}
    near: dict[str, Nearest] = {}
    for record in records:
        found = index.find(record.work)
        if found is not None:
            held[record.id] = Held(record, *found)
        elif (other := index.nearest(record.work)) is not None:
            work, likeness, why = other
            near[record.id] = Nearest(work.title, work.authors, work.year, round(likeness, 3), why)
    return Wanted(tuple(records), held, near)


def affiliations_of(records: Sequence[Record]) -> dict[str, str]:
    """Author -> affiliation, where a record gives one for each of its authors."""
    return _of_authors((record.authors, record.affiliations) for record in records)


def identities_of(records: Sequence[Record]) -> dict[str, str]:
    """Author -> ORCID or dblp person, where a record names them."""
    return _of_authors((record.authors, record.identities) for record in records)


def _of_authors(given: Iterable[tuple[Sequence[str], Sequence[str]]]) -> dict[str, str]:
    """Author -> what stands in the same place of a list as long as that of the authors; the first that is said."""
    found: dict[str, str] = {}
    for authors, said in given:
        for name, one in zip(authors, said, strict=True) if len(authors) == len(said) else ():
            if one:
                found.setdefault(name, one)
    return found
