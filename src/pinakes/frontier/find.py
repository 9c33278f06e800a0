"""Looking a waiting link up, without opening the frontier: for explaining, while a crawl may be running."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class Found(NamedTuple):
    price: float
    ahead: int
    """How many waiting links have a better price, or the same one for longer."""


def find_waiting(connection: sqlite3.Connection, crawl: int, url: str) -> Found | None:
    """Where an address waits; a scan of the waiting links, since no index of addresses is kept."""
    queues = "queue IN (SELECT queue FROM frontier_queues WHERE crawl = ?)"
    sql = f"SELECT cost, seq FROM frontier_waiting WHERE {queues} AND url = ? ORDER BY cost, seq LIMIT 1"
    row = connection.execute(sql, (crawl, url)).fetchone()
    if row is None:
        return None
    sql = f"SELECT count(*) FROM frontier_waiting WHERE {queues} AND (cost, seq) < (?, ?)"
    return Found(0.0 - row[0], connection.execute(sql, (crawl, *row)).fetchone()[0])


def waiting_parents(connection: sqlite3.Connection, crawl: int) -> frozenset[str]:
    """The pages some of whose links still wait."""
    rows = connection.execute(
        "SELECT url FROM frontier_parents WHERE parent IN (SELECT DISTINCT parent FROM frontier_waiting"
        " WHERE queue IN (SELECT queue FROM frontier_queues WHERE crawl = ?))",
        (crawl,),
    )
    return frozenset(row[0] for row in rows)
