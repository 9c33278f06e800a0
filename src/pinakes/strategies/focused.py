"""Focused: the standard focused crawler that 001 §4 compares its own with.

M. Diligenti, F. Coetzee, S. Lawrence, C. L. Giles, M. Gori, *Focused Crawling Using Context Graphs*, VLDB 2000
(seed 001): "evaluates all children of the current document using the same classifier used by the Context Focused
Crawler for the seed set, and schedules crawls based on the document with the highest score". It is the context-graph
crawler with a graph of depth 0:

    download the start URLs
    while the budget lasts:
        p := the downloaded page of the highest likelihood in the examples' layer whose children were not downloaded
        download a child of p, and score it

It comes back to the other children of p when no better page is left. `eager=False` downloads all of them first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.models.context_graph import KEPT, ContextGraph
from pinakes.models.samples import reference_of, samples_of
from pinakes.strategies.moves import Moves

SEED_PRICE = 0.0
"""The logarithm of a likelihood is never above 0."""
NO_TERM = -1000.0
"""The price of a page without a single known term: below the logarithm of any likelihood."""


@dataclass
class Focused:
    brief: Brief
    kept: int = parameter(KEPT, "How many of a page's strongest terms are looked at.")
    reference: str = parameter(
        "corpus",
        "Whose document frequencies tell a rare term (eq. 1): the reference `corpus`, or this very `web`'s, counted on"
        " the pages the crawl was given.",
    )
    eager: bool = parameter(
        True, "Go on with the best page at once, instead of downloading all children of the current one before."
    )
    limit: int | None = parameter(None, "How many links may wait; the worst are dropped beyond that.")

    def __post_init__(self) -> None:
        if self.reference not in ("corpus", "web"):
            raise PinakesError(f"focused: reference={self.reference} is neither corpus nor web.")
        reference = reference_of(self.brief, own=self.reference == "web")
        samples = samples_of(self.brief).values()
        self._topics = [ContextGraph([sample.positives], reference, kept=self.kept) for sample in samples]
        self._moves = Moves()

    @property
    def batch(self) -> int:
        return 1 if self.eager else self._moves.size

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return self._offered(SEED_PRICE, links)

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        self._moves.gone(page.link.origin)
        if not page.links:
            return []
        likelihood = max((topic.likelihood(0, page.terms) for topic in self._topics), default=NO_TERM)
        return self._offered(max(likelihood, NO_TERM), page.links)

    def dropped(self, urls: Sequence[str], why: str) -> None:
        for url in urls:
            self._moves.gone(url)

    def state(self) -> Plain:
        return self._moves.state()

    def restore(self, state: Plain) -> None:
        self._moves.restore(state)

    def _offered(self, price: float, links: Sequence[Link]) -> list[Link]:
        if not self.eager:
            self._moves.offer(price, (link.url for link in links))
        return [link.priced(price) for link in links]
