"""What a harvest came to: year by year, on homepages and on the venue's site, and who could not be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from pinakes.jobs.crawl_records import CrawlResult
from pinakes.jobs.harvest.wanted import Year
from pinakes.library.harvests import Harvested
from pinakes.text.countries import country_of


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

    @property
    def recall_missing(self) -> float | None:
        """ρ over the papers not held (003 fig. 9)."""
        return self.found / self.missing if self.missing else None

    @property
    def recall_all(self) -> float | None:
        """ρ over all papers of the year (003 fig. 8); None where the held ones were not looked for."""
        return self.looked_found / self.published if self.published and self.looked == self.published else None

    @property
    def ceiling(self) -> float | None:
        return self.reachable / self.missing if self.missing else None


@dataclass(frozen=True, slots=True)
class Listing:
    """What should be there and what is, without a crawl."""

    years: tuple[Year, ...]
    papers: tuple[Harvested, ...]
    """Held ones with the reason; the others `missing`."""
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
    countries: Mapping[str, int] = field(default_factory=dict)
    """Authors without a homepage, by country, where the metadata tells it."""
    searches: int = 0

    @property
    def interrupted(self) -> bool:
        return self.crawl is not None and self.crawl.interrupted

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


def by_year(
    papers: Sequence[Harvested], homepages: Mapping[str, str], looked_all: bool
) -> tuple[tuple[YearResult, ...], YearResult]:
    """The rows of all years in order, and their sum."""
    years: list[int | None] = [*sorted({paper.year for paper in papers if paper.year})]
    if any(paper.year is None for paper in papers):
        years.append(None)
    rows = [_row(year, [p for p in papers if p.year == year], homepages, looked_all) for year in years]
    return tuple(rows), _row(None, papers, homepages, looked_all)


def _row(year: int | None, papers: Sequence[Harvested], homepages: Mapping[str, str], looked_all: bool) -> YearResult:
    missing = [paper for paper in papers if paper.status != "held"]
    looked = papers if looked_all else missing
    return YearResult(
        year=year,
        published=len(papers),
        authors=len({name for paper in papers for name in paper.authors}),
        held=len(papers) - len(missing),
        missing=len(missing),
        found=sum(paper.status == "found" for paper in missing),
        versions=sum(paper.status == "version" for paper in missing),
        reachable=sum(any(name in homepages for name in paper.authors) for paper in missing),
        looked=len(looked),
        looked_found=sum(any(copy.status == "found" for copy in paper.copies) for paper in looked),
    )


def places_of(papers: Sequence[Harvested]) -> dict[str, int]:
    """How many papers were found where (003 fig. 14)."""
    counts: Counter[str] = Counter()
    for paper in papers:
        where = {copy.place for copy in paper.copies if copy.status == "found"}
        if {"homepage", "venue site"} <= where:
            counts["both"] += 1
        else:
            names = {"homepage": "on homepages", "venue site": "venue site"}
            first = next((one for one in ("homepage", "venue site", "open access", "elsewhere") if one in where), "")
            if first:
                counts[names.get(first, first)] += 1
    return {name: counts[name] for name in ("on homepages", "venue site", "both", "open access", "elsewhere")}


def countries_of(failures: Mapping[str, str], affiliations: Mapping[str, str]) -> dict[str, int]:
    """Authors without a homepage by the country of their affiliation (003 table 6), where one is known at all."""
    places = [country_of(affiliations.get(name, "")) for name in failures]
    known = Counter(filter(None, places)).most_common()
    return {**dict(known), "unknown": places.count("")} if known and "" in places else dict(known)
