"""Looking links and hosts up, without opening the frontier: for explaining, while a crawl may be running."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from pinakes.formats.hashes import hash_of
from pinakes.frontier.tables import ASLEEP, BUSY, RESTING


class Found(NamedTuple):
    price: float
    ahead: int
    """How many waiting links have a better price, or the same one for longer."""


def find_waiting(connection: sqlite3.Connection, crawl: int, url: str) -> Found | None:
    """Where an address waits; a scan of the waiting links, since no index of addresses is kept."""
    if not isinstance(connection, sqlite3.Connection):
        return _find_shared(connection, crawl, url)
    queues = "queue IN (SELECT queue FROM frontier_queues WHERE crawl = ?)"
    sql = f"SELECT cost, seq FROM frontier_waiting WHERE {queues} AND url = ? ORDER BY cost, seq LIMIT 1"
    row = connection.execute(sql, (crawl, url)).fetchone()
    if row is None:
        return None
    sql = f"SELECT count(*) FROM frontier_waiting WHERE {queues} AND (cost, seq) < (?, ?)"
    return Found(0.0 - row[0], connection.execute(sql, (crawl, *row)).fetchone()[0])


def _find_shared(connection: Any, crawl: int, url: str) -> Found | None:
    """The same in PostgreSQL, whose connection is spoken to alike."""
    if connection.execute("SELECT to_regclass('frontier_links')").fetchone()[0] is None:
        return None
    waits = f"FROM frontier_links WHERE crawl = ? AND state <= {ASLEEP}"
    row = connection.execute(f"SELECT cost, seq {waits} AND hash = ?", (crawl, hash_of(url))).fetchone()
    if row is None:
        return None
    ahead = connection.execute(f"SELECT count(*) {waits} AND (cost, seq) < (?, ?)", (crawl, *row)).fetchone()[0]
    return Found(0.0 - row[0], ahead)


def waiting_parents(connection: sqlite3.Connection, crawl: int) -> frozenset[str]:
    """The pages some of whose links still wait."""
    if not isinstance(connection, sqlite3.Connection):
        sql = f"SELECT DISTINCT parent FROM frontier_links WHERE crawl = ? AND state <= {ASLEEP}"
        return frozenset(row[0] for row in connection.execute(sql, (crawl,)))
    rows = connection.execute(
        "SELECT url FROM frontier_parents WHERE parent IN (SELECT DISTINCT parent FROM frontier_waiting"
        " WHERE queue IN (SELECT queue FROM frontier_queues WHERE crawl = ?))",
        (crawl,),
    )
    return frozenset(row[0] for row in rows)


class Turn(NamedTuple):
    """Where a host, or all behind its address, is in taking its turn."""

    busy: bool
    until: float
    """When it may be asked again; past if it may now."""
    pause: float
    """Seconds it was last left to rest."""


def turns_of(connection: Any, crawl: int, asked: Mapping[str, tuple[str, float]]) -> dict[str, Turn]:
    """The turns of hosts in PostgreSQL, by an address that each was asked for, and when."""
    if not asked or connection.execute("SELECT to_regclass('frontier_turns')").fetchone()[0] is None:
        return {}
    hashes = {hash_of(url): (host, at) for host, (url, at) in asked.items()}
    rows = connection.execute(
        "SELECT hash, t.state, ready_at FROM frontier_links AS l JOIN frontier_turns AS t ON t.id = l.turn"
        f" WHERE l.crawl = ? AND hash IN ({','.join('?' * len(hashes))})",
        (crawl, *hashes),
    ).fetchall()
    found = {}
    for key, state, ready_at in rows:
        host, at = hashes[key]
        rested = max(0.0, ready_at - at)
        found[host] = Turn(state == BUSY, ready_at if state == RESTING else 0.0, rested)
    return found
