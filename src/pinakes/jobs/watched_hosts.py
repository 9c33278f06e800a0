"""The hosts a crawl asked lately: what they answered, and when they may be asked again.

When that is, the crawl says itself: one machine's writes it down at each commit; where many work, hosts take turns in
the database.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from pinakes.core.page import host_of
from pinakes.frontier.find import Turn, turns_of
from pinakes.library.ledger import hosts_key
from pinakes.library.library import Library

HOSTS = 15
LONG = 60.0
"""A host that rests for longer, beyond the longest Crawl-delay, is left alone for now."""
State = Literal["being asked", "resting", "ready", "left alone"]
_FINE = ("ok", "duplicate", "known", "unchanged")


@dataclass(frozen=True, slots=True)
class HostState:
    """A host in the light of the crawl's latest visits."""

    host: str
    pages: int
    nuggets: int
    failures: int
    last: str
    """The outcome of the last visit."""
    seconds: float
    """How long ago that was."""
    state: State | None = None
    """Where the crawl is at it; None for a crawl that does not run, or waits for no host."""
    pause: float | None = None
    """Seconds the host was last left to rest."""
    rests: float = 0.0
    """Seconds until it may be asked again."""


class _Visit(NamedTuple):
    url: str
    at: float
    outcome: str
    nugget: int


def hosts_of(library: Library, crawl: int, latest: int, running: bool) -> tuple[HostState, ...]:
    """The hosts of the `latest` visits, the one asked last first."""
    rows = library.connection.execute(
        "SELECT final, at, outcome, nugget FROM visits WHERE crawl = ? ORDER BY id DESC LIMIT ?", (crawl, latest)
    ).fetchall()
    visits: dict[str, list[_Visit]] = {}
    for row in rows:
        visits.setdefault(host_of(row[0]), []).append(_Visit(*row))
    now = time.time() if running else max((row[1] for row in rows), default=0.0)
    shown = dict(list(visits.items())[:HOSTS])
    turns = _turns(library, crawl, shown)
    return tuple(_host(host, all_of_it, turns.get(host), now, running) for host, all_of_it in shown.items())


def rest_of(library: Library, crawl: int, url: str) -> float:
    """Seconds until the host of an address that waits may be asked again; 0 where nothing is known of it."""
    host = host_of(url)
    turn = _turns(library, crawl, {host: [_Visit(url, 0.0, "", 0)]}).get(host)
    return max(0.0, turn.until - time.time()) if turn and not turn.busy else 0.0


def _host(host: str, visits: list[_Visit], turn: Turn | None, now: float, running: bool) -> HostState:
    rests = max(0.0, turn.until - now) if turn and not turn.busy else 0.0
    state: State | None = None
    if running and turn is not None:
        state = "being asked" if turn.busy else "left alone" if rests > LONG else "resting" if rests else "ready"
    return HostState(
        host,
        sum(one.outcome in ("ok", "duplicate") for one in visits),
        sum(one.nugget for one in visits),
        sum(one.outcome not in _FINE for one in visits),
        visits[0].outcome,
        round(max(0.0, now - visits[0].at), 1),
        state,
        round(turn.pause, 1) if turn else None,
        round(rests, 1) if running else 0.0,
    )


def _turns(library: Library, crawl: int, visits: Mapping[str, list[_Visit]]) -> dict[str, Turn]:
    if library.shared is not None:
        return turns_of(library.connection, crawl, {host: (own[0].url, own[0].at) for host, own in visits.items()})
    return _written_down(library.connection, crawl)


def _written_down(connection: sqlite3.Connection, crawl: int) -> dict[str, Turn]:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (hosts_key(crawl),)).fetchone()
    told = msgspec.json.decode(row[0], type=list[tuple[str, float, float | None]]) if row else []
    return {host: Turn(until is None, until or 0.0, pause) for host, pause, until in told}
