"""Where `evidence` begins besides the seeds: pages that link to several examples and, without examples, search hits.

Back-links of the examples are asked for once; the pages that link to most of them, two at least, are hubs. A topic that
has no examples is searched for, and the best hits are looked at first; their back-links are asked for in the examples'
stead. Hits that one page links to, three at least, vouch for each other: they also say what the topic looks like. So do
all of them where nobody knows who links to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pinakes.core.page import Brief
from pinakes.core.roles import Ask, Plain

SEED_PRICE = 50.0
"""Above all that is priced by evidence."""
HUB_PRICE = SEED_PRICE - 1.0
HIT_PRICE = SEED_PRICE + 1.0
"""Hits come before the seeds: they may say what is wanted."""
HUB = 2
"""A hub links to so many examples, or hits, at least."""
VOUCHED = 3
"""Hits of a topic vouch for each other when one page links to so many."""
ASKED = 100
"""Back-links asked for a page."""


class Discovery:
    """Asks, and prices of the pages that the answers lead to."""

    def __init__(self, brief: Brief, hubs: int, hits: int) -> None:
        """`hubs` and `hits` are how many pages of each are wanted at most, the hits for each topic."""
        self._most_hubs, self._most_hits = hubs, hits
        examples = [page.url for pages in brief.examples.values() for page in pages if page.url.startswith("http")]
        self._unasked = [["backlinks", url] for url in examples] if hubs else []
        self._topics = {topic.text: topic.name for topic in brief.topics if not brief.examples.get(topic.name)}
        self._unasked += [["search", text] for text in self._topics if text] if hits else []
        self._unanswered = len(self._unasked)
        self._hits: dict[str, str] = {}
        """Hits that have not come home yet, and the topics they were found for."""
        self._parents: dict[str, list[str]] = {}
        """Of each example or hit, until all are known."""
        self._vouched: list[str] = []

    def asks(self) -> list[Ask]:
        asks, self._unasked = self._unasked, []
        return [Ask(kind, text, ASKED if kind == "backlinks" else self._most_hits) for kind, text in asks]

    def answered(self, ask: Ask, urls: Sequence[str]) -> dict[str, float]:
        """Pages to begin with, and their prices, when all answers are there."""
        self._unanswered -= 1
        if ask.kind == "search":
            found = list(urls[: self._most_hits])
            self._hits.update(dict.fromkeys(found, self._topics.get(ask.url, "")))
            if self._most_hubs:
                self._unasked += [["backlinks", url] for url in found]
                self._unanswered += len(found)
        else:
            self._parents[ask.url] = list(dict.fromkeys(urls))
        return {} if self._unanswered else {**self._best_hits(), **self._best_hubs()}

    def hit(self, url: str) -> str:
        """The topic that a page helps to tell, told once; empty when it was not searched for, or nothing vouches."""
        topic = self._hits.pop(url, "")
        return topic if url in self._vouched else ""

    def state(self) -> Plain:
        return [self._unasked, self._unanswered, self._hits, self._parents, self._vouched]

    def restore(self, state: Plain) -> None:
        self._unasked, self._unanswered, self._hits, self._parents, self._vouched = state

    def _best_hits(self) -> dict[str, float]:
        together: dict[tuple[str, str], list[str]] = {}
        for url, topic in self._hits.items():
            for parent in self._parents.get(url, ()):
                together.setdefault((topic, parent), []).append(url)
        known = any(self._parents.get(url) for url in self._hits)
        groups = [group for group in together.values() if len(group) >= VOUCHED] if known else [list(self._hits)]
        self._vouched = list(dict.fromkeys(url for group in groups for url in group))
        return {url: HIT_PRICE - rank / 100 for rank, url in enumerate(self._hits)}

    def _best_hubs(self) -> dict[str, float]:
        counts: Counter[str] = Counter()
        for parents in self._parents.values():
            counts.update(parents)
        few = min(HUB, len(self._parents))
        self._parents = {}
        best = [(url, count) for url, count in counts.most_common(self._most_hubs) if count >= few]
        return {url: HUB_PRICE - 0.1 / count for url, count in best}
