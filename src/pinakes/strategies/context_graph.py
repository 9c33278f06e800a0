"""Context graphs: pages are followed by how many links away from a target their words say they are.

M. Diligenti, F. Coetzee, S. Lawrence, C. L. Giles, M. Gori, *Focused Crawling Using Context Graphs*, VLDB 2000
(seed 001), §3.3 and figure 2. The graph itself is found before the crawl (`Brief.layers`); then, with N + 2 queues:

    queue N + 1 := the start URLs
    while the budget lasts:
        p := the likeliest page of the first queue that is not empty
        download all children of p
        for each child: queue (its layer, or N + 1 for `other`) := the child, by its likelihood in that layer
        a child in queue 0 is a target: its parents, asked of a search engine now and then, are downloaded too

Here a queue of pages is a price for their links: the layer first, the likelihood inside it.
Without a graph the crawl begins breadth-first, the layer of the examples judging what is a target, until `targets` of
them are found (§5); the pages that led to them then make the graph. `rebuild` adds later targets in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nsmallest
from typing import ClassVar

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Ask, Plain
from pinakes.models.context_graph import KEPT, ContextGraph, Placement
from pinakes.models.samples import reference_of, samples_of
from pinakes.strategies.grown_layers import GrownLayers
from pinakes.strategies.moves import Moves

BACKLINK = "backlink"
"""The `rel` of a link that was not met on its parent but leads to it."""
MOST_UNASKED = 1000


@dataclass
class ContextFocused:
    revisits: ClassVar[bool] = True
    brief: Brief
    depth: int = parameter(4, "N, the layers of the context graph besides that of the targets.")
    kept: int = parameter(KEPT, "How many of a page's strongest terms are looked at.")
    reference: str = parameter(
        "corpus",
        "Whose document frequencies tell a rare term (eq. 1): the reference `corpus`, or this very `web`'s, counted on"
        " the pages the crawl was given.",
    )
    vocabulary: str = parameter("examples", "Whose words are looked at: those of the `examples`, or also of `layer-1`.")
    priors: str = parameter(
        "uniform", "How likely a layer is beforehand: all the same, as the paper has it where layers are sampled; or by"
        " the size of the `layers`.",
    )  # fmt: skip
    eager: bool = parameter(
        False, "Go on with the best page at once, instead of downloading all children of the current one before."
    )
    backlinks: int = parameter(10, "How many parents of a target found are asked for; 0 for none.")
    ration: float = parameter(0.1, "Requests for back-links, for each page fetched.")
    rebuild: int = parameter(0, "Build the graph anew after so many further targets; 0 for never.")
    bootstrap: str = parameter(
        "breadth-first", "Where no back-links are known: begin `breadth-first`, or do without a graph (`none`)."
    )
    targets: int = parameter(10, "How many targets end a breadth-first beginning.")
    limit: int | None = parameter(None, "How many links may wait; the worst are dropped beyond that.")

    needs: ClassVar[tuple[str, ...]] = ("layers",)
    """What a job should find for the brief beforehand, if it can."""

    def __post_init__(self) -> None:
        _one_of("vocabulary", self.vocabulary, ("examples", "layer-1"))
        _one_of("reference", self.reference, ("corpus", "web"))
        _one_of("priors", self.priors, ("layers", "uniform"))
        _one_of("bootstrap", self.bootstrap, ("breadth-first", "none"))
        self._reference = reference_of(self.brief, own=self.reference == "web")
        positives = [page for sample in samples_of(self.brief).values() for page in sample.positives]
        layers = [[page.terms for page in layer] for layer in self.brief.layers[: self.depth]]
        self._given = [positives, *layers]
        self._grown = GrownLayers(self.depth)
        self._booting = self.bootstrap == "breadth-first" and bool(positives) and self.depth > 0 and not any(layers)
        self._train()
        self._moves = Moves()
        self._pages = self._asked = 0
        self._unasked: list[tuple[float, str, int]] = []
        """Targets whose parents were not asked for: cost, address, depth."""
        self._answering: dict[str, tuple[float, int]] = {}

    @property
    def batch(self) -> int:
        return 1 if self.eager else self._moves.size

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        start = -float(self.depth)  # before everything else in queue N + 1
        return [link for one in links for link in self._offered(start, [one])]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if page.revisit:
            self._grown.revisited(page)
            return []
        self._moves.gone(page.link.origin)
        if not page.readable:
            return []
        self._pages += 1
        place = self._graph.place(page.terms)
        price = self._price(place)
        if page.link.rel == BACKLINK and self._growing:
            self._grown.add(1, page.terms)
        if place.layer == 0 and not page.error:
            self._target(page, price)
        return self._offered(-float(self.depth + 1) if self._booting else price, page.links)

    def dropped(self, urls: Sequence[str], why: str) -> None:
        for url in urls:
            self._moves.gone(url)

    def asks(self) -> Iterable[Ask]:
        asks = [Ask("revisit", url) for url in self._grown.wanted()]
        while self._unasked and self._asked < self.ration * self._pages:
            cost, url, depth = heappop(self._unasked)
            self._answering[url] = (-cost, depth)
            self._asked += 1
            asks.append(Ask("backlinks", url, self.backlinks))
        return asks

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        price, depth = self._answering.pop(ask.url, (-float(self.depth + 1), 0))
        links = [Link(url, rel=BACKLINK, parent=ask.url, depth=depth + 1) for url in urls]
        return self._offered(price - 1.0, links)  # one link before a target: they wait with layer 1

    def state(self) -> Plain:
        return {
            "moves": self._moves.state(),
            "grown": self._grown.state(),
            "booting": self._booting,
            "pages": self._pages,
            "asked": self._asked,
            "unasked": [list(entry) for entry in self._unasked],
            "answering": {url: list(entry) for url, entry in self._answering.items()},
        }

    def restore(self, state: Plain) -> None:
        self._moves.restore(state["moves"])
        self._grown.restore(state["grown"])
        self._booting, self._pages, self._asked = state["booting"], state["pages"], state["asked"]
        self._unasked = [(cost, url, depth) for cost, url, depth in state["unasked"]]
        self._answering = {url: (price, depth) for url, (price, depth) in state["answering"].items()}
        self._train()

    @property
    def _growing(self) -> bool:
        return self._booting or self.rebuild > 0

    def _price(self, place: Placement) -> float:
        """The layer first, the likelihood inside it: between -layer and 1 - layer."""
        layer = place.layer if place.layer <= self._graph.depth else self.depth + 1
        return 1.0 / (1.0 - place.likelihood) - layer

    def _target(self, page: Page, price: float) -> None:
        """A page of queue 0 was found."""
        if self.backlinks:
            heappush(self._unasked, (-price, page.url, page.link.depth))
            if len(self._unasked) > 2 * MOST_UNASKED:
                self._unasked = nsmallest(MOST_UNASKED, self._unasked)
                heapify(self._unasked)
        if self._growing:
            self._grown.target(page, follow=page.link.rel != BACKLINK)
            if self._grown.targets >= (self.targets if self._booting else self.rebuild) and self._grown.deep:
                self._booting = False
                self._grown.take()
                self._train()

    def _train(self) -> None:
        """Learn the layers: those of the brief, and what the crawl added up to the last time."""
        layers = [[*given, *grown] for given, grown in self._layers()]
        self._graph = ContextGraph(
            layers,
            self._reference,
            kept=self.kept,
            vocabulary_layers=2 if self.vocabulary == "layer-1" else 1,
            uniform=self.priors == "uniform",
        )

    def _layers(self) -> Iterable[tuple[Sequence[Plain], Sequence[Plain]]]:
        for number, grown in enumerate(self._grown.taken):
            yield (self._given[number] if number < len(self._given) else ()), grown

    def _offered(self, price: float, links: Sequence[Link]) -> list[Link]:
        if not self.eager:
            self._moves.offer(price, (link.url for link in links))
        return [link.priced(price) for link in links]


def _one_of(name: str, value: str, choice: Sequence[str]) -> None:
    if value not in choice:
        raise PinakesError(f"context-graph: {name}={value} is none of {', '.join(choice)}.")
