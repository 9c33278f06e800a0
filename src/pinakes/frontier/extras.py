"""What else is known of a waiting link, packed for a database: no question asked of it looks inside."""

from __future__ import annotations

import msgspec

from pinakes.core.page import Link

_Extra = tuple[str, str, str, int, str, str, int, str, tuple[str, ...]]
"""Anchor, before, after, at, tag, rel, depth, topic, via."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Extra).decode


def pack(link: Link) -> bytes:
    extra = (link[1], link[2], link[3], link[4], link[5], link[6], link[8], link[11], link[12])
    try:
        return _encode(extra)
    except UnicodeEncodeError:
        # A page may hold half a surrogate pair, which no database does.
        return _encode(_clean(extra))


def unpack(url: str, parent: str, distance: int, price: float, packed: bytes) -> Link:
    anchor, before, after, at, tag, rel, depth, topic, via = _decode(packed)
    return Link(url, anchor, before, after, at, tag, rel, parent, depth, distance, price, topic, via)


def _clean(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return tuple(map(_clean, value)) if isinstance(value, tuple) else value
