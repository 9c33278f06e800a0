"""Sitemaps as a source of links, on a site that means well and on one that does not."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from pinakes.formats.robots import Robots
from pinakes.testing.live import on_wire
from pinakes.testing.wire import Asked, Wired, Write, page
from pinakes.web.http import LiveWeb
from pinakes.web.sitemaps import Bounds, Listing, list_pages

SITE = "http://a.example/"


def urlset(*urls: str) -> bytes:
    return ("<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>").encode()


def index(*urls: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{listed}</sitemapindex>".encode()


def listed(
    answer: Callable[[str], bytes], robots: bytes = b"", bounds: Bounds | None = None
) -> tuple[Listing, list[str]]:
    async def say(asked: Asked, write: Write) -> bool:
        await write(answer(f"http://{asked.host}{asked.target}"))
        return True

    async def use(web: LiveWeb, wired: Wired) -> tuple[Listing, list[str]]:
        permit = await web.permit(SITE)
        found = await list_pages(SITE, permit.robots, web, bounds)
        return found, [f"http://{asked.host}{asked.target}" for asked in wired.asked]

    return on_wire(say, use, robots=robots)


def test_what_robots_txt_names_is_read_with_all_it_leads_to() -> None:
    """Through indexes, redirects and gzip, each once; only pages of the site come back."""
    files = {
        "http://a.example/maps/index.xml": page(index("http://a.example/maps/1.xml.gz", "http://cdn.example/2.xml")),
        "http://a.example/maps/1.xml.gz": page(gzip.compress(urlset(SITE + "x", "http://b.example/y"))),
        "http://cdn.example/2.xml": page(b"", "Location: /3.xml", status="302 Found"),
        "http://cdn.example/3.xml": page(urlset(SITE + "z", SITE + "x", "http://cdn.example/w")),
    }
    found, asked = listed(files.__getitem__, b"Sitemap: /maps/index.xml\nSitemap: http://a.example/maps/index.xml\n")
    assert [entry.url for entry in found.pages] == [SITE + "x", SITE + "z"]
    assert (found.read, found.troubles) == (3, {})
    assert len([url for url in asked if url.endswith("index.xml")]) == 1


def test_without_a_name_the_usual_place_is_tried_and_keeps_to_its_folder() -> None:
    """A sitemap nobody vouches for speaks for its own host, below its own folder."""
    files = {
        "http://a.example/sitemap.xml": page(index(SITE + "sub/map.xml", "http://cdn.example/2.xml")),
        "http://a.example/sub/map.xml": page(urlset(SITE + "sub/x", SITE + "other/y")),
    }
    found, asked = listed(files.__getitem__)
    assert [entry.url for entry in found.pages] == [SITE + "sub/x"]
    assert not [url for url in asked if "cdn" in url]


def test_an_endless_chain_of_indexes_ends() -> None:
    """Every index leads to unique others, without end, one after the other or thousands at a time."""

    def chain(url: str) -> bytes:
        return page(index(url + "x"))

    def tree(url: str) -> bytes:
        return page(index(*(f"{url}/{number}" for number in range(5000))))

    found, asked = listed(chain, b"Sitemap: /s\n")
    assert (found.pages, found.read, len(asked)) == ((), 4, 5)
    found, asked = listed(tree, b"Sitemap: /s\n", Bounds(files=20))
    assert (found.pages, found.read, len(asked)) == ((), 20, 21)


def test_bombs_and_entities_are_troubles_by_name() -> None:
    """A sitemap of gigabytes, one that reads files, one that laughs, one that is not there, one that is forbidden."""
    files = {
        "/bomb": page(gzip.compress(b"<urlset>" + b" " * (64 << 20))),
        "/xxe": page(
            b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url></urlset>'
        ),
        "/page": page(b"<html><p>Not a sitemap"),
        "/loop": page(b"", "Location: /loop", status="302 Found"),
        "/inside": page(b"", "Location: http://169.254.169.254/", status="302 Found"),
    }
    names = [*files, "/gone", "/forbidden"]
    robots = "Sitemap: http://127.0.0.1/s\nUser-agent: *\nDisallow: /forbidden\n"
    robots += "".join(f"Sitemap: {name}\n" for name in names)
    found, _ = listed(lambda url: files.get(url[16:], page(b"", status="404 No")), robots.encode())
    assert found.pages == ()
    assert {url[16:]: trouble for url, trouble in found.troubles.items()} == {
        "/s": "address",
        "/bomb": "too-large",
        "/xxe": "entities",
        "/page": "not-a-sitemap",
        "/loop": "bad-redirect",
        "/inside": "address",
        "/gone": "not-found",
        "/forbidden": "robots",
    }


def test_no_more_pages_than_wanted() -> None:
    """The bound holds within a file too."""
    found, _ = listed(lambda url: page(urlset(*(f"{SITE}{n}" for n in range(100)))), bounds=Bounds(pages=30))
    assert len(found.pages) == 30
    assert Robots(b"").sitemaps == ()
