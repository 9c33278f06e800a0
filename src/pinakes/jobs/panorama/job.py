"""`pinakes panorama`: from a research paper to a map of the web communities round it (seed 002)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.core.parameters import settings
from pinakes.formats.document import Reader
from pinakes.formats.paper import Paper
from pinakes.jobs.crawl import CrawlOptions, CrawlResult, Ready, Watch, set_out
from pinakes.jobs.outfit import outfit
from pinakes.jobs.panorama.communities import CommunityMap, communities_of
from pinakes.jobs.panorama.examples import (
    Asked,
    Positives,
    Query,
    draw_negatives,
    find_positives,
)
from pinakes.jobs.paper import PaperOptions, merged, paper_path, read_paper
from pinakes.jobs.running import run
from pinakes.jobs.webs import Indexing, Opened, Tell, open_frozen, open_web, quietly
from pinakes.library.library import Library
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

PAGES = 5000
IN_FLIGHT = 75
LEAST_REFERENCES = 8
LEAST_POSITIVES = 5
IN_LINKS = 5
"""In-links of each positive example that the crawl starts from, too (002 §3.4)."""


@dataclass(frozen=True, slots=True)
class PanoramaOptions:
    """What `pinakes panorama` is told."""

    papers: tuple[str, ...]
    into: Path
    web: str = "live"
    strategy: str = "naive-bayes"
    judge: str = "naive-bayes"
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
    new: bool = False


@dataclass(frozen=True, slots=True)
class PanoramaResult:
    """What came of a paper."""

    crawl: CrawlResult
    papers: tuple[Paper, ...]
    asked: tuple[Asked, ...]
    positives: int
    negatives: int
    notes: tuple[str, ...]
    """What a person should know: too few references, where negatives came from."""
    map: CommunityMap
    harvest: tuple[tuple[int, float], ...]
    """The mean score after so many pages (002 fig. 2a)."""

    @property
    def interrupted(self) -> bool:
        return self.crawl.interrupted


Say = Callable[[str], None]


def panorama(
    options: PanoramaOptions, *, watch: Watch | None = None, indexing: Indexing = quietly, tell: Tell = quietly
) -> PanoramaResult:
    """Read the papers, find examples, crawl, and map what was found."""
    if not options.papers:
        raise PinakesError("Nothing says which paper; name a PDF, a .bib or .ris file, or a list of titles.")
    if options.k is not None and options.k < 1:
        raise PinakesError(f"--k {options.k} is no number of communities; give one from 1 on, or auto.")
    if unknown := set(options.queries) - {"authors", "keywords"}:
        raise PinakesError(f"--query {unknown.pop()} is neither authors nor keywords.")
    papers = tuple(read_paper(PaperOptions(name, options.grobid, options.web)) for name in options.papers)
    others = tuple(read_paper(PaperOptions(name, options.grobid, options.web)) for name in options.others)
    return run(_Panorama(options, papers, others, watch, indexing, tell).run())


class _Panorama:
    def __init__(
        self,
        options: PanoramaOptions,
        papers: tuple[Paper, ...],
        others: tuple[Paper, ...],
        watch: Watch | None,
        indexing: Indexing,
        tell: Tell,
    ) -> None:
        self.options, self.papers, self.others = options, papers, others
        self.watch, self.indexing, self._tell = watch, indexing, tell
        self.notes: list[str] = []

    async def run(self) -> PanoramaResult:
        options = self.options
        opened = open_web(
            options.web, live=options.live, first_bytes=options.first_bytes, indexing=self.indexing, tell=self._tell
        )
        try:
            found = await self._positives(opened)
            negatives = await self._negatives(opened, found)
            brief = Brief(
                topics=(self._topic(),),
                examples={self._topic().name: found.pages},
                negatives=negatives,
                pages=options.pages or 0,
                random_state=options.random_state,
            )
            seeds = await self._seeds(opened, found)
            crawl_options = self._crawl_options()
            brief, strategy, judge, judge_name = await outfit(
                options.strategy, options.judge, options.parameters, brief, opened
            )
        except BaseException:
            await opened.web.close()
            raise
        ready = Ready(
            brief,
            tuple(Link(url) for url in seeds),
            strategy,
            judge,
            judge_name,
            settings(strategy),
            job="panorama",
            own={"panorama": self._kept()},
        )
        crawl = await set_out(crawl_options, ready, opened, self.watch)
        with Library(options.into) as library:
            communities = communities_of(
                library,
                crawl.crawl,
                k=options.k,
                worst=options.worst,
                biased=options.biased,
                random_state=options.random_state,
            )
            harvest = harvest_curve(library, crawl.crawl)
        return PanoramaResult(
            crawl,
            self.papers,
            found.asked,
            len(found.urls),
            len(negatives),
            tuple(self.notes),
            communities,
            harvest,
        )

    # -- what is wanted ----------------------------------------------------------------------------------------

    def _topic(self) -> Topic:
        titles = [paper.title for paper in self.papers if paper.title]
        return Topic(titles[0] if titles else Path(self.options.papers[0]).stem)

    async def _positives(self, opened: Opened) -> Positives:
        if opened.search is None:
            raise PinakesError(
                "A panorama on the live web needs a search engine; name one with --search NAME, as pinakes.toml has it."
            )
        references = merged(self.papers)
        queries = [Query(paper.title, "title") for paper in self.papers if paper.title]
        queries += [Query(reference.title, "reference", weight) for reference, weight in references]
        if len(references) < LEAST_REFERENCES:
            self._note(f"only {len(references)} references could be read, fewer than {LEAST_REFERENCES}")
        found = await find_positives(queries, opened.search, opened.web)
        wished = set(self.options.queries)
        if len(found.urls) < LEAST_POSITIVES and not wished:
            self._note(f"only {len(found.urls)} pages name the paper or its references; authors and keywords are asked")
            wished = {"authors", "keywords"}
        if wished:
            found = _joined(found, await find_positives(self._more(wished), opened.search, opened.web))
        if len(found.urls) < LEAST_POSITIVES:
            pages = [page for page in map(self._own_page, self.options.papers) if page is not None]
            self._note(f"only {len(found.urls)} example pages were found; the paper's own text is one more")
            found = replace(found, pages=(*found.pages, *pages))
        if not found.pages:
            raise PinakesError(
                "No page of the web names the paper or what it cites, and it has no text of its own to go by; "
                "try --query authors,keywords, or give the crawl examples with `pinakes crawl --example`."
            )
        return found

    def _more(self, wished: set[str]) -> list[Query]:
        names = [name for paper in self.papers for name in paper.authors] if "authors" in wished else []
        words = [word for paper in self.papers for word in paper.keywords] if "keywords" in wished else []
        return [
            *(Query(name, "author") for name in dict.fromkeys(names)),
            *(Query(word, "keyword", phrase=len(word.split()) > 1) for word in dict.fromkeys(words)),
        ]

    def _own_page(self, name: str) -> Page | None:
        """The paper itself as an example."""
        path = paper_path(name, self.options.web)
        reader = Reader()
        try:
            url = path.resolve().as_uri()
            page = reader.read(Link(url), url, 200, {"content-type": "application/pdf"}, path.read_bytes(), 0.0)
            return page if page.terms else None
        finally:
            reader.close()

    async def _negatives(self, opened: Opened, found: Positives) -> tuple[Page, ...]:
        """Pages of unrelated papers; else pages of the same web, drawn by lot; else those of the demo's web."""
        state = self.options.random_state
        if self.others and opened.search is not None:
            queries = [Query(paper.title, "title") for paper in self.others if paper.title]
            queries += [Query(reference.title) for reference, _ in merged(self.others)]
            unrelated = await find_positives(queries, opened.search, opened.web)
            drawn = await draw_negatives(unrelated.urls, found, opened.web, state)
            if drawn:
                return drawn
            self._note("no page names the unrelated papers or their references; others are taken instead")
        if isinstance(opened.web, FrozenWeb):
            return await draw_negatives(opened.web.pages(), found, opened.web, state)
        with_words = open_frozen("demo", records=False, indexing=self.indexing)
        try:
            return await draw_negatives(with_words.pages(), found, with_words, state)
        finally:
            await with_words.close()

    async def _seeds(self, opened: Opened, found: Positives) -> list[str]:
        """The positive examples and some of their in-links (002 §3.4)."""
        urls = [url for url in found.urls if not url.startswith("file:")]
        seeds = dict.fromkeys(urls)
        if opened.backlinks is not None and self.options.in_links:
            for url in urls:
                seeds.update(dict.fromkeys(await opened.backlinks.backlinks(url, self.options.in_links)))
        if not seeds:
            raise PinakesError("No example page is on the web, so the crawl has nowhere to start.")
        return list(seeds)

    def _crawl_options(self) -> CrawlOptions:
        options = self.options
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
            new=options.new,
        )

    def _kept(self) -> dict[str, Any]:
        """What the map is made of again when the crawl was taken up."""
        options = self.options
        return {"k": options.k, "worst": options.worst, "biased": options.biased, "state": options.random_state}

    def _note(self, sentence: str) -> None:
        self.notes.append(f"{sentence[:1].upper()}{sentence[1:]}.")
        self._tell(self.notes[-1])


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


def _joined(first: Positives, second: Positives) -> Positives:
    known = set(first.urls)
    more: Sequence[Page] = [page for page in second.pages if page.url not in known]
    return Positives((*first.pages, *more), (*first.asked, *second.asked))
