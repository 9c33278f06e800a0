"""A web of any size whose pages are made on the fly from a hash: no state, the same bytes every time.

Page number n belongs to the neighbourhood of topic n mod `topics`. A neighbourhood is made of rings: ring 0 is the
relevant core, every ring further out is larger, says less about the topic and lies one link further from the core.
A link stays in its neighbourhood with probability `locality`, going a ring inwards more often than outwards, so
that following what looks like the topic pays. Hubs have four times the links and point straight into the core.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import shake_128
from itertools import accumulate, islice, pairwise

from pinakes.core.page import Topic
from pinakes.testing import traps
from pinakes.testing.answer import Answer, of_error, of_html, of_redirect
from pinakes.testing.vocabulary import BACKGROUND, SENTENCE, TOPICS, Vocabulary

_BITS = 40
_MASK = (1 << _BITS) - 1
_FIRST, _SECOND = 0x9E3779B97F | 1, 0xBF58476D1D
_FIRST_BACK, _SECOND_BACK = pow(_FIRST, -1, 1 << _BITS), pow(_SECOND, -1, 1 << _BITS)
_LONG = (1 << 64) - 1
_FATES = ("not-found", "server-error", "reset", "stall", "redirect", "mirror", "page")
"""What can become of a page, in the order of `ProceduralWeb._fates`."""
_INWARDS, _SIDEWAYS = 102, 179
"""Of 256 links that stay, 102 lead a ring inwards, the next 77 along the ring, the others outwards."""


def _mix(number: int) -> int:
    """splitmix64: 64 well-mixed bits of a number."""
    x = (number + 0x9E3779B97F4A7C15) & _LONG
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _LONG
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _LONG
    return x ^ (x >> 31)


@dataclass(frozen=True)
class ProceduralWeb:
    """The parameters of a web; shares and probabilities are in [0, 1]."""

    seed: int = 0
    pages: int = 1_000_000
    hosts: int = 10_000
    skew: int = 1
    """1 gives hosts of equal size; 2, 3, … let ever fewer hosts have most of the pages."""
    topics: int = 50
    relevant_share: float = 0.1
    """Share of a neighbourhood that is relevant to its topic."""
    radius: int = 3
    """Rings round the core of a topic."""
    locality: float = 0.6
    """Probability that a link leads to a page of the same topic's neighbourhood."""
    links: int = 40
    """Mean links of a page that is not a hub."""
    spread: float = 0.5
    """How far the number of links and words of a page strays from the mean, as a share of it."""
    hubs: float = 0.02
    words: int = 300
    """Mean words of a page's own text, beside the words of its anchors."""
    latency: float = 0.0
    """Mean seconds until an answer; exponential, at most eight times the mean."""
    not_found: float = 0.0
    server_errors: float = 0.0
    resets: float = 0.0
    stalls: float = 0.0
    redirects: float = 0.0
    mirrors: float = 0.0
    """Share of pages that are another page's bytes under another host."""
    traps: float = 0.0
    """Probability that a page links into a trap: an endless calendar, or a shop with session ids."""

    def __post_init__(self) -> None:
        if not 2 <= self.topics <= TOPICS or self.hosts < 1 or self.skew < 1 or self.pages > _MASK:
            raise ValueError(f"a procedural web has 2 to {TOPICS} topics, hosts, and at most {_MASK} pages")
        if any(low >= high for low, high in pairwise(self._bounds)):
            raise ValueError(f"{self.pages} pages are too few for {self.topics} topics of {self.radius + 1} rings")
        if self._fates[-1] > 1:
            raise ValueError("the shares of errors, redirects and mirrors are more than 1 together")

    # Where things are

    def url(self, number: int) -> str:
        """The address of a page: its number scrambled, on the host that the scrambled number falls to."""
        x = ((number ^ self._key) * _FIRST) & _MASK
        x = ((x ^ (x >> 20)) * _SECOND) & _MASK
        x ^= x >> 20
        host = x
        for _ in range(self.skew - 1):
            host = host * x >> _BITS
        return f"http://h{host * self.hosts >> _BITS}.example/{x:010x}"

    def number(self, url: str) -> int | None:
        """The number of the page at an address, or None when there is none."""
        try:
            x = int(url[-10:], 16) & _MASK
        except ValueError:
            return None
        x = ((x ^ (x >> 20)) * _SECOND_BACK) & _MASK
        x = ((x ^ (x >> 20)) * _FIRST_BACK) & _MASK
        number = x ^ self._key
        return number if number < self.pages and self.url(number) == url else None

    @cached_property
    def _key(self) -> int:
        return _mix(self.seed) & _MASK

    @cached_property
    def _bounds(self) -> tuple[int, ...]:
        """Where the rings of a neighbourhood begin, and where the last one ends."""
        size = self.pages // self.topics
        rest = (1 - self.relevant_share) / (2**self.radius - 1) if self.radius else 0.0
        shares = (self.relevant_share, *(rest * 2**ring for ring in range(self.radius)))
        return (0, *(round(size * share) for share in accumulate(shares[:-1])), size)

    def _ring(self, number: int) -> int:
        return min(bisect_right(self._bounds, number // self.topics) - 1, self.radius)

    # What becomes of a page

    @cached_property
    def _fates(self) -> tuple[float, ...]:
        kinds = (self.not_found, self.server_errors, self.resets, self.stalls, self.redirects, self.mirrors)
        return tuple(accumulate(kinds))

    def _fate(self, number: int) -> str:
        luck = (_mix(number ^ self._key << 20) & 0xFFFFFFFF) / 2**32
        return _FATES[bisect_right(self._fates, luck)]

    def _neighbour(self, number: int) -> int:
        """The page before in the same neighbourhood; before the first comes the last."""
        before = number - self.topics
        return before if before >= 0 else (self._bounds[-1] - 1) * self.topics + number

    def original(self, number: int) -> int:
        """The page whose bytes a page shows: its own number unless it is a mirror."""
        if self._fate(number) != "mirror":
            return number
        source = self._neighbour(number)
        elsewhere = self.url(source).split("/", 3)[2] != self.url(number).split("/", 3)[2]
        return source if elsewhere and self._fate(source) == "page" else number

    def plain(self, number: int) -> bool:
        """True for a page that can be had and is no mirror."""
        return self._fate(number) in ("page", "mirror") and self.original(number) == number

    def answer(self, url: str) -> Answer:
        number = self.number(url)
        if number is None:
            trap = traps.answer(url)
            return trap if trap is not None and self.traps else of_error(404)
        delay = self._delay(number)
        match self._fate(number):
            case "not-found":
                return of_error(404, delay)
            case "server-error":
                return of_error(500, delay)
            case "redirect":
                return of_redirect(self.url(self._neighbour(number)), delay)
            case "reset" | "stall" as fault:
                return Answer(0, fault=fault, delay=delay)
        return of_html(self._html(self.original(number)), delay=delay)

    def _delay(self, number: int) -> float:
        if not self.latency:
            return 0.0
        return self.latency * min(-math.log1p(-(_mix(number ^ self._key << 16) >> 11) / 2**53), 8.0)

    # What a page says

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.seed)

    def html(self, url: str) -> bytes:
        """The page at an address as if nothing went wrong; empty when there is none."""
        number = self.number(url)
        return b"" if number is None else self._html(self.original(number))

    def _html(self, number: int) -> bytes:
        topic, ring = number % self.topics, self._ring(number)
        own, common = self.vocabulary.pool(topic), self.vocabulary.pool(BACKGROUND)
        character = _mix(number ^ self._key << 24)
        hub = (character & 0xFFFF) < self.hubs * 65536
        many = self._about(self.links, character >> 16 & 0xFFFF) * (4 if hub else 1)
        sentences = max(1, self._about(self.words / SENTENCE, character >> 32 & 0xFFFF))
        # One hash call makes all the random bits of a page: 64 for a link, 16 for a sentence.
        key = struct.pack("<QQ", self.seed & _LONG, number)
        bits = struct.unpack(f"<{many}Q{sentences}H", shake_128(key).digest(8 * many + 2 * sentences))

        strength = 10 >> ring  # of 16 sentences, so many are about the topic
        ours, theirs = own.fragments, common.fragments
        pieces = [ours[x >> 4 & 255] if (x & 15) < strength else theirs[x >> 4] for x in bits[many:]]
        for i, x in enumerate(bits[:many]):
            target, phrase = self._link(topic, ring, hub, x)
            pieces[i * sentences // many] += f' <a href="{self.url(target)}">{phrase}</a>'
        if character >> 48 < self.traps * 65536:
            pieces.append(f'<a href="{traps.entrance(character)}">{common.phrases[character & 63]}</a>')
        title = f"{(own if ring < 2 else common).phrases[character & 63]} {common.phrases[character >> 6 & 63]}"
        text = "</p>\n<p>".join(" ".join(pieces[i : i + 6]) for i in range(0, len(pieces), 6))
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><h1>{title}</h1>\n<p>{text}</p></body></html>\n"
        ).encode()

    def _about(self, mean: float, luck: int) -> int:
        return round(mean * (1 + self.spread * (luck / 32768 - 1)))

    def _link(self, topic: int, ring: int, hub: bool, bits: int) -> tuple[int, str]:
        """Where one link leads and what it is called."""
        where = (bits >> 32) / 2**32
        bounds = self._bounds
        if (bits & 0xFFFF) < self.locality * 65536:
            step = bits >> 16 & 255
            if hub:
                ring = 0
            elif step < _INWARDS:
                ring = max(ring - 1, 0)
            elif step >= _SIDEWAYS:
                ring = min(ring + 1, self.radius)
            low = bounds[ring]
            # Squared, so that some pages of a ring are far better known than others.
            place = low + int(where * where * (bounds[ring + 1] - low))
        else:
            topic = (topic + 1 + (bits >> 16 & 0xFFFF) % (self.topics - 1)) % self.topics
            place = int(where * bounds[-1])
            ring = min(bisect_right(bounds, place) - 1, self.radius)
        said = topic if (bits >> 40 & 15) < 14 >> ring else BACKGROUND
        return place * self.topics + topic, self.vocabulary.pool(said).phrases[bits >> 24 & 63]

    # What the generator knows

    def topic_of(self, url: str) -> int | None:
        """The topic whose neighbourhood a page lies in; None for traps and for addresses without a page."""
        number = self.number(url)
        return None if number is None else number % self.topics

    def ring_of(self, url: str) -> int | None:
        """How far from the relevant core a page lies."""
        number = self.number(url)
        return None if number is None else self._ring(number)

    def relevant(self, url: str, topic: int) -> bool:
        """True for a page of the topic's core that can be had; mirrors and redirects never count."""
        number = self.number(url)
        return number is not None and number % self.topics == topic and not self._ring(number) and self.plain(number)

    def collection(self, topic: int) -> Iterator[str]:
        """Every relevant page of a topic, the best known first."""
        return (self.url(n) for n in range(topic, self._bounds[1] * self.topics, self.topics) if self.plain(n))

    def examples(self, topic: int, n: int = 3) -> tuple[str, ...]:
        return tuple(islice(self.collection(topic), n))

    def seeds(self, n: int = 10, topic: int | None = None) -> tuple[str, ...]:
        """Pages of the outermost ring to start from, of one topic or of all in turn."""
        last, first = self._bounds[-1] * self.topics, self._bounds[-2] * self.topics
        step = 1 if topic is None else self.topics
        start = last - 1 if topic is None else last - self.topics + topic
        return tuple(islice((self.url(m) for m in range(start, first - 1, -step) if self.plain(m)), n))

    def topic(self, topic: int) -> Topic:
        """A topic in words: its commonest terms."""
        terms = self.vocabulary.pool(topic).terms
        return Topic(" ".join(terms[:2]), " ".join(terms[:20]))
