"""What goes between the process that decides and those that fetch: links out, pages home, in few and flat pieces.

A page is tens of kilobytes and thousands of words, and one process unpacks all of them. So terms travel as one string,
words as the numbers of the terms, both to be taken apart when somebody asks for them, links as columns, and the link a
page came home for not at all: who sent it out still has it. Everything is MessagePack of plain types; nothing that
arrives is run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import repeat
from typing import Any, cast

import msgspec

from pinakes.core.page import Fetched, Link, Member, Page, distance_below, filled
from pinakes.text.joined import JoinedTerms
from pinakes.text.numbered import NumberedWords

READY, FETCH, FETCHED, ASK, ANSWERED, TELL, FAILED, BROKEN = range(8)
"""Kinds of messages: the process is up; fetch a link; it came home; ask for a file, for a neighbour's sake; what was
answered; a sentence for the person; a mistake the person can mend; a mistake of ours."""
LONGEST = 256 << 20
"""No message is longer: a page is bounded, and so is what is made of it."""
_HEAD = 5


class Errand(msgspec.Struct, array_like=True, frozen=True):
    """What a fetching process needs to know of a link."""

    number: int
    url: str
    parent: str
    depth: int
    via: tuple[str, ...]
    etag: str
    modified: str

    @property
    def link(self) -> Link:
        return Link(self.url, parent=self.parent, depth=self.depth, via=self.via)


class Question(msgspec.Struct, array_like=True, frozen=True):
    """A file to ask for at a host that is another process's."""

    number: int
    url: str
    limit: int


class _Parcel(msgspec.Struct, array_like=True, frozen=True):
    """A `Fetched` as it travels."""

    number: int
    url: str
    status: int
    type: str
    title: str
    text: str
    words: bytes
    """As numbers of the terms."""
    terms: str
    """Joined."""
    counts: bytes
    """Of the terms."""
    links: tuple[list[str], list[str], list[str], list[str], list[int], list[str], list[str]]
    """Addresses, anchors, what stands before and after, places, paths, rels."""
    error: str
    language: str
    canonical: str
    robots: list[str]
    etag: str
    modified: str
    fetched_at: float
    fingerprint: int
    record: list[Member]
    digest: str
    head: bytes
    hop: str
    retry_at: float
    host_delay: float | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Parcel).decode


def packed(number: int, fetched: Fetched) -> bytes:
    """What came home, ready to travel."""
    page = fetched.page
    links, terms = page.links, JoinedTerms.of(page.terms)
    columns = tuple(map(list, zip(*links, strict=True)))[:7] if links else ((),) * 7
    parcel = (
        number,
        page.url,
        page.status,
        page.type,
        page.title,
        page.text,
        NumberedWords.of(page.words, page.terms).numbers,
        terms.joined,
        terms.counts,
        columns,
        page.error,
        page.language,
        page.canonical,
        tuple(page.robots),
        page.etag,
        page.modified,
        page.fetched_at,
        page.fingerprint,
        fetched.record,
        fetched.digest,
        fetched.head,
        fetched.hop,
        fetched.retry_at,
        fetched.host_delay,
    )
    return encoded(parcel)


def unpacked(data: bytes | memoryview, link_of: Callable[[int], Link | None]) -> tuple[int, Fetched | None]:
    """What came home and under which number; None when nobody waits for it any more."""
    parcel = _decode(data)
    link = link_of(parcel.number)
    if link is None:
        return parcel.number, None
    terms = JoinedTerms(parcel.terms, parcel.counts)
    page = Page(
        link,
        parcel.url,
        parcel.status,
        parcel.type,
        parcel.title,
        parcel.text,
        NumberedWords(parcel.words, terms),
        terms,
        _links(parcel, link),
        parcel.error,
        parcel.language,
        parcel.canonical,
        frozenset(parcel.robots),
        parcel.etag,
        parcel.modified,
        parcel.fetched_at,
        parcel.fingerprint,
    )
    return parcel.number, Fetched(
        page, tuple(parcel.record), parcel.digest, parcel.head, parcel.hop, parcel.retry_at, parcel.host_delay
    )


def _links(parcel: _Parcel, link: Link) -> tuple[Link, ...]:
    same = (parcel.url, link.depth + 1, distance_below(link), 0.0, "", ())
    return tuple(map(filled, zip(*parcel.links, *map(repeat, same), strict=False)))


def encoded(data: Any) -> bytes:
    try:
        return _encode(data)
    except UnicodeEncodeError:
        return _encode(_clean(msgspec.to_builtins(data)))  # a page may hold half a surrogate pair


def _clean(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode()
    if isinstance(data, dict):
        return {_clean(key): value for key, value in data.items()}
    return [_clean(item) for item in data] if isinstance(data, (list, tuple)) else data


class Channel(asyncio.Protocol):
    """Messages over a stream: a length, a kind, the rest."""

    def __init__(self, heard: Callable[[int, memoryview], None], lost: Callable[[], None]) -> None:
        self._heard, self._lost = heard, lost
        self._buffer: list[bytes] = []
        """The beginning of a message, in the pieces it came in."""
        self._size, self._wanted = 0, _HEAD
        """How long that is, and how long it must be for the message, or its head, to be there."""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's does not say that it is one

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()

    def data_received(self, data: bytes) -> None:
        if self._buffer:
            self._buffer.append(data)
            self._size += len(data)
            if self._size < self._wanted:
                return
            data = b"".join(self._buffer)
            self._buffer.clear()
        at, end, whole = 0, len(data), memoryview(data)
        while end - at >= _HEAD:
            size = int.from_bytes(data[at : at + 4], "little")
            if size > LONGEST:
                self.close()
                return
            self._wanted = _HEAD + size
            if end - at < self._wanted:
                break
            kind, at = data[at + 4], at + self._wanted
            self._heard(kind, whole[at - size : at])
        else:
            self._wanted = _HEAD
        if at < end:
            self._buffer.append(data[at:] if at else data)
            self._size = end - at

    def send(self, kind: int, data: bytes = b"") -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.writelines((len(data).to_bytes(4, "little") + bytes((kind,)), data))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
