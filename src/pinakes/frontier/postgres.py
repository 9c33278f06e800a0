"""The frontier in PostgreSQL: any number of workers claim from it and settle in it, on any number of machines.

What it answers is what every frontier answers. In addition several may use it at once, each through a connection of
its own: a link is handed out once, and a turn (a host, or the hosts behind one address) is taken by one worker at a
time. One process admits and reprices at a time; claims and settlements come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from pinakes.core.migrations import migrate
from pinakes.core.page import Link, host_of
from pinakes.core.politeness import SOON, Rank
from pinakes.core.roles import Admitted, Lease
from pinakes.formats.hashes import hash_of
from pinakes.frontier import statements as sql
from pinakes.frontier.extras import pack, unpack
from pinakes.frontier.statements import ASLEEP, LEASED, VISITED, WAITING
from pinakes.frontier.waiting import cost_of, costs_of

if TYPE_CHECKING:
    from psycopg import Connection

WORKING = 2_000
"""How many of the best links of the ready turns are repriced at once: each is a row to be written."""
_REMEMBERED = 1 << 17
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
        self._db, self._worker, self._lease = connection, worker, lease
        self._delay, self._group, self._most = delay, group, working
        self._slack, self._tended, self._read_at = slack, -inf, -inf
        self._totals, self._owed, self._best = [0, 0], [0, 0], -inf
        self._turns: dict[str, int] = {}
        migrate(connection, "frontier", sql.STEPS)
        if limit is not None:
            connection.execute(sql.WORST)
        row = connection.execute(sql.COUNTED, (crawl,)).fetchone()
        self._seq: int = row[2] if row else 0

    def __len__(self) -> int:
        return self._counted()[0]

    @property
    def leased(self) -> int:
        return self._counted()[1]

    def best_admitted(self) -> float:
        """The best price at which a link was let in since this was last asked."""
        best, self._best = self._best, -inf
        return best

    def flush(self) -> None:
        """Write down what was counted; before a commit."""
        if any(self._owed):
            self._db.execute(sql.COUNT, (self.crawl, self._worker, *self._owed, self._seq))
            self._owed = [0, 0]

    def forget(self) -> None:
        """The transaction was rolled back: what was counted in it never was."""
        self._owed, self._read_at, self._tended = [0, 0], -inf, -inf
        self._turns.clear()

    # -- links come ----------------------------------------------------------------------------------------------

    def admit(self, links: Iterable[Link]) -> Admitted:
        links = list(links)
        hashes = [hash_of(link.url) for link in links]
        rows = self._db.execute(sql.MET, (self.crawl, hashes)).fetchall()
        met = {row[0]: list(row[1:]) for row in rows}
        new: dict[int, Link] = {}
        raised, changed, visited = set[int](), set[int](), list[str]()
        for key, link in zip(hashes, links, strict=True):
            known, cost = met.get(key), cost_of(link.priority)
            if known is None:
                self._seq += 1
                met[key], new[key] = [WAITING, cost, self._seq, link.distance, 0], link
            elif known[0] >= LEASED:
                visited.append(link.url)
            else:
                if link.distance < known[3]:
                    known[3] = link.distance
                    changed.add(key)
                if cost < known[1]:
                    self._seq += 1
                    known[1:3] = cost, self._seq
                    raised.add(key)
        for key in self._write(met, new, (raised | changed) - new.keys()):
            visited.append(new.pop(key).url)  # it came home by another way this very moment
        gone = self._evict(len(new))
        urls = dict(zip(hashes, (link.url for link in links), strict=True))
        stay, better = {urls[key] for key in new}, {urls[key] for key in raised - new.keys()}
        return Admitted(len(stay.difference(gone)), len(better.difference(gone)), visited, gone)

    def _write(self, met: dict[int, list[Any]], new: dict[int, Link], moved: set[int]) -> set[int]:
        """Write links down; answers which of the new ones are not, being there already."""
        late: set[int] = set()
        if new:
            turns = self._turns_of({self._name(link.url) for link in new.values()})
            for key, link in new.items():
                met[key][4] = turns[self._name(link.url)]
        touched = [met[key] for key in (*new, *moved)]
        self._lock(known[4] for known in touched)
        if new:
            rows = [(key, known[4], *known[1:4]) for key, known in met.items() if key in new]
            keys, owners, costs, seqs, distances = zip(*rows, strict=True)
            texts = zip(*((link.url, link.parent, pack(link)) for link in (new[key] for key in keys)), strict=True)
            columns = [list(column) for column in (keys, owners, costs, seqs, distances, *texts)]
            late = new.keys() - {row[0] for row in self._db.execute(sql.INSERT, (self.crawl, *columns))}
        if moved:
            columns = [[met[key][at] for key in moved] for at in (1, 2, 3)]
            self._db.execute(sql.CHANGE, (list(moved), *columns, self.crawl))
        best: dict[int, Rank] = {}
        for state, cost, seq, _, turn in [met[key] for key in (*(new.keys() - late), *moved)]:
            if state == WAITING:
                best[turn] = min(best.get(turn, (inf, 0)), (cost, seq))
        if best:
            self._best = max(self._best, -min(best.values())[0])
        if best and self._delay is not None:
            costs, seqs = zip(*best.values(), strict=True)
            self._db.execute(sql.OFFER, (list(best), list(costs), list(seqs)))
        return late

    def _evict(self, more: int) -> list[str]:
        """Count what came, and let the worst go beyond the limit; answers their addresses, the worst first."""
        over = 0 if self.limit is None else len(self) + more - self.limit
        gone = []
        if over > 0:
            rows = self._db.execute(sql.EVICT, {"crawl": self.crawl, "n": over}).fetchall()
            gone = [row[2] for row in sorted(rows, reverse=True)]
            self._reoffer(row[3] for row in rows)
        if more or gone:
            self._count(more - len(gone), 0)
        return gone

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        wanted = {hash_of(url): cost for url, cost in zip(urls, costs_of(prices), strict=True)}
        rows = self._db.execute(sql.MET, (self.crawl, list(wanted))).fetchall()
        changed = [row for row in rows if row[1] <= ASLEEP and row[2] != wanted[row[0]]]
        if not changed:
            return
        self._lock(row[5] for row in changed)
        keys, _, _, seqs, distances, turns = map(list, zip(*changed, strict=True))
        costs = [wanted[key] for key in keys]
        self._db.execute(sql.CHANGE, (keys, costs, seqs, distances, self.crawl))
        self._reoffer(turns)

    # -- links go ------------------------------------------------------------------------------------------------

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        self._tend(now, claiming=True)
        values = {"crawl": self.crawl, "n": n, "deadline": now + self._lease, "worker": self._worker}
        if n <= 0:
            return []
        if self._delay is None:
            values["turn"] = self._only
        statement = sql.CLAIM_LINKS if self._delay is None else sql.CLAIM_TURNS
        rows = self._db.execute(statement, values).fetchall()
        if not rows:
            return []
        rows.sort(key=lambda row: (row[6], row[2]))
        if self._delay is not None:
            self._db.execute(sql.TAKE, ([row[1] for row in rows],))
        self._count(-len(rows), len(rows))
        return [
            Lease(unpack(url, parent, distance, -cost, extra), token)
            for token, _, _, url, parent, distance, cost, extra in rows
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
        tokens, times = [one.token for one in settled], [one.retry_at for one in settled]
        if self._delay is not None:
            self._db.execute(sql.LOCK_HELD, (self.crawl, tokens))
        rows = self._db.execute(sql.SETTLE, (now, tokens, times, self.crawl)).fetchall()
        if not rows:
            return [False] * len(settled)
        ended = {token: (turn, state, own) for token, turn, state, own in rows}
        in_time = [one for one in settled if one.token in ended]
        back = sum(state <= ASLEEP for _, state, _ in ended.values())
        back -= self._finish({hash_of(one.url): one.url for one in in_time if one.url not in ("", ended[one.token][2])})
        self._free([(ended[one.token][0], one.host_delay) for one in in_time], now)
        self._count(back, -len(ended))
        return [one.token in ended for one in settled]

    def _finish(self, finals: dict[int, str]) -> int:
        """Mark final addresses visited; answers how many of them waited."""
        if not finals:
            return 0
        met = self._db.execute(sql.MET, (self.crawl, list(finals))).fetchall()
        self._lock(row[5] for row in met if row[1] <= ASLEEP)
        rows = self._db.execute(sql.FINISH, (self.crawl, list(finals), list(finals.values()))).fetchall()
        waited = [turn for turn, wake in rows if wake < 0]
        if waited:
            self._reoffer(waited)
        return len(waited)

    def _free(self, turns: Iterable[tuple[int, float | None]], now: float) -> None:
        """Let turns rest that were busy, and find what they offer now."""
        if self._delay is not None:
            until = {}
            for turn, delay in turns:
                until[turn] = now + (0.0 if delay == 0 else max(self._delay, delay or 0.0))
            self._db.execute(sql.FREE, (list(until), list(until.values())))

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
        if sleepers and (free := self._try(sleepers)):
            self._db.execute(sql.WAKE_LINKS, (self.crawl, now, free))
            self._reoffer(free)
        if claiming and (late := sorted({turn for turn, late in due if late})):
            self._expire(late, now, None, -1)
        if self._delay is not None:
            self._db.execute(sql.WAKE_TURNS, (self.crawl, now))

    def _expire(self, turns: list[int], late: float, now: float | None, worker: int) -> int:
        """End leases of some turns, those of a `worker` or those whose time is up; each turn then rests from `now` or
        from when it was up."""
        rows = self._db.execute(sql.EXPIRE, (self.crawl, self._try(turns), late, worker)).fetchall()
        if rows:
            for turn, deadline, _ in rows:
                self._free([(turn, None)], deadline if now is None else now)
            self._count(sum(not finished for *_, finished in rows), -len(rows))
        return len(rows)

    # -- questions -----------------------------------------------------------------------------------------------

    def working(self, n: int) -> Sequence[str]:
        n = min(n, self._most)
        if n <= 0:
            return ()
        if self._delay is None:
            return [row[0] for row in self._db.execute(sql.WORKING_LINKS, {"turn": self._only, "n": n})]
        turns = self._db.execute(sql.READY_TURNS, (self.crawl, n)).fetchone()
        each = -(-n // max(1, turns[0] if turns else 1))
        return [row[0] for row in self._db.execute(sql.WORKING, {"crawl": self.crawl, "n": n, "each": each})]

    def known(self, url: str) -> str:
        row = self._db.execute(sql.KNOWN, (self.crawl, hash_of(url))).fetchone()
        return _STATES[row[0]] if row else ""

    def next_ready(self, now: float) -> float | None:
        self._tend(now)
        if self._delay is None:
            row = self._db.execute(sql.NEXT_LINK, {"crawl": self.crawl, "turn": self._only}).fetchone()
        else:
            row = self._db.execute(sql.NEXT_READY, {"crawl": self.crawl}).fetchone()
        if row is None or row[0] is None or row[0] == inf:
            self._recount()
            return None
        return max(now, float(row[0]))

    def others_waiting(self, host: str, now: float) -> bool:
        self._tend(now)
        soon = inf if self._delay is None else now + SOON
        name = "" if self._delay is None else self._name_of(host)
        values = {"crawl": self.crawl, "name": name, "host": host, "soon": soon}
        if self._delay is not None:
            found = self._db.execute(sql.OTHERS, values).fetchone()
            if (found and found[0]) or name == host:
                return bool(found and found[0])
        values["states"] = [WAITING, ASLEEP] if self._delay is None else [WAITING]
        found = self._db.execute(sql.OTHERS_WITHIN, values).fetchone()
        return bool(found and found[0])

    def best(self, n: int) -> Sequence[Link]:
        rows = self._db.execute(sql.BEST, (self.crawl, n))
        return [unpack(url, parent, distance, -cost, extra) for url, parent, distance, cost, extra in rows]

    def close(self) -> None:
        """Nothing is kept outside the database."""

    @property
    def _only(self) -> int:
        """The one turn of a frontier without delays."""
        return self._turns_of({""})[""]

    # -- turns ---------------------------------------------------------------------------------------------------

    def _name(self, url: str) -> str:
        return "" if self._delay is None else self._name_of(host_of(url) or "?")

    def _name_of(self, host: str) -> str:
        return host if self._group is None else self._group(host)

    def _turns_of(self, names: set[str]) -> dict[str, int]:
        missing = sorted(names - self._turns.keys())
        if missing:
            if len(self._turns) > _REMEMBERED:
                self._turns.clear()
                missing = sorted(names)
            self._db.execute(sql.MAKE_TURNS, (self.crawl, missing))
            self._turns.update(self._db.execute(sql.FIND_TURNS, (self.crawl, missing)).fetchall())
        return {name: self._turns[name] for name in names}

    def _reoffer(self, turns: Iterable[int]) -> None:
        """Find the best of turns whose links went or changed; without delays nobody asks."""
        if self._delay is not None:
            self._db.execute(sql.REOFFER, (sorted(set(turns)),))

    def _lock(self, turns: Iterable[int]) -> None:
        if self._delay is not None and (wanted := sorted(set(turns))):
            self._db.execute(sql.LOCK_TURNS, (wanted,))

    def _try(self, turns: list[int]) -> list[int]:
        """Those of the turns that could be locked without waiting."""
        if self._delay is None:
            return turns
        return [row[0] for row in self._db.execute(sql.TRY_TURNS, (turns,))]

    # -- counts --------------------------------------------------------------------------------------------------

    def _counted(self) -> list[int]:
        """How many wait and are leased. What others did since it was last read can only have made their sum less."""
        now = monotonic()
        if now - self._read_at >= self._slack:
            row = self._db.execute(sql.COUNTED, (self.crawl,)).fetchone()
            self._totals = [count + owed for count, owed in zip(row or (0, 0), self._owed, strict=False)]
            self._read_at = now
        return self._totals

    def _recount(self) -> None:
        """Nothing can be claimed, ever, yet something is said to wait: a crawl must not wait for it in vain."""
        waiting, leased = self._counted()[:2]
        if waiting and not leased:
            row = self._db.execute(sql.WAIT, (self.crawl,)).fetchone()
            self._count((row[0] if row else 0) - waiting, 0)

    def _count(self, waiting: int, leased: int) -> None:
        self._totals = [self._totals[0] + waiting, self._totals[1] + leased]
        self._owed = [self._owed[0] + waiting, self._owed[1] + leased]
        if not self._slack:
            self.flush()
