"""The frontier in PostgreSQL: how fast links are claimed and settled, with how many waiting, by how many workers.

    python benchmarks/postgres.py [--links 1000000] [--hosts 100000] [--workers 1,2,4] [--batch 64] [--seconds 8]

A server of its own is started, with everything it promises: fsync on, each claim and each settlement a transaction,
and the latter on the disk before it counts.
Every worker is a process with its own connection that claims a batch, settles it, and adds a page's worth of links now
and then. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from pinakes.core.page import Link
from pinakes.frontier import statements as sql
from pinakes.frontier.extras import pack
from pinakes.frontier.postgres import PostgresFrontier, Settlement
from pinakes.testing.postgres import Postgres

CRAWL = 1
DELAY = 1.0


def fill(connection: Any, links: int, hosts: int) -> None:
    """Let links wait, spread over hosts like on the web: a few have very many."""
    PostgresFrontier(connection, CRAWL, delay=DELAY)
    connection.execute("SET synchronous_commit = off")
    names = "(SELECT array_agg('h' || n || '.example') FROM generate_series(1, %(hosts)s) AS n)"
    connection.execute(sql.MAKE_TURNS.replace("%(names)s", names), {"crawl": CRAWL, "hosts": hosts})
    connection.commit()
    extra = pack(
        Link("", anchor="a link of some length", before="words before it", after="and after", tag="html/body/a")
    )
    step = 500_000
    for start in range(0, links, step):
        connection.execute(
            "INSERT INTO frontier_links (crawl, hash, turn, state, cost, seq, distance, url, parent, extra)"
            " SELECT %(crawl)s, hashtextextended(n::text, 1), turn, 0, -floor(random() * 1e6) / 1e6, n, 1,"
            " 'http://h' || turn || '.example/path/of/page-' || n, 'http://h' || turn || '.example/', %(extra)s"
            " FROM (SELECT n, 1 + floor(%(hosts)s * power(random(), 3))::bigint AS turn"
            "       FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS n) AS made",
            {"crawl": CRAWL, "extra": extra, "hosts": hosts, "first": start + 1, "last": min(start + step, links)},
        )
        connection.commit()
    connection.execute(sql.COUNT, (CRAWL, 0, links, 0, links))
    connection.execute(sql.REOFFER.replace("t.id = ANY(%s::bigint[])", "t.crawl = %s"), (CRAWL,))
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE frontier_links")
    connection.execute("VACUUM ANALYZE frontier_turns")


def work(url: str, worker: int, batch: int, seconds: float, results: Any) -> None:
    """Claim, settle, admit; tells how long each took."""
    with psycopg.connect(url) as connection:
        frontier = PostgresFrontier(connection, CRAWL, delay=DELAY, worker=worker)
        connection.commit()
        claims, settles, admits = list[float](), list[float](), list[float]()
        done, now, made = 0, time.time(), 0
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            now = time.time()
            start = time.perf_counter()
            # A claim lost with the server's last moments is no loss: its token is late, and the link waits again.
            connection.execute("SET LOCAL synchronous_commit = off")
            leases = frontier.claim(batch, now)
            connection.commit()
            claims.append(time.perf_counter() - start)
            start = time.perf_counter()
            frontier.settle_all([Settlement(lease.token, "ok") for lease in leases], now)
            connection.commit()
            settles.append(time.perf_counter() - start)
            done += len(leases)
            if worker == 1:
                start = time.perf_counter()
                fresh = [Link(f"http://h{made + n}.example/new/{made + n}", priority=0.5) for n in range(100)]
                made += 100
                frontier.admit(fresh)
                connection.commit()
                admits.append(time.perf_counter() - start)
        results.put((done, claims, settles, admits))


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1] * 1000 if len(times) > 1 else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pinakes-pg-"))
    out: dict[str, Any] = {"links": options.links, "hosts": options.hosts, "batch": options.batch, "runs": []}
    try:
        with Postgres(folder, {"shared_buffers": "1GB"}) as server:
            start = time.perf_counter()
            with psycopg.connect(server.url()) as connection:
                fill(connection, options.links, options.hosts)
                size = connection.execute("SELECT pg_total_relation_size('frontier_links')").fetchone()[0]
            out["bytes_a_link"] = round(size / options.links)
            print(f"{options.links:,} links wait on {options.hosts:,} hosts ({time.perf_counter() - start:.0f} s, "
                  f"{out['bytes_a_link']} bytes each)")  # fmt: skip
            for workers in map(int, options.workers.split(",")):
                results: Any = mp.Queue()
                arguments = [(server.url(), n, options.batch, options.seconds, results) for n in range(1, workers + 1)]
                crew = [mp.Process(target=work, args=each) for each in arguments]
                for process in crew:
                    process.start()
                told = [results.get() for _ in crew]
                for process in crew:
                    process.join()
                claims = [t for one in told for t in one[1]]
                settles = [t for one in told for t in one[2]]
                admits = [t for one in told for t in one[3]]
                rate = sum(one[0] for one in told) / options.seconds
                run = {
                    "workers": workers,
                    "claims_and_settles_a_second": round(rate),
                    "claim_ms": {"p50": round(statistics.median(claims) * 1000, 2), "p95": round(p95(claims), 2)},
                    "settle_ms": {"p50": round(statistics.median(settles) * 1000, 2), "p95": round(p95(settles), 2)},
                    "admit_100_ms": {"p50": round(statistics.median(admits) * 1000, 2), "p95": round(p95(admits), 2)},
                }
                out["runs"].append(run)
                print(run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
