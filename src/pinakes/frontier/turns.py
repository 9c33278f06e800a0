"""The turns of a frontier in PostgreSQL: who may be asked next, under politeness.

What a turn offers, the rank of its best link, is written down only when it must be: before a claim and before a commit.
So whoever admits holds turns that workers want to settle for no longer than a commit takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pinakes.core.page import host_of
from pinakes.core.politeness import Rank
from pinakes.frontier import statements as sql
from pinakes.frontier.arrays import numbers, texts

if TYPE_CHECKING:
    from psycopg import Connection

_REMEMBERED = 1 << 17


class Turns:
    """The turns of one crawl; without a `delay` there is one for all links, which nobody locks or ranks."""

    def __init__(
        self, connection: Connection[Any], crawl: int, delay: float | None, group: Callable[[str], str] | None
    ) -> None:
        self._db, self._crawl, self._delay, self._group = connection, crawl, delay, group
        self._known: dict[str, int] = {}
        self._better: dict[int, Rank] = {}
        self._changed: set[int] = set()
        self._held: set[int] = set()

    @property
    def taken(self) -> bool:
        """Do links wait for their turns?"""
        return self._delay is not None

    @property
    def only(self) -> int:
        """The one turn of a frontier without delays."""
        return self.numbers({""})[""]

    def name(self, url: str) -> str:
        return "" if self._delay is None else self.name_of(host_of(url) or "?")

    def name_of(self, host: str) -> str:
        return host if self._group is None else self._group(host)

    def numbers(self, names: set[str]) -> dict[str, int]:
        """The numbers of turns, which are made where there are none."""
        if missing := names - self._known.keys():
            if len(self._known) > _REMEMBERED:
                self._known.clear()
                missing = names
            listed = texts(sorted(missing))
            self._known.update(self._db.execute(sql.FIND_TURNS, (self._crawl, listed)).fetchall())
            if made := missing - self._known.keys():
                self._db.execute(sql.MAKE_TURNS, {"crawl": self._crawl, "names": texts(sorted(made))})
                self._known.update(self._db.execute(sql.FIND_TURNS, (self._crawl, listed)).fetchall())
        return {name: self._known[name] for name in names}

    def number(self, name: str) -> int:
        """The number of a turn that need not be there; 0 if it is not."""
        if name not in self._known:
            self._known.update(self._db.execute(sql.FIND_TURNS, (self._crawl, texts([name]))).fetchall())
        return self._known.get(name, 0)

    def offer(self, turn: int, rank: Rank) -> None:
        """A link came that nobody else has seen yet: it may be the turn's best."""
        self._better[turn] = min(self._better.get(turn, rank), rank)

    def reoffer(self, turns: Iterable[int]) -> None:
        """Links of turns went or changed: their best must be found anew."""
        self._changed.update(turns)

    def hold(self) -> None:
        """Lock the turns that offer something else than before."""
        self.lock((self._better.keys() | self._changed) - self._held)
        self._held = self._better.keys() | self._changed

    def rank(self) -> None:
        """Write down what the turns offer now."""
        if self._delay is not None:
            self.hold()
            if self._changed:
                self._db.execute(sql.REOFFER, (numbers(self._changed),))
            better = {turn: rank for turn, rank in self._better.items() if turn not in self._changed}
            if better:
                costs, seqs = zip(*better.values(), strict=True)
                self._db.execute(sql.OFFER, (numbers(better), numbers(costs), numbers(seqs)))
        for pending in (self._better, self._changed, self._held):
            pending.clear()

    def lock(self, turns: Iterable[int]) -> None:
        if self._delay is not None and (wanted := sorted(set(turns))):
            self._db.execute(sql.LOCK_TURNS, (numbers(wanted),))

    def lockable(self, turns: list[int]) -> list[int]:
        """Those of the turns that could be locked without waiting."""
        if self._delay is None:
            return turns
        return [row[0] for row in self._db.execute(sql.TRY_TURNS, (numbers(turns),))]

    def free(self, turns: Iterable[tuple[int, float | None]], now: float) -> None:
        """Let turns rest that were busy, each with the pause its host asks for, and find what they offer now."""
        if self._delay is not None:
            until = {}
            for turn, pause in turns:
                until[turn] = now + (0.0 if pause == 0 else max(self._delay, pause or 0.0))
            self._db.execute(sql.FREE, (numbers(until), numbers(until.values())))

    def forget(self) -> None:
        """The transaction was rolled back."""
        for known in (self._known, self._better, self._changed, self._held):
            known.clear()
