"""Where a page stands in its library: what its visits and the collections that hold it say of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from pinakes.formats.hashes import hash_of


class Standing(NamedTuple):
    repeats: bool
    """When last visited it only repeated another page."""
    topics: tuple[str, ...]
    """The collections it stands in, then the topics it was a nugget of."""
    merit: float
    """The best score a judge gave it."""
    snippet: str
    """What a collection shows of it."""


class Standings:
    """Reads once what collections hold, all of it or of some addresses alone; and visits as they are asked for."""

    def __init__(self, connection: sqlite3.Connection, only: Collection[str] | None = None) -> None:
        self._connection = connection
        self._held: dict[str, list[tuple[str, str]]] = {}
        if only is not None and not only:
            return
        within = "" if only is None else f"WHERE url IN ({','.join('?' * len(only))})"
        sql = (
            "SELECT url, name, snippet FROM entries JOIN collections ON collections.id = collection"
            f" {within} ORDER BY collection"
        )
        for url, name, snippet in connection.execute(sql, tuple(only or ())):
            self._held.setdefault(url, []).append((name, snippet))

    def of(self, url: str) -> Standing:
        visits = self._connection.execute(
            "SELECT outcome, score, topic, nugget, twin FROM visits WHERE url_hash = ? AND final = ?"
            " AND page IS NOT NULL ORDER BY id",
            (hash_of(url), url),
        ).fetchall()
        held = self._held.get(url, [])
        topics = [name for name, _ in held] + [topic for _, _, topic, nugget, _ in visits if nugget and topic]
        return Standing(
            bool(visits) and (visits[-1][0] == "duplicate" or bool(visits[-1][4])),
            tuple(dict.fromkeys(topics)),
            max((score for _, score, *_ in visits), default=0.0),
            next((snippet for _, snippet in held if snippet), ""),
        )

    def within(self, names: set[str]) -> list[str]:
        """The addresses that stand in any of these collections."""
        return [url for url, held in self._held.items() if any(name in names for name, _ in held)]


def hidden(robots: str) -> bool:
    """True for the directives of a page that asks not to be shown."""
    return not {"noindex", "none"}.isdisjoint(robots.split())
