from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.core.page import Link, Page
from pinakes.formats.document import Reader, error_of, sniffed

URL = "http://ex.com/a"
LINK = Link("http://ex.com/old", anchor="owls", depth=2)
TEXT = "Owls hunt by night over the fields and forests of Europe while other birds of prey sleep in the trees. "


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


def read(reader: Reader, body: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> Page:
    return reader.read(LINK, URL, status, headers or {}, body, 1_700_000_000.0)


def tiny_pdf(text: str) -> bytes:
    """A PDF by hand, with its cross-reference table."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%sendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


def test_an_html_page(reader: Reader) -> None:
    """Every field of the page is filled from its head, its body and the link it came for."""
    body = f"""<html lang=en><title>The night owl</title><meta name=robots content=nofollow>
        <link rel=canonical href=/owl><p>{TEXT * 5}<a href=b>nests</a>""".encode()
    headers = {
        "content-type": "text/html; charset=utf-8",
        "etag": '"x1"',
        "last-modified": "Sat, 01 Jan 2022 00:00:00 GMT",
        "x-robots-tag": "noarchive",
    }
    page = read(reader, body, headers)
    assert (page.link, page.url, page.status, page.type, page.error) == (LINK, URL, 200, "text/html", "")
    assert page.title == "The night owl"
    assert page.text == (TEXT * 5) + "nests"
    assert page.words[:4] == ("owl", "hunt", "", "night")
    assert page.terms["owl"] == 6  # five in the text, one in the title
    assert "" not in page.terms
    assert [(link.url, link.anchor, link.parent, link.depth) for link in page.links] == [
        ("http://ex.com/b", "nests", URL, 3),
        ("http://ex.com/owl", "", URL, 3),
    ]
    assert page.robots == {"nofollow", "noarchive"}
    assert page.canonical == "http://ex.com/owl"
    assert page.language == "en"
    assert (page.etag, page.modified) == ('"x1"', "Sat, 01 Jan 2022 00:00:00 GMT")
    assert page.fetched_at == 1_700_000_000.0
    assert page.fingerprint != 0
    assert page.outcome == "ok"


def test_a_pdf(reader: Reader) -> None:
    """A PDF is read whatever its header says, and may be described by headers only."""
    headers = {
        "content-type": "application/octet-stream",
        "link": '<http://ex.com/x>; rel=next, <paper.html>; rel="canonical"',
        "x-robots-tag": "noindex",
    }
    page = read(reader, tiny_pdf("Owls of the north"), headers)
    assert (page.type, page.text, page.error) == ("application/pdf", "Owls of the north", "")
    assert page.words == ("owl", "", "", "north")
    assert page.canonical == "http://ex.com/paper.html"
    assert page.robots == {"noindex"}


def test_a_pdf_that_cannot_be_read(reader: Reader) -> None:
    page = read(reader, tiny_pdf("x")[:60], {"content-type": "application/pdf"})
    assert (page.type, page.error, page.text) == ("application/pdf", "damaged", "")


def test_html_served_as_pdf_is_read_as_html(reader: Reader) -> None:
    page = read(reader, b"<!DOCTYPE html><p>Sorry, <a href=/login>log in</a>", {"content-type": "application/pdf"})
    assert (page.type, page.text) == ("text/html", "Sorry, log in")
    assert len(page.links) == 1


def test_plain_text(reader: Reader) -> None:
    page = read(reader, b"Owls <b>hunt</b>\ncaf\xe9", {"content-type": "text/plain"})
    assert (page.type, page.text, page.links) == ("text/plain", "Owls <b>hunt</b>\ncafé", ())


def test_compressed_files_are_looked_into(reader: Reader) -> None:
    """A compressed paper or page is read; an archive is not."""
    assert read(reader, gzip.compress(tiny_pdf("Owls")), {"content-type": "application/x-gzip"}).text == "Owls"
    assert read(reader, gzip.compress(b"<html><p>Owls"), {"content-type": "text/html"}).text == "Owls"
    archive = read(reader, gzip.compress(b"dir/\0\0\0ustar\0"), {"content-type": "application/x-gzip"})
    assert (archive.type, archive.text) == ("application/gzip", "")
    bomb = read(reader, gzip.compress(b"owl " * 2_000_000, 9))
    assert len(bomb.text) <= 1_000_000


def test_other_kinds_have_no_text(reader: Reader) -> None:
    for body, kind in ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"{}", "application/json"), (b"a{}", "text/css")):
        page = read(reader, body, {"content-type": kind})
        assert (page.type, page.text, page.words, page.links, page.error) == (kind, "", (), (), "")


def test_failures_have_a_name_and_no_content(reader: Reader) -> None:
    page = read(reader, b"<p>Not here. <a href=/>home</a>", {"content-type": "text/html; charset=x"}, 404)
    assert (page.error, page.status, page.type, page.text, page.links) == ("not-found", 404, "text/html", "", ())
    assert [error_of(status) for status in (200, 206, 302, 403, 410, 429, 500)] == (
        ["", "", "bad-redirect", "forbidden", "not-found", "client-error", "server-error"]
    )


def test_a_refresh_header_is_a_link_like_the_element(reader: Reader) -> None:
    """With the same marks; one that leads to the page itself, or nowhere, is none."""
    for header, found in (
        ("0; url=/next", "http://a.example/next"),
        ("5;URL='http://b.example/'", "http://b.example/"),
        ("30", ""),
        ("0; url=", ""),
        ("0; url=javascript:alert(1)", ""),
        ("0; url=/here", ""),
    ):
        headers = {"content-type": "text/html", "refresh": header}
        page = reader.read(Link("http://a.example/here", depth=2), "http://a.example/here", 200, headers, b"<p>x", 0.0)
        assert [(one.url, one.rel, one.depth) for one in page.links] == ([(found, "refresh", 3)] if found else [])


def test_only_the_first_bytes(reader: Reader) -> None:
    """A reader may be told to cut pages off, as 004's crawlers did."""
    short = Reader(first_bytes=20)
    assert short.read(LINK, URL, 200, {"content-type": "text/html"}, b"<p>one two three four five", 0.0).text == (
        "one two three fou"
    )
    limited = Reader(html_bytes=10)
    assert limited.read(LINK, URL, 200, {"content-type": "text/plain"}, b"one two three", 0.0).text == "one two th"


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html; charset=x", b"anything", "text/html"),
        ("TEXT/HTML", b"", "text/html"),
        ("application/xhtml+xml", b"<html>", "text/html"),
        ("", b"  <!doctype HTML><p>", "text/html"),
        ("", b"<!-- c --><html>", "text/html"),
        ("", b"\xef\xbb\xbf<p>x", "text/html"),
        ("", b"<?xml version='1.0'?><rss>", "text/plain"),
        ("", b"just words", "text/plain"),
        ("", b"\x00\x01\x02", "application/octet-stream"),
        ("", b"", ""),
        ("text/plain", b"<html>", "text/plain"),
        ("text/plain", b"\x00\x01", "application/octet-stream"),
        ("text/plain", b"\xff\xfea\x00", "text/plain"),
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("application/pdf", b"\n\n%PDF-1.4", "application/pdf"),
        ("text/html", b"%!PS-Adobe", "application/postscript"),
        ("image/gif", b"<html><p>x", "text/html"),
        ("application/xml", b'<html xmlns="http://www.w3.org/1999/xhtml">', "text/html"),
        ("application/rss+xml", b"<html>", "application/rss+xml"),
    ],
)
def test_sniffing(content_type: str, body: bytes, kind: str) -> None:
    assert sniffed(content_type, body) == kind


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300), st.text(max_size=100).map(lambda text: ("<html>" + text).encode("utf-8", "replace"))
    ),
    st.dictionaries(st.sampled_from(["content-type", "link", "x-robots-tag", "etag", "content-language"]), st.text()),
)
def test_never_raises(reader: Reader, body: bytes, headers: dict[str, str]) -> None:
    page = read(reader, body, headers)
    assert page.readable or page.type == "application/pdf"
    assert set(page.terms) >= set(page.words) - {""}
