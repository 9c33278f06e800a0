"""Best-first: links of the pages most like the topic go first.

Menczer, Pant, Srinivasan and Ruiz, "Evaluating topic-driven web crawlers", SIGIR 2001 (seed 004), §6.1, figure 2:

    BestFirst(topic, starting_urls):
        enqueue the starting URLs
        while the frontier is not empty and visited < MAX_PAGES:
            link := the link with the highest score
            doc := fetch it
            score := sim(topic, doc)
            enqueue each outlink of doc at that score, dropping the worst beyond MAX_BUFFER

The frontier keeps the better price of a link met twice, which is what queueing it twice amounts to.

Best-N-first takes the N best links at a time instead of one, so that N − 1 of them are chosen before the pages of the
others are known: Menczer, Pant and Srinivasan, "Topical web crawlers: evaluating adaptive algorithms", TOIT 2004.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.models.likeness import likenesses

SEED_PRICE = 1.0
"""The figure gives seeds no score; they go before everything, since no cosine is higher."""


@dataclass
class BestFirst:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait (MAX_BUFFER); the worst are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once; more makes it best-N-first.")
    weights: str = parameter("tf", "What terms weigh: their frequency (`tf`), or more where they are rare (`tf-idf`).")

    def __post_init__(self) -> None:
        self._topics = likenesses(self.brief, self.weights)

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return [link.priced(SEED_PRICE) for link in links]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        score = max((topic.similarity(page.terms) for topic in self._topics), default=0.0)  # eq. 1
        return [link.priced(score) for link in page.links]

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None:
        """There is nothing to restore: prices wait in the frontier."""


@dataclass
class BestNFirst(BestFirst):
    batch: int = field(default=16, init=False)
    n: int = parameter(16, "How many of the best links are claimed at once; the study has 16 and 256.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n < 1:
            raise PinakesError(f"best-n-first claims n=1 links or more at once, not n={self.n}.")
        self.batch = self.n
