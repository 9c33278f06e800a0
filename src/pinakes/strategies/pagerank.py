"""PageRank: links to the pages most often linked to go first.

Menczer, Pant, Srinivasan and Ruiz, "Evaluating topic-driven web crawlers", SIGIR 2001 (seed 004), §6.2, figure 3:

    PageRank(topic, starting_urls):
        enqueue the starting URLs
        while the frontier is not empty and visited < MAX_PAGES:
            every 25 pages: recompute the PageRank of each link in the frontier
            link := the link with the highest PageRank
            doc := fetch it
            score := sim(topic, doc)
            buffer doc, in the place of the page with the least score beyond MAX_BUFFER
            enqueue each new outlink of doc, dropping the link with the least PageRank beyond MAX_BUFFER

Ranks are those of the buffered web: the buffered pages and what their recorded links point to. As in the figure, new
links have no rank of their own until the next recomputation: they wait as if nothing linked to them. A domain is a
host.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict, host_of
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.graph.pagerank import pagerank
from pinakes.models.likeness import likenesses

SEED_PRICE = 1.0
"""The mean of all ranks: seeds are alike as long as nothing is known."""


class Buffered(NamedTuple):
    """A page whose links count."""

    similarity: float
    links: tuple[str, ...]


@dataclass
class PageRank:
    brief: Brief
    limit: int | None = parameter(200, "How many links may wait (MAX_BUFFER); those of the least rank are dropped.")
    batch: int = parameter(1, "How many links are claimed at once.")
    buffer: int = parameter(200, "How many pages the ranks are computed from (MAX_BUFFER); the least similar go.")
    links: str = parameter(
        "off-domain", "Which links count: `off-domain`, those to another host, or `all`, as a web of one host needs."
    )
    damping: float = parameter(0.8, "γ of eq. 2: the share of a page's rank that comes through links.")
    convergence: float = parameter(0.01, "Ranks are good enough when they change by less than this share in a round.")
    every: int = parameter(25, "Ranks are recomputed after this many pages.")
    weights: str = parameter(
        "tf", "What terms weigh when pages are compared with the topic: their frequency (`tf`), or `tf-idf`."
    )

    def __post_init__(self) -> None:
        if self.links not in ("off-domain", "all"):
            raise PinakesError(f"pagerank counts links=off-domain or links=all, not links={self.links}.")
        if not 0.0 <= self.damping < 1.0:
            raise PinakesError(f"pagerank's damping must be from 0 to below 1, not {self.damping}; the paper has .8.")
        if min(self.buffer, self.every, self.batch) < 1 or self.convergence <= 0.0:
            raise PinakesError("pagerank's buffer, every, batch and convergence must be above 0.")
        self.stale = False
        self._topics = likenesses(self.brief, self.weights)
        self._buffer: dict[str, Buffered] = {}
        self._visited = 0
        # Of every page of the buffered web, as of the last recomputation.
        self._ranks: dict[str, float] = {}
        self._least = 1.0 - self.damping

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        for link in links:
            self._ranks[link.url] = SEED_PRICE
        return [link.priced(SEED_PRICE) for link in links]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if not page.readable:
            return ()
        self._keep(page)
        self._visited += 1
        self.stale = self.stale or self._visited % self.every == 0
        rank, least = self._ranks.get, self._least
        return [link.priced(rank(link.url, least)) for link in page.links]

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        if self.stale:
            self._recompute()
            self.stale = False
        return [self._ranks.get(url, self._least) for url in urls]

    def state(self) -> Plain:
        return {
            "buffer": [[url, held.similarity, list(held.links)] for url, held in self._buffer.items()],
            "visited": self._visited,
            "stale": self.stale,
            "ranks": self._ranks,
            "least": self._least,
        }

    def restore(self, state: Plain) -> None:
        self._buffer = {url: Buffered(similarity, tuple(links)) for url, similarity, links in state["buffer"]}
        self._visited, self.stale = state["visited"], state["stale"]
        self._ranks, self._least = dict(state["ranks"]), state["least"]

    def _counted(self, page: Page) -> dict[str, None]:
        """The page's links that are recorded in the buffer, each once."""
        if self.links == "all":
            return dict.fromkeys(link.url for link in page.links)
        host = host_of(page.url)
        return dict.fromkeys(link.url for link in page.links if host_of(link.url) != host)

    def _keep(self, page: Page) -> None:
        """Buffer a page; when full, the page least like the topic goes first, the oldest among equals."""
        if len(self._buffer) >= self.buffer:
            del self._buffer[min(self._buffer, key=lambda url: self._buffer[url].similarity)]
        similarity = max((topic.similarity(page.terms) for topic in self._topics), default=0.0)  # eq. 1
        self._buffer[page.url] = Buffered(similarity, tuple(self._counted(page)))

    def _recompute(self) -> None:
        number: dict[str, int] = {url: at for at, url in enumerate(self._buffer)}
        sources: list[int] = []
        targets: list[int] = []
        for source, held in enumerate(self._buffer.values()):
            sources += [source] * len(held.links)
            targets += [number.setdefault(url, len(number)) for url in held.links]
        ranks = pagerank(sources, targets, len(number), self.damping, self.convergence)
        # What links that no buffered page counts would have: like a page of the graph without in-links.
        sinks = float(ranks[len(self._buffer) :].sum()) + sum(
            float(ranks[number[url]]) for url, held in self._buffer.items() if not held.links
        )
        self._least = (1.0 - self.damping) + self.damping * sinks / max(1, len(number))
        self._ranks = dict(zip(number, ranks.tolist(), strict=True))
