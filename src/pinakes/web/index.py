"""The index of a frozen web, open for reading: addresses, parsed pages, links and postings, shared by processes.

Addresses are numbered, those of pages first, so that a page's number is its row in every column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from pinakes.core.page import Link, Page, distance_below
from pinakes.web import columns
from pinakes.web.parsing import Strings

INDEX_VERSION = 1
NO_ADDRESS = -1
_decode = msgspec.msgpack.Decoder(Strings).decode


@dataclass(frozen=True, slots=True)
class WebInfo:
    """What a frozen web holds."""

    records: Mapping[str, int]
    """WARC records by kind."""
    pages: int
    redirects: int
    errors: Mapping[str, int]
    """Addresses recorded as failing, by the outcome's name."""
    hosts: int
    links_inside: int
    """Links on pages that lead to a page of this web, through redirects if need be."""
    links_outside: int
    types: Mapping[str, int]
    languages: Mapping[str, int]
    first: float
    """The oldest recording, in seconds since 1970."""
    last: float
    damage: tuple[str, ...]
    """A sentence for each place in the files that could not be read."""
    files: tuple[str, ...] = ()
    size: int = 0
    """Bytes of all files."""


class Index:
    """One web's index."""

    def __init__(self, folder: Path) -> None:
        self.addresses: list[str] = _load(folder / "addresses", list[str])
        self.numbers = {url: number for number, url in enumerate(self.addresses)}
        self.hops: dict[int, str] = _load(folder / "hops", dict[int, str])
        self.info: WebInfo = _load(folder / "info", WebInfo)
        self.pages = self.info.pages
        self.stems: list[str] = _load(folder / "stems", list[str])
        self.titles: list[str] = _load(folder / "titles", list[str])
        self.places = columns.read(folder, "places", np.int64).reshape(-1, 4)
        self.dates = columns.read(folder, "dates", np.float64)
        self.final = columns.read(folder, "final", np.int64)
        self.words = columns.read_ragged(folder, "words", np.uint32)
        self.out = columns.read_ragged(folder, "out", np.uint32)
        self.inward = columns.read_ragged(folder, "in", np.uint32)
        self.postings = columns.read_ragged(folder, "postings", np.uint32)
        self.weights = columns.read(folder, "weights", np.float32)
        self.lengths = columns.read(folder, "lengths", np.float32)
        self._tags: list[str] = _load(folder / "tags", list[str])
        self._terms = columns.read_ragged(folder, "terms", np.uint32)
        self._counts = columns.read(folder, "counts", np.uint32)
        self._links = columns.read_ragged(folder, "links", np.uint32)
        self._outside = columns.read_ragged(folder, "outside", np.uint8)
        self._strings = columns.read_ragged(folder, "strings", np.uint8)
        # Arrays of objects hand out many shared strings at once: faster than making them, and they hash only once.
        self._stem = np.array(self.stems, object)

    def strings(self, number: int) -> Strings:
        return _decode(self._strings[number].data)

    def page(self, number: int, link: Link, status: int) -> Page:
        """A page as parsed, for `link`."""
        found = self.strings(number)
        url = self.addresses[number]
        start, end = self._terms.bounds[number], self._terms.bounds[number + 1]
        return Page(
            link=link,
            url=url,
            status=status,
            type=found.type,
            title=found.title,
            text=found.text,
            words=tuple(self._stem[self.words[number]].tolist()),
            terms=dict(
                zip(self._stem[self._terms.values[start:end]].tolist(), self._counts[start:end].tolist(), strict=True)
            ),
            links=self._page_links(number, found, url, link),
            error=found.error,
            language=found.language,
            canonical=found.canonical,
            robots=frozenset(found.robots),
            etag=found.etag,
            modified=found.modified,
            fetched_at=float(self.dates[number]),
            fingerprint=found.fingerprint,
        )

    def _page_links(self, number: int, found: Strings, url: str, link: Link) -> tuple[Link, ...]:
        targets, at, tags, rels = self._links[number].reshape(-1, 4).T.tolist()
        names, tag = self.addresses, self._tags
        count = len(names)
        outside = self._outside[number].tobytes().decode().split("\n")
        return tuple(
            map(
                Link,
                [names[target] if target < count else outside[target - count] for target in targets],
                found.anchors,
                found.before,
                found.after,
                at,
                [tag[place] for place in tags],
                [tag[place] for place in rels],
                repeat(url),
                repeat(link.depth + 1),
                repeat(distance_below(link)),
            )
        )


def _load(path: Path, kind: Any) -> Any:
    return msgspec.msgpack.decode(path.read_bytes(), type=kind)
