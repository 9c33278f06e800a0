"""The frontier in PostgreSQL: any number of workers claim from it and settle in it, on any number of machines.

What it answers is what every frontier answers. In addition several may use it at once, each through a connection of
its own: a link is handed out once, and a turn (a host, or the hosts behind one address) is taken by one worker at a
time. One process admits and reprices at a time; claims and settlements come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from pinakes.core.migrations import migrate
from pinakes.core.page import Link
from pinakes.core.politeness import SOON
from pinakes.core.roles import Admitted, Lease
from pinakes.formats.hashes import hash_of
from pinakes.frontier import statements as sql
from pinakes.frontier.admissions import Admissions
from pinakes.frontier.arrays import numbers, texts
from pinakes.frontier.extras import unpack
from pinakes.frontier.tables import ASLEEP, LEASED, STEPS, VISITED, WAITING, WORST
from pinakes.frontier.tallies import Tallies
from pinakes.frontier.turns import Turns

if TYPE_CHECKING:
    from psycopg import Connection

WORKING = 2_000
"""How many of the best links of the ready turns are repriced at once: each is a row to be written."""
_STATES = {WAITING: "waiting", ASLEEP: "waiting", LEASED: "leased", VISITED: "visited"}


class Settlement(NamedTuple):
    """How a lease ends; the fields are those of `settle`."""

    token: int
    outcome: str
    url: str = ""
    retry_at: float = 0.0
    host_delay: float | None = None


class PostgresFrontier:
    """Links that wait, in tables of `connection`, whose owner alone begins, commits and rolls back.

    `worker` is who claims: what a dead one held is given back by `release`. `working` bounds how many links are
    repriced at once. With `slack` its owner calls `flush` before every commit, and it looks at the clock and at what
    others count no more often than every so many seconds. The other parameters are those of `MemoryFrontier`.
    """

    def __init__(
        self,
        connection: Connection[Any],
        crawl: int,
        limit: int | None = None,
        delay: float | None = None,
        lease: float = 300.0,
        worker: int = 0,
        working: int = WORKING,
        slack: float = 0.0,
        group: Callable[[str], str] | None = None,
    ) -> None:
        self.limit, self.crawl = limit, crawl
        self._db, self._worker, self._lease, self._most = connection, worker, lease, working
        self._slack, self._tended = slack, -inf
        self._ready: tuple[float, float | None] = -inf, None
        migrate(connection, "frontier", STEPS)
        if limit is not None:
            connection.execute(WORST)
        self._turns = Turns(connection, crawl, delay, group)
        self._tallies = Tallies(connection, crawl, worker, slack)
        self._admissions = Admissions(connection, crawl, limit, self._turns, self._tallies)

    def __len__(self) -> int:
        return self._tallies.sums()[0]

    @property
    def leased(self) -> int:
        return self._tallies.sums()[1]

    def flush(self) -> None:
        """Write down what was counted and offered; before a commit."""
        self._admissions.rank()
        self._tallies.flush()

    def forget(self) -> None:
        """The transaction was rolled back: what was counted in it never was."""
        self._tallies.forget()
        self._admissions.forget()
        self._tended, self._ready = -inf, (-inf, None)

    # -- links come ----------------------------------------------------------------------------------------------

    def admit(self, links: Iterable[Link]) -> Admitted:
        admitted = self._admissions.admit(list(links))
        self._flush_unless_late()
        return admitted

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        self._admissions.reprice(urls, prices)
        self._flush_unless_late()

    def best_admitted(self) -> float:
        """The best price at which a link was let in since this was last asked."""
        return self._admissions.best_since()

    # -- links go ------------------------------------------------------------------------------------------------

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        self._admissions.rank()
        self._tend(now, claiming=True)
        if n <= 0:
            return []
        values = {"crawl": self.crawl, "n": n, "deadline": now + self._lease, "worker": self._worker}
        if self._turns.taken:
            rows = self._db.execute(sql.CLAIM_TURNS, values).fetchall()
        else:
            rows = self._db.execute(sql.CLAIM_LINKS, {**values, "turn": self._turns.only}).fetchall()
        self._tallies.count(-len(rows), len(rows))
        self._flush_unless_late()
        return [
            Lease(unpack(url, parent, distance, -cost, extra), token)
            for token, url, parent, distance, cost, extra in rows
        ]

    def settle(
        self,
        token: int,
        outcome: str,
        now: float,
        url: str = "",
        retry_at: float = 0.0,
        host_delay: float | None = None,
    ) -> bool:
        return self.settle_all([Settlement(token, outcome, url, retry_at, host_delay)], now)[0]

    def settle_all(self, settled: Sequence[Settlement], now: float) -> list[bool]:
        """End many leases at once; answers in their order what `settle` would."""
        tokens, times = numbers(one.token for one in settled), numbers(float(one.retry_at) for one in settled)
        if self._turns.taken:
            self._db.execute(sql.LOCK_HELD, (self.crawl, tokens))
        values = {"tokens": tokens, "times": times, "now": now, "crawl": self.crawl}
        rows = self._db.execute(sql.SETTLE, values).fetchall()
        if not rows:
            return [False] * len(settled)
        ended = {token: (turn, state, own, elsewhere) for token, turn, state, own, elsewhere in rows}
        in_time = [one for one in settled if one.token in ended]
        back = sum(state <= ASLEEP for _, state, *_ in ended.values())
        back -= self._finish({hash_of(one.url): one.url for one in in_time if one.url not in ("", ended[one.token][2])})
        self._turns.free([(ended[one.token][0], one.host_delay) for one in in_time], now)
        self._tallies.count(back, -len(ended))
        self._flush_unless_late()
        return [one.token in ended and not ended[one.token][3] for one in settled]

    def _finish(self, finals: dict[int, str]) -> int:
        """Mark final addresses visited; answers how many of them waited."""
        if not finals:
            return 0
        met = self._db.execute(sql.MET, (self.crawl, numbers(finals))).fetchall()
        self._turns.lock(row[5] for row in met if row[1] <= LEASED)
        for (key,) in self._db.execute(sql.FINISH_LEASED, (self.crawl, numbers(finals))).fetchall():
            del finals[key]
        rows = self._db.execute(sql.FINISH, (self.crawl, numbers(finals), texts(finals.values()))).fetchall()
        waited = [turn for turn, wake in rows if wake < 0]
        self._turns.reoffer(waited)
        return len(waited)

    def holders(self) -> set[int]:
        """The workers that hold leases."""
        return {row[0] for row in self._db.execute(sql.HOLDERS, (self.crawl,))}

    def release(self, worker: int, now: float) -> int:
        """Give back what a worker held that is gone; answers how many links."""
        turns = [row[0] for row in self._db.execute(sql.OF_WORKER, (self.crawl, worker))]
        return self._expire(turns, -inf, now, worker) if turns else 0

    def _tend(self, now: float, claiming: bool = False) -> None:
        """Wake what slept long enough; before a claim also give back what was leased for too long."""
        if self._slack and now - self._tended < self._slack:
            return
        self._tended = now
        due = self._db.execute(sql.DUE, {"crawl": self.crawl, "now": now}).fetchall()
        sleepers = sorted({turn for turn, late in due if not late})
        if sleepers and (free := self._turns.lockable(sleepers)):
            self._db.execute(sql.WAKE_LINKS, (self.crawl, now, numbers(free)))
            self._turns.reoffer(free)
            self._admissions.rank()
        if claiming and (late := sorted({turn for turn, late in due if late})):
            self._expire(late, now, None, -1)
        if self._turns.taken:
            self._db.execute(sql.WAKE_TURNS, (self.crawl, now))

    def _expire(self, turns: list[int], late: float, now: float | None, worker: int) -> int:
        """End leases of some turns, those of a `worker` or those whose time is up; each turn then rests from `now` or
        from when it was up."""
        free = numbers(self._turns.lockable(turns))
        values = {"crawl": self.crawl, "turns": free, "late": late, "worker": worker}
        rows = self._db.execute(sql.EXPIRE, values).fetchall()
        for turn, deadline, _ in rows:
            self._turns.free([(turn, None)], deadline if now is None else now)
        self._tallies.count(sum(not finished for *_, finished in rows), -len(rows))
        self._flush_unless_late()
        return len(rows)

    # -- questions -----------------------------------------------------------------------------------------------

    def working(self, n: int) -> Sequence[str]:
        n = min(n, self._most)
        if n <= 0:
            return ()
        self._admissions.rank()
        if not self._turns.taken:
            return [row[0] for row in self._db.execute(sql.WORKING_LINKS, {"turn": self._turns.only, "n": n})]
        turns = self._db.execute(sql.READY_TURNS, (self.crawl, n)).fetchone()
        each = -(-n // max(1, turns[0] if turns else 1))
        return [row[0] for row in self._db.execute(sql.WORKING, {"crawl": self.crawl, "n": n, "each": each})]

    def known(self, url: str) -> str:
        row = self._db.execute(sql.KNOWN, (self.crawl, hash_of(url))).fetchone()
        return _STATES[row[0]] if row else ""

    def next_ready(self, now: float) -> float | None:
        if self._slack and now - self._ready[0] < self._slack:
            return self._ready[1]
        self._ready = now, self._find_ready(now)
        return self._ready[1]

    def _find_ready(self, now: float) -> float | None:
        self._admissions.rank()
        self._tend(now)
        if self._turns.taken:
            row = self._db.execute(sql.NEXT_READY, {"crawl": self.crawl}).fetchone()
        else:
            row = self._db.execute(sql.NEXT_LINK, {"crawl": self.crawl, "turn": self._turns.only}).fetchone()
        if row is None or row[0] is None or row[0] == inf:
            self._tallies.recount()
            self._flush_unless_late()
            return None
        return max(now, float(row[0]))

    def others_waiting(self, host: str, now: float) -> bool:
        self._admissions.rank()
        self._tend(now)
        taken = self._turns.taken
        name = self._turns.name_of(host) if taken else ""
        turn, soon = self._turns.number(name), now + SOON if taken else inf
        if taken:
            found = self._db.execute(sql.OTHERS, {"crawl": self.crawl, "turn": turn, "soon": soon}).fetchone()
            if (found and found[0]) or name == host:
                return bool(found and found[0])
        states = [WAITING] if taken else [WAITING, ASLEEP]
        values = {"turn": turn, "host": host, "soon": soon, "states": states}
        found = self._db.execute(sql.OTHERS_WITHIN, values).fetchone()
        return bool(found and found[0])

    def best(self, n: int) -> Sequence[Link]:
        self._admissions.rank()
        rows = self._db.execute(sql.BEST, (self.crawl, n))
        return [unpack(url, parent, distance, -cost, extra) for url, parent, distance, cost, extra in rows]

    def close(self) -> None:
        """Nothing is kept outside the database."""

    def _flush_unless_late(self) -> None:
        if not self._slack:
            self.flush()
