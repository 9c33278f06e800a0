"""The client under the live web: how responses end, connections kept and lost, and several addresses of a host."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.testing.live import IMPATIENT
from pinakes.testing.wire import Asked, Say, Wired, Write, page, wire
from pinakes.web.answers import Answer
from pinakes.web.client import Client, Timeouts, Trouble
from pinakes.web.dial import dial, in_turns
from pinakes.web.resolve import Address, Resolver, routes
from pinakes.web.response import Response, ResponseError

T = TypeVar("T")
LIMIT = 1000


def read(data: bytes, cuts: tuple[int, ...] = (), limit: int = LIMIT) -> Response:
    """What becomes of bytes that arrive in these pieces before the connection ends."""

    def allowance(status: int, headers: Mapping[str, str]) -> int:
        return limit

    response = Response(allowance)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        response.feed(data[start:end])
    response.close()
    return response


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n"
GOOD = [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (b"HTTP/1.1 200\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", b"hello", True),
    (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello", False),
    (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", b"hello", False),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more", b"hello", False),
    (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"until the end", False),
    (b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", b"", True),
    (b"HTTP/1.1 304 Not Modified\r\n\r\n", b"", True),
    (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"",
        True,
    ),
    (CHUNKED + b"\r\n5;a=b\r\nhello\r\n3 \r\n...\r\n0\r\nT: x\r\n\r\n", b"hello...", True),
    (CHUNKED + b"\r\n5\nhello\n0\n\n", b"hello", True),
    (CHUNKED + b"Content-Length: 9\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi", False),
    # What browsers forgive.
    (b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (
        b"HTTP/1.1 200 OK\r\nno colon\r\n folded\r\n: no name\r\nX Y: z\r\nContent-Length: 5\r\n\r\nhello",
        b"hello",
        True,
    ),
    (b"HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\nX-\xc3\xa4: z\r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nuntil the end", b"until the end", False),
    (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nuntil the end", b"until the end", False),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nuntil the end", b"until the end", False),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: \r\nContent-Length: 5\r\n\r\nhello", b"hello", True),
    (CHUNKED + b"Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi", True),
]


@pytest.mark.parametrize(("data", "body", "reusable"), GOOD)
@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, 200), max_size=6).map(tuple))
def test_a_response_is_the_same_however_it_arrives(
    data: bytes, body: bytes, reusable: bool, cuts: tuple[int, ...]
) -> None:
    """Where it ends is told by its length, its chunks, its status or the connection, wherever the pieces are cut."""
    response = read(data, cuts)
    assert (response.done, response.cut, response.body) == (True, False, body)
    assert response.reusable == reusable


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 099 Low\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"\r\n" * 3 + b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b" " * 5000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"T: x\r\n" * 20_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 20_000,
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: x\r\n" * 300 + b"\r\n",
    ],
)
def test_what_is_no_response_is_said_to_be_none(data: bytes) -> None:
    """Whoever sent it, nothing is guessed."""
    with pytest.raises(ResponseError):
        read(data, limit=1 << 20)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"",
    ],
)
def test_a_response_that_breaks_off_is_not_done(data: bytes) -> None:
    """What is there is not taken for all of it."""
    assert not read(data).done


def test_the_head_that_is_kept_reads_as_the_body_is_kept() -> None:
    """As it came where it can be; without chunks, folded lines and line ends inside a value where it cannot."""
    plain = b"HTTP/1.1 200 OK\r\nServer:x\r\nContent-Length:  0 \r\n\r\n"
    assert read(plain).head == plain
    odd = b"HTTP/1.1 200 Fine\nA: b\n c\nX: y\rz\nTransfer-Encoding: chunked\n\n0\r\n\r\n"
    assert read(odd).head == b"HTTP/1.1 200 Fine\r\nA: b c\r\nX: y z\r\nX-Crawler-Transfer-Encoding: chunked\r\n\r\n"
    assert read(odd).headers["a"] == "b c"
    none = b"HTTP/1.1 200 OK\r\nA: b\r\nnothing: \r\nno colon\r\n folded\r\nContent-Length: 0\r\n\r\n"
    assert read(none).head == b"HTTP/1.1 200 OK\r\nA: b\r\nnothing: \r\nContent-Length: 0\r\n\r\n"


def test_no_more_is_kept_than_is_wanted() -> None:
    """The rest is not read, and the connection is of no more use."""
    for data in (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000,
        b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + b"x" * 2000 + b"\r\n0\r\n\r\n",
    ):
        response = read(data)
        assert (response.done, response.cut, response.body, response.reusable) == (True, True, b"x" * LIMIT, False)


# -- over real connections -----------------------------------------------------------------------------------------


def asking(say: Say, use: Callable[[Client, Wired], Awaitable[T]], *, keep: float = 15.0) -> T:
    async def run() -> T:
        async with wire(say) as wired:
            client = Client({}, Resolver(routes=routes([wired.route])), timeouts=IMPATIENT, keep=keep)
            try:
                return await use(client, wired)
            finally:
                await client.close()

    return asyncio.run(run())


async def good(client: Client, url: str = "http://a.example/") -> Answer:
    answer = await client.get(url, LIMIT)
    assert isinstance(answer, Answer), answer
    return answer


def test_a_kept_connection_that_the_host_closes_costs_nobody_an_answer() -> None:
    """The server closes after each answer without a word; the next request goes out on a new connection."""

    async def say(asked: Asked, write: Write) -> None:
        await write(page(b"fine"))

    async def use(client: Client, wired: Wired) -> int:
        for _ in range(5):
            assert (await good(client)).body == b"fine"
        return wired.connections

    assert asking(say, use) == 5


def test_a_host_that_closes_whenever_it_is_asked_is_not_asked_for_ever() -> None:
    """On a new connection there is no second try."""

    async def say(asked: Asked, write: Write) -> None:
        return

    async def use(client: Client, wired: Wired) -> tuple[Answer | Trouble, int]:
        return await client.get("http://a.example/", LIMIT), len(wired.asked)

    answer, asked = asking(say, use)
    assert isinstance(answer, Trouble) and answer.outcome == "connection" and asked == 1


def test_what_a_host_says_unasked_is_nobody_s_answer() -> None:
    """A second response behind the first must not be taken for that of the next request."""

    async def say(asked: Asked, write: Write) -> bool:
        await write(page(b"mine") + page(b"evil"))
        await asyncio.sleep(0.02)
        return True

    async def use(client: Client, wired: Wired) -> list[bytes]:
        return [(await good(client, f"http://a.example/{n}")).body for n in range(3)]

    assert asking(say, use) == [b"mine"] * 3


def test_an_idle_connection_is_given_up() -> None:
    """After `keep` seconds a request takes a new one."""

    async def say(asked: Asked, write: Write) -> bool:
        await write(page(b"fine"))
        return True

    async def use(client: Client, wired: Wired) -> list[int]:
        counts = []
        for pause in (0.0, 0.3, 0.0):
            await good(client)
            counts.append(wired.connections)
            await asyncio.sleep(pause)
        return counts

    assert asking(say, use, keep=0.1) == [1, 1, 2]


def test_connections_without_work_are_bounded() -> None:
    """However many hosts wait for their next request; the last asked are kept."""
    open_now = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now
        open_now += 1
        with suppress(asyncio.IncompleteReadError, OSError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        open_now -= 1
        writer.close()

    async def run() -> tuple[int, int]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = Client({}, Resolver(routes=routes([f"*=127.0.0.1:{port}"])), timeouts=Timeouts(), keep=100.0)
        for number in [*range(300), 299]:
            answer = await client.get(f"http://h{number}.example/", 10)
            assert isinstance(answer, Answer) and answer.body == b"hi"
        await asyncio.sleep(0.1)
        kept = open_now
        await client.close()
        server.close()
        await server.wait_closed()
        await asyncio.sleep(0.1)
        return kept, open_now

    assert asyncio.run(run()) == (200, 0)


def test_a_request_cannot_be_split_in_two() -> None:
    """Line ends in an address or a header go nowhere."""

    async def say(asked: Asked, write: Write) -> bool:
        await write(page(b"fine"))
        return True

    async def use(client: Client, wired: Wired) -> int:
        for url, value in (("http://a.example/ HTTP/1.1\r\nX: y", "b"), ("http://a.example/", "b\r\nX: y")):
            answer = await client.get(url, LIMIT, {"A": value})
            assert isinstance(answer, Trouble) and answer.outcome == "bad-response"
        return len(wired.asked)

    assert asking(say, use) == 0


def test_what_is_sent_arrives() -> None:
    """A body of a megabyte goes out, and the answer to it comes back."""

    async def run() -> tuple[bytes, Answer | Trouble]:
        heard = bytearray()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.extend(await reader.readuntil(b"\r\n\r\n"))
            heard.extend(await reader.readexactly(1 << 20))
            writer.write(page(b"thanks"))
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = Client({}, Resolver(allow_private=True), timeouts=IMPATIENT, allow_private=True)
        answer = await client.post(f"http://127.0.0.1:{port}/in", LIMIT, {"Content-Type": "a/b"}, b"x" * (1 << 20))
        await client.close()
        server.close()
        return bytes(heard), answer

    heard, answer = asyncio.run(run())
    assert isinstance(answer, Answer) and answer.body == b"thanks"
    assert heard.startswith(b"POST /in HTTP/1.1\r\n") and b"\r\nContent-Length: 1048576\r\n" in heard


def test_one_address_that_leads_nowhere_does_not_hide_the_others() -> None:
    """The next is tried when one refuses, or soon when it says nothing; families take turns."""
    six, four = Address("2001:db8::1", 80), Address("192.0.2.1", 80)
    assert in_turns([six, six, four]) == [six, four, six]

    async def run() -> tuple[bytes, float]:
        server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        # A backlog that is full lets nobody in and refuses nobody.
        silent = socket.socket()
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        full = [socket.socket() for _ in range(2)]
        for one in full:
            one.setblocking(False)
            one.connect_ex(silent.getsockname())
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))
        dead = Address(*closed.getsockname())
        started = time.monotonic()
        found = await dial(
            [dead, Address(*silent.getsockname()), Address("127.0.0.1", port)],
            lambda address: socket.socket(address.family, socket.SOCK_STREAM),
        )
        peer, took = found.getpeername()[1], time.monotonic() - started
        for one in (found, silent, closed, *full):
            one.close()
        server.close()
        assert peer == port
        return b"", took

    assert asyncio.run(run())[1] < 5


def test_a_host_that_never_answers_is_named_in_time() -> None:
    """Each stage has its own."""

    async def say(asked: Asked, write: Write) -> None:
        await asyncio.sleep(30)

    async def run() -> tuple[Answer | Trouble, float]:
        async with wire(say) as wired:
            times = Timeouts(connect=5.0, head=0.2, read=5.0, total=9.0)
            client = Client({}, Resolver(routes=routes([wired.route])), timeouts=times)
            started = time.monotonic()
            answer = await client.get("http://a.example/", LIMIT)
            took = time.monotonic() - started
            await client.close()
            return answer, took

    answer, took = asyncio.run(run())
    assert isinstance(answer, Trouble) and answer.outcome == "timeout" and took < 4
