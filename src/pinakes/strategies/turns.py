"""What several topics know of the links that wait their turn: a row of numbers each, and whose words its anchor has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import Brief, host_of
from pinakes.core.roles import Plain
from pinakes.models.centroid import Rarity
from pinakes.models.packing import pack, unpack
from pinakes.strategies.yields import Columns
from pinakes.text.topics import topic_vectors
from pinakes.text.words import Words

Numbers = NDArray[np.float64]

TOPIC, PRICE, NUMBER, TURN, HOST = range(FIELDS := 5)
"""The number of its topic, the strategy's own price, its place in the order of arrival, when it is due in a strategy
whose prices are all the same, and a hash of its host."""


class Waiting:
    """Rows of waiting links, the longest waiting first to be forgotten; row 0 is for those that are not known."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._free: list[int] = []
        self._rows = Columns(np.float64, FIELDS)
        self._rows.extend(0.0, 1)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, url: str) -> bool:
        return url in self._places

    def add(self, url: str, topic: int, price: float, number: int, turn: float) -> None:
        row = [topic, price, number, turn, host_number(host_of(url))]
        if self._free:
            place = self._free.pop()
            self._rows.all[:, place] = row
        else:
            place = self._rows.size
            self._rows.extend(np.array(row)[:, None], 1)
        self._places[url] = place

    def topic_of(self, url: str) -> int:
        return int(self._rows.all[TOPIC, self._places[url]])

    def raise_price(self, url: str, price: float) -> None:
        """The better price counts."""
        prices, place = self._rows.all[PRICE], self._places[url]
        prices[place] = max(prices[place], price)

    def drop(self, url: str) -> None:
        place = self._places.pop(url, None)
        if place is not None:
            self._free.append(place)

    def drop_oldest(self) -> None:
        self.drop(next(iter(self._places)))

    def rows(self, urls: Sequence[str]) -> Numbers:
        """The rows of addresses, one below the other."""
        places = np.fromiter(map(self._places.get, urls, repeat(0)), np.int64, len(urls))
        rows: Numbers = self._rows.all[:, places]
        return rows

    def state(self) -> Plain:
        places = list(self._places.values())
        return [list(self._places), pack(self._rows.all[:, places])]

    def restore(self, state: Plain) -> None:
        urls, rows = state
        self._places, self._free = {url: place for place, url in enumerate(urls, 1)}, []
        self._rows.replace(np.concatenate([np.zeros((FIELDS, 1)), unpack(rows)], axis=1))


class TopicWords:
    """How like each topic's words a text is: the cosine of the two, every word of the text by itself."""

    def __init__(self, brief: Brief) -> None:
        vectors = topic_vectors(brief)
        rarity = Rarity(vectors.values()) if len(vectors) > 1 else Rarity(())
        weighed: list[Mapping[str, float]] = [rarity.weigh(vector) for vector in vectors.values()]
        self._words = Words()
        self._places = {stem: n for n, stem in enumerate(dict.fromkeys(s for one in weighed for s in one), 1)}
        self._weights = np.zeros((len(self._places) + 1, len(weighed)))
        for number, vector in enumerate(weighed):
            self._weights[[self._places[stem] for stem in vector], number] = list(vector.values())
        self._weights /= np.maximum(np.sqrt((self._weights**2).sum(axis=0)), 1e-12)

    def likeness(self, texts: Sequence[str]) -> Numbers:
        """A row a text, a column a topic."""
        stems, starts = self._words.pieces(texts)
        places = np.fromiter(map(self._places.get, stems, repeat(0)), np.int64, len(stems))
        sums = np.zeros((len(stems) + 1, self._weights.shape[1]))
        np.cumsum(self._weights[places], axis=0, out=sums[1:])
        words = np.zeros(len(stems) + 1)
        np.cumsum(np.fromiter(map(bool, stems), np.float64, len(stems)), out=words[1:])
        ends = [*starts[1:], len(stems)]
        lengths = np.sqrt(np.maximum(words[ends] - words[starts], 1.0))
        likeness: Numbers = np.clip((sums[ends] - sums[starts]) / lengths[:, None], 0.0, 1.0)
        return likeness


def host_number(host: str) -> int:
    return crc32(host.encode())
