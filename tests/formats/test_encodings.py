"""Content encodings undone, and never beyond the limit."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.encodings import decode, gunzip, names

ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@given(st.binary(min_size=1, max_size=5000), st.lists(st.sampled_from(sorted(ENCODERS)), max_size=2))
def test_what_was_encoded_is_decoded(data: bytes, encodings: list[str]) -> None:
    """In the order the header lists them, whatever the data."""
    body = data
    for name in encodings:
        body = ENCODERS[name](body)
    assert decode(body, encodings, 1 << 20) == (data, False, "")


@pytest.mark.parametrize("name", ENCODERS)
def test_the_limit_holds(name: str) -> None:
    """To the byte, and what is beyond is said to be there."""
    data = bytes(range(256)) * 40
    body = ENCODERS[name](data)
    for limit in (1, 100, len(data) - 1):
        found = decode(body, [name], limit)
        assert (found.data, found.more) == (data[:limit], True)
    assert decode(body, [name], len(data)) == (data, False, "")


@pytest.mark.parametrize("name", ENCODERS)
@given(data=st.binary(max_size=300))
def test_broken_streams_give_what_they_can(name: str, data: bytes) -> None:
    """Random bytes, cut streams and damaged ones never raise."""
    body = ENCODERS[name](b"words and words " * 100)
    for broken in (data, body[: len(data)], body[:10] + data):
        assert len(decode(broken, [name], 1000).data) <= 1000


def test_a_body_that_is_not_encoded_is_taken_as_it_is() -> None:
    """Servers lie about gzip; an empty stream is empty all the same."""
    assert decode(b"<p>plain</p>", ["gzip"], 100).data == b"<p>plain</p>"
    assert decode(gzip.compress(b""), ["gzip"], 100).data == b""
    assert gunzip(b"plain", 100) == b"plain"


def test_files_of_several_members_are_read_whole() -> None:
    """As gzip allows; but not hundreds of thousands of them."""
    assert gunzip(gzip.compress(b"one ") + gzip.compress(b"two"), 100) == b"one two"
    started = time.monotonic()
    gunzip(gzip.compress(b"") * 200_000, 100)
    assert time.monotonic() - started < 2


def test_bombs_are_told_from_large_pages() -> None:
    """By how little of their bytes it takes to reach the limit."""
    limit = 1 << 20
    assert decode(gzip.compress(bytes(8 << 20)), ["gzip"], limit).trouble == "bomb"
    honest = "".join(f"<li>{number * 7919 % 10007} words {number}</li>" for number in range(60_000)).encode()
    found = decode(gzip.compress(honest), ["gzip"], limit)
    assert (found.more, found.trouble) == (True, "")


def test_names_of_a_header() -> None:
    """Lower case, in order, without those that do nothing."""
    assert names(" GZip , br,identity,") == ("gzip", "br")
    assert decode(b"x", ["compress"], 10).trouble == "bad-response"
