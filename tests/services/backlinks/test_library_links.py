"""Back-links by the library itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pinakes.core.page import Brief, Fetched, Link, Topic, Verdict
from pinakes.core.roles import Progress
from pinakes.formats.document import Reader
from pinakes.formats.warc import exchange
from pinakes.library.ledger import CrawlLedger
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.services.backlinks.library import LibraryLinks
from pinakes.strategies.breadth_first import BreadthFirst

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
HUB, A, B, OLD = (f"http://w.example/{name}" for name in ("hub", "a", "b", "old"))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "library", write=True, create=True) as opened:
        yield opened


@pytest.fixture
def ledger(library: Library) -> CrawlLedger:
    brief = Brief(topics=(Topic("x"),))
    return library.begin(Recipe(job="crawl", strategy="breadth-first", judge="cosine", web="demo", brief=brief))


def deliver(ledger: CrawlLedger, url: str, *links: str, asked: str = "") -> None:
    """A page of these links comes home, perhaps under another address than was asked for."""
    body = "".join(f'<p>{url} says <a href="{link}">this</a></p>' for link in links).encode()
    reader = Reader()
    page = reader.read(Link(asked or url), url, 200, {"content-type": "text/html"}, body, 1.7e9)
    reader.close()
    record, digest = exchange(url, b"GET / HTTP/1.1\r\n\r\n", HEAD, body, 1.7e9)
    ledger.deliver(Fetched(page, record, digest, HEAD), page, Verdict(), None)


def asked(links: LibraryLinks, url: str, n: int = 10) -> list[str]:
    return list(asyncio.run(links.backlinks(url, n)))


def test_every_stored_page_tells_where_it_links(library: Library, ledger: CrawlLedger) -> None:
    """Each linking page once, in the order they were stored, itself not among them."""
    deliver(ledger, HUB, A, B, A)
    deliver(ledger, A, HUB, A, B)
    links = LibraryLinks(library.connection)
    assert asked(links, A) == [HUB]
    assert asked(links, B) == [HUB, A]
    assert asked(links, B, 1) == [HUB]
    assert asked(links, "http://w.example/none") == []
    links.close()


def test_pages_that_come_later_are_seen(library: Library, ledger: CrawlLedger) -> None:
    """Committed or not, when they were written on the same connection; only the new ones are read."""
    links = LibraryLinks(library.connection)
    assert asked(links, B) == []
    deliver(ledger, HUB, B)
    assert asked(links, B) == [HUB]
    ledger.commit(Progress(pages=1), BreadthFirst(Brief()))
    deliver(ledger, A, B)
    deliver(ledger, A, B)
    assert asked(links, B) == [HUB, A]
    links.close()


def test_links_to_an_address_that_redirects_count(library: Library, ledger: CrawlLedger) -> None:
    """Whoever links to the old address of a page links to the page."""
    deliver(ledger, HUB, OLD)
    deliver(ledger, A, HUB, asked=OLD)
    links = LibraryLinks(library.connection)
    assert asked(links, A) == [HUB]
    links.close()
