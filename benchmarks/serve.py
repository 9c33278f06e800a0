"""How fast is a library of many pages in the browser? Pages of the procedural web, put into a library and served.

    python benchmarks/serve.py [PAGES] [READERS] [LIBRARY]

First every kind of page is asked for one after the other: bytes, time and the server's CPU of an answer; then the same
search on the command line. Then as many readers as given ask for a page each every two seconds, while a crawl over real
sockets writes into the same library and its indexes are kept up. LIBRARY keeps the made library for another run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from pinakes.core.page import Brief, Link, Topic, Verdict
from pinakes.core.roles import Progress
from pinakes.library.collections import Collection, Entry, save_collections
from pinakes.library.fulltext import FullText
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.serve.keeper import keep_up
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.inprocess import InProcessWeb
from pinakes.testing.procedural import ProceduralWeb
from pinakes.testing.server import serve

TOPICS = 20
BRANCHES = 3
"""Pages reached from one: the paths of 100,000 are some ten links long."""
ENTRIES = 500
EVERY = 2.0
SECONDS = 40.0
ROUNDS = 7
PAGES_KB, PAGE_MS, SEARCH_MS, P95_MS = 200, 100, 50, 250


async def fill(folder: Path, pages: int) -> None:
    """A library of that many pages, each but the first reached from an earlier one, in ranked collections."""
    procedural = ProceduralWeb(pages=max(pages, 100_000), hosts=2_000, skew=2, links=20)
    web = InProcessWeb(procedural)
    strategy = BreadthFirst(Brief())
    topics = tuple(Topic(f"topic {n}") for n in range(TOPICS))
    recipe = Recipe("benchmark", "breadth-first", "cosine", "procedural", brief=Brief(topics=topics))
    entries: dict[str, list[Entry]] = {topic.name: [] for topic in topics}
    with Library(folder, write=True, create=True) as library:
        ledger = library.begin(recipe)
        nuggets, depths = 0, list[int]()
        for n in range(pages):
            parent = n // BRANCHES
            depths.append(depths[parent] + 1 if n else 0)
            link = Link(procedural.url(n), "a page", parent=procedural.url(parent) if n else "", depth=depths[n])
            fetched = await web.fetch(link)
            score, topic = (n * 7919 % 1000) / 1000, f"topic {n % TOPICS}"
            scores = {topic: score, f"topic {(n + 1) % TOPICS}": score / 2}
            ledger.deliver(fetched, fetched.page, Verdict(score, topic, scores, score > 0.5), None)
            nuggets += score > 0.5
            if score > 0.5 and len(entries[topic]) < ENTRIES:
                page = fetched.page
                snippet = page.text[:240]
                entries[topic].append(
                    Entry(page.url, score, page.title, score, True, snippet, "en", "2026-01-01", n + 1, 1, (page.url,))
                )
            if n % 500 == 499:
                ledger.commit(Progress(pages=n + 1, nuggets=nuggets, waiting=n * 3, seconds=n / 100), strategy)
        ledger.commit(Progress(pages=pages, nuggets=nuggets, outcomes={"ok": pages}, seconds=pages / 100), strategy)
        ledger.finish("budget", time.time())
        ranked = [
            Collection(
                name, crawl=1, built=time.time(), terms=("word",), entries=tuple(sorted(held, key=lambda e: -e.merit))
            )
            for name, held in entries.items()
        ]
        save_collections(library.connection, ranked)
    await web.close()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """The application in a process of its own; answers where it is, and the number of the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "pinakes", "serve", str(folder), "--port", str(port)],
                               stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{port}/", timeout=60):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def used(process: int) -> float:
    """Seconds of CPU a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader:
    """A browser's connection, kept open, that costs next to nothing: what is measured is the application."""

    def __init__(self, url: str) -> None:
        self._host = url.removeprefix("http://")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body."""
        if self._streams is None:
            host, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(host, int(port))
        reader, writer = self._streams
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        assert length is not None, head
        return int(head[9:12]), await reader.readexactly(int(length[1]))

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def kinds(pages: int) -> dict[str, list[str]]:
    """Addresses of every kind of page."""
    draw = random.Random(7)
    words = ("the", "a", "of", "in", "data", "page", "topic")
    return {
        "home": ["/"],
        "search": [f"/search?q={word}+topic:%22topic+{draw.randrange(TOPICS)}%22" for word in words * 3]
        + [f"/search?q={word}" for word in words],
        "collections": ["/collections"],
        "collection": [f"/collection?name=topic+{n}&offset={draw.randrange(0, 400, 25)}" for n in range(TOPICS)],
        "page": [f"/pages/{draw.randrange(1, pages)}" for _ in range(200)],
        "copy": [f"/copy/{draw.randrange(1, pages)}" for _ in range(50)],
        "crawls": ["/crawls"],
        "crawl": ["/crawls/1"],
        "start": ["/start", "/start/crawl"],
        "metrics": ["/metrics"],
    }  # fmt: skip


async def alone(url: str, process: int, pages: int) -> dict[str, dict[str, float]]:
    """One reader: what a page weighs, how long its answer takes when nobody else asks, and what it costs the server.
    Every address is another one, so that none is answered from what was made a moment ago."""
    told: dict[str, dict[str, float]] = {}
    reader = Reader(url)
    for kind, paths in kinds(pages).items():
        took, weight, began_cpu = list[float](), 0, used(process)
        for n, path in enumerate(paths if len(paths) >= ROUNDS else paths * ROUNDS):
            began = time.perf_counter()
            status, body = await reader.get(f"{path}{'&' if '?' in path else '?'}n={n}")
            took.append((time.perf_counter() - began) * 1000)
            assert status == 200, (path, status)
            weight = max(weight, len(body))
        cpu = (used(process) - began_cpu) * 1000 / len(took)
        middle = statistics.median(took)
        told[kind] = {"kb": weight / 1000, "median_ms": middle, "worst_ms": max(took), "cpu_ms": cpu}
        print(
            f"{kind:<12} {weight / 1000:7.1f} KB  median {middle:6.1f} ms  worst {max(took):6.1f} ms"
            f"  CPU {cpu:5.1f} ms",
            flush=True,
        )
    reader.close()
    return told


def typed(folder: Path) -> float:
    """The same searches on the command line: milliseconds that the search took, as it says itself."""
    took = []
    for word in ("data", "the topic", "page of"):
        command = [sys.executable, "-m", "pinakes", "search", str(folder), word, "--json"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        took.append(json.loads(said.splitlines()[-1])["seconds"] * 1000)
    return statistics.median(took)


async def together(url: str, pages: int, readers: int, seconds: float) -> tuple[list[float], int]:
    """Many readers, each a page every two seconds: milliseconds of each answer, and how many went wrong."""
    paths = [path for kind, listed in kinds(pages).items() if kind not in ("metrics",) for path in listed]
    took: list[float] = []
    wrong = 0

    async def read(number: int) -> None:
        nonlocal wrong
        draw, reader = random.Random(number), Reader(url)
        await asyncio.sleep(draw.random() * EVERY)
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            try:
                status, _ = await reader.get(draw.choice(paths))
                wrong += status != 200
            except (OSError, EOFError, AssertionError):
                wrong += 1
                reader.close()
            took.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - began)))
        reader.close()

    await asyncio.gather(*(read(number) for number in range(readers)))
    return took, wrong


def main(pages: int, readers: int, kept: Path | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = kept or Path(name) / "library"
        if not (folder / "catalogue.db").exists():
            asyncio.run(fill(folder, pages))
        keep_up(folder, FullText(folder))
        command_line = typed(folder)
        with served(folder) as (url, process):
            time.sleep(2)
            single = asyncio.run(alone(url, process, pages))
            web = ProceduralWeb(pages=1_000_000, hosts=3_000, links=20)
            with serve(web, process=True) as source:
                crawl = subprocess.Popen(
                    [sys.executable, "-m", "pinakes", "crawl", "--into", str(folder), "--new", "--topic", "data",
                     "--seed", web.url(5), "--seed", web.url(99), "--pages", "1000000",
                     "--contact", "benchmark@example.org", "--delay", "1", "--allow-private",
                     "--resolve", f"*=127.0.0.1:{source.port}", "--processes", "1"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                while not 20 < crawled(folder) < pages:
                    time.sleep(0.5)
                began, began_cpu, own = crawled(folder), used(process), time.process_time()
                took, wrong = asyncio.run(together(url, pages, readers, SECONDS))
                fetched, busy = crawled(folder) - began, used(process) - began_cpu
                own = time.process_time() - own
                crawl.send_signal(2)
                crawl.wait()
    took.sort()
    p95 = took[int(len(took) * 0.95)]
    print(
        f"{readers} readers, {len(took):,} answers in {SECONDS:.0f} s while a crawl fetched {fetched:,} pages:"
        f" {wrong} wrong, median {statistics.median(took):.0f} ms, p95 {p95:.0f} ms, worst {took[-1]:.0f} ms;"
        f" the server used {busy / SECONDS:.2f} cores, {busy * 1000 / len(took):.1f} ms an answer, the readers"
        f" {own / SECONDS:.2f}; load {os.getloadavg()[0]:.1f}"
    )
    slow = {kind: round(told["median_ms"], 1) for kind, told in single.items() if told["median_ms"] > PAGE_MS}
    heavy = {kind: told["kb"] for kind, told in single.items() if told["kb"] > PAGES_KB and kind != "copy"}
    print(f"Beyond {PAGE_MS} ms alone: {slow or 'none'}; beyond {PAGES_KB} KB: {heavy or 'none'}")
    found = single["search"]["median_ms"]
    print(
        f"p95 within {P95_MS} ms: {p95 < P95_MS}; search within {SEARCH_MS} ms: {found < SEARCH_MS} in the browser"
        f" ({found:.0f} ms), {command_line < SEARCH_MS} on the command line ({command_line:.0f} ms)"
    )
    print(json.dumps({"pages": pages, "single": single, "search_typed_ms": command_line, "readers": readers,
                      "answers": len(took), "wrong": wrong, "median_ms": statistics.median(took), "p95_ms": p95,
                      "server_cores": busy / SECONDS, "crawled": fetched}))  # fmt: skip


def crawled(folder: Path) -> int:
    with Library(folder) as library:
        return library.crawls()[-1].progress.pages


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        int(given[0]) if given else 100_000,
        int(given[1]) if len(given) > 1 else 200,
        Path(given[2]) if len(given) > 2 else None,
    )
