"""How links come into the frontier in PostgreSQL, and what they cost: the part of one process at a time.

It locks nothing that workers want until what turns offer is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from pinakes.core.page import Link
from pinakes.core.roles import Admitted
from pinakes.formats.hashes import hash_of
from pinakes.frontier import statements as sql
from pinakes.frontier.arrays import numbers, octets, texts
from pinakes.frontier.extras import pack
from pinakes.frontier.tables import ASLEEP, LEASED, WAITING
from pinakes.frontier.tallies import Tallies
from pinakes.frontier.turns import Turns
from pinakes.frontier.waiting import cost_of, costs_of

if TYPE_CHECKING:
    from psycopg import Connection


class Admissions:
    """Lets links in, and changes what they cost."""

    def __init__(
        self, connection: Connection[Any], crawl: int, limit: int | None, turns: Turns, tallies: Tallies
    ) -> None:
        self._db, self._crawl, self._limit, self._turns, self._tallies = connection, crawl, limit, turns, tallies
        self._best = -inf
        self._moved: dict[int, tuple[float, int, int]] = {}
        """Cost, number and distance of links that are to be written down."""

    def best_since(self) -> float:
        """The best price at which a link was let in since this was last asked."""
        best, self._best = self._best, -inf
        return best

    def admit(self, links: Sequence[Link]) -> Admitted:
        hashes = [hash_of(link.url) for link in links]
        rows = self._db.execute(sql.MET, (self._crawl, numbers(hashes))).fetchall()
        met = {row[0]: [row[1], *self._moved.get(row[0], row[2:5]), row[5]] for row in rows}
        new: dict[int, Link] = {}
        raised, changed, visited = set[int](), set[int](), list[str]()
        for key, link in zip(hashes, links, strict=True):
            known, cost = met.get(key), cost_of(link.priority)
            if known is None:
                self._tallies.seq += 1
                met[key], new[key] = [WAITING, cost, self._tallies.seq, link.distance, 0], link
            elif known[0] >= LEASED:
                visited.append(link.url)
            else:
                if link.distance < known[3]:
                    known[3] = link.distance
                    changed.add(key)
                if cost < known[1]:
                    self._tallies.seq += 1
                    known[1:3] = cost, self._tallies.seq
                    raised.add(key)
        for key in self._insert(met, new):
            visited.append(new.pop(key).url)  # it came home by another way this very moment
        if moved := (raised | changed) - new.keys():
            self._change([(key, *met[key][1:]) for key in moved])
        costs = [known[1] for key, known in met.items() if known[0] == WAITING and (key in new or key in moved)]
        self._best = max(self._best, -min(costs, default=inf))
        gone = self._evict(len(new))
        urls = dict(zip(hashes, (link.url for link in links), strict=True))
        stay, better = {urls[key] for key in new}, {urls[key] for key in raised - new.keys()}
        return Admitted(len(stay.difference(gone)), len(better.difference(gone)), visited, gone)

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        """Give links that wait other prices; only what changes is written."""
        wanted = {hash_of(url): cost for url, cost in zip(urls, costs_of(prices), strict=True)}
        rows = self._db.execute(sql.MET, (self._crawl, numbers(wanted))).fetchall()
        known = [(key, state, *self._moved.get(key, rest[:3]), rest[3]) for key, state, *rest in rows]
        self._change(
            [
                (key, wanted[key], seq, distance, turn)
                for key, state, cost, seq, distance, turn in known
                if state <= ASLEEP and cost != wanted[key]
            ]
        )

    def _insert(self, met: dict[int, list[Any]], new: dict[int, Link]) -> set[int]:
        """Write new links down; answers which of them are not new after all."""
        if not new:
            return set()
        names = {key: self._turns.name(link.url) for key, link in new.items()}
        turns = self._turns.numbers(set(names.values()))
        keys, given = list(new), list(new.values())
        for key in keys:
            met[key][4] = turns[names[key]]
        _, costs, seqs, distances, owners = zip(*(met[key] for key in keys), strict=True)
        columns = [*map(numbers, (keys, owners, costs, seqs, distances)), texts(link.url for link in given)]
        columns += [texts(link.parent for link in given), octets(map(pack, given))]
        late = new.keys() - {row[0] for row in self._db.execute(sql.INSERT, (self._crawl, *columns))}
        for key in new.keys() - late:
            self._turns.offer(met[key][4], (met[key][1], met[key][2]))
        return late

    def _change(self, rows: list[tuple[int, float, int, int, int]]) -> None:
        """Remember other prices and distances: hash, cost, number, distance and turn of links."""
        for key, cost, seq, distance, turn in rows:
            self._moved[key] = cost, seq, distance
            self._turns.reoffer([turn])

    def rank(self) -> None:
        """Write down what changed, and what the turns offer because of it."""
        if self._moved:
            self._turns.hold()
            costs, seqs, distances = zip(*self._moved.values(), strict=True)
            columns = {"keys": self._moved, "costs": costs, "seqs": seqs, "distances": distances}
            told = {name: numbers(column) for name, column in columns.items()}
            self._db.execute(sql.CHANGE, {**told, "crawl": self._crawl})
            self._moved.clear()
        self._turns.rank()

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._moved.clear()
        self._turns.forget()

    def _evict(self, more: int) -> list[str]:
        """Count what came, and let the worst go beyond the limit; answers their addresses, the worst first."""
        over = 0 if self._limit is None else self._tallies.sums()[0] + more - self._limit
        rows: list[Any] = []
        if over > 0:
            self.rank()
            worst = self._db.execute(sql.WORST_LINKS, (self._crawl, over)).fetchall()
            self._turns.lock(row[1] for row in worst)
            rows = self._db.execute(sql.EVICT, (self._crawl, numbers(row[0] for row in worst))).fetchall()
            self._turns.reoffer(row[3] for row in rows)
        self._tallies.count(more - len(rows), 0)
        return [row[2] for row in sorted(rows, reverse=True)]
