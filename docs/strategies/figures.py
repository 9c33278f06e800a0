"""Draws how strategies behave on the demo web: python docs/strategies/figures.py NAME[=module:Class] …

Each picture shows the share of a topic's pages found against the pages fetched, the mean over the demo's topics, beside
a breadth-first crawl of the same web; that of breadth-first stands beside best-first.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec

from pinakes import demo
from pinakes.core.engine import Engine, Limits
from pinakes.core.page import Brief, Link, Topic
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.examples import fetch_examples
from pinakes.jobs.layers import with_layers
from pinakes.judges.cosine import CosineJudge
from pinakes.library.memory import MemoryLedger
from pinakes.strategies.registry import make_strategy
from pinakes.web.frozen import FrozenWeb

PAGES = 150
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 560, 300, 52, 16, 46
COLOURS = ("#9a9a9a", "#1f5fa8")


async def briefs(web: FrozenWeb, topics: list[dict[str, Any]]) -> list[Brief]:
    """What each topic may be learnt from: its examples, and those of the topics that share no page with it."""
    found = []
    for topic in topics:
        own = {*topic["examples"], *topic["relevant"]}
        others = [other for other in topics if not own & {*other["examples"], *other["relevant"]}]
        given = {topic["name"]: topic["examples"], "": [url for other in others for url in other["examples"]]}
        read = (await fetch_examples(Brief(), given, web)).examples
        brief = Brief(
            topics=(Topic(topic["name"], topic["description"]),),
            examples={topic["name"]: read[topic["name"]]},
            negatives=read[""],
            pages=PAGES,
        )
        found.append((await with_layers(brief, web, web))[0])
    return found


async def curve(web: FrozenWeb, strategy: str, brief: Brief, topic: dict[str, Any]) -> list[float]:
    """The share of the topic's pages found after each page."""
    made, ledger = make_strategy(strategy, brief, {}), MemoryLedger()
    engine = Engine(
        web=web,
        frontier=MemoryFrontier(limit=made.limit),
        judge=CosineJudge(brief),
        strategy=made,
        ledger=ledger,
        limits=Limits(pages=PAGES),
        backlinks=web,
        dedup=False,
    )
    engine.seed([Link(url) for url in topic["seeds"]])
    await engine.run()
    relevant = {web.resolve(url) for url in topic["relevant"]}
    found, shares = set[str](), [0.0]
    for url in ledger.urls:
        found |= {url} & relevant
        shares.append(len(found) / len(relevant))
    return shares + shares[-1:] * (PAGES + 1 - len(shares))


def picture(curves: dict[str, list[float]]) -> str:
    """The curves as SVG."""

    def x(page: float) -> float:
        return LEFT + page / PAGES * (WIDTH - LEFT - 130)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<path d="M{x(0)} {y(share):.1f}H{x(PAGES)}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    parts += [
        f'<text x="{x(page):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{page}</text>'
        for page in range(0, PAGES + 1, 50)
    ]
    middle = (x(0) + x(PAGES)) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">pages fetched</text>')
    for colour, (name, shares) in zip(COLOURS, curves.items(), strict=True):
        points = " ".join(f"{x(page):.1f},{y(share):.1f}" for page, share in enumerate(shares))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x(PAGES) + 6:.1f}" y="{y(shares[-1]) + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join((*parts, "</svg>\n"))


async def main(names: list[str]) -> None:
    images = Path(__file__).parent / "images"
    images.mkdir(exist_ok=True)
    web = FrozenWeb(demo.path("web.warc.gz"), records=False)
    lines = demo.path("topics.jsonl").read_bytes().splitlines()
    topics = [msgspec.json.decode(line) for line in lines]
    told = await briefs(web, topics)
    means = {}
    beside = {name: "best-first" if name == "breadth-first" else "breadth-first" for name in names}
    for name, _, where in (n.partition("=") for n in dict.fromkeys((*beside.values(), *names))):
        pairs = zip(told, topics, strict=True)
        curves = [await curve(web, where or name, brief, topic) for brief, topic in pairs]
        means[name] = [sum(at) / len(at) for at in zip(*curves, strict=True)]
    for given, other in beside.items():
        name = given.partition("=")[0]
        (images / f"{name}.svg").write_text(picture({other: means[other], name: means[name]}))
    await web.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
