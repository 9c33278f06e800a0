"""What `evidence` costs: CPU a page with ever more links waiting, and memory with millions.

    python benchmarks/evidence_cost.py [--waiting 10000,100000] [--links 1000000,3000000] [--topics 30]
                                       [--frontier 10000000]

Pages of 600 words and 100 links, nine in ten of them new, are shown to the strategy until so many links wait; then 240
more are timed in rounds, claimed and repriced as the engine does it: for one topic, and for many at once that share the
crawl as those of `pinakes collect` do. For the memory, pages are shown until so many links were met, all of which wait:
what the process grew by must not depend on how many. With `--frontier` so many links wait in the frontier on disk of a
library, of which the strategy met the last half million itself and reprices the best each turn.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import tempfile
import time
from pathlib import Path
from random import Random

import psutil

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it: one core

from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.frontier.disk import DiskFrontier
from pinakes.strategies.evidence import Evidence
from pinakes.strategies.shares import Shares

TIMED, ROUNDS = 40, 6
"""Pages of a round, and rounds: on a machine that others use the quickest says most."""
WORKING = 50_000
"""Links the engine asks prices for at a time."""
MET = 500_000
"""Links of a frontier that the strategy itself has met, where it is filled otherwise."""
TOGETHER = 1000
"""Links let into such a frontier at once."""


class Stream:
    """Pages without end, the same every time."""

    def __init__(self) -> None:
        self._random, self._urls = Random(0), 0
        self._vocabulary = [f"w{number}" for number in range(20_000)]
        self.waiting: list[str] = []

    def page(self, url: str, kept: int = 0) -> Page:
        """A page; its new links wait, of which the latest are `kept` (0: all)."""
        words = tuple(self._vocabulary[int(20_000 * self._random.random() ** 3)] for _ in range(600))
        fresh = [
            f"http://h{self._random.randrange(500)}.example/d{self._urls % 997}/{self._urls + n}" for n in range(90)
        ]
        self._urls += 90
        old = [self._random.choice(self.waiting) for _ in range(10)] if self.waiting else []
        links = tuple(
            Link(target, anchor=" ".join(words[at : at + 3]), at=at, tag=f"html/body/div{at % 7}/a", parent=url)
            for at, target in zip(range(0, 600, 6), fresh + old, strict=False)
        )
        self.waiting += fresh
        if kept and len(self.waiting) > 2 * kept:
            self.waiting = self.waiting[-kept:]
        terms: dict[str, int] = {}
        for word in words:
            terms[word] = terms.get(word, 0) + 1
        return Page(Link(url), url, status=200, words=words, terms=terms, links=links)


def strategy_of(stream: Stream, topics: int = 1) -> Evidence | Shares:
    names = [f"topic w{number}" for number in range(topics)]
    examples = {name: tuple(stream.page(f"http://example.example/{name[7:]}/{n}") for n in range(8)) for name in names}
    stream.waiting.clear()
    brief = Brief(topics=tuple(Topic(name, "w1 w2 w3") for name in names), examples=examples)
    return Evidence(brief) if topics == 1 else Shares(Evidence(brief), brief)


def turn(strategy: Evidence | Shares, stream: Stream, kept: int = 0) -> float:
    """Claim a batch, bring it home, reprice; the CPU seconds the strategy took."""
    pages = []
    for _ in range(strategy.batch):
        url = stream.waiting.pop() if stream.waiting else "http://seed.example/"
        pages.append(stream.page(url, kept))
    working = stream.waiting[-WORKING:]
    start = time.process_time()
    for page in pages:
        strategy.visit(page, Verdict())
    strategy.reprice(working)
    return time.process_time() - start


def cost_at(waiting: int, topics: int = 1) -> tuple[float, float]:
    """CPU milliseconds a page when so many links wait: of the quickest round, and the mean."""
    stream = Stream()
    strategy = strategy_of(stream, topics)
    while len(stream.waiting) < waiting:
        pages = [stream.page(stream.waiting.pop(0) if stream.waiting else "http://seed.example/")]
        strategy.visit(pages[0], Verdict())
    strategy.reprice(stream.waiting[-WORKING:])
    rounds = []
    for _ in range(ROUNDS):
        seconds = pages_seen = 0.0
        while pages_seen < TIMED:
            pages_seen += strategy.batch
            seconds += turn(strategy, stream)
        rounds.append(1000 * seconds / pages_seen)
    return min(rounds), sum(rounds) / ROUNDS


def memory_at(steps: list[int]) -> dict[int, tuple[float, int]]:
    """Megabytes the process has grown by at most, and links remembered, after so many links were met."""
    stream = Stream()
    strategy = strategy_of(stream)
    assert isinstance(strategy, Evidence)
    before, met, found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0, {}
    for links in steps:
        while met < links:
            met += 90 * strategy.batch
            turn(strategy, stream, kept=WORKING)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        found[links] = grown / 1024, len(strategy._links)
        print(f"{links:>10,} links met: {found[links][1]:,} remembered, {found[links][0]:.0f} MB more", flush=True)
    return found


def frontier_of(links: int) -> dict[str, int]:
    """Megabytes of the process when so many links wait in a frontier on disk: before, filled, and after a crawl."""
    process, now = psutil.Process(), 0.0
    found = {"before": round(process.memory_info().rss / 1e6)}
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "catalogue")
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536"):
            connection.execute(f"PRAGMA {pragma}")
        frontier = DiskFrontier(connection, 1, table=Path(folder) / "seen")

        def keep(stage: str) -> None:
            frontier.flush()
            connection.commit()
            memory = process.memory_full_info()
            # What is mapped from the file of known addresses is the system's to take back, and counts apart.
            found[stage] = round((memory.rss - memory.shared) / 1e6)
            found[f"{stage}, mapped"] = round(memory.shared / 1e6)
            print(f"{len(frontier):>10,} links wait, {stage}: {found[stage]} MB of its own", flush=True)

        for number in range(0, max(0, links - MET), TOGETHER):
            urls = (f"http://h{n % 50_000}.example/d{n % 997}/older-{n}.html" for n in range(number, number + TOGETHER))
            frontier.admit([Link(url, anchor="some words of an anchor", priority=-20.0) for url in urls])
            if number % (100 * TOGETHER) == 0:
                frontier.flush()
                connection.commit()
        keep("filled")
        stream = Stream()
        strategy = strategy_of(stream)
        frontier.admit([Link("http://seed.example/", priority=100.0)])
        turns = 0
        while len(frontier) < links:
            for lease in frontier.claim(strategy.batch, now):
                met = list(strategy.visit(stream.page(lease.link.url, WORKING), Verdict()))
                frontier.settle(lease.token, "ok", now)
                frontier.admit(met)
            urls = frontier.working(WORKING)
            frontier.reprice(urls, strategy.reprice(urls))
            turns += 1
            if turns % 10 == 0:
                frontier.flush()
                connection.commit()
        keep("crawled")
        frontier.close()
        connection.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", default="10000,100000")
    parser.add_argument("--links", default="1000000,3000000")
    parser.add_argument("--topics", type=int, default=30)
    parser.add_argument("--frontier", type=int, default=0, help="links that wait on disk; 0 leaves that out")
    options = parser.parse_args()
    result: dict[str, object] = {}
    # First of all, for what is measured is the most the process ever held.
    for links, (grown, remembered) in memory_at(list(map(int, filter(None, options.links.split(","))))).items():
        result |= {f"mb_after_{links}": round(grown), "links_remembered": remembered}
    if options.frontier:
        result["frontier_mb"] = frontier_of(options.frontier)
    for topics in (1, options.topics) if options.waiting else ():
        for waiting in map(int, options.waiting.split(",")):
            named = f"ms_per_page_at_{waiting}" + (f"_{topics}_topics" if topics > 1 else "")
            quickest, mean = cost_at(waiting, topics)
            result[named], result[f"{named}_mean"] = round(quickest, 2), round(mean, 2)
            print(
                f"{waiting:>10,} links wait, {topics} topics: {quickest:.2f} ms of CPU a page ({mean:.2f} in the mean)"
            )
    print(json.dumps(result))


if __name__ == "__main__":
    main()
