"""What `evidence` costs: CPU a page with ever more links waiting, and memory with millions.

    python benchmarks/evidence_cost.py [--waiting 10000,100000] [--links 1000000]

Pages of 600 words and 100 links, nine in ten of them new, are shown to the strategy until so many links wait; then 100
more are timed, claimed and repriced as the engine does it. For the memory, pages are shown until so many links were
met, all of which wait.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from random import Random

from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.strategies.evidence import Evidence

TIMED = 100
WORKING = 50_000
"""Links the engine asks prices for at a time."""


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


def strategy_of(stream: Stream) -> Evidence:
    examples = tuple(stream.page(f"http://example.example/{n}") for n in range(8))
    stream.waiting.clear()
    return Evidence(Brief(topics=(Topic("topic", "w1 w2 w3"),), examples={"topic": examples}))


def turn(strategy: Evidence, stream: Stream, kept: int = 0) -> float:
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


def cost_at(waiting: int) -> float:
    """CPU milliseconds a page when so many links wait."""
    stream = Stream()
    strategy = strategy_of(stream)
    while len(stream.waiting) < waiting:
        pages = [stream.page(stream.waiting.pop(0) if stream.waiting else "http://seed.example/")]
        strategy.visit(pages[0], Verdict())
    strategy.reprice(stream.waiting[-WORKING:])
    seconds = pages_seen = 0.0
    while pages_seen < TIMED:
        pages_seen += strategy.batch
        seconds += turn(strategy, stream)
    return 1000 * seconds / pages_seen


def memory_at(links: int) -> tuple[float, int]:
    """Megabytes the process grew by, and slots held, after so many links were met."""
    stream = Stream()
    strategy = strategy_of(stream)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    met = 0
    while met < links:
        met += 90 * strategy.batch
        turn(strategy, stream, kept=WORKING)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, len(strategy._links)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", default="10000,100000")
    parser.add_argument("--links", type=int, default=1_000_000)
    options = parser.parse_args()
    result: dict[str, object] = {}
    if options.links:
        # First of all, for what is measured is the most the process ever held.
        grown, slots = memory_at(options.links)
        result |= {"links_met": options.links, "grown_mb": round(grown), "links_remembered": slots}
        print(f"{options.links:>9,} links met: {slots:,} remembered, the process grew by {grown:.0f} MB")
    for waiting in map(int, options.waiting.split(",")):
        result[f"ms_per_page_at_{waiting}"] = cost = round(cost_at(waiting), 2)
        print(f"{waiting:>9,} links wait: {cost:.2f} ms of CPU a page", flush=True)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
