"""From a finished crawl to the result: documents matched, reasons found, everything kept in the library.

A recipe holds what this needs, so that a harvest that was killed is taken up by `pinakes resume` and ends the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from pinakes.jobs.crawl_records import CrawlResult, kept_result
from pinakes.jobs.harvest.matching import Matched, match
from pinakes.jobs.harvest.pending import forget_pending
from pinakes.jobs.harvest.places import harvest_scope
from pinakes.jobs.harvest.reasons import Reason, Reasons
from pinakes.jobs.harvest.result import HarvestResult, People, by_year, places_of
from pinakes.jobs.harvest.wanted import Record, Wanted
from pinakes.jobs.harvest.whereabouts import Grounds
from pinakes.jobs.unreported import lacking
from pinakes.library.harvests import Copy, Harvested, Nearest, save_papers
from pinakes.library.library import Library
from pinakes.web.scope import Scope

NOTHING = Matched({}, 0, 0, {}, frozenset())


@dataclass(frozen=True, slots=True)
class Kept:
    """What a harvest knows before its crawl; kept in the crawl's recipe."""

    records: tuple[Record, ...]
    held: dict[str, tuple[str, str]]
    """Record's id -> title of the holding, and why it is the same paper."""
    homepages: dict[str, str]
    failures: dict[str, str]
    venue_sites: tuple[str, ...] = ()
    open_access: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Address -> papers whose open copy services say it is."""
    around: str = "auto"
    held_too: bool = True
    """Everything was looked for, so that recall can be told of all papers."""
    searches: int = 0
    affiliations: dict[str, str] = field(default_factory=dict)
    """Author -> affiliation, where it is known."""
    near: dict[str, Nearest] = field(default_factory=dict)
    """Record's id -> the holding that came nearest."""
    unknown: tuple[str, ...] = ()
    """People whom a table of homepages names, and who are no authors."""


def harvested(crawl: CrawlResult, watch: Callable[[int, int], None] = lambda done, of: None) -> HarvestResult | None:
    """What a crawl that was taken up again came to; None when it was not a harvest."""
    with Library(crawl.library) as library:
        last = library.crawls()[-1]
        if last.job != "harvest":
            return None
        kept = msgspec.convert(library.recipe(last).options["harvest"], Kept)
    return conclude(crawl.library, crawl, kept, watch=watch)


def left_over(folder: Path) -> CrawlResult | None:
    """A harvest whose crawl is finished, but which was killed before its documents were matched."""
    with Library(folder) as library:
        crawls = library.crawls()
        last = crawls[-1] if crawls else None
        if last is None or lacking(library, last) != "papers":
            return None
        return kept_result(library, last)


def conclude(
    folder: Path,
    crawl: CrawlResult | None,
    kept: Kept,
    *,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> HarvestResult:
    """Match the documents, find reasons, and keep all of it in the library."""
    with Library(folder, write=True, create=True) as library:
        matched, papers = NOTHING, tuple(_papers(kept, NOTHING, None))
        if crawl is not None:
            matched = match(library, crawl.crawl, [r.work for r in kept.records], _grounds(kept), watch)
            reasons = Reasons(library, crawl.crawl, kept.records, kept.homepages, kept.failures, matched)
            papers = tuple(_papers(kept, matched, reasons))
        save_papers(library.connection, crawl.crawl if crawl else 0, papers)
    forget_pending(folder)
    years, total = by_year(papers, people_of(kept), kept.held_too)
    return HarvestResult(
        library=folder,
        crawl=crawl,
        papers=papers,
        homepages=kept.homepages,
        failures=kept.failures,
        years=years,
        total=total,
        documents=matched.documents,
        publications=matched.publications,
        unreadable=matched.unreadable,
        places=places_of(papers),
        unknown=kept.unknown,
        searches=kept.searches,
    )


def people_of(kept: Kept) -> People:
    """Who has a homepage, who has none, and where they work."""
    return People(kept.homepages, kept.failures, kept.affiliations)


def unheld(wanted: Wanted) -> Iterator[Harvested]:
    """A list's papers: held with the reason, or missing."""
    for record in wanted.records:
        held = wanted.held.get(record.id)
        why = f"“{held.by.title}”: {held.decision.why}" if held else ""
        reason = Reason("held", why) if held else Reason("", "")
        yield _paper(record, "held" if held else "missing", reason, nearest=wanted.near.get(record.id))


def _papers(kept: Kept, matched: Matched, reasons: Reasons | None) -> Iterator[Harvested]:
    for record in kept.records:
        copies, near = matched.copies.get(record.id, ()), kept.near.get(record.id)
        if record.id in kept.held:
            title, why = kept.held[record.id]
            yield _paper(record, "held", Reason("held", f"“{title}”: {why}"), copies)
        elif _found(copies):
            yield _paper(record, "found", Reason("", copies[0].evidence), copies, near)
        else:
            reason = reasons.why(record) if reasons else _no_crawl(record, kept)
            yield _paper(record, "version" if copies else "missing", reason, copies, near)


def _no_crawl(record: Record, kept: Kept) -> Reason:
    said = "; ".join(f"{name}: {kept.failures.get(name, 'not looked for')}" for name in record.authors)
    return Reason("no homepage", said or "no authors are known")


def _paper(
    record: Record, status: str, reason: Reason, copies: tuple[Copy, ...] = (), nearest: Nearest | None = None
) -> Harvested:
    return Harvested(
        record.id,
        record.title,
        record.authors,
        record.year,
        record.venue,
        status,
        reason.why,
        record.doi,
        record.booktitle,
        copies,
        reason.detail,
        nearest,
    )


def _found(copies: tuple[Copy, ...]) -> bool:
    return any(copy.status == "found" for copy in copies)


def _grounds(kept: Kept) -> Grounds:
    homes = harvest_scope(Scope(), kept.homepages, (), kept.around)
    venues = harvest_scope(Scope(), {}, kept.venue_sites, kept.around)
    return Grounds(homes, venues, frozenset(kept.open_access))
