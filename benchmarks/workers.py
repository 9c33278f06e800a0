"""Does a second worker double the speed? One crawl in PostgreSQL, fetched by one worker and by two.

    python benchmarks/workers.py [--workers 1,2] [--in-flight 8] [--latency 0.2] [--pages 400] [--rounds 1]

A procedural web answers over HTTP, from a process of its own, after 200 ms on average, so that waiting dominates; it
has so many hosts that their pauses (five times what an answer took) are in nobody's way. One process decides, and
fetches nothing; each worker has so many requests under way. Everything is on this machine. The rate is that of the
middle eight tenths of the pages, by when they were fetched; scaling is that of each round, in order. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.library.desk import library_path
from pinakes.library.library import Library
from pinakes.testing.postgres import Postgres
from pinakes.testing.procedural import ProceduralWeb
from pinakes.testing.server import serve
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--in-flight", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--pages", type=int, default=400, help="for each worker")
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pinakes-workers-"))
    server_folder = Path(tempfile.mkdtemp(prefix="pinakes-pg-"))
    os.environ["PINAKES_DATA"] = str(folder / "desks")
    web = ProceduralWeb(pages=100_000, hosts=1_000, latency=options.latency, links=20)
    runs = []
    try:
        with Postgres(server_folder) as database, serve(web, robots="User-agent: *\n", process=True, log=False) as site:
            for turn in range(options.rounds):
                for workers in map(int, options.workers.split(",")):
                    address = database.create(f"workers_{workers}_{turn}")
                    runs.append(measure(options, web, site.port, database, address, workers, folder))
                    print(runs[-1], flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(server_folder, ignore_errors=True)
    rates: dict[int, list[float]] = {}
    for run in runs:
        rates.setdefault(run["workers"], []).append(run["pages_a_second"])
    first = rates[min(rates)]
    scaling = {n: [round(a / b, 2) for a, b in zip(rate, first, strict=True)] for n, rate in rates.items()}
    print(json.dumps({"runs": runs, "scaling": scaling}))


def measure(
    options: argparse.Namespace,
    web: ProceduralWeb,
    port: int,
    database: Postgres,
    address: str,
    workers: int,
    folder: Path,
) -> dict[str, Any]:
    library = library_path(address)
    wanted = CrawlOptions(
        into=library,
        topic=web.topic(0).text,
        seeds=web.seeds(60),
        live=LiveOptions(contact="bench@pinakes.example", pace=Pace(delay=0.0), resolve=(f"*=127.0.0.1:{port}",)),
        strategy=options.strategy,
        parameters={"batch": 64} if options.strategy == "best-first" else {},
        pages=options.pages * workers,
        in_flight=1,
        processes=1,
        archive=str(folder / address.rpartition("/")[2].partition("?")[0]),
    )
    if os.fork() == 0:  # begin it, and leave it to the others
        try:
            crawl(wanted, watch=lambda progress: os.kill(os.getpid(), signal.SIGKILL))
        finally:
            traceback.print_exc()
            os._exit(1)
    os.wait()
    command = [sys.executable, "-m", "pinakes", "work", address]
    quiet = {"stdout": subprocess.DEVNULL}
    crew = [subprocess.Popen([*command, "--in-flight", "0"], **quiet)]  # type: ignore[call-overload]
    time.sleep(3.0)
    more = ["--fetch-only", "--in-flight", str(options.in_flight)]
    crew += [subprocess.Popen([*command, *more], **quiet) for _ in range(workers)]  # type: ignore[call-overload]
    watched = {"decider": [crew[0].pid], "worker": [one.pid for one in crew[1:]]}
    spent = spending(watched, database, crew)
    with Library(library) as opened:
        sql = "SELECT at FROM visits WHERE outcome IN ('ok', 'duplicate') ORDER BY at"
        times = [row[0] for row in opened.connection.execute(sql)]
        assert opened.shared is not None
        told = [one for one in opened.shared.workers() if one.pages]
        cpu = opened.crawls()[-1].progress.strategy_seconds
    few = len(times) // 10
    rate = (len(times) - 2 * few) / (times[-few] - times[few])
    return {
        "workers": workers,
        "pages": len(times),
        "pages_a_second": round(rate, 1),
        "brought": [one.pages for one in told],
        "regret": [round(one.regret, 4) for one in told],
        "strategy_cpu_seconds": round(cpu, 2),
        "cpu_ms_a_page": {who: round(seconds / len(times) * 1000, 1) for who, seconds in spent.items()},
    }


def spending(watched: dict[str, list[int]], database: Postgres, crew: list[Any]) -> dict[str, float]:
    """CPU seconds of each until all have ended, from when they are up on."""
    time.sleep(2.0)
    spent, first = dict[tuple[str, int], float](), dict[tuple[str, int], float]()
    while any(process.poll() is None for process in crew):
        everyone = {
            **watched,
            "database": [database.pid, *(one.pid for one in psutil.Process(database.pid).children())],
        }
        for who, pids in everyone.items():
            for pid in pids:
                with suppress(psutil.Error):
                    used = psutil.Process(pid).cpu_times()
                    spent[who, pid] = used.user + used.system
                    first.setdefault((who, pid), 0.0 if who == "database" else spent[who, pid])
        time.sleep(0.1)
    total: dict[str, float] = {}
    for (who, pid), seconds in spent.items():
        total[who] = total.get(who, 0.0) + seconds - first[who, pid]
    return total


if __name__ == "__main__":
    main()
