"""Several topics at once: each has a share of the fetches, so that none starves.

Ours, round any other strategy. A waiting link counts for the topic that its anchor and its parent speak for most.
Within a topic the strategy's own order holds, but links to hosts that gave many pages and hardly a nugget stand behind
the others (000 §3). Between topics, the link goes first whose topic has had the fewest fetches for its share. A topic
whose fetches find little, or whose collection is full several times over, has a smaller share, yet never less than a
quarter of an equal one: its pages may lie behind a stretch of others.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pinakes.core.page import Brief, Link, Page, Verdict, host_of
from pinakes.core.roles import Ask, Asking, Dropping, Plain, Repricing, Strategy
from pinakes.models.centroid import Centroids, Rarity
from pinakes.text.topics import topic_vectors
from pinakes.text.words import Words

LEAST = 0.25
"""The least part of an equal share a topic keeps."""
ANCHOR = 2.0
"""How much the words of an anchor count beside the page they stand on."""
RECENT, EARLY = 60, 20
"""Fetches of a topic by which its yield is known, and how many it has before that counts."""
FULL = 3.0
"""A collection that could be filled so many times over needs less."""
DULL_PAGES, DULL = 20, 0.1
"""A host that gave so many pages, with less than this part of the crawl's nuggets a page, is less desirable."""
BEHIND = 10_000.0
"""Turns that links to a dull host wait, besides their own, in a strategy without prices."""
REMEMBERED = 200_000


class Waiting(NamedTuple):
    """What is known of a waiting link."""

    topic: str
    price: float
    """The strategy's own."""
    number: int
    """In the order of arrival."""
    turn: float = 0.0
    """When it is due, in a strategy whose prices are all the same."""


class Shares:
    """A strategy that gives each topic of a brief its turn; what goes first within a topic, another strategy says."""

    def __init__(self, strategy: Strategy, brief: Brief, size: int = 50) -> None:
        """`size`: how many pages a collection is to have."""
        self.strategy, self._size = strategy, size
        self._names = [topic.name for topic in brief.topics]
        vectors, self._words = topic_vectors(brief), Words()
        rarity = Rarity(vectors.values()) if len(vectors) > 1 else Rarity(())
        self._anchors = Centroids({name: rarity.weigh(vector) for name, vector in vectors.items()})
        self._examples: dict[str, list[str]] = {}
        for name, pages in brief.examples.items():
            for page in pages:
                self._examples.setdefault(page.url, []).append(name)
        self._waiting: dict[str, Waiting] = {}
        self._spent: Counter[str] = Counter()
        self._nuggets: Counter[str] = Counter()
        self._recent: dict[str, deque[int]] = {name: deque(maxlen=RECENT) for name in ("", *self._names)}
        self._hosts: dict[str, list[int]] = {}
        self._pages = self._arrived = 0
        # A strategy whose prices are all the same (first in, first out) needs no repricing: the turn of a link follows
        # from those of its topic before it. `_turns` are the last ones given out, `_now` the one fetched last.
        self._price: float | None = None
        self._plain = self._repricing_of(strategy) is None
        self._turns: dict[str, float] = {}
        self._now = 0.0
        self.stale = not self._plain
        self._repricing = self._repricing_of(strategy)
        self._share: dict[str, float] = {}
        self._dull: set[str] = set()
        self._look()

    @property
    def limit(self) -> int | None:
        return self.strategy.limit

    @property
    def batch(self) -> int:
        return self.strategy.batch

    @property
    def ended(self) -> str:
        return str(getattr(self.strategy, "ended", ""))

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return [self._admitted(link, {}) for link in self.strategy.seed(links)]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        self._came_home(page.link.origin)
        self.stale = not self._plain
        if self._plain:
            self._now = max(self._now, -page.link.priority)
        if page.readable and not page.revisit:
            self._count(page, verdict)
        return [self._admitted(link, verdict.scores) for link in self.strategy.visit(page, verdict)]

    def dropped(self, urls: Sequence[str], why: str) -> None:
        for url in urls:
            self._came_home(url)
        if isinstance(self.strategy, Dropping):
            self.strategy.dropped(urls, why)

    def asks(self) -> Iterable[Ask]:
        return list(self.strategy.asks()) if isinstance(self.strategy, Asking) else []

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        found = self.strategy.answered(ask, urls) if isinstance(self.strategy, Asking) else ()
        # Pages that link to an example are for its topic.
        scores = dict.fromkeys(self._examples.get(ask.url, ()), 1.0)
        return [self._admitted(link, scores) for link in found]

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        """Minus the turn at which a link is due: those of one topic follow each other, one fetch of its share apart."""
        own = self._repricing.reprice(urls) if self._repricing is not None else None
        self.stale = False
        if self._plain:  # asked though nothing changed, as a resumed crawl does
            return [-self._waiting[url].turn if url in self._waiting else -self._now for url in urls]
        unknown = Waiting("", 0.0, self._arrived)
        known = [self._waiting.get(url, unknown) for url in urls]
        places = {name: n for n, name in enumerate(self._recent)}
        topics = np.array([places.get(link.topic, 0) for link in known], np.int64)
        prices = np.array([link.price for link in known] if own is None else own, float)
        dull = self._dull_hosts()
        behind = np.array([host_of(url) in dull for url in urls] if dull else np.zeros(len(urls)), bool)
        numbers = np.array([link.number for link in known], np.int64)
        order = np.lexsort((numbers, -prices, behind, topics))
        starts = np.searchsorted(topics[order], np.arange(len(places)))
        # Links of which nothing is known any more are alike, and due together.
        keys = np.stack([numbers, prices, behind, topics])[:, order]
        first = np.ones(len(urls), bool)
        first[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        at = np.maximum.accumulate(np.where(first, np.arange(len(urls)), 0))
        ranks = np.empty(len(urls))
        ranks[order] = at - starts[topics[order]]
        shares, spent = self._shares(), np.array([self._spent[name] for name in self._recent], float)
        due: list[float] = (-(spent[topics] + ranks) / shares[topics]).tolist()
        return due

    def state(self) -> Plain:
        return {
            "strategy": self.strategy.state(),
            "waiting": [[url, *waiting] for url, waiting in self._waiting.items()],
            "spent": dict(self._spent),
            "nuggets": dict(self._nuggets),
            "recent": {name: list(recent) for name, recent in self._recent.items()},
            "hosts": self._hosts,
            "counts": [self._pages, self._arrived],
            "turns": [self._price, self._plain, self._turns, self._now],
        }

    def restore(self, state: Plain) -> None:
        self.strategy.restore(state["strategy"])
        self._waiting = {url: Waiting(*rest) for url, *rest in state["waiting"]}
        self._spent, self._nuggets = Counter(state["spent"]), Counter(state["nuggets"])
        self._recent = {name: deque(recent, RECENT) for name, recent in state["recent"].items()}
        self._hosts = state["hosts"]
        self._pages, self._arrived = state["counts"]
        self._price, self._plain, self._turns, self._now = state["turns"]
        self.stale = not self._plain
        self._look()

    def _count(self, page: Page, verdict: Verdict) -> None:
        topic = page.link.topic if page.link.topic in self._recent else ""
        self._pages += 1
        self._spent[topic] += 1
        self._recent[topic].append(int(verdict.nugget and verdict.topic == topic))
        self._nuggets[verdict.topic] += verdict.nugget
        host = self._hosts.setdefault(host_of(page.url), [0, 0])
        host[0] += 1
        host[1] += verdict.nugget
        if self._plain:
            self._look()

    def _look(self) -> None:
        """How things stand, for the links that are about to be met."""
        self._share = dict(zip(self._recent, self._shares().tolist(), strict=True))
        self._dull = self._dull_hosts()

    def _shares(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """What part of an equal share each topic has; the first stands for links of no topic."""
        yields = {
            name: sum(recent) / len(recent) if len(recent) >= EARLY else 1.0 for name, recent in self._recent.items()
        }
        best = max(yields.values()) or 1.0
        full = FULL * self._size
        return np.array(
            [max(LEAST, yields[name] / best * min(1.0, full / max(1, self._nuggets[name]))) for name in self._recent]
        )

    def _dull_hosts(self) -> set[str]:
        nuggets = sum(self._nuggets.values())
        if not nuggets or len(self._hosts) < 2:
            return set()
        floor = DULL * nuggets / max(1, self._pages)
        return {host for host, (pages, found) in self._hosts.items() if pages >= DULL_PAGES and found / pages < floor}

    def _admitted(self, link: Link, scores: Mapping[str, float]) -> Link:
        """The link with its topic, due when the links of its topic that wait have had their turn."""
        before = self._waiting.get(link.url)
        if before is not None:
            if link.priority > before.price:
                self._waiting[link.url] = before._replace(price=link.priority)
            return link._replace(topic=before.topic, priority=-float(1 << 40))
        topic = link.topic or self._topic(link, scores)
        self._arrived += 1
        turn = self._turn(link, topic)
        self._waiting[link.url] = Waiting(topic, link.priority, self._arrived, turn)
        if len(self._waiting) > REMEMBERED:
            self._came_home(next(iter(self._waiting)))
        return link._replace(topic=topic, priority=-turn)

    def _turn(self, link: Link, topic: str) -> float:
        """When a link that was just met is due."""
        if self._price is None:
            self._price = link.priority
        if self._plain and link.priority != self._price:
            self._plain, self.stale = False, True
        if not self._plain:
            return 0.0  # so that it is in the working set when it is priced
        turn = max(self._now, self._turns.get(topic, 0.0)) + 1.0 / self._share.get(topic, LEAST)
        if host_of(link.url) in self._dull:
            return turn + BEHIND
        self._turns[topic] = turn
        return turn

    @staticmethod
    def _repricing_of(strategy: Strategy) -> Repricing | None:
        return strategy if isinstance(strategy, Repricing) else None

    def _topic(self, link: Link, scores: Mapping[str, float]) -> str:
        stems = [stem for stem in self._words.stems(link.anchor) if stem]
        likeness = self._anchors.correlations(Counter(stems)) if stems else {}
        found = {name: scores.get(name, 0.0) + ANCHOR * likeness.get(name, 0.0) for name in self._names}
        best = max(found, key=found.__getitem__, default="")
        return best if found.get(best, 0.0) > 0.0 else ""

    def _came_home(self, url: str) -> None:
        self._waiting.pop(url, None)
