"""How good panoramas are: papers that guide crawls, communities that recover topics, and what the analysis costs.

    python benchmarks/panorama.py [--only crawls,papers,communities,time] [--papers 20] [--sets 2] [--pages 1000]

*crawls*: pseudo-papers of the web `schools` (an article's title, and the titles of eight or more articles it links to
as references); half of the references guide, all of them judge (002 §4). *papers*: real PDFs on the web `scholars`, end
to end. *communities*: pages of five known topics mixed; do the clusters recover them? *time*: what the analysis
costs. Needs the folder of recorded webs, beside the checkout or named by PINAKES_SHARED.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pinakes.core.page import Brief, Link, Page, Verdict, host_of
from pinakes.core.roles import Progress
from pinakes.formats.paper import Paper, Reference
from pinakes.graph.clusters import spherical_k_means
from pinakes.graph.labels import PAGES_READ, phrase_labels, profile_words
from pinakes.graph.term_matrix import term_matrix
from pinakes.jobs.panorama.communities import communities_of
from pinakes.jobs.panorama.evaluation import PaperEvaluationOptions, evaluate_papers
from pinakes.jobs.panorama.guidance import IN_LINKS
from pinakes.jobs.panorama.job import PanoramaOptions, panorama
from pinakes.jobs.webs import open_frozen
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.inprocess import InProcessWeb
from pinakes.testing.procedural import ProceduralWeb
from pinakes.text.frames import Framed, without_frames
from pinakes.text.phrases import PhraseReader
from pinakes.text.words import Words

SHARED = Path(os.environ.get("PINAKES_SHARED") or Path(__file__).resolve().parents[2] / "shared")
STRATEGIES = "naive-bayes,naive-bayes:price=odds,naive-bayes:price=posterior:left_out=false,evidence,breadth-first"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="crawls,papers,communities,time")
    parser.add_argument("--papers", type=int, default=20)
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--procedural", type=int, default=100_000, help="made-up pages to analyse; 0 for none")
    parser.add_argument("--in-links", type=int, default=IN_LINKS)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--random-state", type=int, default=0)
    given = parser.parse_args()
    parts = {"crawls": crawls, "papers": papers, "communities": communities, "time": costs}
    print(json.dumps({name: parts[name](given) for name in given.only.split(",")}))


def crawls(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Sets of pseudo-papers that have none in common, each by itself: what holds for one only is not worth much."""
    web = str(SHARED / "webs" / "schools" / "web.warc.gz")
    made = list(pseudo_papers(web, given.papers * given.sets, given.random_state).items())
    return [_crawled(web, dict(made[at : at + given.papers]), given) for at in range(0, len(made), given.papers)]


def _crawled(web: str, made: dict[str, Paper], given: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as out:
        options = PaperEvaluationOptions(
            Path(out), web, given.strategies, given.pages, given.in_links, random_state=given.random_state
        )
        found = evaluate_papers(made, options)
    seeds, guiding = (np.mean([getattr(one, name) for one in found.papers]) for name in ("seeds", "guiding"))
    print(f"{len(found.papers)} pseudo-papers, {guiding:.0f} examples and {seeds:.0f} seeds, {given.pages} pages each")
    points = [point for point in (100, 300, 1000) if point in found.at]
    for name, curve in found.harvest.items():
        at = {point: found.at.index(point) for point in points}
        told = "   ".join(f"{p}: {curve['mean'][i]:.3f} ± {curve['stderr'][i]:.3f}" for p, i in at.items())
        print(f"  {name:<48} {told}")
    last = list(found.harvest)[-1]
    for test in found.tests:
        if test["b"] == last:
            print(f"  {test['a']} > {last} at {test['at']}: t {test['t']:.2f}, p {test['p']:.2g}", flush=True)
    return {
        "papers": len(found.papers),
        "harvest": {
            name: {p: curve["mean"][found.at.index(p)] for p in points} for name, curve in found.harvest.items()
        },
        "tests": [test for test in found.tests if test["b"] == last],
    }


_article = re.compile(r"/wp/\w/[^/:]+\.htm$").search
"""An article's address; indexes, licences and the charity's own pages have others."""


def pseudo_papers(web: str, n: int, random_state: int, least: int = 8, most: int = 20) -> dict[str, Paper]:
    """Articles as papers: of those it links to, each cites the most particular ones, which the fewest others link to;
    a paper cites neither `20th century` nor `United States`."""
    frozen = open_frozen(web, records=False)
    urls = sorted(filter(_article, frozen.pages()))
    random.Random(random_state).shuffle(urls)
    made: dict[str, Paper] = {}

    async def page(url: str) -> Page:
        return (await frozen.fetch(Link(url))).page

    async def fill() -> None:
        for url in urls:
            article = await page(url)
            linked = sorted({link.url for link in article.links if _article(link.url)} - {url})
            known = {other: len(await frozen.backlinks(other, 1000)) for other in linked}
            titles: list[str] = []
            for other in sorted(linked, key=lambda other: (known[other], other)):
                title = (await page(other)).title
                if len(title.split()) >= 2 and title not in titles and len(titles) < most:
                    titles.append(title)
            if article.title and len(titles) >= least:
                made[url] = Paper(article.title, references=tuple(Reference(title, raw=title) for title in titles))
            if len(made) >= n:
                return

    asyncio.run(fill())
    return made


def papers(given: argparse.Namespace) -> dict[str, Any]:
    from pinakes.jobs.paper import PaperOptions, read_paper

    web = SHARED / "webs" / "scholars" / "web.warc.gz"
    told = {}
    for file in sorted((SHARED / "papers").glob("*.pdf")):
        with tempfile.TemporaryDirectory() as out:
            result = panorama(PanoramaOptions((str(file),), Path(out) / "library", web=str(web), pages=200))
        told[file.stem] = {
            "references": len(read_paper(PaperOptions(str(file))).references),
            "found": result.titles_found,
            "examples": result.sources.positives,
            "pages": result.crawl.pages,
            "labels": [community.label[0] for community in result.map.communities if community.label],
        }
        print(f"  {file.stem:<34} {told[file.stem]}")
    return told


def communities(given: argparse.Namespace) -> dict[str, Any]:
    web = open_frozen(str(SHARED / "webs" / "schools" / "web.warc.gz"), records=False)
    lines = (SHARED / "webs" / "schools" / "topics.jsonl").read_text().splitlines()
    topics = [json.loads(line) for line in lines]
    draw = np.random.default_rng(given.random_state + 1)
    scores = []
    for _ in range(6):
        chosen = draw.choice(len(topics), 5, replace=False)
        seen: dict[str, list[int]] = {}
        for topic in chosen:
            for url in topics[topic]["relevant"]:
                seen.setdefault(url, []).append(int(topic))
        pages = asyncio.run(_fetched(web, [url for url, of in seen.items() if len(of) == 1]))
        matrix = term_matrix(page.terms for page in pages)
        clusters = spherical_k_means(matrix.weights, 5)
        truth = [seen[page.url][0] for page in pages]
        scores.append(mutual_information(truth, clusters.assigned.tolist()))
        print(f"  NMI {scores[-1]:.3f}, {len(pages)} pages: {'; '.join(topics[t]['name'] for t in chosen)}")
        nearest = [[pages[i] for i in clusters.members(c)[:PAGES_READ]] for c in range(clusters.k)]
        for members, label, words in zip(nearest, _labels(nearest), profile_words(matrix, clusters), strict=True):
            named = [topics[seen[page.url][0]]["name"] for page in members]
            most = max(set(named), key=named.count)
            print(
                f"    {', '.join(label):<70} {most} ({named.count(most)} of {len(named)}); eq. 3.6: {', '.join(words)}"
            )
    return {"nmi": scores, "mean": sum(scores) / len(scores), "least": min(scores)}


def _labels(clusters: Sequence[Sequence[Page]]) -> list[list[str]]:
    read = PhraseReader(Words().stems).read
    own = iter(without_frames([Framed(host_of(p.url), p.title, p.text) for pages in clusters for p in pages]))
    phrases = [[read(page.text, page.title) for page in islice(own, len(pages))] for pages in clusters]
    return phrase_labels(phrases, hosts=[[host_of(page.url) for page in pages] for pages in clusters])


async def _fetched(web: Any, urls: Sequence[str]) -> list[Page]:
    pages = [(await web.fetch(Link(url))).page for url in urls]
    return [page for page in pages if page.terms]


def mutual_information(a: Sequence[int], b: Sequence[int]) -> float:
    """Normalised by the mean of the two entropies."""
    _, first = np.unique(a, return_inverse=True)
    _, second = np.unique(b, return_inverse=True)
    joint = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(joint, (first, second), 1.0 / len(first))
    p, q = joint.sum(axis=1), joint.sum(axis=0)

    def entropy(shares: np.ndarray) -> float:
        shares = shares[shares > 0]
        return float(-(shares * np.log(shares)).sum())

    shared = entropy(p) + entropy(q) - entropy(joint.ravel())
    return 2.0 * shared / (entropy(p) + entropy(q))


def costs(given: argparse.Namespace) -> dict[str, Any]:
    """What the analysis of a crawl costs, its report not yet written: of real pages, and of very many made-up ones."""
    told = {}
    with tempfile.TemporaryDirectory() as out:
        told["real"] = _cost(*_real(Path(out), given.random_state))
    if given.procedural:
        with tempfile.TemporaryDirectory() as out:
            told["procedural"] = _cost(*asyncio.run(_procedural(Path(out) / "library", given.procedural)))
    return told


def _cost(folder: Path, crawl: int) -> dict[str, float]:
    began, wall = os.times(), time.perf_counter()
    with Library(folder) as library:
        found = communities_of(library, crawl, worst=0.0)
    ended, seconds = os.times(), time.perf_counter() - wall
    cpu = sum(ended[:4]) - sum(began[:4])
    print(f"  {found.analysed:,} pages: {seconds:.1f} s, {cpu:.1f} s of CPU", flush=True)
    for community in found.communities:
        print(f"    {community.pages:>7,} pages: {', '.join(community.label)}")
    return {"pages": found.analysed, "seconds": seconds, "cpu": cpu}


def _real(out: Path, random_state: int) -> tuple[Path, int]:
    """A panorama of nearly the whole web `schools`."""
    web = str(SHARED / "webs" / "schools" / "web.warc.gz")
    paper = next(iter(pseudo_papers(web, 1, random_state).values()))
    titles = out / "titles.txt"
    titles.write_text("\n".join([paper.title, *(reference.title for reference in paper.references)]))
    options = PanoramaOptions((str(titles),), out / "library", web=web, pages=5200, strategy="naive-bayes")
    return options.into, panorama(options).crawl.crawl


async def _procedural(folder: Path, pages: int) -> tuple[Path, int]:
    """A library as a panorama of so many pages would leave it."""
    procedural = ProceduralWeb(pages=max(pages, 100_000), hosts=2_000, skew=2, links=20, topics=8)
    web, strategy = InProcessWeb(procedural), BreadthFirst(Brief())
    with Library(folder, write=True, create=True) as library:
        recipe = Recipe("panorama", "breadth-first", "cosine", "procedural", options={"keep_terms": True})
        ledger = library.begin(recipe)
        for n in range(pages):
            fetched = await web.fetch(Link(procedural.url(n)))
            ledger.deliver(fetched, fetched.page, Verdict(score=1.0), None)
            if n % 1000 == 999:
                ledger.commit(Progress(pages=n), strategy)
        ledger.commit(Progress(pages=pages), strategy)
    await web.close()
    return folder, ledger.crawl


if __name__ == "__main__":
    main()
