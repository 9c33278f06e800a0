"""`pinakes harvest`: the papers of a venue that a library lacks, found on their authors' homepages (seed 003)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Topic
from pinakes.core.parameters import settings
from pinakes.jobs.crawl import addresses, set_out
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Ready, Watch
from pinakes.jobs.fresh import FreshWeb
from pinakes.jobs.harvest.asking import open_copies
from pinakes.jobs.harvest.corrections import Known, Said, read_known, write_candidates
from pinakes.jobs.harvest.homepages import Homepages, find_homepages
from pinakes.jobs.harvest.options import STRATEGY, HarvestOptions
from pinakes.jobs.harvest.outcome import Kept, conclude, unheld
from pinakes.jobs.harvest.ownership import authors_of
from pinakes.jobs.harvest.pending import note_pending
from pinakes.jobs.harvest.people import listed_people
from pinakes.jobs.harvest.places import harvest_scope
from pinakes.jobs.harvest.result import HarvestResult, Listing
from pinakes.jobs.harvest.sources import HOLDINGS, METADATA, Found, Use, read_source
from pinakes.jobs.harvest.wanted import Record, Wanted, affiliations_of, chosen, identities_of, less, parse_years
from pinakes.jobs.outfit import outfit
from pinakes.jobs.running import run
from pinakes.jobs.webs import Indexing, Opened, Tell, open_web, processes_for, quietly
from pinakes.library.desk import held_at
from pinakes.library.harvests import recall_people, remember_person
from pinakes.library.library import Library

NOISE = (
    "slides slide talk talks presentation poster posters cv vita vitae resume lecture lectures homework hw syllabus "
    "lec exam exams midterm quiz course courses teaching assignment assignments handout handouts worksheet flyer"
)
PARAMETERS: Mapping[str, Any] = {
    "keywords": "table4",
    "urls": True,
    "seeds": "first",
    "noise": NOISE,
}
"""The paper's keywords, looked for in addresses too, and every homepage before what it leads to."""
NAMED = 5
"""People of a table who are no authors that are told by name."""
AT_ONCE = 8
"""Authors that are looked for at once on the live web."""
DAY = 86_400.0
Looking = Callable[[int, int], None]


def harvest(
    options: HarvestOptions,
    *,
    looking: Looking = lambda done, of: None,
    asking: Looking = lambda done, of: None,
    watch: Watch | None = None,
    matching: Looking = lambda done, of: None,
    indexing: Indexing = quietly,
    tell: Tell = quietly,
) -> HarvestResult | Listing:
    """Find what is missing; `looking` hears how many authors were looked for, `asking` for how many papers services
    were asked for open copies, `matching` how many documents were read."""
    if not options.metadata:
        raise PinakesError(
            "Nothing says which papers there should be; give --metadata FILE, or a service such as dblp:WebDB."
        )
    if options.into is None and not options.list_only:
        raise PinakesError("Nothing says where the papers go; give --into LIBRARY, or --list.")
    return run(_Harvest(options, looking, asking, watch, matching, indexing, tell).run())


class _Harvest:
    def __init__(
        self,
        options: HarvestOptions,
        looking: Looking,
        asking: Looking,
        watch: Watch | None,
        matching: Looking,
        indexing: Indexing,
        tell: Tell,
    ) -> None:
        self.options = options
        self.looking, self.asking, self.watch, self.matching = looking, asking, watch, matching
        self.indexing, self.tell = indexing, tell
        self.affiliations: dict[str, str] = {}
        """Author -> affiliation, as far as metadata and directories know."""

    async def run(self) -> HarvestResult | Listing:
        options = self.options
        years = parse_years(options.years) if options.years else None
        known = read_known(options.homepages) if options.homepages else Known()
        venues = addresses(options.venue_sites, "--venue-site")
        self._check_library()
        metadata = await self._read(options.metadata, METADATA, options.venue)
        records = chosen(metadata.records, options.venue, years)
        if not records:
            raise PinakesError(self._nothing(metadata, years))
        holdings = await self._read(options.holdings, HOLDINGS, "") if options.holdings else Found(())
        wanted = less(records, [record.work for record in holdings.records])
        if options.list_only:
            authors = len({name for record in records for name in record.authors})
            return Listing(tuple(wanted.by_year()), tuple(unheld(wanted)), authors)
        return await self._find(wanted, metadata, known, venues)

    async def _read(self, names: Sequence[str], use: Use, venue: str) -> Found:
        """All sources of an option together."""
        options = self.options
        years = parse_years(options.years) if options.years else None
        parts = [await read_source(name, options.web, options.live, venue, years, self.tell, use) for name in names]
        people = {name: person for part in parts for name, person in part.people.items()}
        return Found(tuple(record for part in parts for record in part.records), people)

    def _nothing(self, metadata: Found, years: tuple[int, int] | None) -> str:
        options = self.options
        what = " ".join(filter(None, [options.venue and f"of {options.venue}", years and f"of {options.years}"]))
        venues = sorted({record.venue for record in metadata.records if record.venue})
        has = f"; it has venues such as {', '.join(venues[:5])}" if options.venue and venues else ""
        return f"{', '.join(options.metadata)} names no papers {what or 'with a title'}{has}."

    def _check_library(self) -> None:
        """A library whose last crawl is unfinished is said so now, not after an hour's search for homepages."""
        into = self.options.into
        if into is None or self.options.new or self.options.list_only or not held_at(into):
            return
        with Library(into) as library:
            if library.unfinished():
                raise PinakesError(
                    f"{into} has an unfinished crawl; go on with `pinakes resume {into}`, or leave it and start "
                    "another with --new."
                )

    # -- homepages and crawl -----------------------------------------------------------------------------------

    async def _find(self, wanted: Wanted, metadata: Found, known: Known, venues: tuple[str, ...]) -> HarvestResult:
        options = self.options
        assert options.into is not None
        sought = wanted.records if options.held_too else wanted.missing
        said = self._said(wanted, sought, known)
        opened = open_web(
            options.web,
            live=options.live,
            processes=processes_for(options.processes, options.pages),
            indexing=self.indexing,
            tell=self.tell,
        )
        try:
            note_pending(options)
            found = await self._homepages(sought, metadata, said, opened)
            table = options.into / "reports" / "homepages.csv"
            write_candidates(table, [*found.candidates, *said.others], found.failures)
            copies = await self._open_access(wanted.missing) if options.open_access else {}
            kept = replace(self._kept(wanted, found, venues, copies), unknown=said.unknown)
            seeds = self._seeds(found, venues, copies)
            crawl = await self._crawl(seeds, kept, opened) if seeds else None
        finally:
            await opened.close()
        return conclude(options.into, crawl, kept, watch=self.matching)

    def _said(self, wanted: Wanted, sought: Sequence[Record], known: Known) -> Said:
        """What a table of homepages says of the authors who are looked for; whom else it names is told."""
        everybody = known.of(name for record in wanted.records for name in record.authors)
        if everybody.unknown:
            few = "; ".join(everybody.unknown[:NAMED])
            more = f" and {len(everybody.unknown) - NAMED:,} more" if len(everybody.unknown) > NAMED else ""
            self.tell(
                f"{self.options.homepages} names people who wrote none of these papers, and they are left out: "
                f"{few}{more}."
            )
        names = {name for record in sought for name in record.authors}
        rest = [row for name, rows in everybody.rows.items() if name not in names for row in rows]
        rows = {name: rows for name, rows in everybody.rows.items() if name in names}
        return Said(rows, (*everybody.others, *rest), everybody.unknown)

    async def _homepages(self, sought: Sequence[Record], metadata: Found, said: Said, opened: Opened) -> Homepages:
        options = self.options
        assert options.into is not None
        authors = authors_of([(record.title, record.authors, record.venue) for record in sought])
        given = said.homepages
        live = not opened.web.ordered  # a frozen web is asked again at no cost, and gives the same answer
        with Library(options.into, write=True, create=True) as library:
            web = FreshWeb(opened.web, library.shelf, options.fresh) if live else opened.web
            since = time.time() - options.fresh * DAY
            remembered = recall_people(library.connection, since) if live and not options.new else {}

            def remember(name: str, data: Any) -> None:
                if live:
                    remember_person(library.connection, name, time.time(), data)

            directories = await listed_people(
                [author.name for author in authors if author.name not in given],
                metadata.people,
                identities_of(sought),
                options.live if live else None,
                remembered=remembered,
                remember=remember,
                tell=self.tell,
            )
            listed = {name: (one.homepage, one.by) for name, one in directories.items() if one.homepage}
            self.affiliations = {
                **{name: one.affiliation for name, one in directories.items() if one.affiliation},
                **affiliations_of(sought),
            }
            if (
                options.search
                and opened.search is None
                and any(author.name not in listed and author.name not in given for author in authors)
            ):
                raise PinakesError(
                    "Looking for homepages on the live web needs a search engine; add [search.NAME] to pinakes.toml, "
                    "or give the homepages with --homepages FILE.csv and --no-search."
                )
            return await find_homepages(
                [
                    replace(author, affiliations=(self.affiliations[author.name],))
                    if author.name in self.affiliations
                    else author
                    for author in authors
                ],
                opened.search if options.search else None,
                web,
                known=given,
                listed=listed,
                refused=said.refused,
                rows=said.rows,
                hits=options.hits,
                delay=opened.delay or 0.0,
                at_once=AT_ONCE if live else 1,
                remembered=remembered if options.search else {},
                remember=remember,
                watch=self.looking,
            )

    async def _open_access(self, missing: Sequence[Record]) -> dict[str, list[str]]:
        """Open copies that services know of: address -> papers."""
        if self.options.live is None:
            raise PinakesError("--open-access asks services on the live web; leave it out with a recorded one.")
        return await open_copies(missing, self.options.live, self.asking, self.tell)

    def _kept(
        self, wanted: Wanted, found: Homepages, venues: tuple[str, ...], copies: Mapping[str, Sequence[str]]
    ) -> Kept:
        return Kept(
            records=wanted.records,
            held={number: (one.by.title, one.decision.why) for number, one in wanted.held.items()},
            homepages=dict(found.found),
            failures=dict(found.failures),
            venue_sites=venues,
            open_access={url: tuple(papers) for url, papers in copies.items()},
            around=self.options.around,
            held_too=self.options.held_too or not wanted.held,
            searches=found.searches,
            affiliations=self.affiliations,
            near=wanted.near,
        )

    def _seeds(
        self, found: Homepages, venues: tuple[str, ...], copies: Mapping[str, Sequence[str]]
    ) -> tuple[Link, ...]:
        urls = dict.fromkeys([*found.in_order, *venues, *copies])
        return tuple(Link(url) for url in urls)

    async def _crawl(self, seeds: tuple[Link, ...], kept: Kept, opened: Opened) -> CrawlResult:
        options = self.options
        assert options.into is not None
        topic = Topic(options.venue or "publications", "research papers publications proceedings")
        brief = Brief(topics=(topic,), pages=options.pages or 0, random_state=options.random_state)
        given: dict[str, Any] = dict(options.parameters)
        if options.strategy == STRATEGY:
            given = {**PARAMETERS, **given}
        brief, strategy, judge, judge_name = await outfit(options.strategy, "publication", given, brief, opened)
        ready = Ready(
            brief,
            seeds,
            strategy,
            judge,
            judge_name,
            settings(strategy),
            job="harvest",
            own={"harvest": msgspec.to_builtins(kept)},
        )
        scope = harvest_scope(options.scope, kept.homepages, kept.venue_sites, options.around)
        crawl_options = CrawlOptions(
            into=options.into,
            web=options.web,
            strategy=options.strategy,
            judge="publication",
            pages=options.pages,
            seconds=options.seconds,
            random_state=options.random_state,
            dedup=options.dedup,
            scope=scope,
            traps=options.traps,
            live=options.live,
            fresh=options.fresh,
            in_flight=options.in_flight,
            processes=options.processes,
            new=options.new,
        )
        return await set_out(crawl_options, ready, opened, self.watch, self.tell)
