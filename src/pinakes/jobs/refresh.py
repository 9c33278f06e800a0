"""A library looked over again: which of its best pages changed or are gone, and what is new near them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.core.page import Link
from pinakes.core.parameters import settings
from pinakes.formats.hashes import hash_of
from pinakes.jobs.collect import regather
from pinakes.jobs.crawl import set_out
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Ready, Watch
from pinakes.jobs.judging import open_judge
from pinakes.jobs.recheck import Unheld, held_before, validators_of
from pinakes.jobs.running import run
from pinakes.jobs.snippets import Snippets, day_of
from pinakes.jobs.webs import Indexing, Tell, live_from_plain, open_web, quietly
from pinakes.library.collections import Collection, load_collections
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.cutoff import Cutoff
from pinakes.web.http import LiveOptions

NEW_PAGES = 200
GONE = ("not-found", "gone")


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    library: Path
    web: str = ""
    """Another web than that of the library's last crawl, such as a newer recording."""
    pages: int = NEW_PAGES
    """New pages to look at, besides those looked over again."""
    most: int = 1000
    """Old nuggets looked over again, the best."""
    reach: int = 0
    """How far from a nugget links are followed: the cutoff of 000 eq. 2."""
    live: LiveOptions | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A page that is new, changed or gone."""

    kind: str
    url: str
    title: str
    score: float = 0.0
    topic: str = ""
    date: str = ""
    snippet: str = ""
    parent: str = ""
    """Of a new page: the page it was found on."""


@dataclass(frozen=True, slots=True)
class RefreshResult:
    crawl: CrawlResult
    news: tuple[News, ...]
    """New nuggets, best first; then changed pages; then those that are gone."""
    unchanged: int
    troubled: Mapping[str, int] = field(default_factory=dict)
    """Old pages that could not be looked at, by outcome; nothing is known of them."""
    collections: tuple[Collection, ...] = ()
    """The library's collections with what is new, and without what is gone."""

    @property
    def interrupted(self) -> bool:
        return self.crawl.interrupted

    def of(self, kind: str) -> list[News]:
        return [one for one in self.news if one.kind == kind]


def refresh(
    options: RefreshOptions, *, watch: Watch | None = None, indexing: Indexing = quietly, tell: Tell = quietly
) -> RefreshResult:
    """Look a library over again, and tell only what is new."""
    crawl = run(_refresh(options, watch, indexing, tell))
    return news_of(crawl)


def refreshed(crawl: CrawlResult) -> RefreshResult | None:
    """What a refresh that was taken up again came to; None when the crawl was none."""
    with Library(crawl.library) as library:
        job = library.crawls()[-1].job
    return news_of(crawl) if job == "refresh" else None


def news_of(crawl: CrawlResult) -> RefreshResult:
    """What a refresh that has ended, or was taken up again, came to."""
    with Library(crawl.library) as library:
        last = library.crawls()[-1]
        recipe = library.recipe(last)
        news, unchanged, troubled = _compared(library, last.id, recipe)
        news = [*_new(library, last.id, recipe), *news]
    collections = tuple(regather(crawl.library)) if "collect" in recipe.options else ()
    return RefreshResult(crawl, tuple(news), unchanged, troubled, collections)


async def _refresh(options: RefreshOptions, watch: Watch | None, indexing: Indexing, tell: Tell) -> CrawlResult:
    with Library(options.library) as library:
        crawls = library.crawls()
        if not crawls:
            raise PinakesError(f"{options.library} holds no crawl; start one with `pinakes collect`.")
        source = library.recipe(crawls[-1])
        links = _old(library, options.most)
        before = library.connection.execute("SELECT coalesce(max(id), 0) FROM pages").fetchone()[0]
        held = held_before(library, crawls[-1].id + 1)
        validators = validators_of(library, links)
    if not links:
        raise PinakesError(
            f"{options.library} has no nuggets to look over again; crawl more, or with a lower threshold."
        )
    web = options.web or source.web
    live = options.live or live_from_plain(source.options["live"])
    opened = open_web(web, live=live, validators=validators, indexing=indexing, tell=tell)
    judge = open_judge(source.judge, source.brief, source.judge_parameters)
    strategy = Cutoff(source.brief, cutoff=options.reach)
    own = {"refresh": before, **({"collect": source.options["collect"]} if "collect" in source.options else {})}
    ready = Ready(
        source.brief, links, Unheld(strategy, held), judge, source.judge, settings(strategy), job="refresh", own=own
    )
    crawl_options = CrawlOptions(
        options.library, web=web, strategy="cutoff", pages=len(links) + options.pages, live=live, fresh=0.0
    )
    return await set_out(crawl_options, ready, opened, watch, tell)


def _old(library: Library, most: int) -> tuple[Link, ...]:
    """The pages to look over: those of the collections, else the best nuggets."""
    found: dict[str, float] = {}
    for one in load_collections(library.connection):
        for entry in one.entries:
            if entry.page is not None:
                found[entry.url] = max(entry.merit, found.get(entry.url, 0.0))
    if not found:
        rows = library.connection.execute(
            "SELECT final, max(score) FROM visits WHERE nugget != 0 AND outcome = 'ok' GROUP BY final"
        )
        found = dict(rows)
    best = sorted(found, key=lambda url: (-found[url], url))[:most]
    return tuple(Link(url) for url in best)


def _new(library: Library, crawl: int, recipe: Recipe) -> list[News]:
    rows = library.connection.execute(
        "SELECT page, final, score, topic, parent FROM visits"
        " WHERE crawl = ? AND nugget != 0 AND outcome = 'ok' AND twin = '' AND depth > 0 ORDER BY score DESC, id",
        (crawl,),
    )
    snippets = Snippets(library.shelf, recipe.brief)
    found = []
    for number, url, score, topic, parent in list(rows):
        page = library.shelf.page(number)
        date, snippet = day_of(page.modified, page.fetched_at), snippets.of(page, topic)
        found.append(News("new", url, page.title or url, round(score, 6), topic, date, snippet, parent))
    return found


def _compared(library: Library, crawl: int, recipe: Recipe) -> tuple[list[News], int, dict[str, int]]:
    """Old pages against what came home: changed and gone ones, how many are as they were, and what went wrong."""
    before = recipe.options["refresh"]
    changed, gone, unchanged, troubled = list[News](), list[News](), 0, dict[str, int]()
    rows = library.connection.execute(
        "SELECT visits.url, outcome, visits.page, score, topic, visits.at, digest, title FROM visits"
        " LEFT JOIN pages ON pages.id = visits.page WHERE crawl = ? AND depth = 0 ORDER BY visits.id",
        (crawl,),
    )
    for url, outcome, number, score, topic, at, digest, title in list(rows):
        old = library.connection.execute(
            "SELECT digest, title FROM pages WHERE url_hash = ? AND url = ? AND id <= ? ORDER BY id DESC LIMIT 1",
            (hash_of(url), url, before),
        ).fetchone() or ("", "")
        if outcome in GONE:
            gone.append(News("gone", url, old[1] or url, date=day_of("", at)))
        elif outcome not in ("ok", "duplicate"):
            troubled[outcome] = troubled.get(outcome, 0) + 1
        elif number is None or digest == old[0]:
            unchanged += 1
        else:
            changed.append(News("changed", url, title or url, round(score, 6), topic, day_of("", at)))
    return [*changed, *gone], unchanged, troubled
