"""What a library has announced to harvesters: a record a page, dated by when what is told of it last changed.

Deletions are remembered for good, so `announced.db` is no index that could be made anew: it is kept beside the
catalogue. `roll` brings it to the catalogue's state; the catalogue is read as anyone may read it, no crawl waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.formats.dublin_core import record as dublin_core
from pinakes.library.items import Items
from pinakes.library.library import Library
from pinakes.library.twins import copies_of

PORTION = 1000
TABLES = """
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL,
    stamp INTEGER NOT NULL, deleted INTEGER NOT NULL, digest BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS records_stamp ON records (stamp, id);
CREATE TABLE IF NOT EXISTS sets (spec TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
    shown INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (record INTEGER NOT NULL, spec TEXT NOT NULL,
    PRIMARY KEY (record, spec)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS members_spec ON members (spec, record);
"""
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Announcement:
    """One record's header."""

    id: int
    key: str
    """The same for an address for ever."""
    url: str
    stamp: int
    """Seconds since 1970."""
    deleted: bool
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records are asked for: dates are inclusive, a set holds the sets below it."""

    since: int = 0
    until: int = 1 << 40
    set: str = ""


@dataclass(frozen=True, slots=True)
class AnnouncedSet:
    """A collection, as harvesters know it."""

    spec: str
    name: str
    description: str


class Announced:
    """The announcements of one library. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._connection = sqlite3.connect(folder / "announced.db", timeout=30.0)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            raise PinakesError(
                f"{folder / 'announced.db'} cannot be opened ({error}); OAI-PMH remembers deletions there, "
                "so the library's folder must be writable."
            ) from None

    def close(self) -> None:
        self._connection.close()

    def lasting(self, key: str, first: str = "") -> str:
        """A value settled when it was first asked for."""
        with self._connection:
            sql = "INSERT OR IGNORE INTO state VALUES (?, ?)"
            self._connection.execute(sql, (key, first or secrets.token_hex(32)))
        return str(self._value(key))

    def earliest(self) -> int:
        return int(self._connection.execute("SELECT min(stamp) FROM records").fetchone()[0] or time.time())

    def one(self, key: str) -> Announcement | None:
        sql = "SELECT id, key, url, stamp, deleted FROM records WHERE key = ?"
        row = self._connection.execute(sql, (key,)).fetchone()
        return self._announcement(row) if row else None

    def some(self, wanted: Selection, after: tuple[int, int], n: int) -> list[Announcement]:
        """The next records in the order of their dates, from a place on: one that changes meanwhile comes again later,
        none is passed over."""
        stamp, number = max(after, (wanted.since, 0))
        rows: list[tuple[int, str, str, int, int]] = []
        # What has the date reached, then what is later: asked together, SQLite begins again with that date's first.
        for where, values in (("stamp = ? AND id > ?", (stamp, number)), ("stamp > ?", (stamp,))):
            within, more = _within(wanted)
            rows += self._connection.execute(
                f"SELECT id, key, url, stamp, deleted FROM records WHERE {where} AND {within}"
                " ORDER BY stamp, id LIMIT ?",
                (*values, *more, n - len(rows)),
            ).fetchall()
        return [self._announcement(row) for row in rows]

    def count(self, wanted: Selection) -> int:
        within, values = _within(wanted)
        sql = f"SELECT count(*) FROM records WHERE stamp >= ? AND {within}"
        return int(self._connection.execute(sql, (wanted.since, *values)).fetchone()[0])

    def sets(self) -> list[AnnouncedSet]:
        sql = "SELECT spec, name, description FROM sets WHERE shown ORDER BY spec"
        return [AnnouncedSet(*row) for row in self._connection.execute(sql)]

    def _announcement(self, row: tuple[int, str, str, int, int]) -> Announcement:
        number, key, url, stamp, deleted = row
        sets = self._connection.execute("SELECT spec FROM members WHERE record = ? ORDER BY spec", (number,))
        return Announcement(number, key, url, stamp, bool(deleted), tuple(spec for (spec,) in sets))

    # -- keeping up ---------------------------------------------------------------------------------------------

    def roll(self, seconds: float = 2.0) -> bool:
        """Announce what the catalogue tells since; False when there was more than could be done in that time."""
        with (self._folder / "index" / "announced.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False  # whoever has it is doing the very same
            with Library(self._folder) as library:
                return self._roll(library, time.monotonic() + seconds)

    def _roll(self, library: Library, until: float) -> bool:
        mark, last, built, harvested = library.connection.execute(
            "SELECT (SELECT value FROM meta WHERE key = 'library'), (SELECT coalesce(max(id), 0) FROM visits),"
            " (SELECT coalesce(max(built), 0.0) || '/' || count(*) FROM collections),"
            " (SELECT coalesce(max(crawl), 0) || '/' || count(*) FROM harvest_copies)"
        ).fetchone()
        known = msgspec.json.decode(self._value("rolled") or '["", 0, "", ""]')
        if known == [mark, last, built, harvested]:
            return True
        if known[0] != mark or known[1] > last:
            # Another library's, or of a time after the backup this catalogue was restored from.
            for urls in self._portions("SELECT id, url FROM records WHERE id > ? ORDER BY id LIMIT ?"):
                self._announce(library, urls)
            known = [mark, 0, "", ""]
        while known[1] < last:
            rows = library.connection.execute(
                "SELECT id, final, crawl FROM visits WHERE id > ? AND id <= ? AND page IS NOT NULL ORDER BY id LIMIT ?",
                (known[1], last, PORTION),
            ).fetchall()
            known[1] = rows[-1][0] if len(rows) == PORTION else last
            came = [one for _, url, crawl in rows for one in (url, *copies_of(library.connection, crawl, url))]
            self._announce(library, dict.fromkeys(came), known)
            if time.monotonic() > until and known[1] < last:
                return False
        if known[2] != built:
            self._name_sets(library.connection)
            self._announce(library, self._collected(library.connection))
        if known[3] != harvested:
            self._announce(library, dict(library.connection.execute("SELECT DISTINCT url, 0 FROM harvest_copies")))
        self._announce(library, (), [mark, last, built, harvested])
        return True

    def _portions(self, sql: str) -> Iterator[list[str]]:
        last = 0
        while rows := self._connection.execute(sql, (last, PORTION)).fetchall():
            last = rows[-1][0]
            yield [url for _, url in rows]

    def _collected(self, catalogue: sqlite3.Connection) -> dict[str, None]:
        """Addresses that stand in a collection, or stood in one when last announced."""
        urls = dict.fromkeys(url for (url,) in catalogue.execute("SELECT DISTINCT url FROM entries"))
        before = "SELECT DISTINCT url FROM records JOIN members ON record = id"
        return urls | dict.fromkeys(url for (url,) in self._connection.execute(before))

    def _announce(self, library: Library, urls: Collection[str], state: list[object] | None = None) -> None:
        """Let the records say of these addresses what the catalogue says; dates change only where that does."""
        specs = dict(self._connection.execute("SELECT name, spec FROM sets WHERE shown"))
        changes = []
        asked = list(urls)
        for at in range(0, len(asked), PORTION):
            items = Items(library, asked[at : at + PORTION])
            for url in asked[at : at + PORTION]:
                item = items.at(url)
                sets = sorted({specs[topic] for topic in item.topics if topic in specs}) if item else []
                told = f"{dublin_core(item)}{sets}" if item else ""
                digest = hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=16).digest()
                row = self._connection.execute("SELECT digest FROM records WHERE key = ?", (key_of(url),)).fetchone()
                if (row and row[0] != digest) or (item and not row):
                    changes.append((key_of(url), url, item is None, digest, sets))
        with self._connection:
            # A second ahead: whoever has read up to now, before this is committed, will ask from now on the next time.
            stamp = int(time.time()) + 1
            for key, url, deleted, digest, sets in changes:
                number = self._connection.execute(
                    "INSERT INTO records (key, url, stamp, deleted, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key)"
                    " DO UPDATE SET stamp = excluded.stamp, deleted = excluded.deleted, digest = excluded.digest"
                    " RETURNING id",
                    (key, url, stamp, deleted, digest),
                ).fetchone()[0]
                if not deleted:  # a deleted record is told of to those who asked for its sets
                    self._connection.execute("DELETE FROM members WHERE record = ?", (number,))
                    members = [(number, spec) for spec in sets]
                    self._connection.executemany("INSERT INTO members VALUES (?, ?)", members)
            if state is not None:
                text = msgspec.json.encode(state).decode()
                self._connection.execute("INSERT OR REPLACE INTO state VALUES ('rolled', ?)", (text,))

    def _name_sets(self, catalogue: sqlite3.Connection) -> None:
        """A set for each collection, under the one above it; a name once given stays."""
        rows = catalogue.execute("SELECT name, parent, description FROM collections ORDER BY id").fetchall()
        parents = {name: parent for name, parent, _ in rows}
        with self._connection:
            self._connection.execute("UPDATE sets SET shown = 0")
            for name, _, description in rows:
                spec = self._spec(name, parents)
                sql = "UPDATE sets SET shown = 1, description = ? WHERE spec = ?"
                self._connection.execute(sql, (description, spec))

    def _spec(self, name: str, parents: dict[str, str]) -> str:
        chain = [name]
        while (parent := parents.get(chain[-1], "")) in parents and parent not in chain:
            chain.append(parent)
        above = ""
        for one in reversed(chain):
            row = self._connection.execute("SELECT spec FROM sets WHERE name = ?", (one,)).fetchone()
            above = str(row[0]) if row else self._new_spec(one, above)
        return above

    def _new_spec(self, name: str, above: str) -> str:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        base = _UNSAFE.sub("-", plain).strip("-").lower()[:60] or f"set-{key_of(name)[:8]}"
        base = f"{above}:{base}" if above else base
        spec, n = base, 1
        while self._connection.execute("SELECT 1 FROM sets WHERE spec = ?", (spec,)).fetchone():
            n += 1
            spec = f"{base}-{n}"
        self._connection.execute("INSERT INTO sets VALUES (?, ?, '', 1)", (spec, name))
        return spec

    def _value(self, key: str) -> str | None:
        row = self._connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None


def announced(folder: Path) -> closing[Announced]:
    return closing(Announced(folder))


def key_of(url: str) -> str:
    """What an address is called; no stranger can make two of the same name."""
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _within(wanted: Selection) -> tuple[str, tuple[object, ...]]:
    """Not too late, and of the set. That is looked up record by record: to gather a large set anew for each part of a
    list would cost its square."""
    if not wanted.set:
        return "stamp <= ?", (wanted.until,)
    # `;` is the sign after `:`, so that the range holds all sets below.
    member = "SELECT 1 FROM members WHERE record = id AND (spec = ? OR (spec >= ? AND spec < ?))"
    return f"stamp <= ? AND EXISTS ({member})", (wanted.until, wanted.set, f"{wanted.set}:", f"{wanted.set};")
