"""Sitemaps as a source of links, in a whole crawl over HTTP and after it is taken up again."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.taking_up import resume
from pinakes.testing import serve
from pinakes.testing.answer import Answer
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

A, B = "http://a.example", "http://b.example"


def xml(body: str) -> Answer:
    return Answer(200, (("Content-Type", "application/xml"),), body.encode())


def urlset(*urls: str) -> Answer:
    return xml("<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>")


HIDDEN = [f"{A}/hidden/{name}" for name in ("owl", "kite", "heron")]
WEB: dict[str, str | Answer] = {
    f"{A}/": f"<title>a</title><p>owls <a href='{B}/'>b</a>",
    f"{B}/": "<title>b</title><p>kites",
    f"{A}/maps/index.xml": xml(
        f"<sitemapindex><sitemap><loc>{A}/maps/1.xml</loc></sitemap>"
        "<sitemap><loc>http://169.254.169.254/latest.xml</loc></sitemap>"
        "<sitemap><loc>file:///etc/passwd</loc></sitemap></sitemapindex>"
    ),
    f"{A}/maps/1.xml": urlset(*HIDDEN, "http://127.0.0.1/private", f"{B}/not-mine", f"{A}/picture.gif"),
    f"{B}/sitemap.xml": urlset(f"{B}/also"),
    f"{B}/also": "<title>also</title><p>also",
    **{url: f"<title>{url[-4:]}</title><p>a {url[-4:]} of its own" for url in HIDDEN},
}


def wanted(into: Path, port: int) -> CrawlOptions:
    live = LiveOptions(
        "test@pinakes.example",
        pace=Pace(delay=0.0, patience=0.0, backoff=0.01, tries=2),
        resolve=(f"*=127.0.0.1:{port}",),
    )
    return CrawlOptions(into=into, topic="owls", seeds=(f"{A}/",), live=live, sitemaps=True, in_flight=4)


def visited(library: Path) -> dict[str, str]:
    with sqlite3.connect(library / "catalogue.db") as connection:
        return dict(connection.execute("SELECT url, outcome FROM visits"))


@pytest.mark.parametrize("strategy", ["best-first", "breadth-first"])
def test_pages_nobody_links_to_are_found_through_sitemaps(strategy: str, tmp_path: Path) -> None:
    """Named by robots.txt or at the usual place, each site's own pages only; the guard and the scope hold for them."""
    with serve(
        WEB, robots={"a.example": f"Sitemap: {A}/maps/index.xml\nUser-agent: *\nDisallow: /hidden/heron"}
    ) as server:
        result = crawl(replace(wanted(tmp_path / "library", server.port), strategy=strategy))
        asked = {f"{host}{one.path}" for host, some in server.requests().items() for one in some}
    assert visited(result.library) == {
        f"{A}/": "ok",
        f"{B}/": "ok",
        f"{B}/also": "ok",
        HIDDEN[0]: "ok",
        HIDDEN[1]: "ok",
        HIDDEN[2]: "robots",
    }
    assert result.dropped == {"scope:type": 1}
    assert "a.example/hidden/heron" not in asked and not any("169.254" in one or "127.0" in one for one in asked)


def test_without_the_option_no_sitemap_is_asked_for(tmp_path: Path) -> None:
    """The two linked pages, and nothing else."""
    with serve(WEB) as server:
        result = crawl(replace(wanted(tmp_path / "library", server.port), sitemaps=False))
        asked = {one.path for some in server.requests().values() for one in some}
    assert result.pages == 2 and asked == {"/", "/robots.txt"}


def test_a_crawl_taken_up_again_asks_no_site_twice(tmp_path: Path) -> None:
    """What was listed waits; sites that have told are not asked again."""
    with serve(WEB, robots={"a.example": f"Sitemap: {A}/maps/index.xml"}) as server:
        crawl(replace(wanted(tmp_path / "library", server.port), pages=3))
        result = resume(tmp_path / "library", pages=100)
        asked = [f"{host}{one.path}" for host, some in server.requests().items() for one in some]
    assert (result.stopped, result.pages) == ("frontier empty", 6)
    maps = [one for one in asked if "map" in one]
    assert sorted(maps) == ["a.example/maps/1.xml", "a.example/maps/index.xml", "b.example/sitemap.xml"]
