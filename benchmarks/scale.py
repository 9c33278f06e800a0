"""Does the crawl slow down as its frontier grows? Ten million links on the procedural web, breadth-first, no limit.

    python benchmarks/scale.py [--urls 10000000] [--graph docs/images/scale.svg]

The whole path runs: pages are generated and parsed, links admitted to the frontier on disk, WARC and catalogue written.
Prints pages a second over the first and the last 10,000 pages, their ratio, and the largest resident set. The last line
is a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from pathlib import Path

import psutil

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Link
from pinakes.core.roles import Progress
from pinakes.frontier.disk import DiskFrontier
from pinakes.judges.cosine import CosineJudge
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.inprocess import InProcessWeb
from pinakes.testing.procedural import ProceduralWeb

WINDOW = 10_000


class Watch:
    """Samples the crawl every thousand pages and ends it once enough links are known."""

    def __init__(self, urls: int) -> None:
        self.urls = urls
        self.engine: Engine | None = None
        self.samples: list[tuple[int, int, float, float, int]] = []
        self.process = psutil.Process()

    def __call__(self, progress: Progress) -> None:
        if sum(progress.outcomes.values()) % 1000:
            return
        known = progress.waiting + progress.leased + sum(progress.outcomes.values())
        resident = self.process.memory_info().rss
        self.samples.append((progress.pages, known, time.monotonic(), time.process_time(), resident))
        if len(self.samples) % 10 == 0:
            print(f"{progress.pages:>9,} pages {known:>12,} links {resident / 1e6:>7,.0f} MB", flush=True)
        if known >= self.urls and self.engine is not None:
            self.engine.interrupt("enough")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--links", type=int, default=50, help="links a page")
    parser.add_argument("--into", type=Path, help="keep the library here")
    parser.add_argument("--graph", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        watch = asyncio.run(crawl(options, options.into or Path(folder) / "library"))
    report = measure(watch.samples)
    if options.graph:
        draw(watch.samples, options.graph)
    print(json.dumps(report))


async def crawl(options: argparse.Namespace, into: Path) -> Watch:
    web = ProceduralWeb(pages=100_000_000, hosts=10_000, links=options.links, not_found=0.01, redirects=0.01)
    brief = Brief(topics=(web.topic(0),))
    watch = Watch(options.urls)
    with Library(into, write=True, create=True) as library:
        ledger = library.begin(
            Recipe(job="scale", strategy="breadth-first", judge="cosine", web="procedural", brief=brief)
        )
        strategy = BreadthFirst(brief)
        engine = Engine(
            web=InProcessWeb(web, ordered=True),
            frontier=DiskFrontier(library.connection, ledger.crawl, table=into / "index" / "frontier.seen"),
            judge=CosineJudge(brief),
            strategy=strategy,
            ledger=ledger,
            limits=Limits(),
            watch=watch,
        )
        watch.engine = engine
        engine.seed([Link(url) for url in web.seeds(10)])
        await engine.run()
        print(f"outcomes: {dict(engine.progress.outcomes)}")
    return watch


def measure(samples: list[tuple[int, int, float, float, int]]) -> dict[str, float]:
    def rate(window: list[tuple[int, int, float, float, int]], clock: int) -> float:
        return (window[-1][0] - window[0][0]) / (window[-1][clock] - window[0][clock])

    size = WINDOW // 1000 + 1
    first, last = samples[:size], samples[-size:]
    report = {
        "links_known": samples[-1][1],
        "pages": samples[-1][0],
        "seconds": round(samples[-1][2] - samples[0][2], 1),
        "first_pages_per_second": round(rate(first, 2), 1),
        "last_pages_per_second": round(rate(last, 2), 1),
        "ratio": round(rate(last, 2) / rate(first, 2), 3),
        "first_pages_per_cpu_second": round(rate(first, 3), 1),
        "last_pages_per_cpu_second": round(rate(last, 3), 1),
        "cpu_ratio": round(rate(last, 3) / rate(first, 3), 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    for name, value in report.items():
        print(f"{name:>26}: {value:,}")
    return report


def draw(samples: list[tuple[int, int, float, float, int]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    step = 10
    pairs = list(zip(samples[:-step:step], samples[step::step], strict=False))
    links = [after[1] / 1e6 for _, after in pairs]
    figure, (rates, memory) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, height_ratios=(2, 1))
    rates.plot(links, [(b[0] - a[0]) / (b[2] - a[2]) for a, b in pairs], color="#2b5c8a", label="by the clock")
    rates.plot(links, [(b[0] - a[0]) / (b[3] - a[3]) for a, b in pairs], color="#c77d2e", label="by CPU time")
    rates.set_ylabel("pages a second")
    rates.set_ylim(bottom=0)
    rates.legend(frameon=False)
    memory.plot(links, [after[4] / 1e6 for _, after in pairs], color="#2b5c8a")
    memory.set_ylabel("resident MB")
    memory.set_ylim(bottom=0)
    memory.set_xlabel("links known, millions")
    for axes in (rates, memory):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    main()
