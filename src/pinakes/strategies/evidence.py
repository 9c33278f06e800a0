"""Evidence: pools everything known of a waiting link over all pages that link to it, and reprices all links each turn.

Ours. A calibrated page model says how good each fetched page is; seventeen features of a link say what that means for
it: how good its parents are, what its anchor, its surroundings and its address say, how its siblings, its neighbours on
the page and others of its kind turned out. A logistic combination near a hand-set prior makes a price of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import Brief, Link, Page, Verdict, host_of
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.models.rocchio import PageModel, Vector
from pinakes.models.stack import Stack
from pinakes.strategies.link_evidence import FEATURES, LinkEvidence
from pinakes.text.words import Words

Numbers = NDArray[np.float64]

HAND = {
    "bias": -4.0, "vote_ratio": 3.0, "vote_max": 1.0, "log_support": 0.3, "log_inlinks": -0.1, "anchor_max": 3.0,
    "anchor_mean": 1.0, "ctx_mean": 3.0, "url": 3.0, "token": 1.0, "sib_mean": 2.0, "sib_max": 1.0, "near": 2.0,
    "tag": 1.0, "host": 1.0, "dir": 1.0, "path": 1.0,
}  # fmt: skip
"""The prior, set by hand before any result was seen."""
SEED_PRICE = 50.0
WORKING = 50_000
"""Waiting links of which more is known than a price."""
EDGES = 4_000_000
CONTEXT = 10
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass
class Evidence:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait.")
    most_batch: int = parameter(10, "The most links claimed at once; the crawl begins with one.")
    strength: float = parameter(30.0, "How strongly the combination is held at its prior.")
    refit: int = parameter(50, "The page model takes in what was refused every so many pages.")
    learn: bool = parameter(True, "Learn the combination in the crawl, or keep the prior.")

    def __post_init__(self) -> None:
        self._model, self._words = PageModel(self.brief), Words()
        self._links = LinkEvidence()
        self._stack = Stack(np.array([HAND[name] for name in FEATURES]), self.strength)
        self._rows: Numbers = np.zeros((1, len(FEATURES)))
        self._path: dict[str, float] = {}
        self._seeds: set[str] = set()
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
        self._seeds.update(link.url for link in links)
        return [link.priced(SEED_PRICE) for link in links]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        origin = page.link.origin
        self._seeds.discard(origin)
        slot = self._links.slots.get(origin, 0)
        if not page.readable:
            self._links.came_home(origin, None)
            return []
        vector = self._model.vector(page.terms)
        p = self._model.probability(vector)
        row = self._rows[slot].copy() if 0 < slot < len(self._rows) else None
        self._links.came_home(origin, p)
        self._learn(vector, p, row)
        path = 0.5 * p + 0.5 * self._path.get(page.link.parent, 0.0)
        self._path[page.url] = path
        self.stale = True
        return self._meet(page, p, path)

    def dropped(self, urls: Sequence[str], why: str) -> None:
        if why != "visited":
            for url in urls:
                self._links.came_home(url, None)

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        if self.learn and self.stale:
            self._stack.fit()
        self._rows = self._links.features(self.base)
        prices = self._stack.score(self._rows)
        prices[0] = self._stack.weights @ self._neutral()
        self.stale = False
        slots = self._links.slots
        found: list[float] = prices[[slots.get(url, 0) for url in urls]].tolist()
        for number, url in enumerate(urls if self._seeds else ()):
            if url in self._seeds:
                found[number] = SEED_PRICE
        if len(slots) > 2 * WORKING or self._links.edges > EDGES:
            self._links.forget(set(urls))
            self._rows = self._links.features(self.base)
        return found

    def state(self) -> Plain:
        return {
            "model": self._model.state(),
            "stack": self._stack.state(),
            "links": self._links.state(),
            "rows": pack(self._rows),
            "path": self._path,
            "base": [self._sum, self._pages],
            "seeds": sorted(self._seeds),
            "stale": self.stale,
        }

    def restore(self, state: Plain) -> None:
        self._model.restore(state["model"])
        self._stack.restore(state["stack"])
        self._links.restore(state["links"])
        self._rows, self._path = unpack(state["rows"]), state["path"]
        self._sum, self._pages = state["base"]
        self._seeds = set(state["seeds"])
        self.stale = state["stale"]

    def _neutral(self) -> Numbers:
        """What is known of a link of which nothing is known any more."""
        rates = {"bias": 1.0, **dict.fromkeys(("vote_ratio", "sib_mean", "near", "tag", "host", "dir"), self.base)}
        return np.array([rates.get(name, 0.0) for name in FEATURES])

    def _learn(self, vector: Vector, p: float, row: Numbers | None) -> None:
        self._sum, self._pages = self._sum + p, self._pages + 1
        self._model.watch(vector)
        if row is not None:
            self._stack.add(row, p)
            if p < 0.3 and row @ self._stack.weights < np.log(0.3 / 0.7):
                self._model.refuse(vector)
        if self._pages % self.refit == 0:
            self._model.refit()

    def _meet(self, page: Page, p: float, path: float) -> list[Link]:
        """Note the page's links as evidence, and answer them at their first prices."""
        links = page.links
        if not links:
            return []
        anchors = self._likeness([[stem for stem in self._words.stems(link.anchor) if stem] for link in links])
        contexts = self._contexts(page)
        addresses = self._likeness([self._address(link.url) for link in links])
        slots, tags = [], []
        for link, likeness in zip(links, addresses.tolist(), strict=True):
            directory = link.url.rpartition("/")[0]
            slots.append(self._links.slot(link.url, host_of(link.url), directory, likeness))
            tags.append(self._links.tags.number(link.tag))
        self._links.page(p, path, slots, tags, anchors, contexts)
        return [link.priced(0.0) for link in links]

    def _address(self, url: str) -> list[str]:
        path = url.split("/", 3)[-1]
        return [stem for stem in self._words.stems(" ".join(_WORD.findall(path))) if stem]

    def _likeness(self, texts: Sequence[Sequence[str]]) -> Numbers:
        """c·idf·text / |text|, the best topic's, for each text."""
        sizes = np.array([len(text) for text in texts])
        ids = self._model.ids.of(stem for text in texts for stem in text)
        if not len(ids) or not len(self._model.gains):
            return np.zeros(len(texts))
        ends = np.cumsum(sizes)
        return self._windows(ids, ends - sizes, ends)

    def _contexts(self, page: Page) -> Numbers:
        if not page.words or not len(self._model.gains):
            return np.zeros(len(page.links))
        words = [n for n, stem in enumerate(page.words) if stem]
        ids = self._model.ids.of(page.words[n] for n in words)
        places = np.array([link.at for link in page.links])
        sizes = np.array([link.anchor.count(" ") + 1 if link.anchor else 0 for link in page.links])
        starts = np.searchsorted(words, places - CONTEXT)
        ends = np.searchsorted(words, places + sizes + CONTEXT)
        return self._windows(ids, starts, ends)

    def _windows(self, ids: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Numbers:
        gains = np.concatenate(
            [np.zeros((len(self._model.gains), 1)), np.cumsum(self._model.gains[:, ids], axis=1)], axis=1
        )
        lengths = np.concatenate([[0.0], np.cumsum(self._model.idf[ids] ** 2)])
        found = (gains[:, ends] - gains[:, starts]).max(axis=0)
        length = np.sqrt(np.maximum(lengths[ends] - lengths[starts], 1e-9))
        return np.where(ends > starts, found / length, 0.0)
