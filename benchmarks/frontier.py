"""What a frontier costs a page as it grows: memory and disk, with and without delays, and RocksDB for comparison.

    python benchmarks/frontier.py --links 1000000 [--kinds memory,disk,disk-hosts,rocksdb] [--folder DIR]

A page is one claim, one settle and the admission of 20 to 50 links, one in five of them met before; 100 pages are one
transaction. Each kind runs in a process of its own until so many links wait. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import psutil

from pinakes.core.page import Link
from pinakes.frontier.disk import DiskFrontier
from pinakes.frontier.memory import MemoryFrontier
from pinakes.frontier.seen import FORGOTTEN, GONE, Seen, fingerprint

TEXT = "the library of birds keeps many papers about river owls and other night hunters in old forests"
HOSTS = 50_000
WINDOW = 2000


def pages(seed: int) -> Iterator[list[Link]]:
    """Links of page after page, most of them new, priced alike as best-first prices them."""
    numbers = random.Random(seed)
    words = TEXT.split()
    made = 0
    while True:
        parent, price = f"http://host{made % HOSTS}.example/page/{made}", numbers.random()
        links = []
        for at in range(numbers.randrange(20, 51)):
            number = numbers.randrange(made) if made and numbers.random() < 0.2 else made
            made += number == made
            url = f"http://host{number * 7919 % HOSTS}.example/some/folder/{number}.html"
            start = numbers.randrange(8)
            said = (" ".join(words[start : start + 3]), " ".join(words[:8]), " ".join(words[4:]))
            links.append(Link(url, *said, at * 9, "html/body/div/ul/li/a", "", parent, 3, at % 4, price))
        yield links


class Rocks:
    """The least that does the same over RocksDB: rows in order of claim, the same table of addresses, no leases."""

    def __init__(self, folder: Path) -> None:
        import rocksdict

        self._made = rocksdict
        self._db = rocksdict.Rdict(str(folder), rocksdict.Options(raw_mode=True))
        self._seen, self._seq, self._count = Seen(folder.parent / "seen"), 0, 0
        self._encode = msgspec.msgpack.Encoder().encode

    def __len__(self) -> int:
        return self._count

    def admit(self, links: list[Link]) -> None:
        batch = self._made.WriteBatch(raw_mode=True)
        prints = {link.url: fingerprint(link.url) for link in links}
        keys = np.fromiter(prints.values(), np.uint64, len(prints))
        fresh = {
            url for url, mark in zip(prints, self._seen.get(self._seen.find(keys))[1], strict=True) if mark == FORGOTTEN
        }
        for link in links:
            if link.url in fresh:
                fresh.discard(link.url)
                self._seq += 1
                self._count += 1
                batch.put(struct.pack(">dQ", 1 - link.priority, self._seq), self._encode(link))
        self._seen.set(keys, 0.0, 1)
        self._db.write(batch)

    def page(self) -> None:
        if not self._count:
            return
        rows = self._db.iter()
        rows.seek_to_first()
        link = msgspec.msgpack.decode(rows.value())
        del self._db[rows.key()]
        self._seen.set_one(fingerprint(link[0]), GONE)
        self._count -= 1


def visit(frontier: Any, now: float) -> None:
    for lease in frontier.claim(1, now):
        frontier.settle(lease.token, "ok", now)


def measure(kind: str, links: int, folder: Path) -> dict[str, object]:
    process = psutil.Process()
    frontier: Any
    commit: Callable[[], None] | None = None
    if kind == "memory":
        frontier = MemoryFrontier()
    elif kind == "rocksdb":
        frontier = Rocks(folder / "rocks")
    else:
        connection = sqlite3.connect(folder / "db")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA cache_size=-65536")
        frontier = DiskFrontier(connection, 1, delay=5.0 if kind == "disk-hosts" else None, table=folder / "seen")

        def commit() -> None:
            frontier.flush()
            connection.commit()

    costs: list[float] = []
    base, start, count = process.memory_info().rss, time.perf_counter(), 0
    for count, found in enumerate(pages(1)):
        before = time.process_time()
        if kind == "rocksdb":
            frontier.page()
        else:
            visit(frontier, count / 100)
        frontier.admit(found)
        if commit is not None and count % 100 == 99:
            commit()
        costs.append(time.process_time() - before)
        if len(frontier) >= links:
            break
    wall = time.perf_counter() - start
    memory = process.memory_full_info()
    result: dict[str, object] = {
        "waiting": len(frontier),
        "pages": count + 1,
        "first_us": round(1e6 * sum(costs[:WINDOW]) / len(costs[:WINDOW])),
        "last_us": round(1e6 * sum(costs[-WINDOW:]) / len(costs[-WINDOW:])),
        "mean_us": round(1e6 * sum(costs) / len(costs)),
        "slowest_ms": round(1e3 * max(costs)),
        "wall_s": round(wall, 1),
        "rss_mb": round((memory.rss - base) / 1e6),
        "of_which_mapped_mb": round(getattr(memory, "shared", 0) / 1e6),
    }
    if isinstance(frontier, DiskFrontier):
        frontier.close()
        connection.commit()
        for name, ready in (("reopen_s", True), ("rebuild_s", False)):
            if not ready:
                (folder / "seen").unlink()
            start = time.perf_counter()
            again = DiskFrontier(connection, 1, delay=5.0 if kind == "disk-hosts" else None, table=folder / "seen")
            result[name] = round(time.perf_counter() - start, 2)
            assert len(again) == len(frontier)
        connection.close()
    result["disk_mb"] = round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)
    return result


def quick() -> dict[str, object]:
    """The single steps in memory that evaluations live on."""
    frontier = MemoryFrontier(limit=60_000)
    source = pages(2)
    while len(frontier) < 50_000:
        frontier.admit(next(source))
    found = [[link for _ in range(3) for link in next(source)][:100] for _ in range(50)]
    start = time.process_time()
    for links in found:
        frontier.admit(links)
    admit = (time.process_time() - start) / 50
    urls = frontier.working(50_000)
    prices = np.random.default_rng(0).random(len(urls))
    start = time.process_time()
    frontier.reprice(urls, prices)
    reprice = time.process_time() - start
    start = time.process_time()
    frontier.claim(10, 0.0)
    claim = time.process_time() - start
    start = time.process_time()
    for links in (next(source) for _ in range(2000)):
        frontier.admit(links)
    full = (time.process_time() - start) / 2000
    return {
        "admit_100_ms": round(1e3 * admit, 3),
        "reprice_50k_ms": round(1e3 * reprice, 1),
        "claim_after_reprice_ms": round(1e3 * claim, 1),
        "page_at_limit_ms": round(1e3 * full, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--kinds", default="quick,memory,disk,disk-hosts,rocksdb")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(
            json.dumps(quick() if options.alone == "quick" else measure(options.alone, options.links, options.folder))
        )
        return
    results = {}
    for kind in options.kinds.split(","):
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            command = [
                sys.executable,
                __file__,
                "--alone",
                kind,
                "--links",
                str(options.links),
                "--folder",
                str(folder),
            ]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if "No module named 'rocksdict'" in run.stderr:
                results[kind] = {"skipped": "pip install rocksdict"}
            else:
                if run.returncode:
                    sys.exit(run.stderr)
                results[kind] = json.loads(run.stdout)
        finally:
            shutil.rmtree(folder)
        print(kind, results[kind], flush=True)
    print(json.dumps({"links": options.links, **results}))


if __name__ == "__main__":
    main()
