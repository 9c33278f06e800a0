"""The loopback server: the same bytes as in process, real resets and stalls, and an honest log."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse

import pytest

from pinakes.testing.answer import Answer, of_error
from pinakes.testing.procedural import ProceduralWeb
from pinakes.testing.server import Served, serve

ROUGH = ProceduralWeb(
    pages=5000,
    hosts=50,
    topics=10,
    not_found=0.1,
    server_errors=0.1,
    resets=0.1,
    stalls=0.1,
    redirects=0.1,
    mirrors=0.1,
)


@pytest.fixture
def served() -> Iterator[Served]:
    with serve(ROUGH, robots={"h3.example": "User-agent: *\nDisallow: /\n"}) as served:
        yield served


def get(served: Served, url: str, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(*served.address, timeout=10)
    try:
        host, path = url.removeprefix("http://").split("/", 1)
        connection.request(method, f"/{path}", headers={"Host": host})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def first(fault: str) -> str:
    return next(url for n in range(ROUGH.pages) if ROUGH.answer(url := ROUGH.url(n)).fault == fault)


def ask(served: Served, *urls: str) -> socket.socket:
    client = socket.create_connection(served.address, timeout=10)
    for url in urls:
        host, path = url.removeprefix("http://").split("/", 1)
        client.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return client


@pytest.mark.parametrize("process", [False, True])
def test_http_answers_equal_those_in_process(process: bool) -> None:
    """Status, headers and body are the same, from a thread and from a process of its own."""
    with serve(ROUGH, process=process) as served:
        seen = set[int]()
        for number in range(60):
            answer = ROUGH.answer(url := ROUGH.url(number))
            if not answer.fault:
                response, body = get(served, url)
                assert (response.status, body) == (answer.status, answer.body)
                assert set(answer.headers) <= set(response.getheaders())
                seen.add(response.status)
        assert seen == {200, 301, 404, 500}
        assert sum(served.counts().values()) > 30


def test_only_a_procedural_web_goes_into_a_process() -> None:
    with pytest.raises(TypeError, match="ProceduralWeb"), serve({}, process=True):
        pass


def test_a_reset_breaks_the_connection(served: Served) -> None:
    client = ask(served, first("reset"))
    with client, pytest.raises(ConnectionResetError):
        client.recv(100)


def test_a_stall_never_answers_and_is_logged_when_the_client_leaves(served: Served) -> None:
    url = first("stall")
    with ask(served, url) as client:
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(100)
        assert served.requests()[url.split("/")[2]][0].done == 0
    deadline = time.monotonic() + 5
    while not (done := served.requests()[url.split("/")[2]][0].done) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert done > 0


def test_answers_wait_as_they_say() -> None:
    with serve({"http://a.example/": Answer(200, (), b"late", delay=0.15)}) as served:
        start = time.monotonic()
        assert get(served, "http://a.example/")[1] == b"late"
        assert time.monotonic() - start >= 0.15
        (request,) = served.requests()["a.example"]
        assert 0.15 <= request.done - request.at < 2


def test_a_connection_serves_many_requests_in_order() -> None:
    """Keep-alive and pipelining: answers come in the order of the requests, also behind a slow one."""
    pages = {f"http://a.example/{i}": Answer(200, (), b"%d;" % i, delay=0.1 * (i == 1)) for i in range(5)}
    with serve(pages) as served, ask(served, *pages) as client:
        received = b""
        while received.count(b";") < 5:
            received += client.recv(1000)
        assert [part[-1:] for part in received.split(b";")[:-1]] == [b"0", b"1", b"2", b"3", b"4"]
        assert [one.path for one in served.requests()["a.example"]] == ["/0", "/1", "/2", "/3", "/4"]


def test_a_request_may_arrive_in_pieces(served: Served) -> None:
    with socket.create_connection(served.address, timeout=10) as client:
        for piece in (b"GET /none HT", b"TP/1.1\r\nHo", b"st: a.example\r", b"\n\r\n"):
            client.sendall(piece)
            time.sleep(0.01)
        assert client.recv(1000).startswith(b"HTTP/1.1 404 Not Found\r\n")


def test_hosts_are_told_apart_and_the_own_port_is_left_out() -> None:
    pages = {"http://a.example/x": "page of a", "http://b.example/x": b"page of b"}
    with serve(pages) as served:
        assert get(served, "http://a.example/x")[1] == b"page of a"
        assert get(served, f"http://b.example:{served.port}/x")[1] == b"page of b"
        assert get(served, "http://c.example/x")[0].status == 404
        assert served.counts() == {"a.example": 1, "b.example": 1, "c.example": 1}


def test_a_function_of_host_and_path_can_be_served() -> None:
    def answer(host: str, path: str) -> Answer:
        return Answer(200, (("X-Path", path),), host.encode()) if host == "a.example" else of_error(404)

    with serve(answer) as served:
        response, body = get(served, "http://a.example/b/c?d=e")
        assert (response.getheader("X-Path"), body) == ("/b/c?d=e", b"a.example")


def test_robots_are_served_by_host(served: Served) -> None:
    assert get(served, "http://h3.example/robots.txt")[1] == b"User-agent: *\nDisallow: /\n"
    assert get(served, "http://h4.example/robots.txt")[0].status == 404
    with serve({}, robots="User-agent: *\n") as everywhere:
        assert get(everywhere, "http://any.example/robots.txt")[1] == b"User-agent: *\n"


def test_head_has_no_body_and_close_is_honoured(served: Served) -> None:
    url = ROUGH.seeds(1)[0]
    response, body = get(served, url, "HEAD")
    assert body == b""
    assert int(response.getheader("Content-Length") or 0) == len(ROUGH.html(url))
    with socket.create_connection(served.address, timeout=10) as client:
        client.sendall(b"GET /none HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
        received = b""
        while piece := client.recv(1000):
            received += piece
        assert b"\r\nConnection: close\r\n" in received


@pytest.mark.parametrize(
    "junk", [b"\x00\xff\r\n\r\n", b"POST / HTTP/1.1\r\nHost: a\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_bad_requests_are_refused(served: Served, junk: bytes) -> None:
    with socket.create_connection(served.address, timeout=10) as client:
        client.sendall(junk)
        assert client.recv(1000).startswith(b"HTTP/1.1 400 ")


def test_an_endless_head_is_cut_off(served: Served) -> None:
    with socket.create_connection(served.address, timeout=10) as client, pytest.raises(ConnectionError):
        for _ in range(1000):
            client.sendall(b"x" * 10_000)
            time.sleep(0.001)


def test_leaving_closes_every_connection_and_the_port() -> None:
    with serve(ROUGH) as served:
        stalled = ask(served, first("stall"))
        stalled.settimeout(5)
        while not served.counts():
            time.sleep(0.01)
    with stalled, contextlib.suppress(ConnectionResetError):
        assert stalled.recv(100) == b""
    with pytest.raises(OSError):
        socket.create_connection(served.address, timeout=1).close()


def test_a_server_that_does_not_log_still_counts() -> None:
    with serve({"http://a.example/": "x"}, log=False) as served:
        get(served, "http://a.example/")
        assert served.counts() == {"a.example": 1}
        assert served.requests() == {}


def test_clients_may_leave_rudely(served: Served) -> None:
    """A client that resets while it is waited for does not disturb the others."""
    client = ask(served, first("stall"))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert get(served, ROUGH.seeds(1)[0])[0].status == 200
