"""A hostile internet: every attack ends in a named outcome, within bounds of time and memory.

The attacks are those published against crawlers, made with the same inputs against a real server on the loopback.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import resource
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.core.page import Fetched, Link
from pinakes.core.roles import Listed
from pinakes.formats import http
from pinakes.formats.warc_reader import Record
from pinakes.formats.warc_reader import read as read_member
from pinakes.testing.live import fetched, on_wire
from pinakes.testing.wire import Asked, Wired, Write, page
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveWeb
from pinakes.web.outcomes import OUTCOMES
from pinakes.web.sitemaps import SitemapListing

LIMIT = 1 << 20
BRIEF = Timeouts(connect=0.5, head=0.4, read=0.4, total=1.0)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@contextmanager
def bounded(seconds: float = 5.0, megabytes: int = 64) -> Iterator[None]:
    """What happens inside takes no more than this."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    yield
    assert time.monotonic() - started < seconds
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < megabytes


def attacked(say: Callable[[Asked, Write], Awaitable[None]], **options: object) -> tuple[Fetched, Wired]:
    """What comes home from a server that attacks, and what it saw."""

    async def use(web: LiveWeb, wired: Wired) -> tuple[Fetched, Wired]:
        return await web.fetch(Link("http://a.example/")), wired

    return on_wire(say, use, **{"limit": LIMIT, "timeouts": BRIEF, **options})  # type: ignore[arg-type]


def zeros(make: Callable[[], object], megabytes: int = 96) -> bytes:
    stream = make()
    parts = [stream.compress(bytes(1 << 20)) for _ in range(megabytes)]  # type: ignore[attr-defined]
    return b"".join(parts) + stream.flush()  # type: ignore[attr-defined]


class _Brotli:
    def __init__(self) -> None:
        self.stream = brotli.Compressor(quality=5, lgwin=24)

    def compress(self, data: bytes) -> bytes:
        return bytes(self.stream.process(data))

    def flush(self) -> bytes:
        return bytes(self.stream.finish())


BOMBS = {
    "gzip": lambda: zeros(lambda: zlib.compressobj(9, zlib.DEFLATED, 31)),
    "deflate": lambda: zeros(lambda: zlib.compressobj(9, zlib.DEFLATED, 15)),
    "br": lambda: zeros(_Brotli),
    "zstd": lambda: zeros(lambda: zstandard.ZstdCompressor().compressobj()),
    "zstd, gzip": lambda: gzip.compress(zeros(lambda: zstandard.ZstdCompressor().compressobj())),
}


class TestBombs:
    @pytest.mark.parametrize("name", BOMBS)
    def test_a_decompression_bomb_is_defused(self, name: str) -> None:
        """A hundred megabytes in a few kilobytes are never unpacked beyond the limit."""
        bomb = BOMBS[name]()
        with bounded(megabytes=48):
            answer = fetched(page(bomb, f"Content-Encoding: {name}"), limit=LIMIT)
        assert answer.page.error == "bomb"
        assert answer.page.links == ()

    def test_the_smallest_brotli_bomb_is_defused(self) -> None:
        """Some tens of bytes are enough for an attack, also as robots.txt."""
        bomb = zeros(_Brotli, 8)
        assert len(bomb) < 100

        async def say(asked: Asked, write: Write) -> None:
            await write(page(bomb, "Content-Encoding: br"))

        with bounded(megabytes=48):
            answer, _ = attacked(say, robots=None)
        assert answer.page.error == "bomb"

    def test_a_hundred_thousand_empty_members_take_no_time(self) -> None:
        """A body can be a long chain of gzip files, each of which is nothing."""
        with bounded(seconds=3):
            assert fetched(page(gzip.compress(b"") * 50_000, "Content-Encoding: gzip")).page.error == ""


class TestEndless:
    def test_an_endless_body_is_cut(self) -> None:
        """Without a length, or with chunks without end, the limit ends it and the connection with it."""

        async def plain(asked: Asked, write: Write) -> None:
            await write(OK + b"\r\n<title>T</title>")
            while True:
                await write(b"<p>more</p>" * 1000)

        async def chunks(asked: Asked, write: Write) -> None:
            await write(OK + b"Transfer-Encoding: chunked\r\n\r\n")
            while True:
                await write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")

        for say in (plain, chunks):
            with bounded():
                answer, wired = attacked(say)
            assert answer.page.error == ""
            assert wired.sent < LIMIT + (8 << 20)
            kept = [member for member in answer.record if not member.url.endswith("/robots.txt")]
            record = read_member(next(member.data for member in kept if member.kind == "response"))
            assert isinstance(record, Record)
            assert record.headers["warc-truncated"] == "length"
            assert len(http.parse(record.block).body) == LIMIT

    def test_a_lie_about_the_length_is_found_out(self) -> None:
        """More is promised than comes: the connection broke. A length of a petabyte reserves nothing."""
        with bounded():
            answer = fetched(OK + b"Content-Length: 1000000000000000\r\nConnection: close\r\n\r\nshort", timeouts=BRIEF)
        assert answer.page.error in ("timeout", "connection")
        assert answer.retry_at > 0

    def test_a_flood_of_headers_is_a_bad_response(self) -> None:
        """A hundred thousand headers, and one header of megabytes."""

        async def many(asked: Asked, write: Write) -> None:
            await write(b"HTTP/1.1 200 OK\r\n")
            for number in range(100_000):
                await write(b"X-%d: y\r\n" % number)

        async def long(asked: Asked, write: Write) -> None:
            await write(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(2000):
                await write(b"y" * 10_000)

        async def status(asked: Asked, write: Write) -> None:
            await write(b"HTTP/1.1 200 ")
            for _ in range(2000):
                await write(b"y" * 10_000)

        for say in (many, long, status):
            with bounded():
                answer, wired = attacked(say)
            # On a machine with much else to do the time may be up first.
            assert answer.page.error in ("bad-response", "timeout")
            assert wired.sent < 8 << 20

    def test_drips_run_out_of_time(self) -> None:
        """A head, a body or a hundred continues, a byte at a time, each sooner than the time between two reads."""

        async def head(asked: Asked, write: Write) -> None:
            for letter in OK * 1000:
                await write(bytes([letter]))
                await asyncio.sleep(0.02)

        async def body(asked: Asked, write: Write) -> None:
            await write(OK + b"\r\n")
            while True:
                await write(b"x")
                await asyncio.sleep(0.02)

        async def continues(asked: Asked, write: Write) -> None:
            while True:
                await write(b"HTTP/1.1 100 Continue\r\n\r\n")
                await asyncio.sleep(0.005)

        async def silence(asked: Asked, write: Write) -> None:
            await write(OK + b"\r\n<p>")
            await asyncio.sleep(10)

        for say in (head, body, continues, silence):
            with bounded(seconds=4):
                answer, _ = attacked(say)
            assert answer.page.error == "timeout"
            assert answer.retry_at > 0

    def test_a_robots_txt_of_a_gigabyte_is_read_as_far_as_it_counts(self) -> None:
        """Its beginning is obeyed, the rest is not taken."""

        async def say(asked: Asked, write: Write) -> None:
            if asked.target != "/robots.txt":
                await write(page(b"<title>T</title>"))
                return
            await write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nUser-agent: *\nDisallow: /x\n")
            for _ in range(1 << 14):
                await write(b"Disallow: /forbidden\n" * 3000 + b"#" * 2536)

        async def use(web: LiveWeb, wired: Wired) -> tuple[list[str], int]:
            paths = ("x", "forbidden/1", "open")
            return [(await web.fetch(Link(f"http://a.example/{path}"))).page.outcome for path in paths], wired.sent

        with bounded():
            outcomes, sent = on_wire(say, use, robots=None)
        assert outcomes == ["robots", "robots", "ok"]
        assert sent < 8 << 20

    def test_a_robots_txt_that_drips_runs_out_of_time(self) -> None:
        """Its host is shut for now, and nothing else is asked there."""

        async def say(asked: Asked, write: Write) -> None:
            await write(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n")
            while True:
                await write(b"#")
                await asyncio.sleep(0.02)

        with bounded(seconds=4):
            answer, wired = attacked(say, robots=None)
        assert answer.page.error == "robots-unreachable" and answer.retry_at > 0
        assert {asked.target for asked in wired.asked} == {"/robots.txt"}

    def test_sitemaps_without_an_end_are_read_within_bounds(self) -> None:
        """Bombs, entities that laugh or read files, indexes that lead on for ever, and one that never stops."""
        laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
        index = "<sitemapindex>" + "<sitemap><loc>http://a.example/i?{}</loc></sitemap>" * 500 + "</sitemapindex>"
        files = {
            "/bomb": page(gzip.compress(b"<urlset>" + b" " * (64 << 20))),
            "/encoded": page(BOMBS["gzip"](), "Content-Encoding: gzip"),
            "/laughs": page(f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><urlset><loc>&l9;</loc></urlset>'.encode()),
            "/external": page(b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><loc>&e;</loc></urlset>'),
            "/deep": page(b"<urlset>" + b"<a>" * 60_000),
        }
        numbers = itertools.count()

        async def say(asked: Asked, write: Write) -> None:
            if asked.target == "/robots.txt":
                await write(page("".join(f"Sitemap: {name}\n" for name in (*files, "/i", "/endless")).encode()))
            elif asked.target == "/endless":
                await write(OK + b"\r\n<urlset>")
                while True:
                    await write(b"<url><loc>http://a.example/x</loc></url>" * 1000)
            elif asked.target.startswith("/i"):
                await write(page(index.format(*(next(numbers) for _ in range(500))).encode()))
            else:
                await write(files[asked.target])

        async def use(web: LiveWeb, wired: Wired) -> tuple[Listed, int, int]:
            return await SitemapListing(web).listed("http://a.example/"), len(wired.asked), wired.sent

        with bounded(seconds=20, megabytes=256):
            found, asked, sent = on_wire(say, use, robots=None, limit=LIMIT, timeouts=BRIEF)
        assert list(found.urls) == ["http://a.example/x"]
        assert asked <= 22 and sent < 32 << 20


class TestNonsense:
    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"\r\n\r\n",
            b"hello",
            b"<html><title>No head</title></html>\r\n\r\n",
            b"HTTP/9.9 abc\r\n\r\n",
            b"HTTP/1.1 99 Low\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffffff\r\nhello",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
            b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\x81\x05hello",
            b"HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\n Set-Cookie: evil=1\r\n\r\n",
            b"HTTP/1.1 302 Found\r\nLocation: http://b.example/%0d%0aSet-Cookie:evil\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Type: " + b"text/html;" * 500 + b"\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nReferrer-Policy: os.system\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00",
        ],
    )
    def test_a_malformed_answer_comes_home_under_a_name(self, answer: bytes) -> None:
        """Whatever is sent, nothing is raised and the outcome is one of the table's."""

        async def say(asked: Asked, write: Write) -> None:
            await write(answer)

        with bounded():
            got, _ = attacked(say)
        assert got.page.outcome in OUTCOMES

    @settings(max_examples=25, deadline=None)
    @given(
        st.lists(
            st.tuples(st.binary(max_size=200), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"\r\n"])), max_size=4
        )
    )
    def test_random_bytes_come_home_under_a_name(self, parts: list[tuple[bytes, bytes]]) -> None:
        """So do bytes that begin like an answer and go on at random."""

        async def say(asked: Asked, write: Write) -> None:
            for random, start in parts:
                await write(start + random)

        got, _ = attacked(say, timeouts=Timeouts(0.3, 0.2, 0.2, 0.5))
        assert got.page.outcome in OUTCOMES

    def test_addresses_of_any_kind_come_home_under_a_name(self) -> None:
        """A link is text that someone wrote."""

        async def use(web: LiveWeb, wired: Wired) -> None:
            nasty = ["http://a.example/\0", "http://a.example:99999/", "http://[::1", "http://a b/", "http://\udcff/"]
            nasty += [
                "http://" + "a" * 300 + ".example/",
                "http://xn--a/",
                "http://.../",
                "http://a..example/",
                "x" * 9999,
            ]
            nasty += ["http://a.example/" + "x" * 1900, "http://a.example/?" + "%zz" * 99, "\n", "http:a.example"]
            for url in nasty:
                answer = await web.fetch(Link(url))
                assert answer.page.outcome in OUTCOMES, url

        on_wire(page(b"x"), use)

    def test_a_connection_that_breaks_is_tried_again(self) -> None:
        """Before, inside and after the head."""
        for sent in (b"", b"HTTP/1.1 20", OK + b"Content-Length: 100\r\n\r\nhalf"):

            async def say(asked: Asked, write: Write, sent: bytes = sent) -> None:
                await write(sent)

            got, _ = attacked(say)
            assert got.page.error == "connection"
            assert got.retry_at > 0


class TestPages:
    def test_sixty_thousand_nested_tags_are_read_in_no_time(self) -> None:
        """Depth is no reason to fail or to take long."""
        body = b"<title>Deep</title>" + b"<div>" * 60_000 + b"bottom <a href='/x'>x</a>"
        with bounded(seconds=8, megabytes=256):
            answer = fetched(page(body))
        assert answer.page.title == "Deep"

    @pytest.mark.parametrize(
        "body",
        [
            b"<a href='" + b"x" * 500_000,
            b"<" * 200_000,
            b"<!--" * 50_000,
            b"&" * 200_000,
            b"<a " + b"a=b " * 100_000 + b">x</a>",
            b"<script>" * 20_000,
            b"<meta charset=utf-7><title>+ADw-script+AD4-</title>",
            b"\xff\xfe\x00" * 10_000,
            bytes(range(256)) * 500,
            b"<svg><math><annotation-xml><table><select>" * 3000,
        ],
    )
    def test_malformed_html_is_read_all_the_same(self, body: bytes) -> None:
        """Something always comes home, soon."""
        with bounded(seconds=8, megabytes=256):
            answer = fetched(page(body))
        assert answer.page.outcome == "ok"

    @pytest.mark.parametrize(
        "target", ["file:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "ftp://b.example/"]
    )
    def test_a_refresh_leads_nowhere_outside_the_web(self, target: str) -> None:
        """Nor does a link, a frame or a base."""
        body = (
            f"<base href='{target}'><meta http-equiv=refresh content='0; url={target}'><iframe src='{target}'></iframe>"
        )
        answer = fetched(page(f"{body}<a href='{target}'>x</a>".encode()))
        assert answer.page.outcome == "ok" and not answer.page.links

    def test_a_refresh_to_an_inside_address_is_refused_when_its_turn_comes(self) -> None:
        """It is a link like any other."""
        for inside in ("http://127.0.0.1/", "http://[::ffff:169.254.169.254]/", "http://0x7f.1/"):
            (link,) = fetched(page(f"<meta http-equiv=refresh content='0; url={inside}'>".encode())).page.links
            assert fetched(page(b"secret"), link.url).page.error == "address"

    def test_a_page_cannot_write_into_its_record(self) -> None:
        """Line ends in a value do not make headers of the archive's."""
        answer = fetched(page(b"<p>x</p>", "X-A: b\rWARC-Type: evil", "ETag: \x7f"))
        for member in answer.record:
            record = read_member(member.data)
            assert isinstance(record, Record)
            assert record.headers["warc-type"] == member.kind
