"""How many links wait and are leased, where many change it: each counts what it did itself, so that none waits for
another, and the sum is looked up now and then."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from pinakes.frontier import statements as sql

if TYPE_CHECKING:
    from psycopg import Connection


class Tallies:
    """`slack` is for how many seconds a sum is good enough; without any, everything counts at once."""

    def __init__(self, connection: Connection[Any], crawl: int, worker: int, slack: float) -> None:
        self._db, self._crawl, self._worker, self._slack = connection, crawl, worker, slack
        self._totals, self._owed, self._read_at = [0, 0], [0, 0], -inf
        row = connection.execute(sql.COUNTED, (crawl,)).fetchone()
        self.seq: int = row[2] if row else 0
        """The number of the link that came last."""

    def sums(self) -> tuple[int, int]:
        """How many wait and are leased, by what was last read of others and by what was done here since."""
        now = monotonic()
        if now - self._read_at >= self._slack:
            row = self._db.execute(sql.COUNTED, (self._crawl,)).fetchone()
            self._totals = [count + owed for count, owed in zip(row or (0, 0), self._owed, strict=False)]
            self._read_at = now
        # What others let in, and was claimed here since, is known as gone before it is known as come.
        return max(0, self._totals[0]), max(0, self._totals[1])

    def count(self, waiting: int, leased: int) -> None:
        """So many more wait, and so many more are leased."""
        self._totals = [self._totals[0] + waiting, self._totals[1] + leased]
        self._owed = [self._owed[0] + waiting, self._owed[1] + leased]

    def recount(self) -> None:
        """Nothing can be claimed, ever, yet something is said to wait: a crawl must not wait for it in vain."""
        if self.sums()[0]:
            self.flush()
            # One statement sees what is counted and what is there as of one moment.
            row = self._db.execute(sql.RECOUNT, {"crawl": self._crawl}).fetchone()
            if row and not row[1]:
                self.count(row[2] - row[0], 0)

    def flush(self) -> None:
        """Write down what was counted."""
        if any(self._owed):
            self._db.execute(sql.COUNT, (self._crawl, self._worker, *self._owed, self.seq))
            self._owed = [0, 0]

    def forget(self) -> None:
        """The transaction was rolled back: what was counted in it never was."""
        self._owed, self._read_at = [0, 0], -inf
