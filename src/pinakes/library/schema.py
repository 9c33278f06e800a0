"""The catalogue's tables.

The frontier keeps its own tables in the same database, so that a batch of pages and the links that wait because
of them are committed together. Tables that grow with the crawl are appended to in order; the few indexes are one
small entry a page, never one a link.
"""

from __future__ import annotations

import sqlite3
import uuid

from pinakes.core.errors import PinakesError

VERSION = 2

LINKS = """
-- Links found on a stored page, in the order of the page: a JSON array of [url, anchor, rel], since a row each would
-- cost more than all else that is written for a page.
CREATE TABLE link_lists (page INTEGER PRIMARY KEY, list TEXT NOT NULL);
"""
VIEW = """
CREATE VIEW links (page, n, url, anchor, rel) AS SELECT
    page, key, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM link_lists, json_each(list);
"""
"""How the links of pages are read, one a row."""

TABLES = f"""{LINKS}
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row a crawl. `batch` numbers its commits; `outcomes` is JSON.
CREATE TABLE crawls (
    id INTEGER PRIMARY KEY, job TEXT NOT NULL, recipe TEXT NOT NULL, started REAL NOT NULL, ended REAL,
    stopped TEXT NOT NULL DEFAULT '', batch INTEGER NOT NULL DEFAULT 0, pages INTEGER NOT NULL DEFAULT 0,
    nuggets INTEGER NOT NULL DEFAULT 0, outcomes TEXT NOT NULL DEFAULT '{{}}', waiting INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0, strategy_seconds REAL NOT NULL DEFAULT 0, last TEXT NOT NULL DEFAULT '');

-- WARC files: bytes beyond `bytes` were never committed and are cut off on opening.
CREATE TABLE segments (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL);

-- What is stored: one row a capture, shared by all crawls. `original` names the capture whose payload this one repeats.
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, url_hash INTEGER NOT NULL, status INTEGER NOT NULL, type TEXT NOT NULL,
    title TEXT NOT NULL, words INTEGER NOT NULL, language TEXT NOT NULL, canonical TEXT NOT NULL, robots TEXT NOT NULL,
    etag TEXT NOT NULL, modified TEXT NOT NULL, fetched_at REAL NOT NULL, digest TEXT NOT NULL,
    digest_hash INTEGER NOT NULL, fingerprint INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, original INTEGER REFERENCES pages (id));
CREATE INDEX pages_url ON pages (url_hash);
CREATE INDEX pages_digest ON pages (digest_hash);

-- What came home, in order: the path data of a crawl (URL, score, parent, distance) and every outcome by name.
-- `url` is the address asked for, `final` where it led; `link` holds the link's remaining fields as JSON. `twin` is the
-- page that a duplicate repeats, and of a page that came home well the canonical one, where that came home later.
CREATE TABLE visits (
    id INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, batch INTEGER NOT NULL, at REAL NOT NULL, url TEXT NOT NULL,
    url_hash INTEGER NOT NULL, final TEXT NOT NULL, outcome TEXT NOT NULL, status INTEGER NOT NULL, page INTEGER,
    parent TEXT NOT NULL, depth INTEGER NOT NULL, distance INTEGER NOT NULL, price REAL NOT NULL, link TEXT NOT NULL,
    score REAL NOT NULL, topic TEXT NOT NULL, nugget INTEGER NOT NULL, twin TEXT NOT NULL DEFAULT '');
-- Whoever asks for an address within a crawl names visits_url: SQLite would rather go through the whole crawl.
CREATE INDEX visits_url ON visits (url_hash);
CREATE INDEX visits_crawl ON visits (crawl, id);
CREATE TABLE verdicts (visit INTEGER NOT NULL, topic TEXT NOT NULL, score REAL NOT NULL,
    PRIMARY KEY (visit, topic)) WITHOUT ROWID;

-- Near-duplicates: two texts within a few bits of each other share one of four blocks.
CREATE TABLE twins (crawl INTEGER NOT NULL, block INTEGER NOT NULL, fingerprint INTEGER NOT NULL,
    page INTEGER NOT NULL, PRIMARY KEY (crawl, block, fingerprint, page)) WITHOUT ROWID;

-- Links that will not be fetched, and why: `evicted`, `scope:` or `trap:` and the rule.
CREATE TABLE drops (crawl INTEGER NOT NULL, batch INTEGER NOT NULL, url TEXT NOT NULL, why TEXT NOT NULL);

-- What the strategy and the border were told since their last snapshot, in order; replayed on resume.
CREATE TABLE journal (id INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE snapshots (crawl INTEGER PRIMARY KEY, state TEXT NOT NULL);

-- Ranked collections, one a topic: the crawl that last added to it, and what its centroid goes by (JSON).
CREATE TABLE collections (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, parent TEXT NOT NULL, description TEXT NOT NULL,
    crawl INTEGER NOT NULL, built REAL NOT NULL, terms TEXT NOT NULL);
-- Its pages, best first. `page` is missing for a document that was met but not read; `path` is JSON, seed first.
CREATE TABLE entries (
    collection INTEGER NOT NULL, rank INTEGER NOT NULL, url TEXT NOT NULL, merit REAL NOT NULL, score REAL NOT NULL,
    nugget INTEGER NOT NULL, title TEXT NOT NULL, snippet TEXT NOT NULL, language TEXT NOT NULL, date TEXT NOT NULL,
    page INTEGER, crawl INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY (collection, rank)) WITHOUT ROWID;

-- The papers a harvest was for and what became of each (003); `data` is JSON. One row a paper and crawl.
CREATE TABLE harvest_papers (crawl INTEGER NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
    year INTEGER, status TEXT NOT NULL, why TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (crawl, n)) WITHOUT ROWID;
-- Documents that are one of them: `page` is the stored capture.
CREATE TABLE harvest_copies (crawl INTEGER NOT NULL, paper INTEGER NOT NULL, url TEXT NOT NULL, page INTEGER,
    status TEXT NOT NULL, place TEXT NOT NULL, confidence REAL NOT NULL, evidence TEXT NOT NULL,
    PRIMARY KEY (crawl, paper, url)) WITHOUT ROWID;
-- What was learnt about a person when their homepage was last looked for, as JSON, so that nobody is asked for twice.
CREATE TABLE harvest_people (name TEXT PRIMARY KEY, looked REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;

-- How the crawl went over time (000 §5.4).
CREATE TABLE samples (crawl INTEGER NOT NULL, batch INTEGER NOT NULL, pages INTEGER NOT NULL, nuggets INTEGER NOT NULL,
    waiting INTEGER NOT NULL, seconds REAL NOT NULL);
"""

INDEXES = {"entries_url": "entries", "harvest_copies_url": "harvest_copies"}
"""Indexes of addresses, with the table of each, that came later: a library gets them when it is next written."""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty database."""
    connection.executescript(f"BEGIN; {TABLES} {VIEW} {_indexes()} COMMIT;")
    with connection:
        mark = f"pinakes-library-{uuid.uuid4()}"
        connection.executemany("INSERT INTO meta VALUES (?, ?)", [("version", str(VERSION)), ("library", mark)])


def check(connection: sqlite3.Connection, name: str) -> str:
    """Refuse a database this version of Pinakes cannot read; answers the library's own mark."""
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('version', 'library')"))
        version = int(meta["version"])
        mark = str(meta["library"])
    except (sqlite3.DatabaseError, ValueError, KeyError) as error:
        message = f"{name} cannot be read as a Pinakes library ({error}); restore its catalogue.db from a backup."
        raise PinakesError(message) from None
    if version > VERSION:
        raise PinakesError(
            f"{name} was written by a newer Pinakes (library version {version}, this one reads {VERSION}); "
            "upgrade with: pip install -U pinakes"
        )
    return mark


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring an older library, opened for writing, to what this version writes."""
    (version,) = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    if int(version) >= VERSION:
        connection.executescript(_indexes())
        return
    # Version 1 had a row a link.
    connection.executescript(
        f"BEGIN; ALTER TABLE links RENAME TO link_rows; {LINKS} {VIEW}"
        "INSERT INTO link_lists SELECT page, json_group_array(json_array(url, anchor, rel))"
        " FROM (SELECT * FROM link_rows ORDER BY page, n) GROUP BY page;"
        f"DROP TABLE link_rows; UPDATE meta SET value = '{VERSION}' WHERE key = 'version'; {_indexes()} COMMIT;"
    )


def _indexes() -> str:
    return "".join(f"CREATE INDEX IF NOT EXISTS {name} ON {table} (url);" for name, table in INDEXES.items())
