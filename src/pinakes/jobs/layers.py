"""Context graphs before a crawl (001 §3.1): the pages that lead to the examples, found by back-links.

Each example has a graph of its own: the pages that link to it are its layer 1, those that link to them its layer 2. A
page stands in the layer of its least distance; one that links to two pages of a layer stands in the next one twice.
The layers of all graphs are then merged. Where no back-links of the examples are known, hits of a search engine for
their strongest terms, checked by the examples' classifier, stand in for them (001 §5).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from random import Random

from pinakes.core.page import Brief, Link, Page
from pinakes.core.roles import Backlinks, Search, Web
from pinakes.jobs.examples import HOPS
from pinakes.models.context_graph import ContextGraph
from pinakes.models.samples import reference_of, samples_of
from pinakes.text.weights import idfs, ltc, strongest
from pinakes.text.words import Words

DEPTH = 4
MOST = 300
"""Documents of a layer of the merged graph; more are sampled."""
PARENTS = 100
"""Back-links asked for a page."""
QUERY_TERMS = 8
HITS = 10
MOST_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class Setup:
    """What was asked before the crawl began."""

    pages: int = 0
    searches: int = 0
    backlinks: int = 0


async def with_layers(
    brief: Brief,
    web: Web,
    backlinks: Backlinks,
    search: Search | None = None,
    *,
    depth: int = DEPTH,
    most: int = MOST,
    parents: int = PARENTS,
) -> tuple[Brief, Setup]:
    """The brief with the layers of its examples' merged context graph, and what finding them took."""
    back = _BackCrawl(web, backlinks, depth, most, parents, Random(f"{brief.random_state} layers"))
    examples = [page.url for pages in brief.examples.values() for page in pages]
    layers = await back.merged(examples)
    searches = 0
    if not any(layers) and search is not None:
        found, searches = await _found_by_search(brief, search, back)
        layers = await back.merged(found)
    return replace(brief, layers=tuple(map(tuple, layers))), Setup(back.fetched, searches, back.asked)


class _BackCrawl:
    def __init__(self, web: Web, backlinks: Backlinks, depth: int, most: int, parents: int, random: Random) -> None:
        self._web, self._backlinks, self._random = web, backlinks, random
        self._depth, self._most, self._parents = depth, most, parents
        self._pages: dict[str, Page | None] = {}
        self._inward: dict[str, list[str]] = {}
        self.asked = self.fetched = 0

    async def merged(self, targets: list[str]) -> list[list[Page]]:
        """The merged layers 1, 2, … of the graphs of all targets."""
        layers: list[list[Page]] = [[] for _ in range(self._depth)]
        share = -(-self._most // max(1, len(targets)))
        for target in targets:
            nodes, near = [target], {target}
            for layer in layers:
                found = [parent for node in nodes for parent in await self._linking(node) if parent not in near]
                if len(found) > share:
                    found = self._random.sample(found, share)
                near.update(found)
                nodes = found
                pages = [await self.page(url) for url in found]
                layer += [page for page in pages if page is not None]
        return [layer[: self._most] for layer in layers]

    async def page(self, url: str) -> Page | None:
        """A page as the classifiers need it: its terms and how it was met, without text and links."""
        if url not in self._pages:
            link = Link(url)
            for _ in range(HOPS):
                fetched = await self._web.fetch(link)
                self.fetched += 1
                if not fetched.hop:
                    break
                link = link._replace(url=fetched.hop)
            page = fetched.page if fetched.page.readable and not fetched.hop else None
            self._pages[url] = replace(page, text="", words=(), links=()) if page else None
        return self._pages[url]

    async def _linking(self, url: str) -> list[str]:
        if url not in self._inward:
            self.asked += 1
            self._inward[url] = list(await self._backlinks.backlinks(url, self._parents))
        return self._inward[url]


async def _found_by_search(brief: Brief, search: Search, back: _BackCrawl) -> tuple[list[str], int]:
    """Pages that a search engine finds for the examples' strongest terms and that look like examples."""
    reference, spelt = reference_of(brief), _spellings(brief)
    found: dict[str, None] = {}
    searches = 0
    for sample in samples_of(brief).values():
        model = ContextGraph([sample.positives], reference)
        total: defaultdict[str, float] = defaultdict(float)
        for terms in sample.positives:
            for term, weight in ltc(terms, idfs(reference, terms)).items():
                total[term] += weight
        best = [spelt.get(term, term) for term in strongest(total, QUERY_TERMS)]
        for query in dict.fromkeys(" ".join((*best[:2], further)) for further in best[2:] or best[:1]):
            searches += 1
            for hit in await search.search(query, HITS):
                page = await back.page(hit.url)
                if page is not None and model.place(page.terms).layer == 0:
                    found[page.url] = None
    return list(found), searches


def _spellings(brief: Brief) -> dict[str, str]:
    """The words of the examples by their stems, for a search engine that stems in its own way."""
    words = Words()
    tokens = Counter(
        token.lower()
        for pages in brief.examples.values()
        for page in pages
        for token in re.findall(r"[^\W_]{2,40}", page.text[:MOST_TEXT])
    )
    found: dict[str, str] = {}
    for token, _ in tokens.most_common():
        found.setdefault("".join(words.stems(token)), token)
    return found
