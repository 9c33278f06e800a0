"""The waiting links on disk: tables in the library's own database, so that both commit together.

Rows are clustered in the order they are claimed, one queue a host where delays apply, so that a page's links lie
side by side and the best come from the front. A leased link keeps its row until it is settled: whatever was not
settled when the database is opened again simply waits. Nothing here begins, commits or rolls back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

from pinakes.core.page import Link
from pinakes.core.politeness import Rank
from pinakes.frontier.extras import pack, unpack
from pinakes.frontier.waiting import Entry

_TABLES = (
    """CREATE TABLE IF NOT EXISTS frontier_queues (
        queue INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, host TEXT NOT NULL, UNIQUE (crawl, host))""",
    """CREATE TABLE IF NOT EXISTS frontier_waiting (
        queue INTEGER NOT NULL, cost REAL NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, parent INTEGER NOT NULL,
        distance INTEGER NOT NULL, extra BLOB NOT NULL, PRIMARY KEY (queue, cost, seq)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS frontier_parents (parent INTEGER PRIMARY KEY, url TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS frontier_visited (
        crawl INTEGER NOT NULL, fingerprint INTEGER NOT NULL, PRIMARY KEY (crawl, fingerprint)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS frontier_state (crawl INTEGER PRIMARY KEY, stamp INTEGER NOT NULL)",
)
_FROM = "SELECT cost, seq, url, parent, distance, extra FROM frontier_waiting WHERE queue = ? AND (cost, seq) >= (?, ?)"
_KEY = "queue = ? AND cost = ? AND seq = ?"
_HOSTS = 1 << 17
_PARENTS = 1 << 14
"""How many of each are kept in mind; a page's links come together, so few parents are met again."""

Arrival = tuple[str, float, int, Link]
"""Host, cost, number and link of a new row."""
Move = tuple[float, int, int, str, float, int]
"""New cost, number and distance of a row; its queue's host, old cost and old number."""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables where they are missing."""
    for table in _TABLES:
        connection.execute(table)


class Rows:
    """One crawl's rows."""

    def __init__(self, connection: sqlite3.Connection, crawl: int) -> None:
        create(connection)
        self._db = connection
        self._crawl = crawl
        self._queues: dict[str, int] = {}
        self._parents: dict[str, int] = {"": 0}
        self._urls: dict[int, str] = {0: ""}

    def insert(self, arrivals: Iterable[Arrival]) -> None:
        rows = [
            (self._queue(host), cost, seq, link.url, self._parent(link.parent), link.distance, pack(link))
            for host, cost, seq, link in arrivals
        ]
        self._db.executemany("INSERT INTO frontier_waiting VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def move(self, moves: Iterable[Move]) -> None:
        """Change the rank and distance of rows, one after the other."""
        self._db.executemany(
            f"UPDATE frontier_waiting SET cost = ?, seq = ?, distance = ? WHERE {_KEY}",
            [(*move[:3], self._queue(move[3]), *move[4:]) for move in moves],
        )

    def delete(self, keys: Iterable[tuple[str, float, int]]) -> None:
        self._db.executemany(
            f"DELETE FROM frontier_waiting WHERE {_KEY}", [(self._queue(host), cost, seq) for host, cost, seq in keys]
        )

    def visit(self, fingerprints: Iterable[int]) -> None:
        rows = [(self._crawl, _signed(fingerprint)) for fingerprint in fingerprints]
        self._db.executemany("INSERT OR IGNORE INTO frontier_visited VALUES (?, ?)", rows)

    def since(self, host: str, rank: Rank, skip: Callable[[str], bool]) -> Iterator[Entry]:
        """A queue's entries from `rank` on, in order, but the addresses to `skip`. Nothing may be written meanwhile."""
        with closing(self._db.execute(f"{_FROM} ORDER BY cost, seq", (self._queue(host), *rank))) as rows:
            for row in rows:
                if not skip(row[2]):
                    cost, seq, url, parent, distance, packed = row
                    link = unpack(url, self._parent_url(parent), distance, -cost, packed)
                    yield [cost, seq, 0, link, host, 0.0, cost]

    def queues(self, queue_of: Callable[[str], str]) -> dict[str, Rank]:
        """Each queue that has rows, with the rank of its first.

        A crawl may go on with delays that was begun without, or the reverse: its rows then change queues.
        """
        heads = self._heads()
        wrong = [host for host, (url, *_) in heads.items() if queue_of(url) != host]
        for host in wrong:
            self._requeue(self._queue(host), queue_of)
        return {host: (cost, seq) for host, (_, cost, seq) in (self._heads() if wrong else heads).items()}

    def _heads(self) -> dict[str, tuple[str, float, int]]:
        first = "(SELECT cost, seq FROM frontier_waiting WHERE queue = q.queue ORDER BY cost, seq LIMIT 1)"
        rows = self._db.execute(
            "SELECT host, url, cost, seq FROM frontier_queues AS q JOIN frontier_waiting AS w "
            f"ON w.queue = q.queue AND (cost, seq) = {first} WHERE crawl = ?",
            (self._crawl,),
        )
        return {host: (url, cost, seq) for host, url, cost, seq in rows}

    def _requeue(self, queue: int, queue_of: Callable[[str], str]) -> None:
        some = "SELECT url, cost, seq FROM frontier_waiting WHERE queue = ? ORDER BY cost, seq LIMIT 50000"
        while rows := self._db.execute(some, (queue,)).fetchall():
            self._db.executemany(
                f"UPDATE frontier_waiting SET queue = ? WHERE {_KEY}",
                [(self._queue(queue_of(url)), queue, cost, seq) for url, cost, seq in rows],
            )

    def scan(self, size: int) -> Iterator[Sequence[tuple[str, float, int, int]]]:
        """Address, cost, number and distance of every row, `size` at a time."""
        cursor = self._db.execute(
            "SELECT url, cost, seq, distance FROM frontier_queues JOIN frontier_waiting USING (queue) WHERE crawl = ?",
            (self._crawl,),
        )
        with closing(cursor):
            while rows := cursor.fetchmany(size):
                yield rows

    def visited(self, size: int) -> Iterator[list[int]]:
        """Fingerprints of the addresses visited, `size` at a time."""
        cursor = self._db.execute("SELECT fingerprint FROM frontier_visited WHERE crawl = ?", (self._crawl,))
        with closing(cursor):
            while rows := cursor.fetchmany(size):
                yield [row[0] & (1 << 64) - 1 for row in rows]

    def stamp(self) -> int:
        """The mark left by a clean close, or 0."""
        row = self._db.execute("SELECT stamp FROM frontier_state WHERE crawl = ?", (self._crawl,)).fetchone()
        return 0 if row is None else int(row[0])

    def set_stamp(self, stamp: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO frontier_state VALUES (?, ?)", (self._crawl, stamp))

    def _queue(self, host: str) -> int:
        queue = self._queues.get(host)
        if queue is None:
            if len(self._queues) >= _HOSTS:
                self._queues.clear()
            row = self._db.execute(
                "SELECT queue FROM frontier_queues WHERE crawl = ? AND host = ?", (self._crawl, host)
            ).fetchone()
            if row is None:
                made = self._db.execute("INSERT INTO frontier_queues (crawl, host) VALUES (?, ?)", (self._crawl, host))
                row = (made.lastrowid,)
            queue = self._queues[host] = int(row[0])
        return queue

    def _parent(self, url: str) -> int:
        """The number of a parent's address. One met again after it was put out of mind gets a second number."""
        number = self._parents.get(url)
        if number is None:
            if len(self._parents) >= _PARENTS:
                self._parents = {"": 0}
            made = self._db.execute("INSERT INTO frontier_parents (url) VALUES (?)", (url,))
            number = self._parents[url] = int(made.lastrowid or 0)
        return number

    def _parent_url(self, number: int) -> str:
        url = self._urls.get(number)
        if url is None:
            if len(self._urls) >= _PARENTS:
                self._urls = {0: ""}
            row = self._db.execute("SELECT url FROM frontier_parents WHERE parent = ?", (number,)).fetchone()
            url = self._urls[number] = "" if row is None else str(row[0])
        return url


def _signed(fingerprint: int) -> int:
    return fingerprint - (1 << 64) if fingerprint >> 63 else fingerprint
