"""How fast is a library of many pages in the browser? Pages of the procedural web, put into a library and served.

    python benchmarks/serve.py [PAGES] [READERS] [LIBRARY]

First every kind of page is asked for one after the other: bytes and time of an answer. Then as many readers as given
ask for a page each every two seconds, while a crawl over real sockets writes into the same library and its indexes are
kept up. LIBRARY keeps the made library for another run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp

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
        nuggets = 0
        for n in range(pages):
            parent = n * 7 // 10 if n else 0
            depth = n.bit_length()
            link = Link(
                procedural.url(n), "a page", parent=procedural.url(parent) if n else "", depth=depth if n else 0
            )
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
def served(folder: Path) -> Iterator[str]:
    """The application in a process of its own; answers where it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "pinakes", "serve", str(folder), "--port", str(port)],
                               stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


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


async def alone(url: str, pages: int) -> dict[str, dict[str, float]]:
    """One reader: what a page weighs, and how long its answer takes when nobody else asks."""
    told: dict[str, dict[str, float]] = {}
    async with aiohttp.ClientSession() as client:
        for kind, paths in kinds(pages).items():
            took, weight = [], 0
            for path in (paths * ROUNDS)[: max(ROUNDS, min(40, len(paths)))]:
                began = time.perf_counter()
                async with client.get(url + path) as answer:
                    body = await answer.read()
                    assert answer.status == 200, (path, answer.status)
                took.append((time.perf_counter() - began) * 1000)
                weight = max(weight, len(body))
            told[kind] = {"kb": weight / 1000, "median_ms": statistics.median(took), "worst_ms": max(took)}
            middle = statistics.median(took)
            print(f"{kind:<12} {weight / 1000:7.1f} KB  median {middle:6.1f} ms  worst {max(took):6.1f} ms")
    return told


async def together(url: str, pages: int, readers: int, seconds: float) -> tuple[list[float], int]:
    """Many readers, each a page every two seconds: milliseconds of each answer, and how many went wrong."""
    paths = [path for kind, listed in kinds(pages).items() if kind not in ("metrics",) for path in listed]
    took: list[float] = []
    wrong = 0

    async def reader(client: aiohttp.ClientSession, number: int) -> None:
        nonlocal wrong
        draw = random.Random(number)
        await asyncio.sleep(draw.random() * EVERY)
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            try:
                async with client.get(url + draw.choice(paths)) as answer:
                    await answer.read()
                    wrong += answer.status != 200
            except (aiohttp.ClientError, TimeoutError):
                wrong += 1
            took.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(max(0.0, EVERY - (time.perf_counter() - began)))

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        await asyncio.gather(*(reader(client, number) for number in range(readers)))
    return took, wrong


def main(pages: int, readers: int, kept: Path | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = kept or Path(name) / "library"
        if not (folder / "catalogue.db").exists():
            asyncio.run(fill(folder, pages))
        keep_up(folder, FullText(folder))
        with served(folder) as url:
            time.sleep(2)
            single = asyncio.run(alone(url, pages))
            web = ProceduralWeb(pages=1_000_000, hosts=3_000, links=20)
            with serve(web, process=True) as source:
                crawl = subprocess.Popen(
                    [sys.executable, "-m", "pinakes", "crawl", "--into", str(folder), "--new", "--topic", "data",
                     "--seed", web.url(5), "--seed", web.url(99), "--pages", "1000000",
                     "--contact", "benchmark@example.org", "--delay", "1", "--allow-private",
                     "--resolve", f"*=127.0.0.1:{source.port}", "--processes", "1"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                time.sleep(6)
                began = crawled(folder)
                took, wrong = asyncio.run(together(url, pages, readers, SECONDS))
                fetched = crawled(folder) - began
                crawl.send_signal(2)
                crawl.wait()
    took.sort()
    p95 = took[int(len(took) * 0.95)]
    print(
        f"{readers} readers, {len(took):,} answers in {SECONDS:.0f} s while a crawl fetched {fetched:,} pages:"
        f" {wrong} wrong, median {statistics.median(took):.0f} ms, p95 {p95:.0f} ms, worst {took[-1]:.0f} ms;"
        f" load {os.getloadavg()[0]:.1f}"
    )
    slow = {kind: round(told["median_ms"], 1) for kind, told in single.items() if told["median_ms"] > PAGE_MS}
    heavy = {kind: told["kb"] for kind, told in single.items() if told["kb"] > PAGES_KB and kind != "copy"}
    print(f"Beyond {PAGE_MS} ms alone: {slow or 'none'}; beyond {PAGES_KB} KB: {heavy or 'none'}")
    found = single["search"]["median_ms"]
    print(f"p95 within {P95_MS} ms: {p95 < P95_MS}; search within {SEARCH_MS} ms: {found < SEARCH_MS}")
    print(json.dumps({"pages": pages, "single": single, "readers": readers, "answers": len(took), "wrong": wrong,
                      "median_ms": statistics.median(took), "p95_ms": p95, "crawled": fetched}))  # fmt: skip


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
