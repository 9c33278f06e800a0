"""What goes between processes: pages come out as they went in, messages in whatever pieces the stream gives them."""

from __future__ import annotations

import asyncio
import pickle
import socket
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.page import Fetched, Link, Member, Page, in_utf8, utf8_of
from pinakes.formats.document import Reader
from pinakes.web.channel import LONGEST, Channel
from pinakes.web.shipping import packed, unpacked

LINK = Link("http://a.example/", depth=2, distance=1)
READER = Reader()

readable = st.text(st.characters(exclude_categories=["Cs"]))
fetched_pages = st.builds(
    lambda title, text, anchor, data, head, hop: Fetched(
        READER.read(
            LINK,
            "http://a.example/there",
            200,
            {"content-type": "text/html; charset=utf-8", "etag": '"1"'},
            f"<title>{title}</title><p>{text} <a href='/next' rel=nofollow>{anchor}</a> <a href=b>and</a>".encode(),
            3.5,
        ),
        tuple(Member("response", "http://a.example/", piece) for piece in data),
        "sha1:X",
        head,
        hop,
        7.5,
        None,
    ),
    *[readable] * 3,
    st.lists(st.binary(max_size=50), max_size=3),
    st.binary(max_size=50),
    readable,
)


@given(fetched_pages)
def test_a_page_comes_out_as_it_went_in(fetched: Fetched) -> None:
    number, home = unpacked(b"".join(packed(12, fetched)), {12: LINK}.get)
    assert (number, home) == (12, fetched)
    assert home is not None
    assert tuple(home.page.words) == tuple(fetched.page.words)
    assert dict(home.page.terms) == dict(fetched.page.terms)
    assert pickle.loads(pickle.dumps(home)) == fetched


def test_a_page_nobody_waits_for_is_not_unpacked() -> None:
    assert unpacked(b"".join(packed(12, Fetched(Page(LINK, LINK.url)))), lambda number: None) == (12, None)


def test_half_a_surrogate_pair_does_not_stop_a_page() -> None:
    page = Page(LINK, LINK.url, title="a\ud800b", text="c\ud800d", words=("\ud800",), terms={"\ud800": 1})
    _, home = unpacked(b"".join(packed(1, Fetched(page))), lambda number: LINK)
    assert home is not None
    assert (home.page.title, home.page.text, tuple(home.page.words)) == ("a?b", "c?d", ("?",))


def test_a_text_in_utf8_is_decoded_when_it_is_read() -> None:
    data = "Caf\u00e9 \u2013".encode()
    page = Page(LINK, LINK.url, text=in_utf8(data))
    assert utf8_of(page) is data
    assert page == Page(LINK, LINK.url, text="Caf\u00e9 \u2013")
    assert page.text is page.text
    assert utf8_of(page) == data
    assert replace(Page(LINK, LINK.url, text=in_utf8(memoryview(data))), status=200).text == "Caf\u00e9 \u2013"
    assert Page(LINK, LINK.url).text == ""


async def _exchanged(messages: list[tuple[int, bytes]], raw: bytes = b"") -> tuple[list[tuple[int, bytes]], bool]:
    """What one end hears of what the other says, and whether it hung up by itself."""
    ours, theirs = socket.socketpair()
    heard: list[tuple[int, bytes]] = []
    gone, done = asyncio.Event(), asyncio.Event()

    def hear(kind: int, data: memoryview) -> None:
        heard.append((kind, bytes(data)))
        if len(heard) == len(messages):
            done.set()

    loop = asyncio.get_running_loop()
    left, right = Channel(lambda kind, data: None, lambda: None), Channel(hear, gone.set)
    sender, _ = await loop.connect_accepted_socket(lambda: left, ours)
    await loop.connect_accepted_socket(lambda: right, theirs)
    for kind, data in messages:
        left.send(kind, data[:3], data[3:])
    if raw:
        sender.write(raw)
    await asyncio.wait_for(gone.wait() if raw else done.wait(), 20)
    hung_up = gone.is_set()
    left.close()
    right.close()
    return heard, hung_up


@pytest.mark.parametrize("sizes", [[0], [1, 0, 0, 5], [3, 1_000_000, 0, 70_000, 2]])
def test_messages_arrive_whole_and_in_order(sizes: list[int]) -> None:
    messages = [(kind, bytes([kind]) * size) for kind, size in enumerate(sizes)]
    assert asyncio.run(_exchanged(messages)) == (messages, False)


def test_a_message_of_an_absurd_length_ends_the_channel() -> None:
    heard, hung_up = asyncio.run(_exchanged([(1, b"a")], (LONGEST + 1).to_bytes(4, "little") + b"\x02"))
    assert heard in ([(1, b"a")], [])
    assert hung_up
