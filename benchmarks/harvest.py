"""How good is a harvest? Homepages, papers, the guided crawl and title matching, on the recorded web `scholars`.

    python benchmarks/harvest.py                  all of it
    python benchmarks/harvest.py --part crawl     only one: harvest, crawl, titles

*harvest*: `pinakes harvest` with all papers of the web's venue list. Homepages of the people who have papers there, and
of everybody; papers on people's own pages, by their addresses. PDFs that nobody could label count for neither side.
*crawl*: documents found against HTML pages fetched (003 figs 10-12), seeds = homepages of people with papers and the
venues' sites, the same scope for all. A document is found when it is fetched, or when a link to it is met: both are
told. The trained list is learnt by breadth-first crawls of the other half of the sites, for either half; noise is the
share of documents among the first 200 that are slides, posters, course notes, CVs and the like (fig. 13).
*titles*: every title of the list, changed as bibliographies do, looked up in the list. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pinakes.core.engine import Engine, Limits
from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict, host_of
from pinakes.core.roles import Plain, Strategy
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.evaluation.journal import DOCUMENTS, RunLedger
from pinakes.jobs.harvest.job import PARAMETERS, harvest
from pinakes.jobs.harvest.options import STRATEGY, HarvestOptions
from pinakes.jobs.harvest.places import harvest_scope
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.train import Logged, followed
from pinakes.judges.publication import PublicationJudge
from pinakes.strategies.anchor_keywords import learn
from pinakes.strategies.anchor_text import AnchorText
from pinakes.strategies.registry import make_strategy
from pinakes.text.titles import TitleIndex, Work
from pinakes.web.border import Border
from pinakes.web.frozen import FrozenWeb
from pinakes.web.scope import Scope

SHARED = Path(os.environ.get("PINAKES_SHARED") or Path(__file__).resolve().parents[2] / "shared")
WEB = SHARED / "webs" / "scholars"
FIRST = 200
NOISE = ("slides", "poster", "course", "cv", "other")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (WEB / name).read_text().splitlines()]


# -- homepages and papers ------------------------------------------------------------------------------------------


def measure_harvest() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        options = HarvestOptions((str(WEB / "venue.jsonl"),), Path(folder) / "library", web=str(WEB / "web.warc.gz"))
        result = harvest(options)
    assert isinstance(result, HarvestResult)
    return {"homepages": homepages(result), "papers": papers(result)}


def homepages(result: HarvestResult) -> dict[str, Any]:
    web = FrozenWeb(WEB / "web.warc.gz", records=False)
    rows = lines("homepages.jsonl")
    own = {
        name: {web.resolve(url) or url for url in (row["homepage"], *row["own_inner_pages"])}
        for row in rows
        if row["kind"] == "person"
        for name in (row["name"], *row["aliases"])
    }
    right = sum((web.resolve(url) or url) in own.get(name, ()) for name, url in result.homepages.items())
    people = [row for row in rows if row["kind"] == "person" and row["papers"] > 0]
    found = [
        row
        for row in people
        if any(
            (web.resolve(result.homepages[name]) or result.homepages[name]) in own[name]
            for name in (row["name"], *row["aliases"])
            if name in result.homepages
        )
    ]
    return {
        "authors": len(result.homepages) + len(result.failures),
        "returned": len(result.homepages),
        "wrong": len(result.homepages) - right,
        "people": len(people),
        "found": len(found),
        "found_share": len(found) / len(people),
        "wrong_share": 1 - right / max(1, len(result.homepages)),
    }


def papers(result: HarvestResult) -> dict[str, Any]:
    kinds = {row["url"]: row["kind"] for row in lines("pdfs.jsonl")}
    truth = {url["url"]: row["id"] for row in lines("truth.jsonl") for url in row["urls"] if not url["hub"]}
    hits = false = 0
    found: set[str] = set()
    for paper in result.papers:
        for copy in paper.copies:
            if copy.status == "found" and kinds.get(copy.url) != "unlabelled-paper":
                right = truth.get(copy.url) == paper.id
                hits, false = hits + right, false + (not right)
                found.update([paper.id] if right else [])
    wanted = set(truth.values())
    return {
        "wanted": len(wanted),
        "found": len(found),
        "recall": len(found) / len(wanted),
        "precision": hits / max(1, hits + false),
        "wrong": false,
        "why": dict(result.why),
    }


# -- the crawl -----------------------------------------------------------------------------------------------------


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


class ByHalf:
    """Anchor text with the list that was learnt on the other half of the sites."""

    limit, batch = None, 1

    def __init__(self, half: Callable[[str], int], lists: Sequence[AnchorText]) -> None:
        self._half, self._lists = half, lists

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return self._lists[0].seed(links)

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return self._lists[1 - self._half(page.url)].visit(page, verdict)

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


def curve(read: Sequence[Page], reachable: set[str], met: bool) -> list[int]:
    """Documents found after 1, 2, … HTML pages."""
    found: set[str] = set()
    counts: list[int] = []
    for page in read:
        if page.type in DOCUMENTS:
            if not met and page.url in reachable:
                found.add(page.url)
                if counts:
                    counts[-1] = len(found)
            continue
        if met:
            found.update(link.url for link in page.links if link.url in reachable)
        counts.append(len(found))
    return counts


def pages_for(counts: Sequence[int], wanted: float) -> int:
    return next((at for at, count in enumerate(counts, 1) if count >= wanted), len(counts))


def weights(
    read: Sequence[Page], half: Callable[[str], int], which: int, *, pages: bool = True, common: int = 2
) -> dict[str, float]:
    """Keywords learnt from the sites of one half."""
    log = [
        Logged(page.url, page.link.parent, page.link.anchor, page.type in DOCUMENTS)
        for page in read
        if half(page.link.parent or page.url) == which
    ]
    return {keyword: entry.weight for keyword, entry in learn(followed(log, pages), common).items()}


async def measure_crawl() -> dict[str, Any]:
    rows = lines("homepages.jsonl")
    people = [row["homepage"] for row in rows if row["kind"] == "person" and row["papers"] > 0]
    venues = ["http://www.emnlp2015.org/", "https://cc-conference.github.io/19/"]
    web = Remembering(FrozenWeb(WEB / "web.warc.gz", records=False))
    seeds = [*people, *venues]
    scope = harvest_scope(Scope(), people, venues, "auto")
    hosts = {host_of(url): at % 2 for at, url in enumerate(seeds)}

    def half(url: str) -> int:
        return hosts.get(host_of(url), 0)

    topic = Topic("publications", "research papers publications proceedings")
    brief = Brief(topics=(topic,))
    crawls = {"breadth-first": await crawled(web, make_strategy("breadth-first", brief, {}), seeds, scope)}
    blind = crawls["breadth-first"]
    lists = [
        AnchorText(brief, **{**PARAMETERS, "keywords": "trained", "weights": weights(blind, half, which)})
        for which in (0, 1)
    ]
    crawls["trained list and table 4"] = await crawled(web, ByHalf(half, lists), seeds, scope)
    # What training alone is worth: without the paper's sample, and wholly as the paper trains and crawls.
    bare = {**PARAMETERS, "keywords": "trained", "base": ""}
    alone = [AnchorText(brief, **{**bare, "weights": one.weights}) for one in lists]
    crawls["trained list alone"] = await crawled(web, ByHalf(half, alone), seeds, scope)
    printed = [weights(blind, half, which, pages=False, common=3) for which in (0, 1)]
    paper = [AnchorText(brief, keywords="trained", weights=one) for one in printed]
    crawls["trained list, as in the paper"] = await crawled(web, ByHalf(half, paper), seeds, scope)
    crawls["harvest's default"] = await crawled(web, make_strategy(STRATEGY, brief, PARAMETERS), seeds, scope)
    crawls["shipped list"] = await crawled(web, AnchorText(brief, keywords="table4"), seeds, scope)
    crawls["evidence"] = await crawled(web, make_strategy("evidence", brief, {"labels": "judge"}), seeds, scope)
    reachable = set.intersection(*({page.url for page in read if page.type in DOCUMENTS} for read in crawls.values()))
    kinds = {row["url"]: row["kind"] for row in lines("pdfs.jsonl")}
    answer: dict[str, Any] = {"documents": len(reachable), "strategies": {}}
    base = {met: pages_for(curve(blind, reachable, met), 0.85 * len(reachable)) for met in (False, True)}
    for name, read in crawls.items():
        first = [page.url for page in read if page.type in DOCUMENTS][:FIRST]
        row: dict[str, Any] = {"pages": sum(page.type not in DOCUMENTS for page in read)}
        for met, way in ((False, "fetched"), (True, "met")):
            counts = curve(read, reachable, met)
            spent = pages_for(counts, 0.85 * len(reachable))
            row[way] = {"pages_for_85": spent, "of_breadth_first": spent / base[met]}
            row[way]["curve"] = [counts[min(len(counts), at) - 1] for at in (25, 50, 75, 100, 150, 200, 300, 400, 500)]
        row["noise"] = sum(kinds.get(url) in NOISE for url in first) / max(1, len(first))
        answer["strategies"][name] = row
    answer["keywords"] = [len(one.weights) for one in lists]
    return answer


# -- titles --------------------------------------------------------------------------------------------------------


def measure_titles() -> dict[str, Any]:
    works = [Work(row["title"], tuple(row["authors"]), row["year"], row["id"]) for row in lines("venue.jsonl")]
    index = TitleIndex(works)
    chance = random.Random(1)

    def typo(title: str) -> str:
        letters = list(title)
        for _ in range(chance.choice((1, 2))):
            at = chance.randrange(1, len(letters) - 1)
            kind = chance.choice("dist")
            if kind == "d":
                del letters[at]
            elif kind == "i":
                letters.insert(at, chance.choice(LETTERS))
            elif kind == "s":
                letters[at] = chance.choice(LETTERS)
            else:
                letters[at], letters[at - 1] = letters[at - 1], letters[at]
        return "".join(letters)

    def subtitle(title: str) -> str:
        head, colon, _ = title.partition(":")
        return head if colon else f"{title}: {chance.choice(('A Case Study', 'A Short Report'))}"

    changes: dict[str, Callable[[str], str]] = {
        "as it is": lambda title: title,
        "typos": typo,
        "ligatures": lambda title: title.replace("fi", "ﬁ").replace("fl", "ﬂ").replace("ff", "ﬀ"),
        "subtitles": subtitle,
        "Unicode": lambda title: title.upper().replace("-", "–").replace("'", "’").replace(" ", "\u00a0", 1),
        "LaTeX": lambda title: "{" + title + "}.",
        "hyphens": lambda title: title.replace("-", ""),
    }
    answer: dict[str, Any] = {"titles": len(works)}
    for name, change in changes.items():
        hits = false = 0
        for work in works:
            found = index.find(Work(change(work.title), work.authors, work.year))
            hits += found is not None and found[0].id == work.id
            false += found is not None and found[0].id != work.id
        answer[name] = {"precision": hits / max(1, hits + false), "recall": hits / len(works)}
    # The same title by others is another paper; and what is not in the list has no match there.
    strangers = sum(index.find(Work(work.title, ("Zork Blargh",), work.year)) is not None for work in works)
    answer["other authors"] = {"matched": strangers / len(works)}
    gone = 0
    for at in range(0, len(works), 8):
        rest = TitleIndex([*works[:at], *works[at + 1 :]])
        gone += rest.find(Work(typo(works[at].title), works[at].authors, works[at].year)) is not None
    answer["not in the list"] = {"matched": gone / len(range(0, len(works), 8))}
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("harvest", "crawl", "titles"), action="append")
    parts = parser.parse_args().part or ["harvest", "crawl", "titles"]
    answer: dict[str, Any] = {}
    if "harvest" in parts:
        answer.update(measure_harvest())
    if "crawl" in parts:
        answer["crawl"] = asyncio.run(measure_crawl())
    if "titles" in parts:
        answer["titles"] = measure_titles()
    for name, part in answer.items():
        print(f"== {name}\n{json.dumps(part, indent=1)}")
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({**answer, "cpu_seconds": round(spent.ru_utime + spent.ru_stime, 1)}))


if __name__ == "__main__":
    main()
