"""Where `evidence` begins besides the seeds: pages that link to several examples and, without examples, search hits.

Back-links of the examples are asked for once; the pages that link to most of them, two at least, are hubs. A topic that
has no examples is searched for, by its name and by all its words; the best hits of both are where it begins, and their
back-links are asked for in the examples' stead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pinakes.core.page import Brief
from pinakes.core.roles import Ask, Plain

SEED_PRICE = 50.0
"""Above all that is priced by evidence."""
HUB_PRICE = SEED_PRICE - 0.1
HIT_PRICE = SEED_PRICE - 1.0
HUB = 2
"""A hub links to so many examples, or hits, at least."""
ASKED = 100
"""Back-links asked for a page."""
EASE = 10
"""A hit counts 1 / (rank + this) in each search that finds it."""


class Discovery:
    """Asks, and prices of the pages that the answers lead to."""

    def __init__(self, brief: Brief, hubs: int, hits: int) -> None:
        """`hubs` and `hits` are how many pages of each are wanted at most, the hits for each topic."""
        self._hubs, self._hits = hubs, hits
        known = [page.url for pages in brief.examples.values() for page in pages if page.url.startswith("http")]
        self._examples = known if hubs else []
        self._unasked = [["backlinks", url] for url in self._examples]
        bare = [topic for topic in brief.topics if not brief.examples.get(topic.name)] if hits else []
        for topic in bare:
            self._unasked += [["search", query] for query in dict.fromkeys((topic.name, topic.text)) if query]
        self._queries = len(bare)
        self._pending = Counter(kind for kind, _ in self._unasked)
        self._parents: Counter[str] = Counter()
        self._found: dict[str, float] = {}

    def asks(self) -> list[Ask]:
        asks, self._unasked = self._unasked, []
        return [Ask(kind, text, ASKED if kind == "backlinks" else self._hits) for kind, text in asks]

    def answered(self, ask: Ask, urls: Sequence[str]) -> dict[str, float]:
        """Pages to begin with, and their prices; none before all of a kind is answered."""
        self._pending[ask.kind] -= 1
        if ask.kind == "backlinks":
            self._parents.update(dict.fromkeys(urls, 1))
            return self._best_parents() if not self._pending["backlinks"] else {}
        for rank, url in enumerate(urls):
            self._found[url] = self._found.get(url, 0.0) + 1.0 / (EASE + rank)
        return self._best_hits() if not self._pending["search"] else {}

    def state(self) -> Plain:
        return [self._examples, self._unasked, dict(self._pending), dict(self._parents), self._found]

    def restore(self, state: Plain) -> None:
        self._examples, self._unasked, pending, parents, self._found = state
        self._pending, self._parents = Counter(pending), Counter(parents)

    def _best_parents(self) -> dict[str, float]:
        few = min(HUB, len(self._examples))
        best = [(url, count) for url, count in self._parents.most_common(self._hubs) if count >= few]
        self._parents.clear()
        return {url: HUB_PRICE - 0.1 / count for url, count in best}

    def _best_hits(self) -> dict[str, float]:
        best = sorted(self._found, key=lambda url: -self._found[url])[: self._hits * self._queries]
        if self._hubs:
            self._examples = [*self._examples, *best]
            self._unasked += [["backlinks", url] for url in best]
            self._pending["backlinks"] += len(best)
        self._found = {}
        return {url: HIT_PRICE - rank / 1000 for rank, url in enumerate(best)}
