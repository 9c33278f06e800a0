"""Questions that are asked for every page are answered by an index, however large a crawl is."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from pinakes.core.page import Link, Page
from pinakes.jobs import gather, why
from pinakes.library import shelf, twins
from pinakes.library.library import Library

MODULES = (gather, why, shelf, twins)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_an_address_in_a_crawl_is_looked_up_by_its_address(module: object, tmp_path: Path) -> None:
    """SQLite, left alone, goes through all visits of the crawl."""
    with Library(tmp_path / "library", write=True, create=True) as library:
        asked: list[str] = []
        library.connection.set_trace_callback(asked.append)
        url = "http://a.example/"
        {
            gather: lambda: gather._path(library.connection, 1, url),
            why: lambda: why.path_of(library.connection, url, 1),
            shelf: lambda: library.shelf.recall(1, url),
            twins: lambda: _twins(library.connection, url),
        }[module]()  # type: ignore[index]
        library.connection.set_trace_callback(None)
        visits = [sql for sql in asked if re.search(r"\bvisits\b", sql)]
        for sql in visits:
            plan = [row[3] for row in library.connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
            assert any("visits_url" in step for step in plan), plan


def _twins(connection: sqlite3.Connection, url: str) -> None:
    """A copy comes home, and then the page it names as its canonical one."""
    index = twins.Twins(connection, 1)
    row = "1, ?, 1, 200, '', '', 9, '', ?, '', '', '', 0, '', 0, 7, 1, 0, 0, NULL"
    connection.execute(f"INSERT INTO pages SELECT {row}", (f"{url}b", url))
    index.add(copy := Page(Link(f"{url}b"), f"{url}b", canonical=url, fingerprint=7), "", 1)
    index.find(copy, "")
    index.overtake(Page(Link(url), url, fingerprint=7))
