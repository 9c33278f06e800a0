"""Whatever a library's last job was, one call takes it up and answers what that job would have."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from pinakes.core.errors import PinakesError
from pinakes.jobs.collect import CollectOptions, CollectResult, collect
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.jobs.going_on import crawl_of, go_on
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.pending import note_pending
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.refresh import RefreshOptions, RefreshResult, refresh
from pinakes.library.library import Library

SEED = "http://www.pinakes.example/"


def owls(folder: Path) -> Path:
    crawl(CrawlOptions(folder, topic="owls", seeds=(SEED,), web="demo", pages=20, parameters={"threshold": 0.05}))
    return folder


def test_a_crawl_and_a_refresh_of_it(tmp_path: Path) -> None:
    """Each answers its own kind of result; Python writes the report that the command line would."""
    library = owls(tmp_path / "library")
    more = go_on(library, pages=25)
    assert isinstance(more, CrawlResult) and more.pages == 25 and crawl_of(more) is more
    looked_over = refresh(RefreshOptions(library, pages=2))
    again = go_on(library, pages=looked_over.crawl.pages + 2)
    assert isinstance(again, RefreshResult) and crawl_of(again) is again.crawl
    for report in (reports := library / "reports").iterdir():
        report.unlink()
    assert pinakes.resume(library, pages=again.crawl.pages + 2).crawl == again.crawl.crawl
    assert any(reports.iterdir())


def test_collections(tmp_path: Path) -> None:
    (tmp_path / "topics.toml").write_text(f'seeds = ["{SEED}"]\npages = 20\n[[topic]]\nname = "Owls"\n')
    library = tmp_path / "library"
    collect(CollectOptions(tmp_path / "topics.toml", library, web="demo"))
    more = go_on(library, pages=25)
    assert isinstance(more, CollectResult) and more.crawl.pages == 25 and len(more.collections) == 1


def test_a_harvest_that_had_not_begun_to_crawl(tmp_path: Path) -> None:
    """It goes on with the budget it was given; where nobody has a homepage there is no crawl."""
    metadata = tmp_path / "papers.jsonl"
    metadata.write_text('{"title": "Wooden Shelves in Small Libraries", "authors": ["Zzyzx Qwertz"], "year": 2001}')
    library = tmp_path / "library"
    options = HarvestOptions((str(metadata),), into=library, web="demo", pages=77, search=False)
    with Library(library, write=True, create=True):
        note_pending(options)
    heard: list[int | None] = []
    done = go_on(library, budget=heard.append)
    assert isinstance(done, HarvestResult) and crawl_of(done) is None and heard == [77]
    note_pending(options)
    with pytest.raises(PinakesError, match="no homepage was found to crawl"):
        pinakes.resume(library)
    assert (library / "reports").exists()
