"""What goes between the process that decides and those that fetch: links out, pages home, in few and flat pieces.

A page is tens of kilobytes and thousands of words, and one process unpacks all of them. So the text travels in UTF-8,
terms as one string, words as the numbers of the terms, all to be taken apart when somebody asks for them, links as
columns, and the link a page came home for not at all: who sent it out still has it. What is long is not even copied
into a message: a parcel is pieces, the first of which tells of the rest. Nothing that arrives is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import msgspec

from pinakes.core.page import Fetched, Link, Member, Page, distance_below, filled, in_utf8, utf8_of
from pinakes.text.joined import JoinedTerms
from pinakes.text.numbered import NumberedWords

_SIZE = 4
"""Bytes that tell how long the first piece of a parcel is."""


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


class _Label(msgspec.Struct, array_like=True, frozen=True):
    """The first piece of a parcel: a `Fetched` without what is long, and how long that is."""

    sizes: tuple[int, int, int, int, int]
    """Of text, words, terms, counts and head, which follow in this order."""
    members: list[tuple[str, str, int]]
    """Kind, address and size of the members of its record, which follow then."""
    number: int
    url: str
    status: int
    type: str
    title: str
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
    digest: str
    hop: str
    retry_at: float
    host_delay: float | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Label).decode


def packed(number: int, fetched: Fetched) -> list[bytes | memoryview]:
    """What came home, as the pieces of a parcel."""
    page, record = fetched.page, fetched.record
    links, terms = page.links, JoinedTerms.of(page.terms)
    columns = tuple(map(list, zip(*links, strict=True)))[:7] if links else ((),) * 7
    text, words = utf8_of(page), NumberedWords.of(page.words, page.terms).numbers
    spelled = terms.joined.encode("utf-8", "replace")
    label = encoded(
        (
            (len(text), len(words), len(spelled), len(terms.counts), len(fetched.head)),
            [(member.kind, member.url, len(member.data)) for member in record],
            number,
            page.url,
            page.status,
            page.type,
            page.title,
            columns,
            page.error,
            page.language,
            page.canonical,
            tuple(page.robots),
            page.etag,
            page.modified,
            page.fetched_at,
            page.fingerprint,
            fetched.digest,
            fetched.hop,
            fetched.retry_at,
            fetched.host_delay,
        )
    )
    size = len(label).to_bytes(_SIZE, "little")
    members = [member.data for member in record]
    return [size, label, text, words, spelled, terms.counts, fetched.head, *members]


def unpacked(data: bytes | memoryview, link_of: Callable[[int], Link | None]) -> tuple[int, Fetched | None]:
    """What came home and under which number; None when nobody waits for it any more. Text and words stay where they
    are, as most pages' do until they are forgotten."""
    whole = memoryview(data)
    at = _SIZE + int.from_bytes(whole[:_SIZE], "little")
    label = _decode(whole[_SIZE:at])
    link = link_of(label.number)
    if link is None:
        return label.number, None
    text, words, spelled, counts, head = _cut(whole, at, label.sizes)
    sizes = [size for _, _, size in label.members]
    members = _cut(whole, len(whole) - sum(sizes), sizes)
    terms = JoinedTerms(str(spelled, "utf-8"), bytes(counts))
    page = Page(
        link,
        label.url,
        label.status,
        label.type,
        label.title,
        in_utf8(text),
        NumberedWords(words, terms),
        terms,
        _links(label, link),
        label.error,
        label.language,
        label.canonical,
        frozenset(label.robots),
        label.etag,
        label.modified,
        label.fetched_at,
        label.fingerprint,
    )
    record = [Member(kind, url, bytes(piece)) for (kind, url, _), piece in zip(label.members, members, strict=True)]
    return label.number, Fetched(
        page, tuple(record), label.digest, bytes(head), label.hop, label.retry_at, label.host_delay
    )


def _cut(whole: memoryview, at: int, sizes: Sequence[int]) -> list[memoryview]:
    """Pieces of these sizes that follow each other."""
    return [whole[at : (at := at + size)] for size in sizes]


def _links(label: _Label, link: Link) -> tuple[Link, ...]:
    same = (label.url, link.depth + 1, distance_below(link), 0.0, "", ())
    return tuple(map(filled, zip(*label.links, *map(repeat, same), strict=False)))


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
