"""An engine for a crawl: the web with the library before it, and what the recipe says, until the last page is home."""

from __future__ import annotations

import time
from dataclasses import replace

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.roles import Border, Judge, Progress, Strategy
from pinakes.frontier.disk import DiskFrontier
from pinakes.frontier.postgres import PostgresFrontier
from pinakes.jobs.arrivals import ArrivedPages
from pinakes.jobs.crawl_records import CrawlResult, Watch, result_of
from pinakes.jobs.fresh import FreshWeb
from pinakes.jobs.frontiers import clock_of
from pinakes.jobs.recheck import Recheck
from pinakes.jobs.running import on_interrupt
from pinakes.jobs.webs import Opened
from pinakes.library.ledger import CrawlLedger
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.web.dead import GivingUp
from pinakes.web.sitemaps import SitemapListing
from pinakes.web.turns import AddressTurns


def behind(library: Library, opened: Opened, days: float, job: str) -> Opened:
    """The live web with the library before it; a frozen web costs nobody a request."""
    opened.know(library.connection)
    if opened.web.ordered:
        return opened
    if library.shared is not None and isinstance(opened.web, AddressTurns):
        opened.web.share(library.shared.gate())
    if job == "refresh":
        return opened._replace(web=Recheck(opened.web, library.shelf))
    return opened._replace(web=FreshWeb(GivingUp(opened.web), library.shelf, days))


def engine_for(
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
    limits = Limits(
        pages=recipe.options["pages"],
        seconds=recipe.options["seconds"],
        in_flight=recipe.options["in_flight"],
        exhausted=recipe.options.get("stop_when_exhausted", False),
        hosts=recipe.options.get("batch_hosts"),
    )
    if library.shared is not None:  # others wait for what is not committed
        limits = replace(limits, commit_seconds=0.0, commit_pages=10)
    engine = Engine(
        web=opened.web,
        frontier=frontier,
        judge=judge,
        strategy=strategy,
        ledger=ledger,
        limits=limits,
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
    if library.shared is not None:
        library.shared.tell_of(lambda: (engine.brought, engine.under_way))
    return engine


async def finish(
    library: Library, ledger: CrawlLedger, frontier: DiskFrontier | PostgresFrontier, engine: Engine, opened: Opened
) -> CrawlResult:
    try:
        if library.shared is not None:
            library.shared.hurry(True)
        with on_interrupt(engine.interrupt):
            stopped = await engine.run()
        if library.shared is not None:
            library.shared.hurry(False)
        # The table of seen addresses is saved before the last commit, so that a resume need not rebuild it.
        frontier.close()
        ledger.finish(stopped, time.time())
    finally:
        await opened.close()
    return result_of(library, ledger.crawl, stopped, engine.progress, engine.judge, engine.vein)
