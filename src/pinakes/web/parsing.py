"""Recorded pages read and turned into columns, some at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import Link, Page
from pinakes.formats import http
from pinakes.formats.document import Reader
from pinakes.formats.warc_reader import Record, read_at
from pinakes.text.numbered import NumberedWords
from pinakes.text.words import Words


class Task(NamedTuple):
    """A recorded page to parse."""

    file: int
    offset: int
    length: int
    url: str
    at: float


class Strings(msgspec.Struct, array_like=True, frozen=True):
    """What of a page is neither number nor address."""

    type: str
    title: str
    text: str
    error: str
    language: str
    canonical: str
    robots: tuple[str, ...]
    etag: str
    modified: str
    fingerprint: int
    anchors: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


class Parsed(msgspec.Struct, array_like=True, frozen=True):
    """Some pages as columns. Words are numbers into `stems`, tags and rels into `tags`; arrays are 32-bit numbers."""

    stems: list[str]
    tags: list[str]
    words: bytes
    word_sizes: bytes
    terms: bytes
    counts: bytes
    weights: bytes
    """How often each term occurs with the title counted twice."""
    term_sizes: bytes
    links: bytes
    """Three numbers a link: at, tag, rel."""
    urls: list[str]
    link_sizes: bytes
    strings: bytes
    string_sizes: bytes
    titles: list[str]
    types: dict[str, int]
    languages: dict[str, int]


class _Numbers(dict[str, int]):
    """Numbers strings in the order of first meeting."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class Parser:
    """Reads recorded pages out of their files."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files: list[BinaryIO] = [file.open("rb") for file in files]
        self._reader = Reader()
        self._words = Words()

    def close(self) -> None:
        self._reader.close()
        for file in self._files:
            file.close()

    def page(self, task: Task) -> Page:
        link = Link(task.url)
        record = read_at(self._files[task.file], task.offset, task.length)
        if not isinstance(record, Record):
            return Page(link, task.url, error="unreadable")
        message = message_of(record)
        return self._reader.read(link, task.url, message.status, message.headers, http.content(message), task.at)

    def parse(self, tasks: Iterable[Task]) -> Parsed:
        return self.columns(map(self.page, tasks))

    def columns(self, pages: Iterable[Page]) -> Parsed:
        stems, tags = _Numbers(), _Numbers()
        words, terms, tallies, weights, links = _Column(), _Column(), _Column(), _Column(), _Column()
        strings, urls, titles = _Column(), list[str](), list[str]()
        types, languages = Counter[str](), Counter[str]()
        for page in pages:
            spoken = NumberedWords.of(page.words, page.terms)
            known = np.fromiter(map(stems.__getitem__, spoken.vocabulary), np.uint32)
            words.add(known[np.frombuffer(spoken.numbers, np.uint32)])
            terms.add(known[1:])
            tallies.add(page.terms.values())
            title = Words.counts(self._words.stems(page.title))
            weights.add(count + title.get(term, 0) for term, count in page.terms.items())
            links.add(number for link in page.links for number in (link.at, tags[link.tag], tags[link.rel]))
            urls += [link.url for link in page.links]
            strings.add(encoded(page))
            titles.append(page.title)
            if not page.error:
                types[page.type] += 1
                languages[page.language] += 1
        return Parsed(
            stems=list(stems),
            tags=list(tags),
            words=words.data(),
            word_sizes=words.sizes(),
            terms=terms.data(),
            counts=tallies.data(),
            weights=weights.data(),
            term_sizes=terms.sizes(),
            links=links.data(),
            urls=urls,
            link_sizes=(np.frombuffer(links.sizes(), np.uint32) // 3).tobytes(),
            strings=strings.data(),
            string_sizes=strings.sizes(),
            titles=titles,
            types=dict(types),
            languages=dict(languages),
        )


class _Column:
    """Rows of numbers, or of bytes, gathered one by one."""

    def __init__(self) -> None:
        self.rows: list[bytes] = []
        self._lengths: list[int] = []

    def add(self, row: Iterable[int] | NDArray[np.uint32] | bytes) -> None:
        if isinstance(row, bytes):
            self.rows.append(row)
            self._lengths.append(len(row))
        else:
            numbers = row if isinstance(row, np.ndarray) else np.fromiter(row, np.uint32)
            self.rows.append(numbers.tobytes())
            self._lengths.append(len(numbers))

    def data(self) -> bytes:
        return b"".join(self.rows)

    def sizes(self) -> bytes:
        return np.array(self._lengths, np.uint32).tobytes()


def encoded(page: Page) -> bytes:
    """The page's strings as bytes."""
    return msgspec.msgpack.encode(
        Strings(
            page.type,
            page.title,
            page.text,
            page.error,
            page.language,
            page.canonical,
            tuple(sorted(page.robots)),
            page.etag,
            page.modified,
            page.fingerprint,
            tuple(link.anchor for link in page.links),
            tuple(link.before for link in page.links),
            tuple(link.after for link in page.links),
        )
    )


def message_of(record: Record) -> http.Message:
    """The recorded answer; a resource record, which has no HTTP head, is given one."""
    if record.kind != "resource":
        return http.parse(record.block)
    kind = record.headers.get("content-type", "application/octet-stream")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode("utf-8", "replace")
    return http.Message(200, {"content-type": kind}, head, record.block)
