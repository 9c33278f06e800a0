"""Collections as one leafs through them: a few of their pages at a time, sorted and filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.page import host_of
from pinakes.formats.item import clean
from pinakes.library.library import Library

Order = Literal["merit", "date", "title", "host"]
ORDERS: dict[str, str] = {
    "merit": "rank", "date": "date DESC, rank", "title": "lower(title), rank",
    "host": "substr(url, instr(url, '//') + 2), rank",
}  # fmt: skip
MOST = 200
SHOWN = 3
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Card:
    """A collection at a glance."""

    name: str
    parent: str
    description: str
    crawl: int
    built: float
    pages: int
    terms: tuple[str, ...]
    """The strongest words of its centroid."""
    best: tuple[str, ...] = ()
    """The titles of its best pages."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of a collection."""

    rank: int
    url: str
    title: str
    merit: float
    score: float
    nugget: bool
    snippet: str
    language: str
    date: str
    host: str
    page: int | None
    """The library's number of it; None for a document that was met but not read."""
    steps: int
    """Links from the seed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pages of a collection, and in which order."""

    text: str = ""
    """Words that must all stand in the title, snippet or address."""
    host: str = ""
    language: str = ""
    order: Order = "merit"


@dataclass(frozen=True, slots=True)
class CollectionPart:
    """Some pages of a collection."""

    collection: Card
    total: int
    """How many pages are wanted; `entries` are some of them."""
    offset: int
    entries: tuple[Listed, ...]
    hosts: tuple[tuple[str, int], ...]
    languages: tuple[tuple[str, int], ...]
    most: float
    """The best merit in the collection."""


def cards(library: Library) -> tuple[Card, ...]:
    """All collections, in the order of their topics."""
    rows = library.connection.execute(
        "SELECT id, name, parent, description, crawl, built, terms,"
        " (SELECT count(*) FROM entries WHERE collection = collections.id) FROM collections ORDER BY id"
    ).fetchall()
    return tuple(_card(library, *row) for row in rows)


def part(library: Library, name: str, wanted: Wanted | None = None, n: int = 25, offset: int = 0) -> CollectionPart:
    """Some pages of a collection."""
    wanted = wanted or Wanted()
    if wanted.order not in ORDERS:
        raise PinakesError(f"Collections are not sorted by {wanted.order[:40]}; choose one of {', '.join(ORDERS)}.")
    row = library.connection.execute(
        "SELECT id, name, parent, description, crawl, built, terms,"
        " (SELECT count(*) FROM entries WHERE collection = collections.id) FROM collections WHERE name = ?",
        (name,),
    ).fetchone()
    if row is None:
        raise LookupError(f"There is no collection {clean(name, 100)}.")
    where, values = _where(row[0], wanted)
    connection = library.connection
    total = connection.execute(f"SELECT count(*) FROM entries WHERE {where}", values).fetchone()[0]
    entries = connection.execute(
        "SELECT rank, url, title, merit, score, nugget, snippet, language, date, page, path FROM entries"
        f" WHERE {where} ORDER BY {ORDERS[wanted.order]} LIMIT ? OFFSET ?",
        (*values, max(0, min(n, MOST)), max(0, offset)),
    ).fetchall()
    addresses = connection.execute("SELECT url, language FROM entries WHERE collection = ?", (row[0],)).fetchall()
    most = connection.execute("SELECT coalesce(max(merit), 0) FROM entries WHERE collection = ?", (row[0],)).fetchone()
    return CollectionPart(
        _card(library, *row),
        total,
        offset,
        tuple(_listed(*entry) for entry in entries),
        _counted([host_of(url) for url, _ in addresses]),
        _counted([language for _, language in addresses if language]),
        most[0],
    )


def _where(collection: int, wanted: Wanted) -> tuple[str, list[object]]:
    parts, values = ["collection = ?"], list[object]([collection])
    for word in wanted.text.lower().split()[:10]:
        parts.append("(instr(lower(title), ?) > 0 OR instr(lower(snippet), ?) > 0 OR instr(lower(url), ?) > 0)")
        values += [word] * 3
    if wanted.host:
        parts.append("substr(url, instr(url, '//') + 2, ?) = ?")
        values += [len(wanted.host) + 1, f"{wanted.host.lower()}/"]
    if wanted.language:
        parts.append("language = ?")
        values.append(wanted.language)
    return " AND ".join(parts), values


def _card(
    library: Library,
    number: int,
    name: str,
    parent: str,
    description: str,
    crawl: int,
    built: float,
    terms: str,
    pages: int,
) -> Card:
    rows = library.connection.execute(
        "SELECT title, url FROM entries WHERE collection = ? ORDER BY rank LIMIT ?", (number, SHOWN)
    )
    best = tuple(clean(title, LONGEST_TITLE) or url for title, url in rows)
    return Card(name, parent, description, crawl, built, pages, tuple(msgspec.json.decode(terms)), best)


def _listed(
    rank: int, url: str, title: str, merit: float, score: float, nugget: int, snippet: str, language: str, date: str,
    page: int | None, path: str,
) -> Listed:  # fmt: skip
    steps = max(0, len(msgspec.json.decode(path)) - 1)
    shown = clean(title, LONGEST_TITLE) or url
    return Listed(
        rank, url, shown, merit, score, bool(nugget), clean(snippet, 600), language, date, host_of(url), page, steps
    )


def _counted(names: list[str]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:50])
