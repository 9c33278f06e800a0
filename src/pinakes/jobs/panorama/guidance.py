"""What a paper's crawl is guided by: pages that name the paper or what it cites, pages that do not, and where to start.

002 §3.2–3.4, and what to do where a paper gives too little (002 §2, §7): ask for its authors and keywords, too, and at
last go by the paper's own text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Link, Page
from pinakes.core.parameters import parameters_of
from pinakes.core.roles import Search
from pinakes.formats.document import Reader
from pinakes.formats.paper import Paper
from pinakes.formats.url import canonical
from pinakes.jobs.panorama.examples import NEGATIVES, Asked, Positives, Query, draw_negatives, find_positives
from pinakes.jobs.paper import merged
from pinakes.jobs.webs import Indexing, Opened, Tell, open_frozen, quietly
from pinakes.strategies.registry import STRATEGIES
from pinakes.web.frozen import FrozenWeb

LEAST_REFERENCES = 8
LEAST_POSITIVES = 5
IN_LINKS = 2
"""In-links of each positive example that the crawl starts from, too (002 §3.4)."""
QUERIES = ("authors", "keywords")
FRONTIER = 50_000
"""Links that may wait (002 §3.4), for strategies that have no bound of their own."""
PRICED: Mapping[str, Any] = {"price": "mean", "left_out": True}
"""How panoramas set `naive-bayes`, unless told otherwise. They start from the pages that taught the classifier, most of
them long: by plain log-odds, the links of the longest example go first (`benchmarks/panorama.py`)."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the crawl sets out with."""

    positives: tuple[Page, ...]
    negatives: tuple[Page, ...]
    seeds: tuple[str, ...]
    asked: tuple[Asked, ...]
    notes: tuple[str, ...]
    """What a person should know: too few references, where negatives came from."""

    @property
    def examples(self) -> int:
        """How many pages are positive examples, each counted once."""
        return len({page.url for page in self.positives})


class Guide:
    """Finds a paper's examples on a web."""

    def __init__(
        self,
        opened: Opened,
        *,
        queries: Sequence[str] = (),
        in_links: int = IN_LINKS,
        random_state: int = 0,
        indexing: Indexing = quietly,
        tell: Tell = quietly,
        titles: Search | None = None,
    ) -> None:
        """`titles` is asked for titles, where that is another than the web's search engine."""
        self._titles = titles
        self._opened, self._queries, self._in_links = opened, set(queries), in_links
        self._random_state, self._indexing, self._tell = random_state, indexing, tell
        self._notes: list[str] = []

    async def guidance(self, papers: Mapping[Path, Paper], others: Sequence[Paper] = ()) -> Guidance:
        """For `papers` by their files; `others` are unrelated papers, whose pages are the negative examples."""
        self._notes.clear()
        found = await self._positives(papers)
        negatives = await self._negatives(others, found)
        seeds = await self._seeds(found)
        return Guidance(found.pages, negatives, seeds, found.asked, tuple(self._notes))

    async def _positives(self, papers: Mapping[Path, Paper]) -> Positives:
        queries = title_queries(list(papers.values()))
        found = await find_positives(queries, self._titles or self._search(), self._opened.web)
        more = _more(list(papers.values()), self._wished(papers.values(), queries, found))
        if more and self._opened.search is None:
            self._note("authors and keywords could not be asked for, since no search engine is configured")
        elif more:
            found = _joined(found, await find_positives(more, self._search(), self._opened.web))
        if len(found.urls) < LEAST_POSITIVES:
            own = [page for page in (_own_page(path, paper) for path, paper in papers.items()) if page is not None]
            self._note(
                f"only {count_of(len(found.urls), 'example page was', 'example pages were')} found; "
                "the paper's own text is one more"
            )
            found = replace(found, pages=(*found.pages, *own))
        if not found.pages:
            raise PinakesError(
                "No page of the web names the paper or what it cites, and it has no text of its own to go by; "
                "give the crawl examples with `pinakes crawl --example`."
            )
        return found

    def _wished(self, papers: Iterable[Paper], queries: Sequence[Query], found: Positives) -> set[str]:
        """What to ask for besides titles: what was wished for, and everything where those gave too little."""
        references = sum(query.kind == "reference" for query in queries)
        few = []
        if references < LEAST_REFERENCES:
            few.append(f"only {count_of(references, 'reference')} could be read, fewer than {LEAST_REFERENCES}")
        if len(found.urls) < LEAST_POSITIVES:
            few.append(f"only {count_of(len(found.urls), 'page names', 'pages name')} the paper or its references")
        if few:
            told = any(paper.authors or paper.keywords for paper in papers)
            self._note("; ".join([*few, "authors and keywords are asked for, too"] if told else few))
        return set(QUERIES) if few else set(self._queries)

    async def _negatives(self, others: Sequence[Paper], found: Positives) -> tuple[Page, ...]:
        """Pages of unrelated papers, made up to twice the positives by any others."""
        web, state = self._opened.web, self._random_state
        if others:
            unrelated = await find_positives(title_queries(others), self._titles or self._search(), web)
            drawn = await draw_negatives(unrelated.urls, found, web, state)
            missing = round(NEGATIVES * len(found.pages)) - len(drawn)
            if missing <= 0:
                return drawn
            self._note(
                f"{count_of(len(drawn), 'page names', 'pages name') if drawn else 'no pages name'} the "
                "unrelated papers or their references; others are added"
            )
            apart = {page.url for page in drawn}
            return (*drawn, *[page for page in await self._any(found) if page.url not in apart][:missing])
        return await self._any(found)

    async def _any(self, found: Positives) -> tuple[Page, ...]:
        """Pages of the same web, drawn by lot; else those of the demo's web."""
        web, state = self._opened.web, self._random_state
        if isinstance(web, FrozenWeb):
            return await draw_negatives(web.pages(), found, web, state)
        shipped = open_frozen("demo", records=False, indexing=self._indexing)
        try:
            return await draw_negatives(shipped.pages(), found, shipped, state)
        finally:
            await shipped.close()

    async def _seeds(self, found: Positives) -> tuple[str, ...]:
        """The positive examples and some of their in-links (002 §3.4)."""
        urls = [url for url in found.urls if canonical(url)]
        seeds = dict.fromkeys(urls)
        if self._opened.backlinks is not None and self._in_links:
            for url in urls:
                seeds.update(dict.fromkeys(await self._opened.backlinks.backlinks(url, self._in_links)))
        if not seeds:
            raise PinakesError(
                "No page of the web names the paper or what it cites, so the crawl has nowhere to start; "
                "give it seeds with `pinakes crawl --seed`."
            )
        return tuple(seeds)

    def _search(self) -> Search:
        if self._opened.search is None:
            raise PinakesError(
                "A panorama of the live web needs a search engine; add [search.NAME] to pinakes.toml, and pick it "
                "with --search NAME where there are several; or ask --scholarly sources."
            )
        return self._opened.search

    def _note(self, sentence: str) -> None:
        self._notes.append(f"{sentence[:1].upper()}{sentence[1:]}.")
        self._tell(self._notes[-1])


def parameters_for(strategy: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A strategy's parameters in a panorama: as given, else those that suit a crawl that starts from its examples."""
    own: dict[str, Any] = {}
    if any(known.name == "limit" and known.default is None for known in parameters_of(STRATEGIES.find(strategy))):
        own["limit"] = FRONTIER
    if strategy == "naive-bayes":
        own |= PRICED if given.get("form", "multinomial") == "multinomial" else {"price": PRICED["price"]}
    return {**own, **given}


def title_queries(papers: Sequence[Paper]) -> list[Query]:
    """The papers' titles and those of their references, each once (002 §3.2)."""
    queries = [Query(paper.title, "title") for paper in papers if paper.title]
    return queries + [Query(reference.title, "reference", weight) for reference, weight in merged(papers)]


def _more(papers: Sequence[Paper], wished: set[str]) -> list[Query]:
    names = [name for paper in papers for name in paper.authors] if "authors" in wished else []
    words = [word for paper in papers for word in paper.keywords] if "keywords" in wished else []
    return [
        *(Query(name, "author") for name in dict.fromkeys(names)),
        *(Query(word, "keyword", phrase=len(word.split()) > 1) for word in dict.fromkeys(words)),
    ]


def _own_page(path: Path, paper: Paper) -> Page | None:
    """The paper itself as an example: its whole text, or where that is no PDF what was read of it."""
    data, kind = path.read_bytes(), "application/pdf"
    if b"%PDF-" not in data[:1024]:
        said = [paper.title, paper.abstract, *paper.keywords, *(reference.title for reference in paper.references)]
        data, kind = "\n".join(said).encode(), "text/plain; charset=utf-8"
    reader, url = Reader(), path.resolve().as_uri()
    try:
        page = reader.read(Link(url), url, 200, {"content-type": kind}, data, 0.0)
        return page if page.terms else None
    finally:
        reader.close()


def _joined(first: Positives, second: Positives) -> Positives:
    known = set(first.urls)
    more = [page for page in second.pages if page.url not in known]
    return Positives((*first.pages, *more), (*first.asked, *second.asked))
