"""Many workers on one crawl: whatever happens to them, it ends like one left in peace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.status import status
from pinakes.jobs.work import WorkOptions, work
from pinakes.library.desk import library_path
from pinakes.library.library import Library
from pinakes.testing import ProceduralWeb, serve
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "crash_shared.py"
SEED = "http://www.pinakes.example/"


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))


@pytest.mark.slow
@pytest.mark.usefixtures("postgres")
def test_killed_at_random_moments() -> None:
    """Workers, whoever decides and the database are killed, one worker is cut off: the very pages of a single worker's
    crawl, none twice, and an archive without a byte the catalogue does not name."""
    command = [sys.executable, str(BENCHMARK), "demo", "--kills", "4", "--cut", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["passed"] and report["by_workers"] > 0 and sum(report["harm"].values()) == 5


@pytest.mark.slow
@pytest.mark.usefixtures("postgres")
def test_three_machines_one_cut_off() -> None:
    """Workers with addresses of their own, in network namespaces where those are allowed, crawl a recorded web to its
    end, one cut off from the database for a while: together they have the pages that one alone has."""
    command = [sys.executable, str(BENCHMARK), "demo", "--kills", "0", "--cut", "2", "--namespaces", "auto"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["passed"] and report["harm"] == {"cut off": 1} and report["workers"] >= 3
    assert report["cut"]["seconds"] >= 2 and report["cut"]["brought_after"] > 0


@pytest.mark.usefixtures("desks")
def test_nothing_to_do(database: str, tmp_path: Path) -> None:
    """A worker needs a library in PostgreSQL, and leaves when no crawl is running."""
    with pytest.raises(PinakesError, match="no Pinakes library"):
        work(WorkOptions(library_path(database)))
    options = CrawlOptions(into=library_path(database), topic="owls", seeds=(SEED,), web="demo", pages=3)
    crawl(options)
    with Library(library_path(database)) as library:
        assert library.shared is not None
        assert [(one.alive, one.pages >= 3, one.in_flight) for one in library.shared.workers()] == [(False, True, 0)]
    result = work(WorkOptions(library_path(database)))
    assert (result.pages, result.decided, result.stopped) == (0, 0, "budget")
    crawl(CrawlOptions(into=tmp_path / "own", topic="owls", seeds=(SEED,), web="demo", pages=3))
    with pytest.raises(PinakesError, match="one machine's library"):
        work(WorkOptions(tmp_path / "own"))


@pytest.mark.usefixtures("desks")
def test_budget_is_everybodys(postgres: Any) -> None:
    """Two workers and whoever decides stay within one budget, and all end when it is spent."""
    address = postgres.create(f"budget_{os.getpid()}")
    command = [sys.executable, "-m", "pinakes"]
    library = library_path(address)
    crawl(CrawlOptions(into=library, topic="owls", seeds=(SEED,), web="demo", pages=1, strategy="breadth-first"))
    workers = [
        subprocess.Popen([*command, "work", address, "--forever", "--json"], stdout=subprocess.PIPE) for _ in range(2)
    ]
    try:
        done = subprocess.run([*command, "resume", address, "--pages", "80", "--json"],
                              capture_output=True, text=True, check=True)  # fmt: skip
        result = json.loads(done.stdout.splitlines()[-1])
        assert (result["stopped"], result["pages"]) == ("budget", 80)
        assert sum(status(library).crawls[0].outcomes.values()) >= 80
    finally:
        for worker in workers:
            worker.terminate()
        told = [json.loads(worker.communicate()[0].splitlines()[-1]) for worker in workers]
    assert all(one["stopped"] == "interrupted" for one in told)
    assert status(library).workers == ()


@pytest.mark.usefixtures("desks")
def test_an_address_is_everybodys(postgres: Any) -> None:
    """Measured at the server: with a pause for all hosts behind one address, two workers ask none of its hosts sooner
    than that after another; nor does the second after the first was killed."""
    delay, address = 0.2, postgres.create(f"address_{os.getpid()}")
    library, web = library_path(address), ProceduralWeb(pages=2000, hosts=40, links=15, words=60)
    command = [sys.executable, "-m", "pinakes", "work", address, "--in-flight"]
    crew: list[subprocess.Popen[bytes]] = []
    with serve(web) as server:
        manners = LiveOptions(
            contact="test@pinakes.example",
            pace=Pace(delay=delay, patience=0.0),
            allow_private=True,
            resolve=(f"*=127.0.0.1:{server.port}",),
            share_delay=True,
        )
        begin(CrawlOptions(into=library, topic=web.topic(0).text, seeds=web.seeds(12), live=manners, pages=20,
                           strategy="breadth-first"))  # fmt: skip
        try:
            crew += [subprocess.Popen([*command, "4", "--fetch-only"]) for _ in range(2)]
            crew.append(subprocess.Popen([*command, "0"]))
            brought, seen = dict[int, int](), 0
            while crew[2].poll() is None:
                time.sleep(0.1)
                with Library(library) as opened:
                    assert opened.shared is not None
                    told = {int(one.name.rpartition(":")[2]): one.pages for one in opened.shared.workers()}
                brought = {one.pid: told.get(one.pid, 0) for one in crew[:2]}
                seen = max(seen, len(status(library).workers))
                if all(brought.values()):
                    crew[0].kill()
        finally:
            for one in crew:
                one.kill()
                one.wait()
        asked = sorted(one.at for requests in server.requests().values() for one in requests)
    assert crew[0].returncode == -signal.SIGKILL and all(brought.values()) and seen == 3 and len(asked) > 30
    # From request to request, for when an answer was read only the client knows.
    assert min(later - earlier for earlier, later in pairwise(asked)) >= delay * 0.95


def begin(options: CrawlOptions) -> None:
    """Begin a crawl, and leave it to others."""
    if (child := os.fork()) == 0:
        try:
            crawl(options, watch=lambda progress: os.kill(os.getpid(), signal.SIGKILL))
        finally:
            os._exit(1)
    os.waitpid(child, 0)
