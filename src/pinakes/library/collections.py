"""The ranked collections of a library: what a topic's crawl came to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class Entry:
    """One page of a collection."""

    url: str
    merit: float
    """How much it belongs here, in [0, 1]: what the collection is ranked by."""
    title: str
    score: float = 0.0
    """Its correlation with the topic's centroid."""
    nugget: bool = True
    snippet: str = ""
    language: str = ""
    date: str = ""
    """When it was last changed by its own word, else when it was fetched: YYYY-MM-DD."""
    page: int | None = None
    """The library's number of the stored page; None for a document that was met but not read."""
    crawl: int = 0
    path: tuple[str, ...] = ()
    """Addresses from the seed to the page."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A topic's pages, best first."""

    name: str
    parent: str = ""
    description: str = ""
    crawl: int = 0
    """The crawl that last added to it."""
    built: float = 0.0
    terms: tuple[str, ...] = ()
    """The strongest words of its centroid."""
    entries: tuple[Entry, ...] = ()


def save_collections(connection: sqlite3.Connection, collections: Iterable[Collection]) -> None:
    """Put collections in place of those of the same names, all or none; others stay."""
    with connection:
        for one in collections:
            row = connection.execute("SELECT id FROM collections WHERE name = ?", (one.name,)).fetchone()
            values = (one.parent, one.description, one.crawl, one.built, msgspec.json.encode(one.terms).decode())
            if row:
                number = row[0]
                connection.execute("DELETE FROM entries WHERE collection = ?", row)
                sql = "UPDATE collections SET parent = ?, description = ?, crawl = ?, built = ?, terms = ? WHERE id = ?"
                connection.execute(sql, (*values, number))
            else:
                sql = (
                    "INSERT INTO collections (parent, description, crawl, built, terms, name) VALUES (?, ?, ?, ?, ?, ?)"
                )
                number = connection.execute(sql, (*values, one.name)).lastrowid
            connection.executemany(
                "INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                [_row(number, rank, entry) for rank, entry in enumerate(one.entries, 1)],
            )


def load_collections(connection: sqlite3.Connection) -> list[Collection]:
    """All collections of a library, in the order of their topics."""
    rows = connection.execute("SELECT id, name, parent, description, crawl, built, terms FROM collections ORDER BY id")
    return [
        Collection(name, parent, description, crawl, built, tuple(msgspec.json.decode(terms)), _entries(connection, n))
        for n, name, parent, description, crawl, built, terms in list(rows)
    ]


def as_tree(collections: Sequence[Collection]) -> list[tuple[int, str, Collection | None]]:
    """Depth, name and collection in the order of the hierarchy; a parent nobody collected has no collection."""
    by_name = {one.name: one for one in collections}
    children: dict[str, list[str]] = {}
    for one in collections:
        parent = one.parent if one.parent != one.name else ""
        if parent and parent not in by_name and parent not in children.get("", ()):
            children.setdefault("", []).append(parent)
        children.setdefault(parent, []).append(one.name)
    found: list[tuple[int, str, Collection | None]] = []
    seen: set[str] = set()

    def walk(name: str, depth: int) -> None:
        if name in seen:
            return
        seen.add(name)
        found.append((depth, name, by_name.get(name)))
        for child in children.get(name, ()):
            walk(child, depth + 1)

    for name in [*children.get("", ()), *by_name]:
        walk(name, 0)
    return found


def _row(collection: int | None, rank: int, entry: Entry) -> tuple[object, ...]:
    path = msgspec.json.encode(entry.path).decode()
    return (
        collection, rank, entry.url, entry.merit, entry.score, entry.nugget, entry.title, entry.snippet,
        entry.language, entry.date, entry.page, entry.crawl, path,
    )  # fmt: skip


def _entries(connection: sqlite3.Connection, collection: int) -> tuple[Entry, ...]:
    decode = msgspec.json.decode
    rows = connection.execute(
        "SELECT url, merit, title, score, nugget, snippet, language, date, page, crawl, path FROM entries"
        " WHERE collection = ? ORDER BY rank",
        (collection,),
    )
    return tuple(
        Entry(url, merit, title, score, bool(nugget), snippet, language, date, page, crawl, tuple(decode(path)))
        for url, merit, title, score, nugget, snippet, language, date, page, crawl, path in rows
    )
