"""`pinakes panorama`: from a research paper to a map of the web communities round it (seed 002)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Topic
from pinakes.core.parameters import settings
from pinakes.formats.paper import Paper
from pinakes.jobs.crawl import library_known, set_out
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Ready, Watch, kept_result
from pinakes.jobs.outfit import outfit
from pinakes.jobs.panorama.communities import CommunityMap, communities_of
from pinakes.jobs.panorama.examples import Asked
from pinakes.jobs.panorama.guidance import IN_LINKS, QUERIES, Guidance, Guide, parameters_for
from pinakes.jobs.panorama.scholarly import TitleSearch
from pinakes.jobs.paper import PaperOptions, paper_path, read_paper
from pinakes.jobs.running import run
from pinakes.jobs.unreported import lacking
from pinakes.jobs.webs import Indexing, Opened, Tell, open_web, processes_for, quietly
from pinakes.library.library import Crawl, Library
from pinakes.services.search.scholarly import SOURCES
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

JOB = "panorama"
PAGES = 5000
STRATEGY, JUDGE = "evidence", "naive-bayes"
"""The paper crawls by naive-bayes; `benchmarks/panorama.py` decided for evidence."""
IN_FLIGHT = 75
BATCH_HOSTS = 100
"""On the live web, links are fetched in batches of so many different hosts (002 §3.4)."""


@dataclass(frozen=True, slots=True)
class PanoramaOptions:
    """What `pinakes panorama` is told."""

    papers: tuple[str, ...]
    into: Path
    web: str = "live"
    strategy: str = STRATEGY
    judge: str = JUDGE
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pages: int | None = PAGES
    seconds: float | None = None
    k: int | None = 5
    """How many communities; None chooses."""
    worst: float = 0.25
    """The share of pages, those that scored lowest, left out of the map."""
    biased: bool = True
    """HITS turned towards each community (eq. 3.5), not plain (eq. 3.4)."""
    others: tuple[str, ...] = ()
    """Unrelated papers, whose pages are the negative examples."""
    queries: tuple[str, ...] = ()
    """What to ask for besides titles: `authors`, `keywords`."""
    scholarly: tuple[str, ...] = ()
    """Scholarly sources that are asked for titles, too."""
    grobid: str = ""
    in_links: int = IN_LINKS
    random_state: int = 0
    dedup: bool = True
    traps: bool = True
    first_bytes: int | None = None
    scope: Scope = field(default_factory=Scope)
    live: LiveOptions | None = None
    fresh: float = 7.0
    in_flight: int = IN_FLIGHT
    batch_hosts: int | None = None
    """None: 100 on the live web; on a recorded one links are taken one by one, the best first."""
    processes: int | None = None
    on: str = ""
    """The Ray cluster that reads the pages for the map; empty for this machine's cores."""
    new: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """What a panorama was made from, kept in the crawl's recipe so that its report can be written after a crash."""

    papers: tuple[Paper, ...]
    files: tuple[str, ...]
    """Where the papers were read."""
    asked: tuple[Asked, ...]
    positives: int
    negatives: int
    notes: tuple[str, ...]
    k: int | None
    worst: float
    biased: bool


@dataclass(frozen=True, slots=True)
class PanoramaResult:
    """What came of a paper."""

    crawl: CrawlResult
    sources: Sources
    map: CommunityMap
    harvest: tuple[tuple[int, float], ...]
    """The mean score after so many pages (002 fig. 2a)."""

    @property
    def interrupted(self) -> bool:
        return self.crawl.interrupted

    @property
    def titles_found(self) -> int:
        """How many of the titles that were asked for stand on some page."""
        return sum(bool(asked.urls) for asked in self.sources.asked)

    @property
    def in_words(self) -> str:
        """How many of the pages are on the map, and why the others are not."""
        dropped = self.map.dropped
        others = self.crawl.pages - self.map.analysed - dropped
        reasons = [
            *([f"the {dropped:,} that scored lowest"] if dropped else []),
            *([f"{others:,} that are copies of others or have no words"] if others > 0 else []),
        ]
        off = f"; left off it: {' and '.join(reasons)}" if reasons else ""
        return f"{count_of(self.crawl.pages, 'page')} crawled, {self.map.analysed:,} of them on the map{off}"

    def _repr_html_(self) -> str:
        """The communities in short, for notebooks."""
        from html import escape

        rows = "".join(
            f"<tr><td>{number}</td><td>{escape(', '.join(one.label))}</td><td>{one.pages:,}</td><td>"
            + "<br>".join(escape((page.title or page.url)[:120]) for page in one.examples[:3])
            + "</td></tr>"
            for number, one in enumerate(self.map.communities, 1)
        )
        head = "<tr><th></th><th>Community</th><th>Pages</th><th>Typical pages</th></tr>"
        return f"{self.crawl._repr_html_()}<table>{head}{rows}</table>"


def panorama(
    options: PanoramaOptions, *, watch: Watch | None = None, indexing: Indexing = quietly, tell: Tell = quietly
) -> PanoramaResult:
    """Read the papers, find examples, crawl, and map what was found."""
    check(options)
    papers = read_papers(options.papers, options)
    others = read_papers(options.others, options)
    crawl = run(_crawl(options, papers, others, watch, indexing, tell))
    return _mapped(crawl, on=options.on)


def panorama_of(crawl: CrawlResult) -> PanoramaResult | None:
    """The map of a crawl that was taken up again; None when it was not for one."""
    with Library(crawl.library) as library:
        job = library.crawls()[-1].job
    return _mapped(crawl) if job == JOB else None


def panorama_again(
    folder: Path, *, k: int | None = 5, worst: float = 0.25, biased: bool = True, on: str = ""
) -> PanoramaResult:
    """Another map of the pages that a library's last panorama found; nothing is fetched."""
    check_k(k)
    with Library(folder) as library:
        crawl = last_panorama(library)
        if crawl is None:
            raise PinakesError(f"{folder} holds no panorama; name a paper to make one: a PDF, .bib, .ris or .txt file.")
        if crawl.unfinished:
            raise PinakesError(f"The crawl of {folder} is not finished; go on with `pinakes resume {folder}`.")
        result = kept_result(library, crawl)
    return _mapped(result, {"k": k, "worst": worst, "biased": biased}, on)


def unmapped(folder: Path) -> PanoramaResult | None:
    """The map of a panorama whose crawl had ended when it was killed before its report was written; else None."""
    with Library(folder) as library:
        last = library.crawls()[-1:]
        if not last or lacking(library, last[0]) != "map":
            return None
        result = kept_result(library, last[0])
    return _mapped(result)


def last_panorama(library: Library) -> Crawl | None:
    return next((crawl for crawl in reversed(library.crawls()) if crawl.job == JOB), None)


def check_k(k: int | None) -> None:
    if k is not None and k < 1:
        raise PinakesError(f"--k {k} is no number of communities; give one from 1 on, or auto.")


def check(options: PanoramaOptions) -> None:
    if not options.papers:
        raise PinakesError("Nothing says which paper; name a PDF, a .bib or .ris file, or a list of titles.")
    check_k(options.k)
    if unknown := sorted(set(options.queries) - set(QUERIES)):
        raise PinakesError(f"--query {unknown[0]} is neither authors nor keywords.")
    if unknown := sorted(set(options.scholarly) - set(SOURCES)):
        raise PinakesError(f"--scholarly {unknown[0]} is none of {', '.join(SOURCES)}.")
    if options.scholarly and options.web != "live":
        raise PinakesError("--scholarly asks services for pages of the live web; leave it out with a recorded one.")


def read_papers(names: tuple[str, ...], options: PanoramaOptions) -> dict[Path, Paper]:
    """The papers of files, by their paths."""
    return {
        paper_path(name, options.web): read_paper(PaperOptions(name, options.grobid, options.web)) for name in names
    }


async def _crawl(
    options: PanoramaOptions,
    papers: Mapping[Path, Paper],
    others: Mapping[Path, Paper],
    watch: Watch | None,
    indexing: Indexing,
    tell: Tell,
) -> CrawlResult:
    opened = open_web(
        options.web,
        live=options.live,
        first_bytes=options.first_bytes,
        processes=processes_for(options.processes, options.pages),
        indexing=indexing,
        tell=tell,
    )
    async with library_known(options.into, opened), AsyncExitStack() as stack:
        titles = None
        if options.scholarly and options.live:
            titles = TitleSearch(options.scholarly, options.live, opened.search, tell)
            stack.push_async_callback(titles.close)
        guide = Guide(
            opened,
            queries=options.queries,
            in_links=options.in_links,
            random_state=options.random_state,
            indexing=indexing,
            tell=tell,
            titles=titles,
        )
        guidance = await guide.guidance(papers, list(others.values()))
        ready = await _ready(options, papers, guidance, opened)
    return await set_out(_crawl_options(options), ready, opened, watch, tell)


async def _ready(options: PanoramaOptions, papers: Mapping[Path, Paper], guidance: Guidance, opened: Opened) -> Ready:
    titles = [paper.title for paper in papers.values() if paper.title]
    topic = Topic(titles[0] if titles else next(iter(papers)).stem)
    brief = Brief(
        topics=(topic,),
        examples={topic.name: guidance.positives},
        negatives=guidance.negatives,
        pages=options.pages or 0,
        random_state=options.random_state,
    )
    parameters = parameters_for(options.strategy, options.parameters)
    brief, strategy, judge, judge_name = await outfit(options.strategy, options.judge, parameters, brief, opened)
    sources = Sources(
        tuple(papers.values()),
        tuple(str(path.resolve()) for path in papers),
        guidance.asked,
        guidance.examples,
        len(guidance.negatives),
        guidance.notes,
        options.k,
        options.worst,
        options.biased,
    )
    return Ready(
        brief,
        tuple(Link(url) for url in guidance.seeds),
        strategy,
        judge,
        judge_name,
        settings(strategy),
        job=JOB,
        own={JOB: msgspec.to_builtins(sources), "keep_terms": True},
    )


def _crawl_options(options: PanoramaOptions) -> CrawlOptions:
    return CrawlOptions(
        into=options.into,
        web=options.web,
        strategy=options.strategy,
        judge=options.judge,
        parameters=options.parameters,
        pages=options.pages,
        seconds=options.seconds,
        random_state=options.random_state,
        dedup=options.dedup,
        traps=options.traps,
        first_bytes=options.first_bytes,
        scope=options.scope,
        live=options.live,
        fresh=options.fresh,
        in_flight=options.in_flight,
        batch_hosts=options.batch_hosts or (BATCH_HOSTS if options.web == "live" else None),
        processes=options.processes,
        new=options.new,
    )


def _mapped(crawl: CrawlResult, others: Mapping[str, Any] | None = None, on: str = "") -> PanoramaResult:
    """The map of a crawl, from what its library holds; `others` are other settings of the map than it began with."""
    with Library(crawl.library) as library:
        recipe = library.recipe(next(one for one in library.crawls() if one.id == crawl.crawl))
        sources = msgspec.convert({**recipe.options[JOB], **(others or {})}, Sources)
        communities = communities_of(
            library,
            crawl.crawl,
            k=sources.k,
            worst=sources.worst,
            biased=sources.biased,
            random_state=recipe.brief.random_state,
            on=on,
        )
        return PanoramaResult(crawl, sources, communities, harvest_curve(library, crawl.crawl))


def harvest_curve(library: Library, crawl: int, points: int = 100) -> tuple[tuple[int, float], ...]:
    """The harvest rate after so many pages, as the crawling judge scored them (eq. 4.7)."""
    rows = library.connection.execute(
        "SELECT score FROM visits WHERE crawl = ? AND outcome IN ('ok', 'duplicate') ORDER BY id", (crawl,)
    )
    scores = [score for (score,) in rows]
    curve, total = [], 0.0
    every = max(1, len(scores) // points)
    for number, score in enumerate(scores, 1):
        total += score
        if number % every == 0 or number == len(scores):
            curve.append((number, total / number))  # eq. 4.7
    return tuple(curve)
