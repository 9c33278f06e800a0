"""Crawl towards a topic into a library: the job every other job stands on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Topic
from pinakes.core.parameters import settings
from pinakes.core.roles import Revisiting
from pinakes.formats.document import Reader
from pinakes.formats.url import canonical
from pinakes.jobs.borders import open_border
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Ready, Watch
from pinakes.jobs.engines import behind, engine_for, finish
from pinakes.jobs.examples import fetch_examples
from pinakes.jobs.frontiers import open_frontier
from pinakes.jobs.outfit import outfit
from pinakes.jobs.outlasting import outlasting
from pinakes.jobs.running import run
from pinakes.jobs.taking_up import ended, take_up
from pinakes.jobs.webs import Indexing, Opened, Tell, live_to_plain, open_web, processes_for, quietly
from pinakes.library.desk import held_at, name_of
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.registry import STRATEGIES

SEED_HITS = 10
"""A crawl without seeds or examples starts from this many search hits."""


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
    if options.sitemaps and isinstance(STRATEGIES.find(options.strategy), Revisiting):
        raise PinakesError(
            f"--sitemaps does nothing with {options.strategy}, which chooses its moves itself; leave it out, or take "
            "another --strategy."
        )
    return run(_crawl(options, watch, indexing, tell))


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
    return await set_out(options, ready, opened, watch, tell)


async def set_out(options: CrawlOptions, ready: Ready, opened: Opened, watch: Watch | None, tell: Tell) -> CrawlResult:
    """Write the recipe, and crawl; should the database go away, be there again when it is."""
    into = options.into
    begun = _set_out(options, ready, opened, watch)
    return await outlasting(
        into, begun, lambda: take_up(into, None, None, watch, quietly, quietly), lambda: ended(into), tell
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
        opened = behind(library, opened, options.fresh, recipe.job)
        frontier = open_frontier(library, ledger.crawl, recipe, ready.strategy.limit, opened)
        border = open_border(recipe.options, opened, frontier)
        engine = engine_for(library, frontier, ledger, recipe, opened, ready.strategy, ready.judge, border, watch)
        engine.seed(recipe.seeds)
        return await finish(library, ledger, frontier, engine, opened)


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


def addresses(given: Sequence[str], option: str) -> tuple[str, ...]:
    """Canonical addresses of what a person typed, without doubles."""
    found: dict[str, None] = {}
    for url in given:
        address = canonical(url)
        if not address:
            raise PinakesError(f"{option} {url[:200]} is not a web address; write it like http://example.org/page.")
        found[address] = None
    return tuple(found)
