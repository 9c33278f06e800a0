"""What a harvest came to: year by year, on homepages and on the venue's site, and who could not be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from pinakes.jobs.crawl_records import CrawlResult
from pinakes.jobs.harvest.wanted import Year
from pinakes.jobs.harvest.whereabouts import BOTH, HOMEPAGE, PLACES, VENUE
from pinakes.library.harvests import Harvested
from pinakes.text.countries import country_of

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class People:
    """The authors who were looked for."""

    homepages: Mapping[str, str] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    """Author -> why there is no homepage."""
    affiliations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class YearResult:
    """One year, or all of them (003 tables 5 and 6, figs 6–9)."""

    year: int | None
    published: int
    authors: int
    held: int
    missing: int
    found: int
    """Of the missing."""
    versions: int
    """Missing papers of which only slides or another form was found."""
    reachable: int
    """Missing papers of which at least one author's homepage is known: the ceiling."""
    looked: int
    """Papers that were looked for: the missing, or all."""
    looked_found: int
    places: Mapping[str, int] = field(default_factory=dict)
    """Of the missing that were found: on a `homepage` only, on the `venue site` only, on `both`, by `open access` only,
    or `elsewhere` (003 figs 14–18)."""
    with_homepage: int = 0
    """Authors whose homepage is known."""
    without_homepage: int = 0
    """Authors who were looked for and have none that could be found (003 table 6)."""
    countries: Mapping[str, int] = field(default_factory=dict)
    """The same by country; empty where no affiliation is known."""

    @property
    def unsought(self) -> int:
        """Authors who were not looked for, since all they wrote is held."""
        return self.authors - self.with_homepage - self.without_homepage

    @property
    def recall_missing(self) -> float | None:
        """ρ over the papers not held (003 fig. 9)."""
        return self.found / self.missing if self.missing else None

    @property
    def recall_homepages(self) -> float | None:
        """The same, counting only papers that homepages lead to."""
        on = self.places.get(HOMEPAGE, 0) + self.places.get(BOTH, 0)
        return on / self.missing if self.missing else None

    @property
    def recall_all(self) -> float | None:
        """ρ over all papers of the year (003 fig. 8). Held papers that were not looked for count as found: the library
        has them."""
        if not self.published:
            return None
        return (self.looked_found if self.looked == self.published else self.held + self.found) / self.published

    @property
    def ceiling(self) -> float | None:
        return self.reachable / self.missing if self.missing else None


@dataclass(frozen=True, slots=True)
class Listing:
    """What should be there and what is, without a crawl."""

    years: tuple[Year, ...]
    papers: tuple[Harvested, ...]
    """Held ones with the reason; the others `missing`, with the holding that came nearest."""
    authors: int


@dataclass(frozen=True, slots=True)
class HarvestResult:
    """How a harvest ended."""

    library: Path
    crawl: CrawlResult | None
    """None when there was nothing to crawl."""
    papers: tuple[Harvested, ...]
    homepages: Mapping[str, str]
    failures: Mapping[str, str]
    """Author -> why there is no homepage."""
    years: tuple[YearResult, ...]
    total: YearResult
    documents: int = 0
    publications: int = 0
    unreadable: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    """Papers found `on homepages` only, on the `venue site` only, on `both`, by `open access` only, or `elsewhere`."""
    unknown: tuple[str, ...] = ()
    """People whom a table of homepages names, and who are no authors."""
    searches: int = 0

    @property
    def interrupted(self) -> bool:
        return self.crawl is not None and self.crawl.interrupted

    @property
    def countries(self) -> Mapping[str, int]:
        """Authors without a homepage, by country, where an affiliation tells it."""
        return self.total.countries

    @property
    def why(self) -> Mapping[str, int]:
        """How many papers are missing for each reason, the commonest first."""
        counts = Counter(paper.why for paper in self.papers if paper.status in ("missing", "version"))
        return dict(counts.most_common())

    def _repr_html_(self) -> str:
        """The table of years, for notebooks."""
        heads = ("Year", "Published", "Held", "Missing", "Found", "Recall")
        rows = "".join(
            f"<tr><td>{escape(str(row.year or 'all'))}</td><td>{row.published}</td><td>{row.held}</td>"
            f"<td>{row.missing}</td><td>{row.found}</td><td>{share(row.recall_missing)}</td></tr>"
            for row in (*self.years, self.total)
        )
        return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{rows}</table>"


def share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def by_year(papers: Sequence[Harvested], people: People, looked_all: bool) -> tuple[tuple[YearResult, ...], YearResult]:
    """The rows of all years in order, and their sum."""
    years: list[int | None] = [*sorted({paper.year for paper in papers if paper.year})]
    if any(paper.year is None for paper in papers):
        years.append(None)
    rows = [_row(year, [p for p in papers if p.year == year], people, looked_all) for year in years]
    return tuple(rows), _row(None, papers, people, looked_all)


def _row(year: int | None, papers: Sequence[Harvested], people: People, looked_all: bool) -> YearResult:
    missing = [paper for paper in papers if paper.status != "held"]
    looked = papers if looked_all else missing
    authors = {name for paper in papers for name in paper.authors}
    lost = sorted(authors & people.failures.keys())
    return YearResult(
        year=year,
        published=len(papers),
        authors=len(authors),
        held=len(papers) - len(missing),
        missing=len(missing),
        found=sum(paper.status == "found" for paper in missing),
        versions=sum(paper.status == "version" for paper in missing),
        reachable=sum(any(name in people.homepages for name in paper.authors) for paper in missing),
        looked=len(looked),
        looked_found=sum(any(copy.status == "found" for copy in paper.copies) for paper in looked),
        places={place: sum(place_of(paper) == place for paper in missing) for place in PLACES},
        with_homepage=len(authors & people.homepages.keys()),
        without_homepage=len(lost),
        countries=countries_of(lost, people.affiliations),
    )


def place_of(paper: Harvested) -> str:
    """Where a paper was found, all its copies taken together; nothing where it was not."""
    where = {copy.place for copy in paper.copies if copy.status == "found"}
    if BOTH in where or {HOMEPAGE, VENUE} <= where:
        return BOTH
    return next((place for place in PLACES if place in where), "")


def places_of(papers: Sequence[Harvested]) -> dict[str, int]:
    """How many papers that are not held were found where (003 fig. 14)."""
    counts = Counter(place_of(paper) for paper in papers if paper.status != "held")
    return {"on homepages" if place == HOMEPAGE else place: counts[place] for place in PLACES}


def countries_of(names: Sequence[str], affiliations: Mapping[str, str]) -> dict[str, int]:
    """People by the country of their affiliation, the commonest first (003 table 6), where one is known at all."""
    places = [country_of(affiliations.get(name, "")) for name in names]
    known = Counter(filter(None, places)).most_common()
    return {**dict(known), UNKNOWN: places.count("")} if known and "" in places else dict(known)
