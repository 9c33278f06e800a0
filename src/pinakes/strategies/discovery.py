"""Where `evidence` begins besides the seeds: pages that link to several examples and, without examples, search hits.

Back-links of the examples are asked for once; the pages that link to most of them, two at least, are hubs. A topic that
has no examples is searched for; the best hits are looked at first, and stand in for its examples: in what it looks
like, and when back-links are asked for.
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
"""Hits come before the seeds: they say what is wanted."""
HUB = 2
"""A hub links to so many examples, or hits, at least."""
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
        self._asked = 0
        self._parents: Counter[str] = Counter()
        self._hits: dict[str, str] = {}

    def asks(self) -> list[Ask]:
        asks, self._unasked = self._unasked, []
        return [Ask(kind, text, ASKED if kind == "backlinks" else self._most_hits) for kind, text in asks]

    def answered(self, ask: Ask, urls: Sequence[str]) -> dict[str, float]:
        """Pages to begin with, and their prices; hubs when the back-links of all examples are known."""
        self._unanswered -= 1
        if ask.kind == "search":
            return self._found(self._topics.get(ask.url, ""), urls[: self._most_hits])
        self._asked += 1
        self._parents.update(dict.fromkeys(urls, 1))
        if self._unanswered:
            return {}
        few = min(HUB, self._asked)
        best = [(url, count) for url, count in self._parents.most_common(self._most_hubs) if count >= few]
        self._parents.clear()
        return {url: HUB_PRICE - 0.1 / count for url, count in best}

    def hit(self, url: str) -> str:
        """The topic that a page was found for, told once; empty when it was not searched for."""
        return self._hits.pop(url, "")

    @property
    def waiting(self) -> bool:
        """Hits have not all come home yet."""
        return bool(self._hits)

    def state(self) -> Plain:
        return [self._unasked, self._unanswered, self._asked, dict(self._parents), self._hits]

    def restore(self, state: Plain) -> None:
        self._unasked, self._unanswered, self._asked, parents, self._hits = state
        self._parents = Counter(parents)

    def _found(self, topic: str, urls: Sequence[str]) -> dict[str, float]:
        self._hits.update(dict.fromkeys(urls, topic))
        if self._most_hubs:
            self._unasked += [["backlinks", url] for url in urls]
            self._unanswered += len(urls)
        return {url: HIT_PRICE - rank / 100 for rank, url in enumerate(urls)}
