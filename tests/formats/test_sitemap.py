"""Sitemaps as the standard has them, as sites write them, and as attackers do."""

from __future__ import annotations

import gzip
import resource
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.sitemap import MOST, Entry, in_scope, parse

AT = "http://www.example.com/sitemap.xml"


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in parse(body, AT).pages]


def test_a_sitemap_of_pages() -> None:
    """Addresses are canonical and without doubles; dates and priorities are kept as hints."""
    found = parse(
        b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<url><loc> http://A.example/x?a=1&amp;b=2 </loc><lastmod>2020-01-02</lastmod><priority>0.9</priority></url><url><loc>http://a.example/y</loc>"
        b"<priority>7</priority></url><url><loc>http://a.example/y#z</loc></url><url/></urlset>",
        AT,
    )
    assert found.pages == (Entry("http://a.example/x?a=1&b=2", "2020-01-02", 0.9), Entry("http://a.example/y"))
    assert (found.sitemaps, found.trouble) == ((), "")


EXPECTED = {
    "atom.xml": ["http://example.org/2003/12/13/atom03", "http://example.org/2003/12/13/atom03.html"],
    "do-not-visit.txt": ["http://www.example.com/do-not-visit-here"],
    "hebdenbridgetimes-articles-sitemap.xml": 74,
    "pagemaps-sitemap.xml": ["http://www.example.com/foo", "http://www.example.com/bar"],
    "shinpaideshou-news-sitemap.xml": 3,
    "sitemap-images.xml": ["http://www.example.com/images/some_image_landing_page.html"],
    "sitemap-links.xml": [f"http://www.example.com/{name}/" for name in ("english", "deutsch", "schweiz-deutsch")],
    "sitemap-mobile.xml": 3,
    "sitemap-news.xml": 2,
    "sitemap-videos-tvshow.xml": ["https://example.org/my-tv-show/23/13/"],
    "sitemap-videos.xml": 3,
    "sitemap-with-bom.txt": ["http://www.domain.com/page1.html", "http://www.domain.com/page2.html"],
    "sitemap.badns.xml": ["http://www.example.com/1", "http://www.example.com/2"],
    "sitemap.index.xml": [],
    "sitemap.ns.xml": ["http://www.example.com/1", "http://www.example.com/2"],
    "sitemap.txt": ["http://www.domain.com/page1.html", "http://www.domain.com/page2.html"],
    "sitemap.txt.gz": 5,
    "xmlSitemap.gz": 5,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_edge_cases_others_collected(name: str, shared: Path) -> None:
    """Wrong and missing namespaces, extensions, byte order marks, gzip, text and feeds."""
    found = parse((shared / "recordings/sitemaps" / name).read_bytes(), AT)
    expected = EXPECTED[name]
    assert len(found.pages) == expected if isinstance(expected, int) else [page.url for page in found.pages] == expected
    assert found.trouble == ""
    assert len(found.sitemaps) == (15 if name == "sitemap.index.xml" else 0)
    if found.sitemaps:
        assert found.sitemaps[0] == "https://example.com/sitemap.jss?portalCode=10260&lang=en"


def test_feeds() -> None:
    """RSS 2.0 and 1.0 list pages as items."""
    assert urls(
        b"<rss><channel><link>http://a.example/</link><item><link>http://a.example/1</link></item></channel></rss>"
    ) == ["http://a.example/1"]
    assert urls(b"<rdf:RDF><item><title>t</title><link>http://a.example/1</link></item></rdf:RDF>") == [
        "http://a.example/1"
    ]


def test_forgotten_escapes_and_breaks_do_not_lose_what_is_there() -> None:
    """An ampersand is an ampersand, an unknown entity is text, and a broken end leaves the beginning."""
    body = (
        b"<urlset><url><loc>http://a.example/?a&b=1&nbsp;</loc></url><url><loc>http://a.example/2</loc></url><url><loc"
    )
    found = parse(body, AT)
    assert [page.url for page in found.pages] == ["http://a.example/?a&b=1&nbsp;", "http://a.example/2"]
    assert found.trouble == "broken"
    assert urls("<urlset><url><loc>http://a.example/é</loc></url></urlset>".encode("utf-16")) == [
        "http://a.example/%C3%A9"
    ]


LAUGHS = (
    b"<!DOCTYPE urlset [<!ENTITY a0 'http://a.example/'>"
    + b"".join(b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 11))
    + b"]><urlset><url><loc>&a10;</loc></url></urlset>"
)


@pytest.mark.parametrize(
    "body",
    [
        LAUGHS,
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url></urlset>',
        b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/x.dtd"> %p;]><urlset><url><loc>x</loc></url></urlset>',
    ],
)
def test_entities_are_never_expanded(body: bytes) -> None:
    """A billion laughs and files read from inside end at the declaration."""
    found = parse(body, AT)
    assert (found.pages, found.trouble) == ((), "entities")


def test_a_doctype_alone_does_no_harm() -> None:
    """It is passed over, and what it names is not fetched."""
    body = b'<!DOCTYPE urlset SYSTEM "http://127.0.0.1/x.dtd"><urlset><url><loc>http://a.example/</loc></url></urlset>'
    assert urls(body) == ["http://a.example/"]


def test_size_number_length_and_depth_are_bounded() -> None:
    """A bomb of a gigabyte, a million pages, an address of a megabyte, and a nest without end."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    bomb = gzip.compress(gzip.compress(b"<urlset>" + bytes(1 << 20) * 128, 1), 1)
    assert parse(bomb, AT).pages == ()
    one = b"<url><loc>http://a.example/%d</loc></url>"
    many = parse(b"<urlset>" + b"".join(one % number for number in range(MOST + 100)), AT)
    assert (len(many.pages), many.trouble) == (MOST, "too-large")
    lines = parse(b"".join(b"http://a.example/%d\n" % number for number in range(MOST + 100)), AT)
    assert (len(lines.pages), lines.trouble) == (MOST, "too-large")
    long = b"<urlset><url><loc>http://a.example/" + b"x" * (1 << 20) + b"</loc></url></urlset>"
    assert urls(long) == []
    assert parse(b"<urlset>" + b"<url>" * 100_000, AT).trouble == "broken"
    assert parse(b"<urlset><url " + b"a='b' " * 100_000, AT).pages == ()
    assert time.monotonic() - started < 10
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 400


@pytest.mark.parametrize(
    "body", [b"", b"<html><p>x", b"\0" * 1000, b"hello", b"{}", b"<?xml version='1.0' encoding='no-such'?><urlset/>"]
)
def test_what_is_no_sitemap_is_said_to_be_none(body: bytes) -> None:
    """An error page at the sitemap's address lists nothing."""
    assert parse(body, AT) == ((), (), "not-a-sitemap")


@given(st.binary(max_size=300), st.sampled_from([b"", b"<urlset><url><loc>", b"http://a.example/", b"\x1f\x8b"]))
def test_nothing_raises(body: bytes, start: bytes) -> None:
    """Any bytes are a sitemap, or none."""
    found = parse(start + body, AT)
    assert all(page.url.startswith("http") for page in found.pages)


def test_scope() -> None:
    """The sitemap's own folder, or the whole host where its robots.txt names the sitemap."""
    assert in_scope("http://a.example/x/y", "http://a.example/x/s.xml", named=False)
    assert in_scope("https://a.example/x/y", "http://a.example/x/s.xml?q=/z/", named=False)
    assert not in_scope("http://a.example/z", "http://a.example/x/s.xml", named=False)
    assert not in_scope("http://b.example/x/y", "http://a.example/x/s.xml", named=False)
    assert in_scope("http://a.example/z", "http://a.example/x/s.xml", named=True)
