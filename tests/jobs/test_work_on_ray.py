"""A crawl whose workers a real Ray cluster of two nodes runs, one of which dies midway."""

from __future__ import annotations

import os
import signal
import threading
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.status import status
from pinakes.jobs.work import WorkOptions
from pinakes.jobs.work_on_ray import work_on_ray
from pinakes.library.desk import library_path
from pinakes.library.library import Library

SEED = "http://www.pinakes.example/"


def wanted(into: Path) -> CrawlOptions:
    # Which links look like traps, and which page is another's duplicate, depends on which came first.
    return CrawlOptions(
        into=into,
        topic="owls",
        seeds=(SEED,),
        web="demo",
        strategy="breadth-first",
        pages=None,
        traps=False,
        dedup=False,
    )


def pages(folder: Path) -> list[str]:
    with Library(folder) as library:
        rows = library.connection.execute("SELECT final FROM visits WHERE outcome = 'ok'").fetchall()
        return sorted(row[0] for row in rows)


def begin(shared: Path) -> None:
    """Begin a crawl and leave it to the others."""
    crawl(wanted(shared), watch=lambda progress: os.kill(os.getpid(), signal.SIGKILL))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray's own
def test_a_node_dies(ray_cluster: Any, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages are those of one process, none twice."""
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))
    shared = library_path(database)
    # A new process: in a copy of this one, the locks of Ray's threads may be held by nobody for ever.
    begun = get_context("spawn").Process(target=begin, args=(shared,))
    begun.start()
    begun.join()
    assert begun.exitcode == -signal.SIGKILL
    doomed = ray_cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")

    def kill() -> None:
        while status(shared).crawls[0].pages < 60:
            time.sleep(0.1)
        ray_cluster.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    result = work_on_ray(ray_cluster.address, WorkOptions(shared, in_flight=4), 2)
    killer.join()
    assert doomed not in ray_cluster.worker_nodes and result.stopped == "frontier empty"
    crawl(wanted(tmp_path / "alone"))
    assert pages(shared) == pages(tmp_path / "alone")


def test_needs_a_shared_library(tmp_path: Path) -> None:
    """What is on one machine's disk cannot be worked on from others."""
    with pytest.raises(PinakesError, match="one machine's library"):
        work_on_ray("ray://local", WorkOptions(tmp_path), 2)
