"""Crawl towards a topic into a library: the job every other job stands on, and how it is taken up again."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from pinakes import __version__
from pinakes.core.engine import Engine, Limits
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Topic
from pinakes.core.parameters import settings
from pinakes.core.roles import Border, Judge, Progress, Strategy
from pinakes.core.vein import WINDOW, Vein
from pinakes.formats.document import Reader
from pinakes.formats.url import canonical
from pinakes.frontier.disk import DiskFrontier
from pinakes.frontier.postgres import PostgresFrontier
from pinakes.jobs.arrivals import ArrivedPages
from pinakes.jobs.borders import open_border, turned_away
from pinakes.jobs.examples import fetch_examples
from pinakes.jobs.fresh import FreshWeb
from pinakes.jobs.frontiers import clock_of, open_frontier
from pinakes.jobs.judging import open_judge
from pinakes.jobs.outfit import outfit, shared
from pinakes.jobs.outlasting import outlasting
from pinakes.jobs.recheck import Recheck, Unheld, held_before, validators_of
from pinakes.jobs.resume import restore, unasked
from pinakes.jobs.running import on_interrupt, run
from pinakes.jobs.webs import Indexing, Opened, Tell, live_from_plain, live_to_plain, open_web, processes_for, quietly
from pinakes.library.desk import held_at, name_of
from pinakes.library.ledger import CrawlLedger
from pinakes.library.library import Crawl, Library
from pinakes.library.recipe import Recipe
from pinakes.library.shelf import Found
from pinakes.strategies.registry import make_strategy
from pinakes.web.dead import GivingUp
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope
from pinakes.web.sitemaps import SitemapListing

BEST = 10
"""How many of the best pages a result names."""
SEED_HITS = 10
"""A crawl without seeds or examples starts from this many search hits."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What `pinakes crawl` is told."""

    into: Path
    topic: str = ""
    examples: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    web: str = "live"
    strategy: str = "evidence"
    judge: str = ""
    """Empty for the one the strategy goes by."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """For the strategy; `threshold`, and what only the judge knows, reaches the judge."""
    pages: int | None = 1000
    seconds: float | None = None
    stop_when_exhausted: bool = False
    """End when the last hundred pages brought next to none of what the best hundred did."""
    random_state: int = 0
    dedup: bool = True
    first_bytes: int | None = None
    scope: Scope = field(default_factory=Scope)
    """Where the crawl may go."""
    traps: bool = True
    """Guard against endless webs."""
    batch_hosts: int | None = None
    """Fetch in batches of so many links, each from another host (002 §3.4)."""
    sitemaps: bool = False
    """Take the pages that sites list in their sitemaps as links, too."""
    live: LiveOptions | None = None
    """How to behave on the live web; needed there."""
    fresh: float = 7.0
    """A page the library got from the live web within so many days is taken from it, without a request."""
    in_flight: int = 32
    """How many requests may be under way at once on the live web."""
    processes: int | None = None
    """How many processes fetch and read pages of the live web; 1 is the crawl's own. None: by cores and budget."""
    new: bool = False
    """Leave an unfinished crawl of the library behind."""
    archive: str = ""
    """Where a new library in PostgreSQL keeps its pages: a folder all machines see, or `s3://…`."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a crawl ended."""

    library: Path
    crawl: int
    stopped: str
    pages: int
    nuggets: int
    harvest_rate: float
    outcomes: Mapping[str, int]
    dropped: Mapping[str, int]
    """How often links were not followed, by the rule: `scope:type`, `trap:calendar`, `evicted`, …"""
    waiting: int
    seconds: float
    threshold: float
    """What a page had to score to be a nugget."""
    best: tuple[Found, ...]
    """The best nuggets, best first."""
    recent_harvest_rate: float = 0.0
    """Of the last hundred pages."""
    exhausted: bool = False
    """Hardly anything came home at the end of what the best hundred pages in a row had brought."""

    @property
    def interrupted(self) -> bool:
        return self.stopped == "interrupted"

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        outcomes = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.items())
        rows = {
            "Library": str(self.library),
            "Stopped": self.stopped,
            "Pages": f"{self.pages:,} in {self.seconds:.1f} s",
            "Nuggets": f"{self.nuggets:,} (harvest rate {self.harvest_rate:.2f})",
            "Waiting": f"{self.waiting:,} links",
            "Vein": "exhausted" if self.exhausted else f"{self.recent_harvest_rate:.2f} at the end",
            "Outcomes": outcomes,
            "Not followed": ", ".join(f"{name} {count:,}" for name, count in self.dropped.items()) or "nothing",
        }
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"


Watch = Callable[[Progress], None]


def crawl(
    options: CrawlOptions, *, watch: Watch | None = None, indexing: Indexing = quietly, tell: Tell = quietly
) -> CrawlResult:
    """Crawl, and keep what is found in the library `options.into`."""
    if not options.topic and not options.examples and not options.seeds:
        raise PinakesError("Nothing says what to look for; give --topic TEXT, --example URL or --seed URL.")
    if options.pages is not None and options.pages < 1:
        raise PinakesError(f"A crawl of {options.pages} pages finds nothing; give --pages a number from 1 on.")
    if options.seconds is not None and not options.seconds >= 0:
        raise PinakesError(f"--time {options.seconds} is not a number of seconds.")
    return run(_crawl(options, watch, indexing, tell))


def resume(
    folder: Path,
    *,
    pages: int | None = None,
    processes: int | None = None,
    watch: Watch | None = None,
    indexing: Indexing = quietly,
    tell: Tell = quietly,
) -> CrawlResult:
    """Take up a library's last crawl where it left off, be it interrupted or killed; `pages` is a new budget."""
    begun = take_up(folder, pages, processes, watch, indexing, tell)
    return run(
        outlasting(
            folder,
            begun,
            lambda: take_up(folder, None, processes, watch, indexing, tell),
            lambda: _ended(folder),
            tell,
        )
    )


async def _crawl(options: CrawlOptions, watch: Watch | None, indexing: Indexing, tell: Tell) -> CrawlResult:
    opened = open_web(
        options.web,
        live=options.live,
        first_bytes=options.first_bytes,
        indexing=indexing,
        tell=tell,
        processes=processes_for(options.processes, options.pages),
    )
    seeds = addresses(options.seeds, "--seed")
    brief = Brief(
        topics=(Topic(options.topic),) if options.topic or options.examples else (),
        pages=options.pages or 0,
        random_state=options.random_state,
    )
    if options.examples:
        brief = await fetch_examples(brief, {options.topic: options.examples}, opened.web)
    start = seeds or tuple(page.url for pages in brief.examples.values() for page in pages)
    if not start and opened.search is None:
        raise PinakesError(
            "A live crawl needs somewhere to start; give a --seed URL or an --example URL, or add [search.NAME] to "
            "pinakes.toml."
        )
    if not start and opened.search is not None:
        start = tuple(hit.url for hit in await opened.search.search(options.topic, SEED_HITS))
    if not start:
        raise PinakesError(f"The search for '{options.topic}' found nothing to start from; give a --seed URL.")
    async with library_known(options.into, opened):
        brief, strategy, judge, judge_name = await outfit(
            options.strategy, options.judge, options.parameters, brief, opened
        )
    ready = Ready(brief, tuple(Link(url) for url in start), strategy, judge, judge_name, settings(strategy))
    return await set_out(options, ready, opened, watch)


@dataclass(frozen=True, slots=True)
class Ready:
    """A crawl that has everything it needs."""

    brief: Brief
    seeds: tuple[Link, ...]
    strategy: Strategy
    judge: Judge
    judge_name: str
    parameters: Mapping[str, Any]
    """The strategy's, all of them."""
    job: str = "crawl"
    own: Mapping[str, Any] = field(default_factory=dict)
    """The job's own options, kept in the recipe beside those of every crawl."""


async def set_out(options: CrawlOptions, ready: Ready, opened: Opened, watch: Watch | None) -> CrawlResult:
    """Write the recipe, and crawl; should the database go away, be there again when it is."""
    into = options.into
    begun = _set_out(options, ready, opened, watch)
    return await outlasting(
        into, begun, lambda: take_up(into, None, None, watch, quietly, quietly), lambda: _ended(into), quietly
    )


async def _set_out(options: CrawlOptions, ready: Ready, opened: Opened, watch: Watch | None) -> CrawlResult:
    recipe = Recipe(
        job=ready.job,
        strategy=options.strategy,
        judge=ready.judge_name,
        web=options.web if options.web in ("live", "demo") else str(Path(options.web).expanduser().resolve()),
        parameters=dict(ready.parameters),
        judge_parameters=settings(ready.judge),
        seeds=ready.seeds,
        brief=ready.brief,
        options={
            "pages": options.pages,
            "seconds": options.seconds,
            "stop_when_exhausted": options.stop_when_exhausted,
            "dedup": options.dedup,
            "first_bytes": options.first_bytes,
            "scope": options.scope.plain(),
            "traps": options.traps,
            "batch_hosts": options.batch_hosts,
            "sitemaps": options.sitemaps,
            "in_flight": options.in_flight,
            "processes": options.processes,
            "fresh": options.fresh,
            "live": live_to_plain(options.live) if options.web == "live" else None,
            "digest": opened.digest,
            **ready.own,
        },
        version=__version__,
        started=time.time(),
    )
    reader = Reader(first_bytes=options.first_bytes)
    with Library(options.into, write=True, create=True, archive=options.archive, reader=reader) as library:
        left = library.unfinished()
        if left and not options.new:
            name = name_of(options.into)
            raise PinakesError(
                f"{name} has an unfinished crawl; go on with `pinakes resume {name}`, "
                "or leave it and start another with --new."
            )
        ledger = library.begin(recipe)
        opened = _behind(library, opened, options.fresh, recipe.job)
        frontier = open_frontier(library, ledger.crawl, recipe, ready.strategy.limit, opened)
        border = open_border(recipe.options, opened, frontier)
        engine = _engine(library, frontier, ledger, recipe, opened, ready.strategy, ready.judge, border, watch)
        engine.seed(recipe.seeds)
        return await _finish(library, ledger, frontier, engine, opened)


async def take_up(
    folder: Path,
    pages: int | None,
    processes: int | None,
    watch: Watch | None,
    indexing: Indexing,
    tell: Tell,
    in_flight: int | None = None,
) -> CrawlResult:
    """What `resume` does, where an event loop runs already."""
    last, recipe = _last_crawl(folder, pages)
    if in_flight is not None:
        recipe = replace(recipe, options={**recipe.options, "in_flight": in_flight})
    with Library(folder, write=True, reader=Reader(first_bytes=recipe.options["first_bytes"])) as library:
        last = library.crawls()[-1]  # as it stands now that nobody else writes
        left = pages or recipe.options["pages"]
        many = processes_for(processes or recipe.options.get("processes"), left and left - last.progress.pages)
        opened = open_again(library, last, recipe, many, indexing, tell)
        strategy = shared(make_strategy(recipe.strategy, recipe.brief, recipe.parameters), recipe.brief, recipe.options)
        if recipe.job == "refresh":
            strategy = Unheld(strategy, held_before(library, last.id))
        judge = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters)
        ledger = library.reopen(last)
        frontier = open_frontier(library, last.id, recipe, strategy.limit, opened)
        border = open_border(recipe.options, opened, frontier)
        restore(strategy, border, judge, library, last.id)
        if pages is not None:
            library.control.wish(last.id, "pages", pages)
            recipe.options["stop_when_exhausted"] = False  # who asks for more pages knows that little was found
        engine = _engine(library, frontier, ledger, recipe, opened, strategy, judge, border, watch, begun=last.progress)
        if recipe.options.get("sitemaps"):
            for page, verdict in unasked(judge, library, last.id):
                engine.ask_site(page, verdict)
        return await _finish(library, ledger, frontier, engine, opened)


def open_again(
    library: Library, crawl: Crawl, recipe: Recipe, processes: int, indexing: Indexing, tell: Tell
) -> Opened:
    """The web of a crawl that was begun before, or elsewhere."""
    opened = open_web(
        recipe.web,
        live=live_from_plain(recipe.options["live"]),
        first_bytes=recipe.options["first_bytes"],
        indexing=indexing,
        tell=tell,
        processes=processes,
        validators=validators_of(library, recipe.seeds) if recipe.job == "refresh" else None,
    )
    if opened.digest != recipe.options["digest"]:
        raise PinakesError(
            f"{recipe.web} is not the web that crawl {crawl.id} of {name_of(library.folder)} began on; "
            "put the old file back, or start another crawl with --new."
        )
    return _behind(library, opened, recipe.options["fresh"], recipe.job)


def _ended(folder: Path) -> CrawlResult | None:
    """How a library's last crawl ended, by whoever's hand; None while it has not."""
    with Library(folder) as library:
        last = library.crawls()[-1]
        recipe = library.recipe(last)
        judge = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters)
        if not last.stopped:
            return None
        return _result(library, last.id, last.stopped, last.progress, judge, library.vein(last.id))


def _last_crawl(folder: Path, pages: int | None) -> tuple[Crawl, Recipe]:
    """The crawl to go on with, and what made it."""
    with Library(folder) as library:
        crawls = library.crawls()
        if not crawls:
            raise PinakesError(f"{folder} holds no crawl; start one with `pinakes crawl --into {folder}`.")
        last = crawls[-1]
        if not last.unfinished and pages is None:
            raise PinakesError(
                f"The last crawl of {folder} is finished ({last.stopped}, {last.progress.pages} pages); "
                "give it a larger budget with --pages, or start another with `pinakes crawl`."
            )
        if pages is not None and pages < last.progress.pages:
            raise PinakesError(f"{last.progress.pages} pages are there already; give --pages a larger number, or none.")
        return last, library.recipe(last)


@asynccontextmanager
async def library_known(folder: Path, opened: Opened) -> AsyncIterator[None]:
    """Before a crawl begins, a library that is there already says who links where; what goes wrong closes the web."""
    held = not opened.web.ordered and held_at(folder)
    try:
        with Library(folder) if held else nullcontext() as library:
            opened.know(library.connection if library else None)
            yield
            opened.know(None)
    except BaseException:
        await opened.close()
        raise


def _behind(library: Library, opened: Opened, days: float, job: str) -> Opened:
    """The live web with the library before it; a frozen web costs nobody a request."""
    opened.know(library.connection)
    if opened.web.ordered:
        return opened
    if job == "refresh":
        return opened._replace(web=Recheck(opened.web, library.shelf))
    return opened._replace(web=FreshWeb(GivingUp(opened.web), library.shelf, days))


def _engine(
    library: Library,
    frontier: DiskFrontier | PostgresFrontier,
    ledger: CrawlLedger,
    recipe: Recipe,
    opened: Opened,
    strategy: Strategy,
    judge: Judge,
    border: Border,
    watch: Watch | None,
    begun: Progress | None = None,
) -> Engine:
    return Engine(
        web=opened.web,
        frontier=frontier,
        judge=judge,
        strategy=strategy,
        ledger=ledger,
        limits=Limits(
            pages=recipe.options["pages"],
            seconds=recipe.options["seconds"],
            in_flight=recipe.options["in_flight"],
            exhausted=recipe.options.get("stop_when_exhausted", False),
            hosts=recipe.options.get("batch_hosts"),
            # Others wait for what is not committed.
            commit_seconds=1.0 if library.shared is None else 0.0,
        ),
        arrivals=ArrivedPages(library, frontier, ledger.crawl) if isinstance(frontier, PostgresFrontier) else None,
        clock=clock_of(library),
        backlinks=opened.backlinks,
        search=opened.search,
        listing=SitemapListing(opened.web, ledger.listed()) if recipe.options.get("sitemaps") else None,
        scope=border,
        dedup=recipe.options["dedup"],
        begun=begun,
        vein=library.vein(ledger.crawl) if begun else None,
        watch=watch,
    )


async def _finish(
    library: Library, ledger: CrawlLedger, frontier: DiskFrontier | PostgresFrontier, engine: Engine, opened: Opened
) -> CrawlResult:
    try:
        with on_interrupt(engine.interrupt):
            stopped = await engine.run()
        # The table of seen addresses is saved before the last commit, so that a resume need not rebuild it.
        frontier.close()
        ledger.finish(stopped, time.time())
    finally:
        await opened.close()
    return _result(library, ledger.crawl, stopped, engine.progress, engine.judge, engine.vein)


def _result(library: Library, crawl: int, stopped: str, progress: Progress, judge: Judge, vein: Vein) -> CrawlResult:
    return CrawlResult(
        library.folder,
        crawl,
        stopped,
        progress.pages,
        progress.nuggets,
        progress.harvest_rate,
        progress.outcomes,
        turned_away(library, crawl),
        progress.waiting,
        progress.seconds,
        judge.threshold,
        tuple(library.shelf.best(crawl, BEST)),
        vein.recent / max(1, min(progress.pages, WINDOW)),
        vein.exhausted,
    )


def addresses(given: Sequence[str], option: str) -> tuple[str, ...]:
    """Canonical addresses of what a person typed, without doubles."""
    found: dict[str, None] = {}
    for url in given:
        address = canonical(url)
        if not address:
            raise PinakesError(f"{option} {url[:200]} is not a web address; write it like http://example.org/page.")
        found[address] = None
    return tuple(found)
