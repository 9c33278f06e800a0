"""The live web: one request at a time, bounded, recorded, and never an exception."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
import time
import zlib
from dataclasses import replace
from pathlib import Path

import brotli
import pytest
import trustme
import zstandard
from fpdf import FPDF

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link
from pinakes.formats import http
from pinakes.formats.warc_reader import Record
from pinakes.formats.warc_reader import read as read_member
from pinakes.testing.live import HURRIED, IMPATIENT, always, fetched, on_wire
from pinakes.testing.wire import Asked, Wired, Write, page, wire
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.outcomes import OUTCOMES, outcome_of

HTML = (
    b"<title>Birds</title><p>Birds of the north fly south. <a href='/next'>next</a></p>" + b"<p>Many birds.</p>" * 200
)


def response_of(answer: Fetched) -> Record:
    record = read_member(next(member.data for member in answer.record if member.kind == "response"))
    assert isinstance(record, Record)
    return record


def test_a_page_comes_home_with_its_words_links_and_record() -> None:
    """What the server said is a page to the crawl and a WARC record to the library."""
    answer = fetched(
        page(HTML, 'ETag: "x"', "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT", kind="text/html; charset=utf-8")
    )
    assert answer.page.title == "Birds"
    assert [link.url for link in answer.page.links] == ["http://a.example/next"]
    assert (answer.page.status, answer.page.error, answer.page.etag) == (200, "", '"x"')
    assert [member.kind for member in answer.record] == ["request", "response", "metadata"]
    record = response_of(answer)
    assert record.headers["warc-ip-address"] == "127.0.0.1"
    assert record.headers["warc-payload-digest"] == answer.digest
    assert http.parse(record.block).body == HTML
    assert "warc-truncated" not in record.headers
    assert answer.head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n")


def test_who_asks_is_said_with_every_request() -> None:
    """Sites see our name, our page and whom to write to, and robots.txt is asked for the same way."""

    async def use(web: LiveWeb, wired: Wired) -> list[Asked]:
        await web.fetch(Link("http://a.example/b?c=d%2Fe"))
        return wired.asked

    first, second = on_wire(always(page(HTML)), use)
    assert (first.target, second.target, second.host) == ("/robots.txt", "/b?c=d%2Fe", "a.example")
    for asked in (first, second):
        assert asked.headers["user-agent"] == (
            f"Pinakes/{__version__} (+https://pinakes.example/bot; mailto:someone@example.org)"
        )
        assert asked.headers["from"] == "someone@example.org"
        assert asked.headers["accept-encoding"] == "gzip, deflate, br, zstd"
        assert "cookie" not in asked.headers


@pytest.mark.parametrize("contact", ["", "someone", "a@b\r\nX-Evil: 1", "a b@example.org", "a@b)"])
def test_without_a_contact_there_is_no_crawl(contact: str) -> None:
    """The one-line fix is named."""
    fix = "is not a mail address; .* give one like you@example.org" if contact else r'contact = "you@example.org"'
    with pytest.raises(PinakesError, match=fix):
        LiveWeb(LiveOptions(contact))


def test_connections_are_kept_for_the_next_request() -> None:
    """Three requests to one host use one connection."""

    async def use(web: LiveWeb, wired: Wired) -> int:
        for path in ("a", "b", "c"):
            await web.fetch(Link(f"http://a.example/{path}"))
        return wired.connections

    assert on_wire(always(page(HTML)), use) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "hop"),
    [
        ("/b", "http://a.example/b"),
        ("//B.example:80/x/../y#z", "http://b.example/y"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("caf\xc3\xa9", "http://a.example/caf%C3%A9"),
    ],
)
def test_a_redirect_is_handed_back(status: int, location: str, hop: str) -> None:
    """It is not followed; where it leads is given in canonical form, and the exchange is recorded."""
    answer = fetched(page(b"moved", f"Location: {location}", status=f"{status} Moved"))
    assert answer.hop == hop
    assert (answer.page.error, answer.page.status) == ("", status)
    assert b"Location: " in answer.head
    assert len(answer.record) == 3


@pytest.mark.parametrize("header", ["X: y", "Location:", "Location: http://", "Location: http://[::bad/"])
def test_a_redirect_to_nowhere_is_named(header: str) -> None:
    """Without a usable Location the chain ends."""
    answer = fetched(page(b"", header, status="302 Found"))
    assert (answer.hop, answer.page.error) == ("", "bad-redirect")


def _raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


ENCODED = {
    "gzip": gzip.compress(HTML),
    "x-gzip": gzip.compress(HTML),
    "deflate": zlib.compress(HTML),
    "DEFLATE": _raw_deflate(HTML),
    "br": brotli.compress(HTML),
    "zstd": zstandard.compress(HTML),
    "br, gzip": gzip.compress(brotli.compress(HTML)),
    "identity": HTML,
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings_are_undone_and_the_record_can_be_read_again(name: str) -> None:
    """Every encoding gives the same page, now and from the archive."""
    answer = fetched(page(ENCODED[name], f"Content-Encoding: {name}"))
    assert answer.page.title == "Birds"
    again = http.parse(response_of(answer).block)
    assert http.content(again) == HTML
    if name != "zstd":
        assert again.body == ENCODED[name]


def test_an_encoding_nobody_asked_for_is_a_bad_response() -> None:
    """So are more encodings on top of each other than anyone needs."""
    for name in ("exi", "gzip, gzip, gzip"):
        assert fetched(page(HTML, f"Content-Encoding: {name}")).page.error == "bad-response"


def test_words_that_are_no_encoding_are_passed_over() -> None:
    """Some servers write a charset or a type there; browsers do not mind."""
    for name in ("utf-8", "UTF8", "8bit", "text/html", "none", "*", "gzip;q=1"):
        assert fetched(page(HTML, f"Content-Encoding: {name}")).page.title == "Birds", name
    assert fetched(page(gzip.compress(HTML), "Content-Encoding: utf-8, gzip")).page.title == "Birds"


@pytest.mark.parametrize(
    "promised",
    [
        b"Content-Length: 5000\r\n\r\n" + HTML,
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(HTML), HTML),
        b"Content-Encoding: gzip\r\nContent-Length: 5000\r\n\r\n" + gzip.compress(HTML),
    ],
)
def test_a_page_that_never_comes_whole_is_taken_as_it_comes(promised: bytes) -> None:
    """After as many tries as anything gets, and said to be cut; half a PDF is of no use, nor is half a robots.txt."""

    async def say(asked: Asked, write: Write) -> None:
        kind = b"application/pdf" if asked.target == "/pdf" else b"text/html"
        await write(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n" + promised)

    async def use(web: LiveWeb, wired: Wired) -> list[Fetched]:
        return [await web.fetch(Link(f"http://a.example/{path}")) for path in ("", "", "", "", *["pdf"] * 4)]

    *tries, last, _, _, _, pdf = on_wire(say, use)
    assert [(one.page.error, one.page.status, one.retry_at > 0) for one in tries] == [("connection", 200, True)] * 3
    assert (last.page.outcome, last.page.title, last.retry_at) == ("ok", "Birds", 0)
    pages = tuple(member for member in last.record if not member.url.endswith("/robots.txt"))
    assert response_of(replace(last, record=pages)).headers["warc-truncated"] == "disconnect"
    assert (pdf.page.error, pdf.record) == ("connection", ())
    answer = on_wire(say, lambda web, _: web.fetch(Link("http://a.example/")), robots=None)
    assert answer.page.error == "connection" and not answer.page.title


def test_chunks_are_joined_and_not_promised_by_the_record() -> None:
    """A chunked body that itself looks chunked survives the archive."""
    body = b"5\r\nhello\r\n0\r\n\r\n"
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:4], body[4:])) + b"0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = fetched(head + chunked)
    assert answer.page.text.split() == body.decode().split()
    again = http.parse(response_of(answer).block)
    assert http.content(again) == body
    assert again.headers["x-crawler-transfer-encoding"] == "chunked"


def test_a_long_page_is_cut_and_said_to_be() -> None:
    """The beginning is read and kept, and the record says that it is not all."""
    answer = fetched(page(HTML + b"x" * 50_000), limit=10_000)
    assert (answer.page.error, answer.page.title) == ("", "Birds")
    record = response_of(answer)
    assert record.headers["warc-truncated"] == "length"
    assert len(http.parse(record.block).body) == 10_000


def test_half_a_file_that_is_not_text_is_of_no_use() -> None:
    """It is named; where its length is told, none of it is read."""
    body = b"\x89PNG\r\n" + b"\0" * 3_000_000

    async def use(web: LiveWeb, wired: Wired) -> tuple[Fetched, int]:
        return await web.fetch(Link("http://a.example/")), wired.sent

    answer, _ = on_wire(always(page(body, kind="image/png")), use, limit=10_000)
    assert answer.page.error == "too-large"
    unsized = b"HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n" + body
    assert fetched(unsized, limit=10_000).page.error == "too-large"
    assert fetched(page(body[:5000], kind="image/png"), limit=10_000).page.error == ""


def test_only_the_first_bytes_count_when_asked() -> None:
    """As with crawlers that cut pages off: also of a page that comes compressed."""
    long = b"<title>T</title>" + b"<p>word</p>" * 2000 + b"<p>lastword</p>"
    for body, headers in ((long, ()), (gzip.compress(long), ("Content-Encoding: gzip",))):
        answer = fetched(page(body, *headers), first_bytes=1000)
        assert answer.page.title == "T"
        assert 0 < len(answer.page.text) < 1000


def test_a_page_that_has_not_changed_comes_home_as_such() -> None:
    """Validators of the last visit are sent with its address and no other; a 304 without them makes no sense."""

    async def say(asked: Asked, write: Write) -> bool:
        known = asked.headers.get("if-none-match") == '"v1"' and "if-modified-since" in asked.headers
        await write(b"HTTP/1.1 304 Not Modified\r\n\r\n" if known or asked.target == "/odd" else page(HTML))
        return True

    async def use(web: LiveWeb, wired: Wired) -> list[str]:
        return [(await web.fetch(Link(f"http://a.example/{path}"))).page.outcome for path in ("same", "other", "odd")]

    validators = {"http://a.example/same": ('"v1"', "Sat, 01 Jan 2000 00:00:00 GMT")}
    assert on_wire(say, use, given={"validators": validators}) == ["unchanged", "ok", "bad-response"]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "ok"),
        (204, "ok"),
        (300, "bad-redirect"),
        (400, "client-error"),
        (401, "forbidden"),
        (404, "not-found"),
        (410, "not-found"),
        (429, "rate-limited"),
        (451, "forbidden"),
        (500, "server-error"),
        (503, "server-error"),
        (999, "server-error"),
    ],
)
def test_every_status_has_an_outcome_with_a_sentence(status: int, outcome: str) -> None:
    """Outcomes are names, and one table explains them all."""
    answer = fetched(page(b"" if status == 204 else HTML, status=f"{status} X"))
    assert answer.page.outcome == outcome
    assert answer.page.outcome in OUTCOMES
    assert bool(answer.page.links) == (status == 200)


def test_what_becomes_of_any_status_is_in_the_table() -> None:
    """No number is without a name."""
    assert {outcome_of(status) or "ok" for status in range(200, 1000)} <= set(OUTCOMES)


def test_a_pdf_is_read_beside_the_event_loop() -> None:
    """Its text arrives like a page's, and other requests go on meanwhile."""
    document = FPDF()
    document.add_page()
    document.set_font("helvetica")
    document.cell(text="Ornithology of the north")
    body = bytes(document.output())
    answer = fetched(page(body, kind="application/pdf"))
    assert "Ornithology" in answer.page.text
    assert fetched(page(body, kind="application/pdf"), limit=len(body) - 1).page.error == "too-large"


class TestTls:
    """Encryption that cannot be trusted is no encryption."""

    ca = trustme.CA()

    def context(self, *names: str) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.ca.issue_cert(*names).configure_cert(context)
        return context

    def test_a_certificate_of_a_trusted_authority_is_taken(self, tmp_path: Path) -> None:
        """`ca` adds an authority, and the page arrives."""
        self.ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        answer = fetched(page(HTML), "https://a.example/", tls=self.context("a.example"), ca=tmp_path / "ca.pem")
        assert (answer.page.title, answer.page.url) == ("Birds", "https://a.example/")

    def test_a_stranger_s_certificate_is_refused(self) -> None:
        """An unknown authority is named, and not tried again."""
        answer = fetched(page(HTML), "https://a.example/", tls=self.context("a.example"))
        assert (answer.page.error, answer.retry_at) == ("tls", 0.0)

    def test_a_certificate_for_another_name_is_refused(self, tmp_path: Path) -> None:
        """Even from a trusted authority."""
        self.ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        answer = fetched(page(HTML), "https://a.example/", tls=self.context("b.example"), ca=tmp_path / "ca.pem")
        assert answer.page.error == "tls"

    def test_a_handshake_that_is_never_answered_ends_in_time(self) -> None:
        """A server that does not speak TLS keeps us no longer than the time for connecting."""
        started = time.monotonic()
        answer = fetched(page(HTML), "https://a.example/", timeouts=Timeouts(connect=0.3, head=5.0))
        assert answer.page.error == "robots-unreachable"
        assert time.monotonic() - started < 3

    def test_a_file_that_holds_no_certificates_is_said_to_be(self, tmp_path: Path) -> None:
        """One sentence with the fix."""
        (tmp_path / "ca.pem").write_text("nothing")
        with pytest.raises(PinakesError, match="PEM"):
            fetched(page(HTML), ca=tmp_path / "ca.pem")


def test_a_proxy_is_asked_instead_and_only_it_is_dialled() -> None:
    """It may stand on a private address, gets its password, and does the looking up."""

    async def use() -> tuple[str, list[Asked], list[str]]:
        looked: list[str] = []

        def lookup(host: str) -> list[str]:
            looked.append(host)
            return ["127.0.0.1"]

        async with wire(always(page(HTML)), robots=b"") as wired:
            options = LiveOptions(
                "someone@example.org",
                pace=HURRIED,
                timeouts=IMPATIENT,
                proxy=f"http://user:secret@proxy.example:{wired.port}",
            )
            web = LiveWeb(options, lookup=lookup)
            answer = await web.fetch(Link("http://a.example/"))
            inside = await web.fetch(Link("http://10.0.0.1/"))
            assert inside.page.error == "address"
            await web.close()
            kept = b"".join(gzip.decompress(member.data) for member in answer.record).lower()
            assert b"user-agent: pinakes" in kept and b"authorization" not in kept
            return answer.page.title, wired.asked, looked

    title, asked, looked = asyncio.run(use())
    assert title == "Birds"
    assert asked[-1].target == "http://a.example/"
    assert asked[-1].headers["proxy-authorization"].startswith("Basic ")
    assert set(looked) == {"proxy.example"}


def test_https_goes_through_a_proxy_as_a_tunnel(tmp_path: Path) -> None:
    """The proxy hears the host's name and its own password; the host hears neither, and its certificate is checked."""
    TestTls.ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    heard: list[str] = []

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def use() -> tuple[Fetched, Fetched, list[Asked]]:
        async with wire(always(page(HTML)), robots=b"", tls=TestTls().context("a.example")) as wired:

            async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
                there, back = await asyncio.open_connection("127.0.0.1", wired.port)
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(pipe(reader, back), pipe(there, writer))

            proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
            port = proxy.sockets[0].getsockname()[1]
            options = LiveOptions(
                "someone@example.org",
                pace=HURRIED,
                timeouts=IMPATIENT,
                proxy=f"http://user:secret@127.0.0.1:{port}",
                ca=tmp_path / "ca.pem",
            )
            web = LiveWeb(options)
            answers = await web.fetch(Link("https://a.example/")), await web.fetch(Link("https://b.example/"))
            await web.close()
            proxy.close()
            return *answers, wired.asked

    good, bad, asked = asyncio.run(use())
    assert (good.page.title, bad.page.error) == ("Birds", "tls")
    assert heard[0].startswith("CONNECT a.example:443 ") and "proxy-authorization: basic " in heard[0].lower()
    assert asked and not [one for one in asked if "proxy-authorization" in one.headers or one.host != "a.example"]


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "data:text/html,x", "ftp://a.example/", "http://"])
def test_what_is_not_on_the_web_is_not_asked_for(url: str) -> None:
    """Only http and https leave this machine."""
    assert fetched(page(HTML), url).page.error == "scheme"
