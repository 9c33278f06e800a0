"""A frozen web over real HTTP and HTTPS answers as it was recorded."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import brotli
import pytest

from pinakes import demo
from pinakes.core.engine import Engine
from pinakes.core.errors import PinakesError
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Link, Member, Page, Topic, Verdict
from pinakes.core.roles import Web
from pinakes.formats import warc
from pinakes.frontier.memory import MemoryFrontier
from pinakes.jobs.web_serve import ServeOptions, serve_web
from pinakes.strategies.best_first import BestFirst
from pinakes.testing.ledger import MemoryLedger
from pinakes.testing.live import HURRIED
from pinakes.testing.recording import AT, html, recorded, write
from pinakes.web.certificates import Authority
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.serve import Counts, Serving, serving

PACKED = gzip.compress(b"<title>Packed</title>" * 100)
ODD = (
    b"HTTP/1.0 200 Fine\r\nX-Folded: one\r\n two\r\nnot a header\r\nConnection: close\r\nAlt-Svc: h3\r\n"
    b"X-A: 1\r\nX-A: 2\r\n\r\n"
)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def members(toy_members: list[Member]) -> list[Member]:
    return [
        *toy_members,
        recorded("https://s.example/", html("Secure")),
        recorded("https://s.example/robots.txt", "User-agent: *\nDisallow: /no\n", type="text/plain"),
        recorded("http://p.example:8080/", html("Port")),
        recorded("http://z.example/gzip", PACKED, Content_Encoding="gzip"),
        recorded("http://z.example/br", brotli.compress(b"<title>Brotli</title>"), Content_Encoding="br"),
        recorded("http://z.example/not", b"<title>Stored decoded</title>", Content_Encoding="gzip"),
        recorded("http://z.example/none", b"ignored", status=204),
        warc.response("http://z.example/odd", ODD, b"odd", AT),
        warc.response("http://z.example/chunked", CHUNKED, b"5\r\nhello\r\n3\r\n...\r\n0\r\n\r\n", AT),
    ]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory, members: list[Member]) -> FrozenWeb:
    return FrozenWeb(write(tmp_path_factory.mktemp("served") / "web.warc.gz", members))


@pytest.fixture(scope="module")
def served(web: FrozenWeb) -> Iterator[Serving]:
    with serving(web) as served:
        yield served


def get(served: Serving, url: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    """Ask as a client would that was told where the host is."""
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    connection = HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.connect()
    if scheme == "https":
        context = ssl.create_default_context(cafile=served.ca)
        connection.sock = context.wrap_socket(connection.sock, server_hostname=host)
    try:
        connection.request(method, "/" + path, headers={"Host": host, **headers})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def test_pages_come_byte_for_byte(served: Serving, web: FrozenWeb) -> None:
    """Every address of the web answers with its recorded status and body."""
    for url in web.pages():
        answer, body = get(served, url)
        message = web.message(url)
        assert message is not None
        assert (answer.status, body) == (message.status, web_body(message.body, url)), url


def web_body(body: bytes, url: str) -> bytes:
    """What a client that asks for no encoding gets."""
    if url.endswith("/chunked"):
        return b"hello..."
    if url.endswith("/none"):
        return b""
    if url.endswith("/gzip"):
        return gzip.decompress(body)
    return brotli.decompress(body) if url.endswith("/br") else body


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://w.example/gone", 410),
        ("http://w.example/secret", 403),
        ("http://w.example/broken", 503),
        ("http://w.example/nowhere", 404),
        ("http://elsewhere.example/", 404),
        ("https://w.example/a", 404),
        ("http://s.example/", 404),
        ("https://s.example/", 200),
        ("http://p.example:8080/", 200),
        ("http://p.example/", 404),
        ("http://W.EXAMPLE/%7Euser/", 200),
    ],
)
def test_each_address_has_its_own_status(served: Serving, url: str, status: int) -> None:
    """Scheme, host and port tell pages apart, spelling does not; what was not recorded is not found."""
    assert get(served, url)[0].status == status


def test_redirects_are_as_recorded(served: Serving) -> None:
    """With the Location header untouched."""
    answer, _ = get(served, "http://w.example/old")
    assert (answer.status, answer.getheader("Location")) == (301, "/older?x=1")


def test_robots_rules_count_for_both_schemes(served: Serving) -> None:
    """As they do when the file itself is crawled."""
    assert b"/private" in get(served, "http://w.example/robots.txt")[1]
    assert b"/no" in get(served, "http://s.example/robots.txt")[1]
    assert get(served, "http://z.example/robots.txt")[0].status == 404
    assert get(served, "http://w.example/sub/robots.txt")[0].status == 404


def test_headers_are_kept_but_those_of_the_connection(served: Serving) -> None:
    """Folded and repeated ones come through, broken and hop-by-hop ones do not, and the length is right."""
    answer, body = get(served, "http://z.example/odd")
    assert (answer.version, answer.reason, body) == (11, "Fine", b"odd")
    assert answer.getheaders() == [("X-Folded", "one two"), ("X-A", "1"), ("X-A", "2"), ("Content-Length", "3")]


def test_an_encoding_is_kept_for_those_who_take_it(served: Serving) -> None:
    """Others get the body decoded, and a header the stored bytes do not live up to goes."""
    answer, body = get(served, "http://z.example/gzip", Accept_Encoding="x")
    assert (answer.getheader("Content-Encoding"), body) == (None, gzip.decompress(PACKED))
    answer, body = get(served, "http://z.example/gzip", **{"Accept-Encoding": "br, GZIP"})
    assert (answer.getheader("Content-Encoding"), body) == ("gzip", PACKED)
    answer, body = get(served, "http://z.example/not", **{"Accept-Encoding": "gzip"})
    assert (answer.getheader("Content-Encoding"), body) == (None, b"<title>Stored decoded</title>")
    answer, body = get(served, "http://z.example/none")
    assert (answer.status, answer.getheader("Content-Length"), body) == (204, None, b"")


def test_other_methods(served: Serving) -> None:
    """HEAD tells the length without the body; what would change a web is not allowed."""
    answer, body = get(served, "http://w.example/a", "HEAD")
    assert (answer.status, body) == (200, b"")
    assert int(answer.getheader("Content-Length") or 0) > 100
    assert get(served, "http://w.example/a", "DELETE")[0].status == 405


def test_connections_are_kept_and_requests_may_come_together(served: Serving) -> None:
    """Three requests in one write on one connection, the last of which ends it; the second asks as a proxy is asked."""
    asked = (
        b"GET /a HTTP/1.1\r\nHost: w.example\r\n\r\n"
        b"GET http://w.example/b HTTP/1.1\r\nHost: other.example\r\n\r\n"
        b"GET /gone HTTP/1.1\r\nHost: w.example:%d\r\nConnection: close\r\n\r\n" % served.port
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as client:
        client.sendall(asked)
        said = b"".join(iter(lambda: client.recv(65536), b""))
    assert said.count(b"HTTP/1.1 200") == 2 and said.count(b"HTTP/1.1 410") == 1
    assert b"<title>Birds" in said and b"<title>Herons" in said


@pytest.mark.parametrize("asked", [b"GET /\r\n\r\n", b"nonsense\r\n\r\n", b"\r\n\r\n", b"x" * 70_000])
def test_nonsense_is_refused(served: Serving, asked: bytes) -> None:
    """With an error or a closed connection, and others are served as before."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as client:
        client.sendall(asked)
        with suppress(ConnectionResetError):
            assert client.recv(100)[:12] in (b"HTTP/1.1 400", b"")
    assert get(served, "http://w.example/a")[0].status == 200


def test_each_host_has_a_certificate_that_the_authority_vouches_for(served: Serving) -> None:
    """Whatever host is asked for; without our authority nobody believes it, and it is for one host alone."""
    assert get(served, "https://s.example/")[1] == get(served, "https://S.example/")[1]
    assert get(served, "https://never.heard.of.example/")[0].status == 404
    with (
        socket.create_connection(("127.0.0.1", served.port), timeout=10) as client,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        ssl.create_default_context().wrap_socket(client, server_hostname="s.example")


def test_an_authority_serves_names_and_refuses_what_is_none() -> None:
    """A name that no certificate can have ends the handshake instead of the server."""
    authority = Authority()
    assert authority.pem.startswith(b"-----BEGIN CERTIFICATE")
    server = authority.context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_side=True)
    assert authority._choose(server, "ok.example", authority.context) is None
    assert authority._choose(server, None, authority.context) is None
    assert authority._choose(server, "b\xfccher.example", authority.context) is not None


def test_ports_and_files_are_as_wished(web: FrozenWeb, tmp_path: Path) -> None:
    """A second port speaks both protocols too, the certificate lies where asked, a taken port is named."""
    with serving(web, https_port=0, ca=tmp_path / "ca.pem") as served:
        assert served.https_port != served.port
        other = replace(served, port=served.https_port)
        assert get(other, "https://s.example/")[0].status == get(other, "http://w.example/a")[0].status == 200
        assert served.options == ["--resolve", f"*=127.0.0.1:{served.port}", "--ca", str(tmp_path / "ca.pem")]
        assert b"PRIVATE" not in (tmp_path / "ca.pem").read_bytes()
        with pytest.raises(PinakesError, match="--port"), serving(web, port=served.port):
            pass
        ours = served.port
    assert (tmp_path / "ca.pem").exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", ours), timeout=1)


def test_without_https_a_handshake_ends_the_connection(web: FrozenWeb) -> None:
    """And no certificate is offered."""
    with serving(web, https=False) as served:
        assert (served.ca, served.https_port) == (None, 0)
        assert get(served, "http://w.example/a")[0].status == 200
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as client:
            client.sendall(b"\x16\x03\x01")
            with pytest.raises(ConnectionResetError):
                assert client.recv(10) == b""
                raise ConnectionResetError


def test_it_ends_with_clients_still_there(web: FrozenWeb) -> None:
    """Silent ones, kept connections and half a request do not hold it up, nor leave warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with serving(web) as served:
            clients = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(3)]
            clients[1].sendall(b"GET /a HTT")
            clients[2].sendall(b"GET /a HTTP/1.1\r\nHost: w.example\r\n\r\n")
            assert clients[2].recv(12) == b"HTTP/1.1 200"
        for client in clients:
            client.close()


def test_the_job_tells_where_and_counts(toy_warc: Path) -> None:
    """It serves until told to stop."""
    ended, seen = threading.Event(), list[Serving]()

    def started(served: Serving) -> None:
        seen.append(served)
        for path in ("a", "b", "nowhere"):
            get(served, f"http://w.example/{path}")
        ended.set()

    result = serve_web(ServeOptions(str(toy_warc), port=0), started=started, until=ended)
    assert (result.requests, result.missing) == (3, 1)
    assert result.bytes > 100 and seen[0].port


def test_ctrl_c_ends_the_command(tmp_path: Path, toy_warc: Path) -> None:
    """It says how to crawl the web, and at the end what it did."""
    arguments = ["web", "serve", str(toy_warc), "--port", "0", "--ca", str(tmp_path / "ca.pem"), "--json"]
    with subprocess.Popen([sys.executable, "-m", "pinakes", *arguments], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.readline() + child.stdout.readline()
        port = re.search(r"pinakes crawl --resolve '\*=127\.0\.0\.1:(\d+)' --ca \S+ca\.pem", said)
        assert port, said
        served = Serving(int(port[1]), 0, tmp_path / "ca.pem", Counts())
        assert get(served, "http://w.example/a")[0].status == get(served, "http://w.example/b")[0].status == 200
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
    assert child.returncode == 0
    assert json.loads(rest.splitlines()[-1])["requests"] == 2


class Keyword:
    """A judge of one word, the same for both webs."""

    threshold = 0.5

    def judge(self, page: Page) -> Verdict:
        return Verdict(score := float("owl" in page.terms), nugget=bool(score))


def crawled(web: Web, pages: int) -> list[tuple[str, str, str]]:
    """A best-first crawl with one fetch at a time: what came home in which order."""

    async def run() -> MemoryLedger:
        ledger = MemoryLedger()
        engine = Engine(
            web=web,
            frontier=MemoryFrontier(limit=None, delay=None if web.ordered else 0.0),
            judge=Keyword(),
            strategy=BestFirst(Brief(topics=(Topic("owls and other birds of prey"),))),
            ledger=ledger,
            limits=Limits(pages=pages, in_flight=1),
            dedup=False,
        )
        engine.seed([Link("http://www.pinakes.example/")])
        await engine.run()
        await web.close()
        return ledger

    return [(visit.page.url, visit.page.outcome, visit.page.title) for visit in asyncio.run(run()).visits]


def test_a_live_crawl_of_it_is_the_crawl_of_the_file() -> None:
    """The same pages in the same order with the same outcomes, redirects, robots rules and dead links included."""
    web = FrozenWeb(demo.path("web.warc.gz"))
    frozen = crawled(web, 150)
    with serving(web) as served:
        hurried = replace(HURRIED, longest_crawl_delay=0.0)  # one host asks for a pause, which a file cannot make
        options = LiveOptions("someone@example.org", pace=hurried, resolve=(served.route,), ca=served.ca)
        live = crawled(LiveWeb(options), 150)
    assert live == frozen
    assert {"ok", "robots", "not-found"} <= {outcome for _, outcome, _ in live}
