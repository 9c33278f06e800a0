"""What a calendar trap and a flood of mirrors cost a crawl: the same made-up web with and without them.

    python benchmarks/traps.py [--pages 10000] [--budget 1000] [--topics 5] [--strategies evidence,best-first]
                               [--mirrors 0.3] [--traps 0.3]

On the flooded web three pages in ten show another page's bytes under another host, and three in ten link into an
endless calendar or a shop of session ids. Relevant are the generator's own pages of a topic's core, a mirror never.
Each AUC is a share of what the oracle of that same web finds. Crawls run as `pinakes evaluate --dedup` runs them:
without the guards of `pinakes crawl` against traps, so that the strategy is alone with them. Last line: a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from dataclasses import replace
from statistics import mean, stdev

from pinakes.core.page import Brief, Fetched, Link, Page, host_of
from pinakes.jobs.evaluation.entrants import Entrant, entrants_of
from pinakes.jobs.evaluation.oracle import Oracle
from pinakes.jobs.evaluation.runs import Run, run_strategy
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.judges.cosine import CosineJudge
from pinakes.measures.curves import auc, found_curve
from pinakes.strategies.registry import make_strategy
from pinakes.testing import InProcessWeb, ProceduralWeb
from pinakes.testing.traps import CALENDAR, SHOP

EXAMPLES = 8
ALLOWED = 0.05
"""The share of its AUC that a crawl may lose."""


class Made:
    """A made-up web whose pages are read once for all crawls, and what its oracle knows."""

    ordered = True

    def __init__(self, web: ProceduralWeb) -> None:
        self.web, self._reading = web, InProcessWeb(web, records=False)
        self._answers: dict[str, Fetched] = {}
        self.inward: dict[str, list[str]] = {}
        for number in range(web.pages):
            url = web.url(number)
            for link in self.page(url).links:
                self.inward.setdefault(link.url, []).append(url)

    def page(self, url: str) -> Page:
        return self._answer(url).page

    async def fetch(self, link: Link) -> Fetched:
        fetched = self._answer(link.url)
        page = fetched.page
        links = tuple([found._replace(depth=link.depth + 1) for found in page.links])
        return Fetched(replace(page, link=link, links=links))

    async def backlinks(self, url: str, n: int = 10) -> list[str]:
        return self.inward.get(url, [])[:n]

    async def close(self) -> None:
        await self._reading.close()

    def _answer(self, url: str) -> Fetched:
        if url not in self._answers:
            self._answers[url] = Fetched(self._reading.page(url))
        return self._answers[url]


async def crawl(made: Made, entrant: Entrant, number: int, budget: int) -> tuple[float, Run]:
    """The AUC of a strategy on a topic of a web, and its run."""
    web, topic = made.web, made.web.topic(number)
    urls = web.examples(number, EXAMPLES)
    others = [url for other in range(web.topics) if other != number for url in web.examples(other, EXAMPLES)]
    brief = Brief(
        topics=(topic,),
        examples={topic.name: tuple(made.page(url) for url in urls)},
        negatives=tuple(made.page(url) for url in others),
        pages=budget,
    )
    relevant = frozenset(web.collection(number)) - set(urls)
    asked = EvaluationTopic(str(number), topic.name, seeds=web.seeds(3, number))
    judge = CosineJudge(brief)
    best = await run_strategy("oracle", Oracle(relevant, made.inward, {}), judge, asked, brief, made, budget)
    strategy = make_strategy(entrant.strategy, brief, dict(entrant.parameters))
    run = await run_strategy(entrant.name, strategy, judge, asked, brief, made, budget, backlinks=made, dedup=True)
    return auc(found_curve(run.urls, relevant, budget), found_curve(best.urls, relevant, budget)), run


async def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    size = {"pages": options.pages, "hosts": max(20, options.pages // 50), "topics": 10}
    plain = Made(ProceduralWeb(**size))
    flooded = Made(ProceduralWeb(**size, mirrors=options.mirrors, traps=options.traps))
    found: dict[str, dict[str, float]] = {}
    for entrant in entrants_of(options.strategies):
        areas: dict[str, list[float]] = {"plain": [], "flooded": []}
        met: Counter[str] = Counter()
        for number in range(options.topics):
            areas["plain"].append((await crawl(plain, entrant, number, options.budget))[0])
            area, run = await crawl(flooded, entrant, number, options.budget)
            areas["flooded"].append(area)
            met["trap"] += sum(host_of(url) in (host_of(f"{CALENDAR}/"), host_of(f"{SHOP}/")) for url in run.urls)
            met["mirror"] += run.outcomes.get("duplicate", 0)
            met["pages"] += len(run.urls)
        # A strategy that finds nothing on a topic can lose nothing there.
        lost = [1 - bad / good if good else 0.0 for good, bad in zip(areas["plain"], areas["flooded"], strict=True)]
        found[entrant.name] = {
            "auc": round(mean(areas["plain"]), 4),
            "auc_flooded": round(mean(areas["flooded"]), 4),
            "lost": round(1 - mean(areas["flooded"]) / whole if (whole := mean(areas["plain"])) else 0.0, 4),
            "stderr": round(stdev(lost) / len(lost) ** 0.5, 4),
            "in_traps": round(met["trap"] / met["pages"], 4),
            "duplicates": round(met["mirror"] / met["pages"], 4),
        }
        row = found[entrant.name]
        print(
            f"{entrant.name:22} AUC {row['auc']:.3f}, flooded {row['auc_flooded']:.3f}: {100 * row['lost']:+.1f} ± "
            f"{100 * row['stderr']:.1f} % lost; {100 * row['in_traps']:.1f} % of pages from traps, "
            f"{100 * row['duplicates']:.1f} % duplicates",
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000, help="pages of the made-up web")
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--topics", type=int, default=5)
    parser.add_argument("--strategies", default="evidence,best-first")
    parser.add_argument("--mirrors", type=float, default=0.3)
    parser.add_argument("--traps", type=float, default=0.3)
    options = parser.parse_args()
    found = asyncio.run(measure(options))
    passed = found.get("evidence", {}).get("lost", 0.0) <= ALLOWED
    print(json.dumps({"pages": options.pages, "budget": options.budget, "strategies": found, "passed": passed}))


if __name__ == "__main__":
    main()
