"""HTTP messages as they were recorded: the head in parts, the body with its encodings undone, bounded and tolerant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pinakes.formats import encodings

BODY_LIMIT = 32 << 20
"""How much of a decoded body is kept."""
_HEAD_LIMIT = 256 << 10
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_LISTS = frozenset({"x-robots-tag", "link", "vary", "content-encoding", "transfer-encoding"})
"""Headers whose repetitions add up; of others the first counts."""


class Message(NamedTuple):
    """A response in its parts."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    head: bytes
    """Status line and headers as recorded, with the empty line that ends them."""
    body: bytes
    """As recorded, encodings and all."""


def parse(block: bytes) -> Message:
    """Take a recorded response apart. What has no HTTP head counts as a bare body with status 200."""
    found = _STATUS.match(block)
    if found is None:
        return Message(200, {}, b"HTTP/1.1 200 OK\r\n\r\n", block)
    ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark, 0, _HEAD_LIMIT)) >= 0]
    end = min(ends, default=min(len(block), _HEAD_LIMIT))
    return Message(int(found[1]), _headers(block[:end]), block[:end], block[end:])


def _headers(head: bytes) -> dict[str, str]:
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    headers: dict[str, str] = {}
    for line in re.sub(r"\r?\n[ \t]+", " ", text).split("\n")[1:]:
        name, colon, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not name:
            continue
        if name in headers and name in _LISTS:
            # A line each, because a robots directive may begin with the name of whom alone it concerns.
            headers[name] += ("\n" if name == "x-robots-tag" else ", ") + value
        else:
            headers.setdefault(name, value)
    return headers


def content(message: Message, limit: int = BODY_LIMIT) -> bytes:
    """The body with transfer and content encodings undone, at most `limit` bytes of it.

    Archives often keep the headers of a body they stored decoded, so an encoding that the bytes do not have is ignored.
    """
    body = message.body
    if "chunked" in message.headers.get("transfer-encoding", "").lower():
        body = _dechunked(body)
    found = encodings.decode(body, encodings.names(message.headers.get("content-encoding", "")), limit)
    return found.data or body[:limit]


def _dechunked(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while (size := _SIZE.match(body, at)) is not None:
        length = int(size[1], 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[size.end() : size.end() + length])
        at = size.end() + length
        at += 2 if body.startswith(b"\r\n", at) else 1
    return b"".join(parts) if parts and at >= len(body) else body
