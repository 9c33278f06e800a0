"""Taking up a crawl where it left off: interrupted, killed, begun elsewhere, or given more pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.formats.document import Reader
from pinakes.jobs.borders import open_border
from pinakes.jobs.crawl_records import CrawlResult, Watch, result_of
from pinakes.jobs.engines import behind, engine_for, finish
from pinakes.jobs.frontiers import open_frontier
from pinakes.jobs.judging import open_judge
from pinakes.jobs.outfit import shared
from pinakes.jobs.outlasting import outlasting
from pinakes.jobs.recheck import Unheld, held_before, validators_of
from pinakes.jobs.resume import restore, unasked
from pinakes.jobs.running import run
from pinakes.jobs.webs import Indexing, Opened, Tell, live_from_plain, open_web, processes_for, quietly
from pinakes.library.desk import name_of
from pinakes.library.library import Crawl, Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.registry import make_strategy


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
            lambda: ended(folder),
            tell,
        )
    )


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
        engine = engine_for(
            library, frontier, ledger, recipe, opened, strategy, judge, border, watch, begun=last.progress
        )
        if recipe.options.get("sitemaps"):
            for page, verdict in unasked(judge, library, last.id):
                engine.ask_site(page, verdict)
        return await finish(library, ledger, frontier, engine, opened)


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
    return behind(library, opened, recipe.options["fresh"], recipe.job)


def ended(folder: Path) -> CrawlResult | None:
    """How a library's last crawl ended, by whoever's hand; None while it has not."""
    with Library(folder) as library:
        last = library.crawls()[-1]
        recipe = library.recipe(last)
        judge = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters)
        if not last.stopped:
            return None
        return result_of(library, last.id, last.stopped, last.progress, judge, library.vein(last.id))


def _last_crawl(folder: Path, pages: int | None) -> tuple[Crawl, Recipe]:
    """The crawl to go on with, and what made it."""
    with Library(folder) as library:
        crawls = library.crawls()
        if not crawls:
            raise PinakesError(f"{folder} holds no crawl; start one with `pinakes crawl --into {folder}`.")
        last = crawls[-1]
        if last.stopped == "frontier empty" and pages is None:
            raise PinakesError(
                f"The last crawl of {folder} is finished: it followed every link it found; "
                f"start another from other seeds with `pinakes crawl --seed URL --into {folder}`."
            )
        if not last.unfinished and pages is None:
            raise PinakesError(
                f"The last crawl of {folder} is finished ({last.stopped}, {count_of(last.progress.pages, 'page')}); "
                "give it a larger budget with --pages, or start another with `pinakes crawl`."
            )
        if pages is not None and pages < last.progress.pages:
            raise PinakesError(
                f"{count_of(last.progress.pages, 'page is', 'pages are')} there already; give --pages a larger number, "
                "or none."
            )
        return last, library.recipe(last)
