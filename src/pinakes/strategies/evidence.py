"""Evidence: pools everything known of a waiting link over all pages that link to it, and reprices all links each turn.

Ours. A calibrated page model says how good each fetched page is; seventeen features of a link say what that means for
it: how good its parents are, what its anchor, its surroundings and its address say, how its siblings, its neighbours on
the page and others of its kind turned out. A logistic combination near a hand-set prior makes a price of them. Where
back-links are known, the pages that link to most of the examples are fetched after the seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Ask, Plain
from pinakes.models.packing import pack, unpack
from pinakes.models.rocchio import PageModel
from pinakes.models.stack import Stack
from pinakes.models.terms import Document
from pinakes.strategies.discovery import SEED_PRICE, Discovery
from pinakes.strategies.link_evidence import FEATURES, LinkEvidence, Rows
from pinakes.text.words import Words

Numbers = NDArray[np.float64]

PRIOR = {
    "bias": -4.9, "vote_ratio": 1.5, "vote_max": 0.5, "log_support": 0.2, "log_inlinks": -0.25, "anchor_max": 2.4,
    "anchor_mean": 1.0, "ctx_mean": 2.2, "url": 1.5, "sib_mean": 1.0, "sib_max": 3.4, "near": 1.0,
    "tag": 0.5, "host": 0.5, "dir": 0.5, "shape": 1.0, "path": 0.5,
}  # fmt: skip
"""The prior: half of what was set by hand before any result was seen, half of what was fitted on three webs."""
FAMILIES = {
    "votes": ("vote_ratio", "vote_max", "log_support", "log_inlinks", "path"),
    "words": ("anchor_max", "anchor_mean", "ctx_mean", "url"),
    "siblings": ("sib_mean", "sib_max", "near"),
    "kinds": ("tag", "host", "dir", "shape"),
}
"""Features that can be left out together, to see what they are worth."""
WANTED = 0.99
"""How good an example is."""
WORKING = 50_000
"""Waiting links of which more is known than a price."""
EDGES = 1_000_000
"""Their in-links."""
CONTEXT = 10
EARLY = frozenset((5, 10, 20, 30, 40))
"""Pages after which the page model looks anew where there are no negatives: the first pages say what is ordinary."""
EXPLAINED = 5_000
"""Fetched pages of which it is known why they were."""
_NO_DIGITS = str.maketrans("0123456789", "          ")


@dataclass
class Evidence:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait.")
    most_batch: int = parameter(10, "The most links claimed at once; the crawl begins with one.")
    strength: float = parameter(30.0, "How strongly the combination is held at its prior.")
    refit: int = parameter(50, "The page model takes in what was refused every so many pages.")
    learn: bool = parameter(True, "Learn the combination in the crawl, or keep the prior.")
    labels: str = parameter("model", "Who says how good a page is: the page model (`model`) or the judge (`judge`).")
    without: str = parameter("", "Leave out features, to see what they are worth: votes, words, siblings or kinds.")
    backlinks: int = parameter(4, "Pages that link to most of the examples, fetched after the seeds; 0 for none.")
    search: int = parameter(10, "Hits of a search for a topic without examples, fetched before the seeds; 0 for none.")

    def __post_init__(self) -> None:
        if self.labels not in ("model", "judge"):
            raise PinakesError(f"labels={self.labels} is unknown; pages are labelled by the `model` or the `judge`.")
        if self.without and self.without not in FAMILIES:
            raise PinakesError(f"without={self.without} is unknown; features come as {', '.join(FAMILIES)}.")
        self._silent = [FEATURES.index(name) for name in FAMILIES.get(self.without, ())]
        self._model, self._words = PageModel(self.brief), Words()
        self._links = LinkEvidence()
        self._stack = Stack(np.array([PRIOR[name] for name in FEATURES]), self.strength)
        self._rows: Rows = np.zeros((len(FEATURES), 1), np.float32)
        self._chosen: dict[str, NDArray[np.float32]] = {}
        self._seeds: dict[str, float] = {}
        self._discovery = Discovery(self.brief, self.backlinks, self.search)
        for pages in self.brief.examples.values():
            for url in [page.url for page in pages if page.url.startswith("http")]:
                self._links.example(url, WANTED)
        self._sum, self._pages = 0.0, 0
        self.stale = True

    @property
    def batch(self) -> int:
        return min(self.most_batch, 1 + self._pages // 20)

    @property
    def base(self) -> float:
        """The mean probability of the pages fetched."""
        return (self._sum + 0.1) / (self._pages + 1)

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        self._seeds.update((link.url, SEED_PRICE) for link in links)
        return [link.priced(SEED_PRICE) for link in links]

    def asks(self) -> Iterable[Ask]:
        return self._discovery.asks()

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        """Where to begin besides the seeds, above all that is priced by evidence."""
        found = {url: price for url, price in self._discovery.answered(ask, urls).items() if url not in self._seeds}
        self._seeds.update(found)
        return [Link(url, priority=price) for url, price in found.items()]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        origin = page.link.origin
        self._seeds.pop(origin, None)
        topic = self._discovery.hit(origin)
        if not page.readable:
            self._links.came_home(origin, None)
            return []
        document = self._model.document(page.terms)
        if topic:
            self._model.adopt(topic, document)
            self._model.refit()
        p = 0.01 if page.error == "duplicate" else self._label(document, verdict)
        path = 0.5 * p + 0.5 * self._links.path_of(origin)
        if page.revisit:
            return self._meet(page, p, path)  # brought again with the links its site lists: it was learnt from before
        self.stale = True
        if page.error == "duplicate":
            # Nobody could know: what led to it was as good as what leads to its twin. Only where it lies counts.
            self._links.came_home(origin, p, repeated=True)
            return self._meet(page, p, path)
        slot = self._links.slots.get(origin, 0)
        row = self._rows[:, slot].astype(np.float64) if 0 < slot < self._rows.shape[1] else None
        self._links.came_home(origin, p)
        self._learn(document, p, row, ordinary=not topic)
        if row is not None:
            self._remember(page.url, row)
        return self._meet(page, p, path)

    def dropped(self, urls: Sequence[str], why: str) -> None:
        if why != "visited":
            for url in urls:
                self._discovery.hit(url)
                self._links.came_home(url, None)

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        if self.learn and self.stale:
            self._stack.fit()
        self._rows = self._features()
        prices = self._stack.score(self._rows)
        prices[0] = self._stack.weights @ self._neutral()
        self.stale = False
        slots = self._links.slots
        found: list[float] = prices[np.fromiter(map(slots.get, urls, repeat(0)), np.int64, len(urls))].tolist()
        for number, url in enumerate(urls if self._seeds else ()):
            if url in self._seeds:
                found[number] = self._seeds[url]
        if len(slots) > 2 * WORKING or self._links.edges > EDGES:
            self._forget(prices)
        return found

    def explain(self, url: str) -> Mapping[str, tuple[float, float]]:
        """What is known of a waiting link, or was known of a page when it was chosen: features and their weights."""
        row = self._chosen.get(url)
        if row is None and url in self._links.slots:
            row = self._features()[:, self._links.slots[url]]
        if row is None:
            return {}
        return dict(zip(FEATURES, zip(row.tolist(), self._stack.weights.tolist(), strict=True), strict=True))

    def state(self) -> Plain:
        return {
            "model": self._model.state(),
            "stack": self._stack.state(),
            "links": self._links.state(),
            "rows": pack(self._rows),
            "chosen": [list(self._chosen), pack(np.array(list(self._chosen.values()), np.float32))],
            "base": [self._sum, self._pages],
            "seeds": self._seeds,
            "discovery": self._discovery.state(),
            "stale": self.stale,
        }

    def restore(self, state: Plain) -> None:
        self._model.restore(state["model"])
        self._stack.restore(state["stack"])
        self._links.restore(state["links"])
        self._rows = unpack(state["rows"])
        urls, rows = state["chosen"]
        self._chosen = dict(zip(urls, unpack(rows), strict=True))
        self._sum, self._pages = state["base"]
        self._seeds = state["seeds"]
        self._discovery.restore(state["discovery"])
        self.stale = state["stale"]

    def _label(self, document: Document, verdict: Verdict) -> float:
        """How good a page is, in (.01, .99); at least ½ where the judge decides and calls it a nugget."""
        if self.labels == "model" and not self._model.empty:
            return self._model.probability(document)
        p = verdict.score
        if verdict.nugget != (p >= 0.5):
            p = 0.5 + p / 2 if verdict.nugget else p / 2
        return min(0.99, max(0.01, p))

    def _features(self) -> Rows:
        rows = self._links.features(self.base)
        rows[self._silent] = 0.0
        return rows

    def _forget(self, prices: Rows) -> None:
        """Keep what is known of the best links only. By their own prices: a replay does not know who else waits."""
        slots = self._links.slots
        best = np.argsort(-prices[list(slots.values())], kind="stable")[: min(WORKING, len(slots) // 2)]
        urls = list(slots)
        self._links.forget({urls[place] for place in best.tolist()})
        self._rows = self._features()

    def _neutral(self) -> Numbers:
        """What is known of a link of which nothing is known any more."""
        yields = ("vote_ratio", "sib_mean", "near", "tag", "host", "dir", "shape")
        rates = {"bias": 1.0, **dict.fromkeys(yields, self.base)}
        return np.array([rates.get(name, 0.0) for name in FEATURES])

    def _learn(self, document: Document, p: float, row: Numbers | None, *, ordinary: bool) -> None:
        self._sum, self._pages = self._sum + p, self._pages + 1
        self._model.watch(document, ordinary=ordinary)
        if row is not None:
            self._stack.add(row, p)
            if p < 0.3 and row @ self._stack.weights < np.log(0.3 / 0.7):
                self._model.refuse(document)
        if self._pages % self.refit == 0 or (self._pages in EARLY and not self.brief.negatives):
            self._model.refit()

    def _remember(self, url: str, row: Numbers) -> None:
        if len(self._chosen) >= EXPLAINED:
            del self._chosen[next(iter(self._chosen))]
        self._chosen[url] = row.astype(np.float32)

    def _meet(self, page: Page, p: float, path: float) -> Sequence[Link]:
        """Note the page's links as evidence, and answer them at their first prices."""
        links = page.links
        if not links:
            return []
        urls = [link.url for link in links]
        fresh = self._links.fresh(urls)
        addresses = [url.split("/", 3)[-1].translate(_NO_DIGITS) for url in fresh]
        said = self._likeness(page, [*(link.anchor for link in links), *addresses])
        anchors, contexts = said[: len(links)], said[-len(links) :]
        self._links.meet(fresh, said[len(links) : -len(links)])
        self._links.page(p, path, urls, [link.tag for link in links], anchors, contexts)
        prices = self._first_prices(p, path, anchors, contexts)
        return [link.priced(price) for link, price in zip(links, prices.tolist(), strict=True)]

    def _first_prices(self, p: float, path: float, anchors: Numbers, contexts: Numbers) -> Numbers:
        """What links are worth by the page they stand on alone, until they are repriced."""
        row = self._neutral()
        votes = {"vote_ratio": (p + 2 * self.base) / 3, "vote_max": p, "log_support": np.log1p(p), "path": path}
        for name, value in votes.items():
            row[FEATURES.index(name)] = value
        weight = dict(zip(FEATURES, self._stack.weights.tolist(), strict=True))
        said = (weight["anchor_max"] + weight["anchor_mean"]) * anchors + weight["ctx_mean"] * contexts
        prices: Numbers = self._stack.weights @ row + said
        return prices

    def _likeness(self, page: Page, texts: Sequence[str]) -> Numbers:
        """How like the topic texts are, and then the ten words on either side of each of a page's links."""
        stems, starts = self._words.pieces(texts)
        end, links = len(page.words), page.links
        places = np.array([link.at for link in links])
        sizes = np.array([link.anchor.count(" ") + 1 if link.anchor else 0 for link in links])
        begins, ends = np.clip(places - CONTEXT, 0, end), np.clip(places + sizes + CONTEXT, 0, end)
        # Of a long page only the words round its links are looked up: `before` says how many of them come before each.
        steps = np.bincount(begins, minlength=end + 1) - np.bincount(ends, minlength=end + 1)
        needed = np.cumsum(steps[:end]) > 0
        before = np.concatenate([[0], np.cumsum(needed)])
        return self._model.likeness(
            np.concatenate([self._model.ids.of_words(page.words, needed), self._model.ids.of(stems)]),
            np.concatenate([before[end] + np.array(starts), before[begins]]),
            np.concatenate([before[end] + np.array([*starts[1:], len(stems)]), before[ends]]),
        )
