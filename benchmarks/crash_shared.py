"""Kill workers, whoever decides and the database with SIGKILL at random moments, cut one worker off, and compare the
crawl with one that was left in peace.

    python benchmarks/crash_shared.py [WEB] [--kills 20] [--workers 3] [--every 1.0] [--cut 3] [--random-state 0]
    python benchmarks/crash_shared.py --kills 0 --cut 30 --namespaces yes [--cut-off decider]

Every worker is on a machine of its own: a network namespace whose interface can be shut, or (`--namespaces no`, and
where they are not allowed) an address of loopback behind a proxy that can be cut. The recorded web answers as slowly
as it must for the crawl to outlast all harm (`--latency` says otherwise), and the crawl goes on until nothing waits any
more. It counts as passed when it then has the very pages of a crawl into a folder on one machine, none of them twice,
every page the catalogue names can be read from the archive, and the archive holds not a byte more; and when all harm
was done while it ran, the cut lasted as long as asked, and whoever was cut off came back and brought pages, or decided.
The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pinakes.core.page import Fetched, Link
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.work import WorkOptions, work
from pinakes.library.archive import Place
from pinakes.library.desk import library_path
from pinakes.library.library import Library
from pinakes.library.postgres import is_away
from pinakes.library.shared import Worker
from pinakes.testing.machines import Machines
from pinakes.testing.postgres import Postgres
from pinakes.web.frozen import FrozenWeb

IN_FLIGHT = 4
"""Requests a worker has under way at once."""
DISTURBED = 1.0
"""Seconds in which little gets done after something was killed."""


class Crowd:
    """Processes that work on one library, each on a machine of its own."""

    def __init__(
        self, server: Postgres, database: str, machines: Machines, folder: Path, numbers: random.Random
    ) -> None:
        self.server, self.database, self.numbers = server, database, numbers
        self.folder, self.machines = folder, machines.all
        self.latency = 0.0
        self.crew: list[subprocess.Popen[bytes]] = []
        self.started: list[tuple[int, int]] = []
        """The machine and the number of every process there was."""
        self.log = (folder / "log").open("wb")
        self.counts: Counter[str] = Counter()

    def address(self, n: int) -> str:
        host, port = self.machines[n].reach(self.server.port)
        return f"postgresql://pinakes@{host}:{port}/{self.database}"

    def start(self, n: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, __file__, "--latency", str(self.latency), "--join", self.address(n)]
        environment = {**os.environ, "PINAKES_DATA": str(self.folder / f"desk-{n}")}
        there = self.machines[n].command(command)
        process = subprocess.Popen(there, stdout=self.log, stderr=self.log, env=environment)
        self.started.append((n, process.pid))
        return process

    def harm(self, what: str) -> None:
        self.counts[what] += 1
        if what == "database":
            self.server.kill()
            time.sleep(self.numbers.uniform(0.1, 1.0))
            self.server.start()
            return
        n = self.numbers.randrange(len(self.crew))
        if what == "decider":
            pids = {process.pid: at for at, process in enumerate(self.crew)}
            n = pids.get(self.deciding(), n)
        self.crew[n].send_signal(signal.SIGKILL)
        self.crew[n].wait()
        self.crew[n] = self.start(n)

    def deciding(self) -> int:
        """The process that decides now, or 0."""
        return next((pid for pid, worker in self.told() if worker.decides), 0)

    def brought(self, n: int) -> int:
        """Pages that workers on a machine have brought so far."""
        there = {pid for machine, pid in self.started if machine == n}
        return sum(worker.pages for pid, worker in self.told() if pid in there)

    def told(self) -> list[tuple[int, Worker]]:
        """Who works or worked, by processes."""
        try:
            with Library(library_path(self.server.url(self.database))) as library:
                assert library.shared is not None
                return [(int(one.name.rpartition(":")[2]), one) for one in library.shared.workers()]
        except Exception as error:
            if is_away(error):
                return []
            raise

    def end(self) -> None:
        for process in self.crew:
            process.kill()
            process.wait()
        self.log.close()


def stopped(folder: Path) -> str:
    try:
        with Library(folder) as library:
            return library.crawls()[-1].stopped
    except Exception as error:
        if is_away(error):
            return ""
        raise


def wanted(options: argparse.Namespace, into: Path, archive: str = "") -> CrawlOptions:
    return CrawlOptions(
        into=into,
        topic="owls and other birds of prey",
        seeds=(options.seed,),
        web=options.web,
        strategy=options.strategy,
        pages=None,
        traps=False,  # which links look like a trap depends on which pages came first
        dedup=False,
        archive=archive,
    )


def pages_of(folder: Path) -> tuple[Counter[str], list[str]]:
    """Every page that came home and how often, and what is wrong with the library."""
    wrong = []
    with Library(folder) as library:
        rows = library.connection.execute("SELECT final, outcome, page FROM visits ORDER BY id").fetchall()
        found = Counter(final for final, outcome, _ in rows if outcome == "ok")
        asked = Counter(final for final, outcome, _ in rows if outcome != "known")
        wrong += [f"{url} came home {n} times" for url, n in asked.items() if n > 1]
        places = library.connection.execute("SELECT id, url, segment, offset, length, original FROM pages").fetchall()
        if len({url for _, url, *_ in places}) != len(places):
            wrong.append("a page is stored twice")
        for number, url, segment, offset, length, _ in places:
            if library.archive.read(Place(segment, offset, length)).url != url:
                wrong.append(f"page {number} is not where the catalogue says")
        sizes = dict(library.connection.execute("SELECT name, bytes FROM segments").fetchall())
        for name, size in sizes.items():
            if library.archive.local(name).stat().st_size != size:
                wrong.append(f"{name} has bytes the catalogue does not know of")
        left = library.connection.execute(
            "SELECT count(*) FROM visits WHERE outcome = 'ok' AND page IS NULL"
        ).fetchone()
        if left[0]:
            wrong.append(f"{left[0]} visits have no page")
    return found, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", nargs="?", default="demo")
    parser.add_argument("--seed", default="http://www.pinakes.example/")
    parser.add_argument("--strategy", default="breadth-first")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--cut", type=float, default=3.0)
    parser.add_argument("--cut-off", choices=("worker", "decider"), default="worker")
    parser.add_argument("--latency", type=float)
    parser.add_argument("--join", metavar="ADDRESS", help="be one of the workers")
    parser.add_argument("--namespaces", choices=("yes", "no", "auto"), default="no")
    parser.add_argument("--random-state", type=int, default=0)
    options = parser.parse_args()
    if options.join:
        join(options.join, options.latency)
        return
    folder = Path(tempfile.mkdtemp(prefix="pinakes-crash-"))
    os.environ["PINAKES_DATA"] = str(folder / "desks")
    server_folder = Path(tempfile.mkdtemp(prefix="pinakes-pg-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    namespaces = {"yes": True, "no": False, "auto": None}[options.namespaces]
    with Machines(options.workers, namespaces=namespaces) as machines:
        server = Postgres(server_folder, port=port, addresses=machines.addresses)
        server.start()
        try:
            report = compare(options, server, machines, folder)
        finally:
            server.stop()
            shutil.rmtree(server_folder, ignore_errors=True)
    if report["passed"]:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(report))
    sys.exit(0 if report["passed"] else 1)


def compare(options: argparse.Namespace, server: Postgres, machines: Machines, folder: Path) -> dict[str, object]:
    crawl(wanted(options, folder / "alone"))
    expected, wrong = pages_of(folder / "alone")
    assert not wrong, wrong
    server.create("crowd")
    shared = library_path(server.url("crowd"))
    crowd = Crowd(server, "crowd", machines, folder, random.Random(options.random_state))
    # Whoever decides brings pages, too, but one after the other.
    at_once = IN_FLIGHT * (options.workers - 1) + 1
    lasting = 1.5 * options.cut + options.kills * (options.every + DISTURBED) + 6.0
    with Library(folder / "alone") as library:
        asked = library.connection.execute("SELECT count(*) FROM visits").fetchone()[0]
    crowd.latency = lasting * at_once / asked if options.latency is None else options.latency
    begin(options, shared, str(folder / "pages"))
    started = time.monotonic()
    try:
        crowd.crew = [crowd.start(n) for n in range(options.workers)]
        cut = torment(options, crowd, shared)
    finally:
        crowd.end()
    seconds = time.monotonic() - started
    with Library(shared, write=True):  # whoever opens it to write drops what dead workers left behind
        pass
    found, wrong = pages_of(shared)
    if sum(crowd.counts.values()) != options.kills + bool(options.cut):
        wrong.append("the crawl was over before all harm was done")
    after = crowd.brought(cut.machine) - cut.before
    if options.cut and (cut.seconds < options.cut or not (after or cut.decides)):
        wrong.append("whoever was cut off did not come back")
    brought = [worker.pages for _, worker in crowd.told()]
    return {
        "passed": found == expected and not wrong,
        "pages": len(found),
        "expected": len(expected),
        "missing": sorted(expected - found)[:5],
        "wrong": wrong[:5],
        "namespaces": machines.namespaces,
        "latency": round(crowd.latency, 3),
        "harm": dict(crowd.counts),
        "cut": {
            "decided": cut.decided,
            "seconds": round(cut.seconds, 1),
            "brought_before": cut.before,
            "brought_after": after,
            "decided_after": cut.decides,
            "others_brought_meanwhile": cut.others,
        },
        "workers": len(brought),
        "by_workers": sum(brought),
        "seconds": round(seconds, 1),
    }


@dataclass
class Cut:
    """A machine cut off from the database for a while."""

    machine: int = -1
    decided: bool = False
    began: float = inf
    seconds: float = 0.0
    before: int = 0
    """Pages it had brought when it was mended."""
    others: int = 0
    """Pages the others brought meanwhile."""
    decides: bool = False
    """It took over the deciding after it was mended."""


def torment(options: argparse.Namespace, crowd: Crowd, shared: Path) -> Cut:
    """Do harm until it was enough, and wait until the crawl has ended."""
    numbers, started, cut, left = crowd.numbers, time.monotonic(), Cut(), options.kills
    while not stopped(shared):
        time.sleep(options.every * numbers.uniform(0.3, 1.0) if left else 0.2)
        now = time.monotonic()
        if options.cut and cut.machine < 0 and (n := to_cut(options, crowd)) >= 0:
            cut = Cut(n, options.cut_off == "decider", now, 0.0, crowd.brought(n), total(crowd))
            crowd.machines[n].cut()
            crowd.counts["cut off"] += 1
        if cut.machine >= 0 and not cut.seconds and now - cut.began > options.cut:
            cut.others = total(crowd) - cut.others
            cut.before = crowd.brought(cut.machine)
            cut.seconds = time.monotonic() - cut.began
            crowd.machines[cut.machine].mend()
        elif cut.seconds and not cut.decides:
            cut.decides = (cut.machine, crowd.deciding()) in crowd.started
        if left and (cut.machine >= 0 or not options.cut):
            crowd.harm(numbers.choice(["worker", "decider", "decider", "database"]))
            left -= 1
        if now - started > 900:
            raise SystemExit(f"it does not end; see {crowd.folder / 'log'}")
    return cut


def to_cut(options: argparse.Namespace, crowd: Crowd) -> int:
    """The machine to cut off, as soon as somebody decides and workers bring pages; -1 before."""
    deciding = crowd.deciding()
    machines = {pid: n for n, pid in crowd.started}
    if not deciding or not total(crowd):
        return -1
    if options.cut_off == "decider":
        return machines[deciding]
    return next((n for n, process in enumerate(crowd.crew) if process.pid != deciding and crowd.brought(n)), -1)


def total(crowd: Crowd) -> int:
    return sum(worker.pages for _, worker in crowd.told())


def join(address: str, latency: float) -> None:
    """`pinakes work --forever`, on a recorded web that takes its time."""
    at_once = FrozenWeb.fetch

    async def fetch(self: FrozenWeb, link: Link) -> Fetched:
        await asyncio.sleep(latency)
        return await at_once(self, link)

    FrozenWeb.fetch = fetch  # type: ignore[method-assign]
    work(WorkOptions(library_path(address), IN_FLIGHT, forever=True))


def begin(options: argparse.Namespace, shared: Path, archive: str) -> None:
    """Begin the crawl and die at once: the workers find it without anyone who decides."""
    if os.fork() == 0:
        try:
            crawl(wanted(options, shared, archive), watch=lambda progress: os.kill(os.getpid(), signal.SIGKILL))
        finally:
            traceback.print_exc()
            os._exit(1)
    os.wait()


if __name__ == "__main__":
    main()
