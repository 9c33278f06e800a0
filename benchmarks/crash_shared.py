"""Kill workers, whoever decides and the database with SIGKILL at random moments, cut one worker off, and compare the
crawl with one that was left in peace.

    python benchmarks/crash_shared.py [WEB] [--kills 20] [--workers 3] [--every 1.0] [--cut 3] [--random-state 0]
    python benchmarks/crash_shared.py --kills 0 --cut 30 --namespaces yes

Every worker is on a machine of its own: a network namespace whose interface can be shut, or (`--namespaces no`, and
where they are not allowed) an address of loopback behind a proxy that can be cut. The crawl goes on until nothing
waits any more. It counts as passed when it then has the very pages of a crawl into a folder on one machine, none of
them twice, every page the catalogue names can be read from the archive, and the archive holds not a byte more. The last
line is a JSON object.
"""

from __future__ import annotations

import argparse
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
from pathlib import Path

from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.library.archive import Place
from pinakes.library.desk import library_path
from pinakes.library.library import Library
from pinakes.library.postgres import is_away
from pinakes.testing.machines import Machines
from pinakes.testing.postgres import Postgres


class Crowd:
    """Processes that work on one library, each on a machine of its own."""

    def __init__(
        self, server: Postgres, database: str, machines: Machines, folder: Path, numbers: random.Random
    ) -> None:
        self.server, self.database, self.numbers = server, database, numbers
        self.folder, self.machines = folder, machines.all
        self.crew: list[subprocess.Popen[bytes]] = []
        self.log = (folder / "log").open("wb")
        self.counts: Counter[str] = Counter()

    def address(self, n: int) -> str:
        host, port = self.machines[n].reach(self.server.port)
        return f"postgresql://pinakes@{host}:{port}/{self.database}"

    def start(self, n: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "pinakes", "work", self.address(n), "--forever", "--in-flight", "4"]
        environment = {**os.environ, "PINAKES_DATA": str(self.folder / f"desk-{n}")}
        there = self.machines[n].command(command)
        return subprocess.Popen(there, stdout=self.log, stderr=self.log, env=environment)

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
        try:
            with Library(library_path(self.server.url(self.database))) as library:
                assert library.shared is not None
                return next((int(one.name.rpartition(":")[2]) for one in library.shared.workers() if one.decides), 0)
        except Exception:
            return 0

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
    parser.add_argument("--namespaces", choices=("yes", "no", "auto"), default="no")
    parser.add_argument("--random-state", type=int, default=0)
    options = parser.parse_args()
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
    begin(options, shared, str(folder / "pages"))
    started = time.monotonic()
    try:
        crowd.crew = [crowd.start(n) for n in range(options.workers)]
        torment(options, crowd, shared)
    finally:
        crowd.end()
    seconds = time.monotonic() - started
    with Library(shared, write=True):  # whoever opens it to write drops what dead workers left behind
        pass
    found, wrong = pages_of(shared)
    with Library(shared) as library:
        assert library.shared is not None
        brought = [one.pages for one in library.shared.workers()]
    return {
        "passed": found == expected and not wrong,
        "pages": len(found),
        "expected": len(expected),
        "missing": sorted(expected - found)[:5],
        "wrong": wrong[:5],
        "namespaces": machines.namespaces,
        "harm": dict(crowd.counts),
        "workers": len(brought),
        "by_workers": sum(brought),
        "seconds": round(seconds, 1),
    }


def torment(options: argparse.Namespace, crowd: Crowd, shared: Path) -> None:
    """Do harm until it was enough, and wait until the crawl has ended."""
    numbers, started = crowd.numbers, time.monotonic()
    cut_at = started + numbers.uniform(0.5, 3.0) if options.cut else float("inf")
    mend_at, left = float("inf"), options.kills
    while not stopped(shared):
        time.sleep(options.every * numbers.uniform(0.3, 1.0) if left else 0.2)
        now = time.monotonic()
        if now > cut_at:
            crowd.machines[0].cut()
            crowd.counts["cut off"] += 1
            cut_at, mend_at = float("inf"), now + options.cut
        if now > mend_at:
            crowd.machines[0].mend()
            mend_at = float("inf")
        if left:
            crowd.harm(numbers.choice(["worker", "decider", "decider", "database"]))
            left -= 1
        if now - started > 900:
            raise SystemExit(f"it does not end; see {crowd.folder / 'log'}")


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
