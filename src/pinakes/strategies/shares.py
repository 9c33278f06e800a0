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

import numpy as np

from pinakes.core.page import LOWEST, Brief, Link, Page, Verdict, host_of
from pinakes.core.roles import Ask, Asking, Dropping, Plain, Repricing, Strategy
from pinakes.strategies.turns import HOST, NUMBER, PRICE, TOPIC, TURN, TopicWords, Waiting, host_number

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
LAST = float(1 << 40)
"""The turn of a link that waits already: what it was given before counts."""
REMEMBERED = 200_000


class Shares:
    """A strategy that gives each topic of a brief its turn; what goes first within a topic, another strategy says."""

    def __init__(self, strategy: Strategy, brief: Brief, size: int = 50) -> None:
        """`size`: how many pages a collection is to have."""
        self.strategy, self._size = strategy, size
        self._names = list(dict.fromkeys(topic.name for topic in brief.topics))
        self._words = TopicWords(brief)
        self._examples: dict[str, list[str]] = {}
        for name, pages in brief.examples.items():
            for page in pages:
                self._examples.setdefault(page.url, []).append(name)
        self._waiting = Waiting()
        self._spent: Counter[str] = Counter()
        self._nuggets: Counter[str] = Counter()
        self._recent: dict[str, deque[int]] = {name: deque(maxlen=RECENT) for name in ("", *self._names)}
        self._all_names = list(self._recent)
        self._places = {name: number for number, name in enumerate(self._recent)}
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
        return self._admitted(list(self.strategy.seed(links)), {})

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        self._waiting.drop(page.link.origin)
        self.stale = not self._plain
        if self._plain and page.link.priority > LOWEST:  # which is nobody's turn
            self._now = max(self._now, -page.link.priority)
        if page.readable and not page.revisit:
            self._count(page, verdict)
        return self._admitted(list(self.strategy.visit(page, verdict)), verdict.scores)

    def dropped(self, urls: Sequence[str], why: str) -> None:
        for url in urls:
            self._waiting.drop(url)
        if isinstance(self.strategy, Dropping):
            self.strategy.dropped(urls, why)

    def asks(self) -> Iterable[Ask]:
        return list(self.strategy.asks()) if isinstance(self.strategy, Asking) else []

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        found = self.strategy.answered(ask, urls) if isinstance(self.strategy, Asking) else ()
        # Pages that link to an example are for its topic.
        scores = dict.fromkeys(self._examples.get(ask.url, ()), 1.0)
        return self._admitted(list(found), scores)

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        """Minus the turn at which a link is due: those of one topic follow each other, one fetch of its share apart."""
        own = self._repricing.reprice(urls) if self._repricing is not None else None
        self.stale = False
        rows = self._waiting.rows(urls)
        if self._plain:  # asked though nothing changed, as a resumed crawl does
            plain: list[float] = np.where(rows[NUMBER] > 0, -rows[TURN], -self._now).tolist()
            return plain
        topics, prices = rows[TOPIC].astype(np.int64), rows[PRICE] if own is None else np.array(own, float)
        numbers = np.where(rows[NUMBER] > 0, rows[NUMBER], self._arrived)
        behind = np.isin(rows[HOST], [host_number(host) for host in self._dull_hosts()])
        order = np.lexsort((numbers, -prices, behind, topics))
        starts = np.searchsorted(topics[order], np.arange(len(self._places)))
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
            "waiting": self._waiting.state(),
            "spent": dict(self._spent),
            "nuggets": dict(self._nuggets),
            "recent": {name: list(recent) for name, recent in self._recent.items()},
            "hosts": self._hosts,
            "counts": [self._pages, self._arrived],
            "turns": [self._price, self._plain, self._turns, self._now],
        }

    def restore(self, state: Plain) -> None:
        self.strategy.restore(state["strategy"])
        self._waiting.restore(state["waiting"])
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

    def _admitted(self, links: Sequence[Link], scores: Mapping[str, float]) -> list[Link]:
        """The links with their topics, each due when those of its topic that wait have had their turn."""
        waiting, found = self._waiting, list[Link]()
        for link, best in zip(links, self._topics(links, scores), strict=True):
            if link.url in waiting:
                topic, turn = waiting.topic_of(link.url), LAST
                waiting.raise_price(link.url, link.priority)
            else:
                topic = self._places.get(link.topic, best) if link.topic else best
                self._arrived += 1
                turn = self._turn(link, self._all_names[topic])
                waiting.add(link.url, topic, link.priority, self._arrived, turn)
                if len(waiting) > REMEMBERED:
                    waiting.drop_oldest()
            found.append(link._replace(topic=self._all_names[topic], priority=-turn))
        return found

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

    def _topics(self, links: Sequence[Link], scores: Mapping[str, float]) -> list[int]:
        """The numbers of the topics that anchors and the page they stand on speak for most; 0 where they speak for
        none."""
        if not links or not self._names:
            return [0] * len(links)
        found = ANCHOR * self._words.likeness([link.anchor for link in links])
        found += np.array([scores.get(name, 0.0) for name in self._names])
        best: list[int] = np.where(found.max(axis=1) > 0.0, found.argmax(axis=1) + 1, 0).tolist()
        return best
