"""Analyses in shards: on several processes, and on a real Ray cluster, they find what one process finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Topic
from pinakes.jobs import shards as module
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.hands import LocalHands, in_order
from pinakes.jobs.panorama import communities
from pinakes.jobs.panorama.communities import CommunityMap, communities_of
from pinakes.jobs.paths import paths
from pinakes.jobs.shards import Shards
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.measures.paths import PathStudy

SEED = "http://www.pinakes.example/"


class Clerk:
    """A hand that writes orders down in capitals, and dies of one."""

    def __init__(self, plan: bytes) -> None:
        self._plan = plan

    async def do(self, order: bytes) -> bytes:
        if order == b"die":
            import os

            os._exit(1)
        return self._plan + order.upper()

    async def close(self) -> None: ...


def test_hands() -> None:
    """Answers come in the order of the orders; who dies of one is replaced, and it is told."""
    hands = LocalHands(f"{__name__}:Clerk", b"> ", 2)
    try:
        orders = [f"order {n}".encode() for n in range(20)]
        assert list(in_order(hands, iter(orders))) == [b"> " + order.upper() for order in orders]
        answers = sorted(hands.each([b"one", b"die", b"two"]))
        assert [said for _, said, _ in answers] == [b"> ONE", None, b"> TWO"] and "memory" in answers[1].trouble
        with pytest.raises(PinakesError, match="could not be worked on"):
            list(in_order(hands, [b"die"]))
    finally:
        hands.close()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards") / "library"
    crawl(CrawlOptions(into=folder, topic="owls", seeds=(SEED,), web="demo", pages=150, strategy="breadth-first"))
    return folder


def read(folder: Path, processes: int | None, on: str = "") -> tuple[Any, ...]:
    """Verdicts, terms, links and steps."""
    with Library(folder) as library:
        numbers = [row[0] for row in library.connection.execute("SELECT id FROM pages WHERE words > 0 ORDER BY id")]
        brief = Brief(topics=(Topic("owls"),))
        judge = Recipe("crawl", "best-first", "cosine", "demo", judge_parameters={"threshold": 0.2}, brief=brief)
        with Shards(library, len(numbers), processes, on, judge) as shards:
            verdicts, terms = list(shards.verdicts(numbers)), [dict(page) for page in shards.terms(numbers)]
            links = [column for shard in shards.links(numbers) for column in shard]
            steps = shards.steps(1, 1, 1000)
    assert len(verdicts) == len(terms) == len(numbers) > 100 and any(verdict.nugget for verdict in verdicts)
    sizes, leads = (np.concatenate(links[at::2]).tolist() for at in (0, 1))
    return verdicts, terms, sizes, leads, [column.tolist() for column in steps]


def analysed(folder: Path, processes: int | None) -> tuple[CommunityMap, PathStudy]:
    with Library(folder) as library:
        mapped = communities_of(library, 1, k=3, processes=processes)
    return mapped, paths(folder, processes=processes)


def test_the_same_on_all_cores(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Re-judging, counting terms, the map with its hubs, and the path study, in shards of fifty pages."""
    here, mapped = read(library, 1), analysed(library, 1)
    monkeypatch.setattr(module, "FEW", 0)
    monkeypatch.setattr(module, "SHARD", 50)
    monkeypatch.setattr(module, "STRETCH", 40)
    assert read(library, 2) == here and analysed(library, 2) == mapped
    assert mapped[0].analysed > 50 and mapped[1].pages > 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray's own
def test_the_same_on_a_cluster(ray_cluster: Any, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = read(library, 1)
    monkeypatch.setattr(module, "SHARD", 50)
    ray_cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    assert read(library, None, ray_cluster.address) == here


def test_links_lead_where_they_lead(library: Path) -> None:
    """Who links to whom is found by hashes as it is by addresses."""
    from pinakes.jobs.panorama.collection import collection_of

    with Library(library) as opened:
        crawled = collection_of(opened, 1)
        places = {page.url: place for place, page in enumerate(crawled.pages)}
        asked = dict(opened.connection.execute("SELECT url, final FROM visits WHERE crawl = 1 AND outcome = 'ok'"))
        expected = []
        for place, page in enumerate(crawled.pages):
            for (url,) in opened.connection.execute("SELECT url FROM links WHERE page = ?", (page.number,)):
                target = places.get(url, places.get(asked.get(url, "")))
                if target is not None:
                    expected.append((place, target))
    assert sorted(zip(crawled.sources.tolist(), crawled.targets.tolist(), strict=True)) == sorted(expected)
    assert len(np.unique(crawled.sources)) > 50


def test_more_pages_than_are_held(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large crawl the centres are found among pages drawn by chance, and all the others join them."""
    with Library(library) as opened:
        whole = communities_of(opened, 1, k=3, processes=1)
        monkeypatch.setattr(communities, "WHOLE", 60)
        monkeypatch.setattr(communities, "PORTION", 25)
        drawn = communities_of(opened, 1, k=3, processes=1)
    assert drawn.analysed == whole.analysed > 100
    assert sorted(url for one in drawn.communities for url in one.urls) == sorted(
        url for one in whole.communities for url in one.urls
    )
    assert [one.pages for one in drawn.communities] == sorted((one.pages for one in drawn.communities), reverse=True)
    assert all(one.label and one.words and one.examples for one in drawn.communities)
