"""Content encodings undone, never beyond a limit: a few bytes can claim to be gigabytes.

Output is made in pieces, each bounded, so that no chunk of a bomb is ever unpacked whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import NamedTuple

import brotli
import zstandard
from isal import isal_zlib

ACCEPTED = "gzip, deflate, br, zstd"
_LAYERS = 2
"""Encodings on top of each other that are undone; more is mischief."""
_MEMBERS = 64
"""Gzip members read from one body. Real bodies have one."""
_PIECE = 1 << 20
_WINDOW = 8 << 20  # what a browser grants a zstd stream
_BOMB = 100
"""A body that grows by more than this on its way to the limit is a bomb."""


class Decoded(NamedTuple):
    data: bytes
    more: bool = False
    """There is more than the limit allows."""
    trouble: str = ""
    """`bomb`, or `bad-response` for an encoding nobody asked for."""


def names(header: str) -> tuple[str, ...]:
    """The encodings a Content-Encoding header lists, in the order they were applied. Charsets, media types and other
    words that are no encoding are passed over, as browsers do."""
    listed = (name.strip().lower() for name in header.split(","))
    return tuple(name for name in listed if name in _DECODERS or name in _UNKNOWN)


def decode(body: bytes, encodings: Sequence[str], limit: int) -> Decoded:
    """Undo encodings, the last first. A stream that is cut or breaks gives its beginning, and bytes that do not have
    the encoding they are said to have are taken as they are."""
    if len(encodings) > _LAYERS or any(name not in _DECODERS for name in encodings):
        return Decoded(b"", trouble="bad-response")
    data = _undone(body, encodings, limit + 1)
    if len(data) <= limit:
        return Decoded(data)
    # A bomb needs next to nothing of its bytes to reach the limit.
    bomb = bool(encodings) and len(_undone(body[: limit // _BOMB], encodings, limit + 1)) > limit
    return Decoded(data[:limit], True, "bomb" if bomb else "")


def _undone(body: bytes, encodings: Sequence[str], limit: int) -> bytes:
    for name in reversed(encodings):
        body = _DECODERS[name](body, limit)
    return body[:limit]


def gunzip(body: bytes, limit: int) -> bytes:
    """At most `limit` bytes of what a gzip file holds; what is none is left alone."""
    return _inflate(body, 31, limit) if body.startswith(b"\x1f\x8b") else body


def _inflate(body: bytes, wbits: int, limit: int) -> bytes:
    parts: list[bytes] = []
    left, view = limit, memoryview(body)
    for _ in range(_MEMBERS):
        stream = isal_zlib.decompressobj(wbits)
        try:
            while left > 0 and not stream.eof and view:
                out = stream.decompress(view[:_PIECE], min(_PIECE, left))
                view = view[min(_PIECE, len(view)) - len(stream.unconsumed_tail) - len(stream.unused_data) :]
                parts.append(out)
                left -= len(out)
        except isal_zlib.error:  # type: ignore[misc]
            break
        if left <= 0 or not stream.eof or wbits != 31 or bytes(view[:2]) != b"\x1f\x8b":
            break
    return b"".join(parts)


def _deflate(body: bytes, limit: int) -> bytes:
    """With the zlib wrapper the standard wants or, as some servers have it, without."""
    return _inflate(body, 15, limit) or _inflate(body, -15, limit) or body


def _unbrotli(body: bytes, limit: int) -> bytes:
    stream, fed, parts, left = brotli.Decompressor(), body, list[bytes](), limit
    try:
        while left > 0 and not stream.is_finished():
            out = stream.process(fed, output_buffer_limit=min(_PIECE, left))
            fed = b""
            parts.append(out)
            left -= len(out)
            if not out and stream.can_accept_more_data():
                break
    except brotli.error:
        pass
    return b"".join(parts) or body


def _unzstd(body: bytes, limit: int) -> bytes:
    parts, left = list[bytes](), limit
    try:
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            BytesIO(body), read_across_frames=False
        ) as stream:
            while left > 0 and (out := stream.read(min(_PIECE, left))):
                parts.append(out)
                left -= len(out)
    except zstandard.ZstdError:
        pass
    return b"".join(parts) or body


# fmt: off
_UNKNOWN = frozenset((
    "compress", "x-compress", "exi", "pack200-gzip", "sdch", "bzip2", "x-bzip2", "lzma", "xz", "lz4", "aes128gcm",
    "dcb", "dcz",
))
# fmt: on
"""Encodings that exist, and that nobody asked for."""
_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": gunzip,
    "x-gzip": gunzip,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
