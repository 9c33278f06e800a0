"""Recorded HTTP messages: heads taken apart tolerantly, bodies decoded within bounds."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats import http

TEXT = b"words upon words " * 100


def message(headers: bytes, body: bytes) -> http.Message:
    return http.parse(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n" + body)


def test_a_head_is_taken_apart() -> None:
    """Names are lower case, folded lines joined, lists added up, the first of other repetitions kept."""
    found = http.parse(
        b"HTTP/1.0 301 Moved\r\nLocation: /a\r\nLOCATION: /b\r\nX-Robots-Tag: noindex\r\n"
        b"x-robots-tag:\r\n  nofollow\r\nnonsense\r\n\r\nbody"
    )
    assert (found.status, found.body) == (301, b"body")
    assert found.headers == {"location": "/a", "x-robots-tag": "noindex\nnofollow"}
    assert found.head.endswith(b"nonsense\r\n\r\n")


def test_bare_line_feeds_and_latin_1_are_understood() -> None:
    """Servers of the nineties are read too."""
    found = http.parse(b"HTTP/1.0 200\nServer: caf\xe9\n\nbody\r\n\r\nmore")
    assert found.headers == {"server": "café"}
    assert found.body == b"body\r\n\r\nmore"


def test_a_block_without_a_head_is_a_bare_body() -> None:
    """A resource record's bytes count as a page that was there."""
    found = http.parse(b"%PDF-1.4")
    assert (found.status, found.body, http.content(found)) == (200, b"%PDF-1.4", b"%PDF-1.4")


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        (b"gzip", gzip.compress),
        (b"x-gzip", gzip.compress),
        (b"deflate", zlib.compress),
        (b"deflate", lambda data: zlib.compress(data)[2:-4]),
        (b"br", brotli.compress),
        (b"identity", bytes),
    ],
)
def test_content_encodings_are_undone(name: bytes, encode: object) -> None:
    """Whatever the coding; and a body stored decoded under the old header stays as it is."""
    encoded = encode(TEXT)  # type: ignore[operator]
    assert http.content(message(b"Content-Encoding: " + name, encoded)) == TEXT
    assert http.content(message(b"Content-Encoding: " + name, TEXT)) == TEXT
    assert http.content(message(b"Content-Encoding: " + name, encoded), limit=100) == TEXT[:100]


def test_codings_are_undone_in_reverse_and_behind_chunks() -> None:
    """First the chunks, then the last coding named."""
    body = gzip.compress(brotli.compress(TEXT))
    chunked = b"%x;ext=1\r\n%b\r\n3\r\n%b\r\n0\r\n\r\n" % (len(body) - 3, body[:-3], body[-3:])
    assert http.content(message(b"Transfer-Encoding: chunked\r\nContent-Encoding: br, gzip", chunked)) == TEXT


def test_a_body_already_unchunked_stays() -> None:
    """Many archives store the body decoded and keep the header."""
    assert http.content(message(b"Transfer-Encoding: chunked", b"<p>hello")) == b"<p>hello"
    assert http.content(message(b"Transfer-Encoding: chunked", b"abc\nhello")) == b"abc\nhello"[4:]


def test_a_cut_stream_gives_its_beginning() -> None:
    """What arrived is used."""
    body = gzip.compress(bytes(range(256)) * 4000)
    found = http.content(message(b"Content-Encoding: gzip", body[: len(body) // 2]))
    assert 1000 < len(found) < 256 * 4000
    assert found == (bytes(range(256)) * 4000)[: len(found)]
    assert http.content(message(b"Transfer-Encoding: chunked", b"8\r\nhello")) == b"hello"


@pytest.mark.parametrize("encode", [gzip.compress, brotli.compress])
def test_a_bomb_is_bounded(encode: object) -> None:
    """No more than the limit comes out."""
    bomb = encode(bytes(5_000_000))  # type: ignore[operator]
    header = b"Content-Encoding: " + (b"gzip" if encode is gzip.compress else b"br")
    assert len(http.content(message(header, bomb), limit=1_000_000)) == 1_000_000


@given(st.binary(max_size=400), st.sampled_from([b"gzip", b"deflate", b"br", b"gzip, br, deflate, gzip", b"?"]))
def test_decoding_never_raises(body: bytes, name: bytes) -> None:
    """Any bytes under any coding give bytes."""
    for start in (b"", b"\x1f\x8b\x08"):
        found = message(b"Transfer-Encoding: chunked\r\nContent-Encoding: " + name, start + body)
        assert isinstance(http.content(found), bytes)
    assert isinstance(http.parse(body), http.Message)
