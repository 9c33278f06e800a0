"""What does the guided crawl save? Documents found against HTML pages fetched (003 figs 10-13, 15-18), on `scholars`.

    python benchmarks/harvest_crawl.py [--graph docs/images/harvest-crawl.svg]

Seeds are the homepages of people with papers and the venues' sites, the same scope for all. A document is found when it
is fetched, or when a link to it is met: both are told, as HTML pages until 85 % of the documents that all crawls reach.
A trained list is learnt by breadth-first crawls, for each site from all the other sites alone. Noise is the share of
documents among the first 200 that are slides, posters, course notes, CVs and the like. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict, host_of
from pinakes.core.roles import Plain, Strategy
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.evaluation.journal import DOCUMENTS, RunLedger
from pinakes.jobs.harvest.job import PARAMETERS
from pinakes.jobs.harvest.options import STRATEGY
from pinakes.jobs.harvest.places import harvest_scope
from pinakes.jobs.train import Logged, followed, links_met
from pinakes.judges.publication import PublicationJudge
from pinakes.strategies.anchor_keywords import beside, learn
from pinakes.strategies.anchor_text import AnchorText
from pinakes.strategies.registry import make_strategy
from pinakes.web.border import Border
from pinakes.web.frozen import FrozenWeb
from pinakes.web.scope import Scope

SHARED = Path(os.environ.get("PINAKES_SHARED") or Path(__file__).resolve().parents[2] / "shared")
WEB = SHARED / "webs" / "scholars"
VENUES = ("http://www.emnlp2015.org/", "https://cc-conference.github.io/19/")
FIRST = 200
SHARE = 0.85
NOISE = ("slides", "poster", "course", "cv", "other")
BLIND, GUIDED, BESIDE = "breadth-first", "harvest's default", "trained list and words beside documents, without table 4"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (WEB / name).read_text().splitlines()]


class Remembering:
    """The web with every answer kept, so that a dozen crawls read each document once."""

    ordered = True

    def __init__(self, web: FrozenWeb) -> None:
        self._web, self._known = web, dict[str, Fetched]()

    async def fetch(self, link: Link) -> Fetched:
        if link.url not in self._known:
            self._known[link.url] = await self._web.fetch(link)
        answer = self._known[link.url]
        page = answer.page
        links = tuple(one._replace(depth=link.depth + 1) for one in page.links)
        return Fetched(_with(page, link, links), answer.record, answer.digest, answer.head, answer.hop)

    def final(self, url: str) -> str:
        """Where an address leads."""
        return self._web.resolve(url) or url

    async def close(self) -> None: ...


def _with(page: Page, link: Link, links: tuple[Link, ...]) -> Page:
    return replace(page, link=link, links=links)


class Ledger(RunLedger):
    """Also keeps which pages were read, with their links, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[Page] = []

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Any) -> None:
        super().deliver(fetched, page, verdict, twin)
        if page.readable:
            self.read.append(page)


class EachItsOwn:
    """Anchor text whose list is another for each site: the one that was learnt without it."""

    limit, batch = None, 1

    def __init__(self, lists: Mapping[str, AnchorText], seeds: AnchorText) -> None:
        self._lists, self._seeds = lists, seeds

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return self._seeds.seed(links)

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return self._lists.get(host_of(page.url), self._seeds).visit(page, verdict)

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None: ...


async def crawled(web: Remembering, strategy: Strategy, seeds: Sequence[str], scope: Scope) -> list[Page]:
    ledger = Ledger()
    engine = Engine(
        web=web,
        frontier=MemoryFrontier(limit=strategy.limit),
        judge=PublicationJudge(Brief()),
        strategy=strategy,
        ledger=ledger,
        limits=Limits(pages=None, commit_pages=1 << 30, commit_seconds=float("inf")),
        scope=Border(scope),
        dedup=False,
    )
    engine.seed([Link(url) for url in seeds])
    await engine.run()
    return ledger.read


def curve(read: Sequence[Page], reachable: set[str], final: Callable[[str], str], met: bool) -> list[int]:
    """Documents found after 1, 2, … HTML pages; a link is met under whichever address leads to the document."""
    found: set[str] = set()
    counts: list[int] = []
    for page in read:
        if page.type in DOCUMENTS:
            if page.url in reachable:
                found.add(page.url)
                if counts:
                    counts[-1] = len(found)
            continue
        if met:
            found.update({final(link.url) for link in page.links} & reachable)
        counts.append(len(found))
    return counts


def pages_for(counts: Sequence[int], wanted: float) -> int:
    return next((at for at, count in enumerate(counts, 1) if count >= wanted), len(counts))


def trained(
    read: Sequence[Page], brief: Brief, *, pages: bool, words: str = "anchors", **parameters: Any
) -> tuple[EachItsOwn, int]:
    """A list for each site from what breadth-first met on the others, and how many keywords they have on average."""
    log = [(host_of(page.link.parent or page.url), page) for page in read]
    hosts = {host for host, _ in log}
    links = list(links_met(read, (), documents=True)) if words == "beside" else []
    lists = {}
    for host in hosts:
        others = [
            Logged(page.url, page.link.parent, page.link.anchor, page.type in DOCUMENTS)
            for at, page in log
            if at != host
        ]
        near = beside(link for link in links if link.site != host)
        keywords = {name: one.weight for name, one in {**near, **learn(followed(others, pages))}.items()}
        lists[host] = AnchorText(brief, **{**parameters, "keywords": "trained", "weights": keywords})
    nothing = AnchorText(brief, **{**parameters, "keywords": "trained", "weights": {}})
    return EachItsOwn(lists, nothing), round(sum(len(one.weights) for one in lists.values()) / len(lists))


async def compared(web: Remembering, people: Mapping[str, str], venues: Sequence[str]) -> dict[str, Any]:
    """All crawls from some homepages and venues' sites."""
    seeds = [*people.values(), *venues]
    scope = harvest_scope(Scope(), people, venues, "auto")
    brief = Brief(topics=(Topic("publications", "research papers publications proceedings"),))
    crawls = {BLIND: await crawled(web, make_strategy(BLIND, brief, {}), seeds, scope)}
    blind = crawls[BLIND]
    ours = {name: value for name, value in PARAMETERS.items() if name != "keywords"}
    keywords: dict[str, int] = {}
    for name, pages, parameters in (
        ("trained list", True, ours),
        ("trained list, without table 4", True, {**ours, "base": "none"}),
        (BESIDE, True, {**ours, "base": "none", "words": "beside"}),
        ("trained list, the paper's crawler", False, {}),
        ("trained list, without table 4, the paper's crawler", False, {"base": "none"}),
    ):
        strategy, keywords[name] = trained(blind, brief, pages=pages, **parameters)
        crawls[name] = await crawled(web, strategy, seeds, scope)
    crawls[GUIDED] = await crawled(web, make_strategy(STRATEGY, brief, PARAMETERS), seeds, scope)
    crawls["shipped list, the paper's crawler"] = await crawled(web, AnchorText(brief, keywords="table4"), seeds, scope)
    crawls["evidence"] = await crawled(web, make_strategy("evidence", brief, {"labels": "judge"}), seeds, scope)
    reachable = set.intersection(*({page.url for page in read if page.type in DOCUMENTS} for read in crawls.values()))
    kinds = {row["url"]: row["kind"] for row in lines("pdfs.jsonl")}
    answer: dict[str, Any] = {"documents": len(reachable), "keywords": keywords, "strategies": {}}
    wanted = SHARE * len(reachable)
    base = {met: pages_for(curve(blind, reachable, web.final, met), wanted) for met in (False, True)}
    for name, read in crawls.items():
        first = [page.url for page in read if page.type in DOCUMENTS][:FIRST]
        row: dict[str, Any] = {"pages": sum(page.type not in DOCUMENTS for page in read)}
        for met, way in ((False, "fetched"), (True, "met")):
            counts = curve(read, reachable, web.final, met)
            spent = pages_for(counts, wanted)
            row[way] = {"pages_for_85": spent, "of_breadth_first": round(spent / base[met], 3), "curve": counts}
        row["noise"] = sum(kinds.get(url) in NOISE for url in first) / max(1, len(first))
        row["relevant"] = sum(kinds.get(page.url) not in NOISE for page in read if page.type in DOCUMENTS)
        row["not_relevant"] = sum(kinds.get(page.url) in NOISE for page in read if page.type in DOCUMENTS)
        answer["strategies"][name] = row
    return answer


def draw(answer: Mapping[str, Any], path: Path) -> None:
    """The curves of figs 10-12 (and 15, 17) and the noise of fig. 13, as one picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "pinakes", "svg.fonttype": "none"}
    looks: dict[str, tuple[str, Any]] = {
        BLIND: ("#7a7f87", "--"),
        GUIDED: ("#1f5fa8", "-"),
        "trained list": ("#8a4fbf", (0, (1, 1))),
        BESIDE: ("#2e8b57", "-."),
        "shipped list, the paper's crawler": ("#d1495b", ":"),
    }
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 7))
    panels = (("all", "fetched", "Homepages and conferences: documents fetched"),
              ("all", "met", "The same: links to documents met"),
              ("venue", "fetched", "A conference's site alone: documents fetched"))  # fmt: skip
    for axis, (which, way, title) in zip(axes.flat, panels, strict=False):
        for name, (colour, dash) in looks.items():
            counts = answer[which]["strategies"][name][way]["curve"]
            axis.plot(range(1, len(counts) + 1), counts, linestyle=dash, color=colour, label=name)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("HTML pages fetched")
        axis.set_ylabel("documents")
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.25)
    axes[0, 0].legend(fontsize=7, loc="lower right")
    rows = answer["all"]["strategies"]
    axes[1, 1].barh([*looks][::-1], [100 * rows[name]["noise"] for name in [*looks][::-1]],
                    color=[looks[name][0] for name in [*looks][::-1]])  # fmt: skip
    axes[1, 1].tick_params(axis="y", labelsize=8)
    axes[1, 1].set_title(f"Noise among the first {FIRST} documents", fontsize=10)
    axes[1, 1].set_xlabel("% slides, posters, course notes, CVs …")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


async def measure() -> dict[str, Any]:
    rows = lines("homepages.jsonl")
    people = {row["name"]: row["homepage"] for row in rows if row["kind"] == "person" and row["papers"] > 0}
    web = Remembering(FrozenWeb(WEB / "web.warc.gz", records=False))
    return {
        "all": await compared(web, people, VENUES),
        "homepages": await compared(web, people, ()),
        "venue": await compared(web, {}, VENUES[:1]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", type=Path)
    options = parser.parse_args()
    answer = asyncio.run(measure())
    if options.graph:
        draw(answer, options.graph)
    for which, part in answer.items():
        print(f"== {which}: {part['documents']} documents, keywords learnt {part['keywords']}")
        for name, row in part["strategies"].items():
            told = "  ".join(
                f"{way} {row[way]['pages_for_85']:3} ({row[way]['of_breadth_first']:.2f})" for way in ("fetched", "met")
            )
            kinds = f"{row['relevant']} relevant, {row['not_relevant']} not"
            print(f"{name:>52}: {row['pages']} pages  {told}  noise {row['noise']:.3f}  {kinds}")
            for way in ("fetched", "met"):
                counts = row[way]["curve"]
                row[way]["curve"] = [counts[min(len(counts), at) - 1] for at in (25, 50, 75, 100, 150, 200, 300, 400)]
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({**answer, "cpu_seconds": round(spent.ru_utime + spent.ru_stime, 1)}))


if __name__ == "__main__":
    main()
