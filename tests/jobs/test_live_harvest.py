"""A harvest of the live web, over real HTTP on loopback: dead hosts, a second run, people who are remembered."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pinakes import demo
from pinakes.core.page import Fetched, Link
from pinakes.core.roles import Hit
from pinakes.jobs.harvest.homepages import DEAD, find_homepages
from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.ownership import Author
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.webs import open_frozen
from pinakes.testing.answer import of_error
from pinakes.testing.server import serve
from pinakes.web.client import Timeouts
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace
from pinakes.web.serve import serving

sys.path.insert(0, str(Path(__file__).parent))
from harvest_web import hurried, page, paper, said

WALLS, GONE, HOUSE = "Shelves Without Walls", "Dust and Its Many Enemies", "Books That Moved House"
HOMES = {
    "Iris Tanner": "http://cs.northlake.example/~tanner/",
    "Anna Lindqvist": "http://cs.northlake.example/~lindqvist/",
    "Tomas Ridgeway": "http://cs.northlake.example/~ridgeway/",
    "Marek Sorrel": "http://cs.northlake.example/~garrow/",
}


def test_a_second_run_asks_for_what_is_new(tmp_path: Path) -> None:
    """A dead homepage is told as such; what the library holds is not asked for again."""
    homes = tmp_path / "homes.csv"
    with homes.open("w", newline="") as file:
        csv.writer(file).writerows([("name", "homepage"), *HOMES.items()])
    with serving(open_frozen("demo", records=False)) as served:
        pace = Pace(delay=0.0, patience=0.0, backoff=0.01, tries=2, longest_crawl_delay=0.0)
        live = LiveOptions(
            "test@pinakes.example",
            pace=pace,
            timeouts=Timeouts(connect=1.0, head=5.0, read=5.0, total=10.0),
            resolve=(served.route,),
            ca=served.ca,
        )
        options = HarvestOptions(
            metadata=(str(demo.path("venue.jsonl")),),
            into=tmp_path / "library",
            years="2001",
            homepages=homes,
            search=False,
            live=live,
            processes=1,
        )
        first = harvest(options)
        asked = served.counts.requests
        second = harvest(options)
        again = served.counts.requests - asked
        third = harvest(replace(options, fresh=0.0))
        anew = served.counts.requests - asked - again
    assert isinstance(first, HarvestResult) and isinstance(second, HarvestResult) and isinstance(third, HarvestResult)
    papers = {paper.title: paper for paper in first.papers}
    assert papers["Union Catalogues Without a Union"].why == "homepage dead"
    assert sum(paper.status == "found" for paper in first.papers) >= 3
    assert first.papers == second.papers or [p.status for p in first.papers] == [p.status for p in second.papers]
    # The second time, only what failed or was redirected, and robots.txt, is asked for.
    assert again < asked / 2 < anew


def test_a_second_run_makes_no_request_for_what_is_held(tmp_path: Path) -> None:
    """Told by the server: the same harvest again asks only for what could not be had, and one of more papers only for
    what is new."""
    answers = {
        ("berg.example", "/"): page("Anna Berg", '<a href="papers.html">Papers</a>'),
        ("berg.example", "/papers.html"): page("Papers", *(
            f'<p><a href="{name}.pdf">{title}</a></p>' for name, title in (("walls", WALLS), ("gone", GONE))
        )),
        ("berg.example", "/walls.pdf"): said(paper(WALLS, "Anna Berg"), "application/pdf"),
        ("lund.example", "/"): page("Ida Lund", f'<a href="house.pdf">{HOUSE}</a>'),
        ("lund.example", "/house.pdf"): said(paper(HOUSE, "Ida Lund"), "application/pdf"),
    }  # fmt: skip
    homes = tmp_path / "homes.csv"
    homes.write_text("name,homepage\nAnna Berg,http://berg.example/\nIda Lund,http://lund.example/\n")

    def metadata(*papers: tuple[str, str]) -> str:
        path = tmp_path / f"{len(papers)}.jsonl"
        path.write_text("\n".join(json.dumps({"title": t, "authors": [a], "year": 2001}) for t, a in papers))
        return str(path)

    few = metadata((WALLS, "Anna Berg"), (GONE, "Anna Berg"))
    more = metadata((WALLS, "Anna Berg"), (GONE, "Anna Berg"), (HOUSE, "Ida Lund"))
    asked: list[set[tuple[str, str]]] = []
    results = []
    with serve(lambda host, path: answers.get((host, path), of_error(404))) as served:
        before: set[tuple[str, str, float]] = set()
        for source in (few, few, more):
            live = hurried(f"*=127.0.0.1:{served.port}")
            options = HarvestOptions(
                (source,), tmp_path / "library", homepages=homes, search=False, live=live, processes=1
            )
            results.append(harvest(options))
            log = {(host, one.path, one.at) for host, some in served.requests().items() for one in some}
            asked.append({(host, path) for host, path, _ in log - before if path != "/robots.txt"})
            before = log
    assert asked[0] == {("berg.example", path) for path in ("/", "/papers.html", "/walls.pdf", "/gone.pdf")}
    assert asked[1] == {("berg.example", "/gone.pdf")}
    assert asked[2] == {("berg.example", "/gone.pdf"), ("lund.example", "/"), ("lund.example", "/house.pdf")}
    states = [{p.title: p.status for p in one.papers} for one in results if isinstance(one, HarvestResult)]
    assert states[0] == states[1] == {WALLS: "found", GONE: "missing"}
    assert states[2] == {WALLS: "found", GONE: "missing", HOUSE: "found"}


class Counting:
    """The demo's web, some of whose hosts are dead."""

    ordered = True

    def __init__(self, web: FrozenWeb, dead: str) -> None:
        self._web, self._dead = web, dead
        self.asked: list[str] = []

    async def fetch(self, link: Link) -> Fetched:
        self.asked.append(link.url)
        if self._dead in link.url:
            answer = await self._web.fetch(Link("http://no.such.example/"))
            return replace(answer, page=replace(answer.page, error="timeout"))
        return await self._web.fetch(link)

    async def close(self) -> None: ...


class Everywhere:
    """The role `Search`: the same hits for everybody."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        return [Hit(url) for url in self._urls]


def test_a_dead_host_is_asked_twice_and_no_more() -> None:
    """However many candidates it has; and those who are remembered cost nothing."""
    dead = [f"http://dead.example/~{letter * 3}/" for letter in "abcdefgh"]
    search = Everywhere([*dead, "http://cs.northlake.example/~tanner/"])
    web = Counting(open_frozen("demo", records=False), "dead.example")
    authors = [Author("Iris Tanner", (), (), ("WebShelf",)), Author("Mei Calloway", (), (), ("WebShelf",))]
    kept: dict[str, object] = {}
    found = asyncio.run(find_homepages(authors, search, web, remember=kept.__setitem__))
    assert found.found == {"Iris Tanner": "http://cs.northlake.example/~tanner/"}
    assert sum("dead.example" in url for url in web.asked) == DEAD
    asked = len(web.asked)
    again = asyncio.run(find_homepages(authors, search, web, remembered=kept))
    assert again.found == found.found and again.searches == 0 and len(web.asked) == asked
    assert again.candidates == found.candidates
    refused = {"Iris Tanner": {"http://cs.northlake.example/~tanner/"}}
    none = asyncio.run(find_homepages(authors, search, web, remembered=kept, refused=refused))
    assert not none.found and any(one.rule == "refused by hand" for one in none.candidates)
