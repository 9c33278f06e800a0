"""How far does one database, and one who decides, go? Workers in virtual time, claims on a real PostgreSQL.

    python benchmarks/scale_out.py [--workers 1,10,100] [--pages 3000] [--in-flight 8] [--decide 0.005] [--delay 1.0]
                                   [--behind 25]

Every worker has so many requests under way, each answered after 200 ms on average, and as many links claimed ahead;
hosts rest for the delay. Pages are decided on in the order of arrival, one after the other, each taking `--decide`
seconds; each brings links whose prices say what they are worth. Nobody claims while `--behind` pages wait for their
decision. Time is virtual, but every claim, settlement and admission is made in PostgreSQL, and its real time counted:
so the table says at how many pages a second the database would be busy all the time, and beside it what the one who
decides allows. Politeness is checked at every claim. The regret of a claim is by how much the best link of the pages
that had arrived but were not decided on is better than the link taken. The last line is JSON.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import shutil
import statistics
import tempfile
import time
from collections import deque
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from pinakes.core.page import Link, host_of
from pinakes.frontier.postgres import PostgresFrontier, Settlement
from pinakes.jobs.worker import BEHIND
from pinakes.testing.postgres import Postgres

HOSTS = 20_000
LATENCY = 0.2
POLL = 0.1
LINKS = 20


class World:
    """A web whose links have a worth, and the time that goes by in it."""

    def __init__(self, connection: Any, crawl: int, workers: int, options: argparse.Namespace) -> None:
        self.options, self.numbers = options, random.Random(7)
        make = lambda number: PostgresFrontier(connection, crawl, delay=options.delay, worker=number, slack=0.001)  # noqa: E731
        self.connection, self.decider = connection, make(0)
        self.workers = [make(number) for number in range(1, workers + 1)]
        self.flying, self.ahead = [0] * workers, [deque[Any]() for _ in range(workers)]
        self.events: list[tuple[float, int, str, Any]] = []
        self.order = count()
        self.arrived: deque[list[Link]] = deque()
        self.deciding = False
        self.busy: dict[str, float] = {}
        self.database = {"claim": list[float](), "settle": list[float](), "admit": list[float]()}
        self.regrets: list[float] = []
        self.done, self.now, self.queue, self.impolite = 0, 0.0, 0, 0

    def links(self) -> list[Link]:
        """A page's links: on a good page most are good."""
        good = self.numbers.betavariate(2, 5)
        return [
            Link(
                f"http://h{self.numbers.randrange(HOSTS)}.example/{self.numbers.randrange(1 << 40)}",
                priority=min(1.0, max(0.0, self.numbers.gauss(good, 0.1))),
            )
            for _ in range(LINKS)
        ]

    def at(self, when: float, kind: str, data: Any = None) -> None:
        heapq.heappush(self.events, (when, next(self.order), kind, data))

    def timed(self, kind: str, call: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        answer = call(*arguments)
        self.decider.flush()
        for worker in self.workers:
            worker.flush()
        self.connection.commit()
        self.database[kind].append(time.perf_counter() - start)
        return answer

    def run(self) -> None:
        for _ in range(50):
            self.timed("admit", self.decider.admit, self.links())
        for number in range(len(self.workers)):
            self.at(number * 0.001, "claim", number)
        while self.done < self.options.pages:
            self.now, _, kind, data = heapq.heappop(self.events)
            getattr(self, f"_{kind}")(data)

    def _claim(self, number: int) -> None:
        room = 2 * self.options.in_flight - self.flying[number] - len(self.ahead[number])
        if len(self.arrived) >= self.options.behind:
            room = 0
        leases = self.timed("claim", self.workers[number].claim, room, self.now) if room else []
        best = max((link.priority for page in self.arrived for link in page), default=0.0)
        for lease in leases:
            host = host_of(lease.link.url)
            self.impolite += self.now < self.busy.get(host, 0.0) - 1e-9
            self.busy[host] = float("inf")
            self.regrets.append(max(0.0, best - lease.link.priority))
        self.ahead[number] += leases
        self._ask(number)
        self.at(self.now + POLL, "claim", number)

    def _ask(self, number: int) -> None:
        while self.ahead[number] and self.flying[number] < self.options.in_flight:
            self.flying[number] += 1
            lease = self.ahead[number].popleft()
            self.at(self.now + self.numbers.expovariate(1 / LATENCY), "home", (number, lease))

    def _home(self, data: Any) -> None:
        number, lease = data
        self.timed("settle", self.workers[number].settle_all, [Settlement(lease.token, "ok")], self.now)
        self.busy[host_of(lease.link.url)] = self.now + self.options.delay
        self.flying[number] -= 1
        self._ask(number)
        self.arrived.append(self.links())
        self.queue = max(self.queue, len(self.arrived))
        if not self.deciding:
            self.deciding = True
            self.at(self.now + self.options.decide, "decided")

    def _decided(self, _: Any) -> None:
        self.timed("admit", self.decider.admit, self.arrived.popleft())
        self.done += 1
        self.deciding = bool(self.arrived)
        if self.deciding:
            self.at(self.now + self.options.decide, "decided")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="1,10,100")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--in-flight", type=int, default=8)
    parser.add_argument("--decide", type=float, default=0.005)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--behind", type=int, default=BEHIND)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pinakes-pg-"))
    runs = []
    try:
        with Postgres(folder) as server, psycopg.connect(server.url()) as connection:
            connection.execute("SET synchronous_commit = off")
            for crawl, workers in enumerate(map(int, options.workers.split(",")), 1):
                world = World(connection, crawl, workers, options)
                world.run()
                spent = sum(map(sum, world.database.values()))
                run = {
                    "workers": workers,
                    "pages_a_second": round(world.done / world.now, 1),
                    "impolite": world.impolite,
                    "regret_mean": round(statistics.mean(world.regrets), 4),
                    "regret_p95": round(statistics.quantiles(world.regrets, n=20)[-1], 4),
                    "longest_queue": world.queue,
                    "database_ms_a_page": round(spent / world.done * 1000, 2),
                    "database_allows": round(world.done / spent),
                    "decider_allows": round(1 / options.decide),
                    "ms": {kind: round(statistics.median(times) * 1000, 2) for kind, times in world.database.items()},
                }
                runs.append(run)
                print(run, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"runs": runs, "in_flight": options.in_flight, "decide": options.decide, "delay": options.delay}))


if __name__ == "__main__":
    main()
