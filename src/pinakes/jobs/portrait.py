"""All that a library knows of a page it holds."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.formats.hashes import hash_of, unsigned
from pinakes.formats.item import clean, stamp
from pinakes.jobs.why import Step, path_of, was_looked_up
from pinakes.library.inlinks import InLinks
from pinakes.library.library import Library
from pinakes.library.twins import EMPTY
from pinakes.text.fingerprint import NEAR, blocks, hamming

MOST_LINKS = 100
MOST_TWINS = 20
LOOKED_AT = 500
"""Candidates for near-duplicates in one block."""
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page at the other end of a link, or one that says the same."""

    url: str
    title: str = ""
    """Its title, or the link's words where it was not fetched."""
    page: int | None = None
    """The library's number of it; None when it is not held."""
    differ: int = 0
    """Of near-duplicates: by how many of 64 bits."""


@dataclass(frozen=True, slots=True)
class InCollection:
    name: str
    rank: int
    merit: float


@dataclass(frozen=True, slots=True)
class AsPaper:
    """A harvested paper that this document is."""

    crawl: int
    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str
    doi: str
    status: str
    place: str
    confidence: float
    evidence: str


@dataclass(frozen=True, slots=True)
class Capture:
    page: int
    fetched: str
    status: int
    same: bool
    """Its payload is that of an earlier capture."""


@dataclass(frozen=True, slots=True)
class Portrait:
    page: int
    url: str
    title: str
    type: str
    language: str
    words: int
    status: int
    fetched: str
    modified: str
    """As the server said it."""
    canonical: str
    robots: str
    digest: str
    crawl: int
    outcome: str
    score: float
    nugget: bool
    topic: str
    twin: str
    """The page it was found to repeat."""
    scores: tuple[tuple[str, float], ...] = ()
    """Every topic's score, the best first."""
    path: tuple[Step, ...] = ()
    """From the seed to the page."""
    collections: tuple[InCollection, ...] = ()
    links_out: tuple[Neighbour, ...] = ()
    links_out_total: int = 0
    links_in: tuple[Neighbour, ...] = ()
    links_in_total: int = 0
    twins: tuple[Neighbour, ...] = ()
    papers: tuple[AsPaper, ...] = ()
    captures: tuple[Capture, ...] = ()
    looked_up: bool = False
    """The path begins at a page that a search or back-links led to, not at a seed."""


def portrait(library: Library, number: int, inlinks: InLinks | None = None) -> Portrait:
    """The page of a number; it may be an earlier capture of an address. `inlinks`: the library's own, open already."""
    connection = library.connection
    row = connection.execute(
        "SELECT url, title, type, language, words, status, fetched_at, modified, canonical, robots, digest, fingerprint"
        " FROM pages WHERE id = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise LookupError(f"The library holds no page {number}.")
    url, title, kind, language, words, status, fetched_at, modified, canonical, robots, digest, fingerprint = row
    visit = connection.execute(
        "SELECT id, crawl, outcome, score, nugget, topic, twin FROM visits WHERE url_hash = ? AND final = ?"
        " AND page IS NOT NULL ORDER BY page = ? DESC, id DESC LIMIT 1",
        (hash_of(url), url, number),
    ).fetchone() or (0, 0, "", 0.0, 0, "", "")
    path = path_of(connection, url, visit[1]) if visit[0] else ()
    out, out_total = _links_out(connection, number)
    into, into_total = _links_in(library, inlinks or InLinks(library.folder), url, number)
    return Portrait(
        number,
        url,
        clean(title, LONGEST),
        kind,
        clean(language, 20),
        words,
        status,
        stamp(fetched_at),
        clean(modified, 60),
        canonical,
        robots,
        digest,
        visit[1],
        visit[2],
        visit[3],
        bool(visit[4]),
        visit[5],
        visit[6],
        _scores(connection, visit[0], visit[5], visit[3]),
        path,
        _collections(connection, url),
        out,
        out_total,
        into,
        into_total,
        _twins(connection, number, url, digest, unsigned(fingerprint), visit[6]),
        _papers(connection, url),
        _captures(connection, url),
        was_looked_up(library, visit[1], path),
    )


def text_of(library: Library, number: int, longest: int = 20_000) -> str:
    """What a stored page says, without its markup; empty where it cannot be read."""
    try:
        return library.shelf.page(number).text[:longest]
    except PinakesError:
        return ""


def _scores(connection: sqlite3.Connection, visit: int, topic: str, score: float) -> tuple[tuple[str, float], ...]:
    rows = connection.execute("SELECT topic, score FROM verdicts WHERE visit = ? ORDER BY score DESC", (visit,))
    found = [(name, value) for name, value in rows]
    return tuple(found) if found else ((topic, score),) if topic or score else ()


def _links_out(connection: sqlite3.Connection, number: int) -> tuple[tuple[Neighbour, ...], int]:
    rows = connection.execute("SELECT url, anchor FROM links WHERE page = ? ORDER BY n", (number,)).fetchall()
    shown = rows[:MOST_LINKS]
    hashes = [hash_of(url) for url, _ in shown]
    sql = f"SELECT url, id, title FROM pages WHERE url_hash IN ({','.join('?' * len(hashes))}) ORDER BY id"
    held = {url: (page, title) for url, page, title in connection.execute(sql, hashes)} if hashes else {}
    found = []
    for url, anchor in shown:
        page, title = held.get(url, (None, ""))
        found.append(Neighbour(url, clean(anchor, LONGEST) or clean(title, LONGEST), page))
    return tuple(found), len(rows)


def _links_in(library: Library, inlinks: InLinks, url: str, number: int) -> tuple[tuple[Neighbour, ...], int]:
    total, pages = inlinks.of(url, MOST_LINKS)
    sql = f"SELECT url, title, id FROM pages WHERE id IN ({','.join('?' * len(pages))}) AND id != ? ORDER BY id"
    rows = library.connection.execute(sql, (*pages, number)) if pages else ()
    found = {address: Neighbour(address, clean(title, LONGEST), page) for address, title, page in rows}
    return tuple(found.values()), total if total > MOST_LINKS else len(found)


def _twins(
    connection: sqlite3.Connection, number: int, url: str, digest: str, fingerprint: int, told: str
) -> tuple[Neighbour, ...]:
    """Pages with the same payload, or nearly the same words, whichever crawl brought them."""
    differ: dict[int, int] = {}
    if digest and digest != EMPTY:
        sql = "SELECT id FROM pages WHERE digest_hash = ? AND digest = ? LIMIT ?"
        differ |= {row[0]: 0 for row in connection.execute(sql, (hash_of(digest), digest, LOOKED_AT))}
    crawls = [row[0] for row in connection.execute("SELECT id FROM crawls ORDER BY id DESC LIMIT 20")]
    for block in blocks(fingerprint) if fingerprint else ():
        for crawl in crawls:
            sql = "SELECT fingerprint, page FROM twins WHERE crawl = ? AND block = ? LIMIT ?"
            for other, page in connection.execute(sql, (crawl, block, LOOKED_AT)):
                if (bits := hamming(unsigned(other), fingerprint)) <= NEAR:
                    differ.setdefault(page, bits)
    found: dict[str, Neighbour] = {}
    if told and (
        held := connection.execute(
            "SELECT id, title FROM pages WHERE url_hash = ? AND url = ? ORDER BY id DESC LIMIT 1", (hash_of(told), told)
        ).fetchone()
    ):
        found[told] = Neighbour(told, clean(held[1], LONGEST), held[0], differ.get(held[0], 0))
    for page, bits in sorted(differ.items(), key=lambda pair: (pair[1], pair[0])):
        row = connection.execute("SELECT url, title FROM pages WHERE id = ?", (page,)).fetchone()
        if row and row[0] != url and len(found) < MOST_TWINS:
            found.setdefault(row[0], Neighbour(row[0], clean(row[1], LONGEST), page, bits))
    return tuple(found.values())


def _collections(connection: sqlite3.Connection, url: str) -> tuple[InCollection, ...]:
    rows = connection.execute(
        "SELECT name, rank, merit FROM entries JOIN collections ON collections.id = collection WHERE url = ?"
        " ORDER BY merit DESC",
        (url,),
    )
    return tuple(InCollection(*row) for row in rows)


def _papers(connection: sqlite3.Connection, url: str) -> tuple[AsPaper, ...]:
    rows = connection.execute(
        "SELECT papers.crawl, id, title, year, data, copies.status, place, confidence, evidence"
        " FROM harvest_copies AS copies JOIN harvest_papers AS papers"
        " ON papers.crawl = copies.crawl AND papers.n = copies.paper WHERE copies.url = ? ORDER BY papers.crawl DESC",
        (url,),
    )
    found = []
    for crawl, key, title, year, data, status, place, confidence, evidence in rows:
        more = msgspec.json.decode(data)
        authors = tuple(more["authors"])
        found.append(
            AsPaper(crawl, key, title, authors, year, more["venue"], more["doi"], status, place, confidence, evidence)
        )
    return tuple(found)


def _captures(connection: sqlite3.Connection, url: str) -> tuple[Capture, ...]:
    rows = connection.execute(
        "SELECT id, fetched_at, status, original IS NOT NULL FROM pages WHERE url_hash = ? AND url = ? ORDER BY id DESC"
        " LIMIT 50",
        (hash_of(url), url),
    )
    return tuple(Capture(page, stamp(at), status, bool(same)) for page, at, status, same in rows)
