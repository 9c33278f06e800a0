"""A crawl into PostgreSQL: the same crawl as into a folder, and every job reads it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.homecoming import Homecoming
from pinakes.core.page import Fetched, Link, Page
from pinakes.frontier.postgres import PostgresFrontier
from pinakes.jobs.arrivals import ArrivedPages, arrive
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.export import ExportOptions, export
from pinakes.jobs.search import search
from pinakes.jobs.status import status
from pinakes.jobs.taking_up import resume
from pinakes.jobs.why import why
from pinakes.library.desk import library_path
from pinakes.library.library import Library

SEED = "http://www.pinakes.example/"


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))


def visits(folder: Path) -> list[tuple[object, ...]]:
    sql = (
        "SELECT url, final, outcome, parent, depth, distance, price, score, topic, nugget, twin FROM visits ORDER BY id"
    )
    with Library(folder) as library:
        return [tuple(row) for row in library.connection.execute(sql)]


@pytest.mark.usefixtures("desks")
def test_same_crawl(database: str, tmp_path: Path) -> None:
    """Page after page, score after score, it is the crawl it would be in a folder, also when it is taken up again."""
    shared, own = library_path(database), tmp_path / "own"
    for folder in (shared, own):
        crawl(CrawlOptions(into=folder, topic="owls", seeds=(SEED,), web="demo", pages=30))
        result = resume(folder, pages=70)
        assert (result.stopped, result.pages) == ("budget", 70)
    assert visits(shared) == visits(own)
    found = status(shared)
    assert (found.library, found.pages, found.in_use) == (database, 70, False)
    assert found.crawls[0].outcomes == status(own).crawls[0].outcomes
    best = visits(shared)[-1][1]
    # Numbers of pages are handed out in portions there.
    told = [[replace(step, page=None) for step in why(folder, str(best)).path] for folder in (shared, own)]
    assert told[0] == told[1]
    assert (
        why(shared, "http://www.aviary.example/nowhere").reason == why(own, "http://www.aviary.example/nowhere").reason
    )
    assert [hit.url for hit in search(shared, "barn owl").hits] == [hit.url for hit in search(own, "barn owl").hits]
    for kind in ("csv", "warc"):
        counts = []
        for folder in (shared, own):
            target = tmp_path / f"{folder.name}.{kind}.gz"
            counts.append(export(ExportOptions(folder, kind, target)).pages)
        assert counts[0] == counts[1] > 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the S3 client's own
@pytest.mark.usefixtures("desks")
def test_pages_in_an_object_store(postgres: Any, s3: str, tmp_path: Path) -> None:
    """With the pages in an S3-compatible store the crawl is the same, also when it is taken up again, and every page
    can be read back."""
    shared, own = library_path(postgres.create(f"objects_{os.getpid()}")), tmp_path / "own"
    for folder, archive in ((shared, s3), (own, "")):
        crawl(CrawlOptions(into=folder, topic="owls", seeds=(SEED,), web="demo", pages=10, archive=archive))
        assert resume(folder, pages=20).pages == 20
    assert visits(shared) == visits(own)
    with Library(shared) as there, Library(own) as here:
        numbers = [row[0] for row in there.connection.execute("SELECT id FROM pages ORDER BY id")]
        held = [row[0] for row in here.connection.execute("SELECT id FROM pages ORDER BY id")]
        assert [there.shelf.page(n).text for n in numbers] == [here.shelf.page(n).text for n in held]
    assert [hit.url for hit in search(shared, "barn owl").hits] == [hit.url for hit in search(own, "barn owl").hits]


@pytest.mark.usefixtures("desks")
def test_two_bring_one_page(postgres: Any) -> None:
    """Two links lead to one page, and two workers bring it at the same moment: the second time it is known, as is a
    page that was home before."""
    shared = library_path(postgres.create(f"twice_{os.getpid()}"))
    crawl(CrawlOptions(into=shared, topic="owls", seeds=(SEED,), web="demo", pages=3))
    with Library(shared, write=True) as library:
        frontier = PostgresFrontier(library.shared.raw, 1)  # type: ignore[union-attr]
        for link, final in (("a", "http://x.example/"), ("b", "http://x.example/"), ("c", SEED)):
            page = Page(Link(f"http://x.example/{link}"), final, status=200)
            arrive(library, 1, Fetched(page), Homecoming(page, "ok", final), None)
        taken = ArrivedPages(library, frontier, 1).take(10)
        assert [one.fetched.page.outcome for one in taken] == ["ok", "known", "known"]
