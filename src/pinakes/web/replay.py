"""A recorded answer as it is sent again: what belongs to the page stays, what belonged to the connection goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pinakes.formats import encodings, http

_OURS = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate te trailer transfer-encoding upgrade alt-svc "
    b"content-length content-encoding".split()
)
"""Headers about the connection it was recorded on, or that depend on how the body is sent now."""
_header = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\r\n\0]*)").fullmatch
_BARE = frozenset({204, 304})
"""Answers that have no body."""


def rendered(message: http.Message, accepted: bytes = b"") -> tuple[bytes, bytes]:
    """A recorded answer as it is sent: the head, without the empty line that ends it, and the body.

    The body keeps its encoding when it truly has it (archives often keep the header of a body they stored decoded)
    and the client takes it.
    """
    headers = message.headers
    body = message.body
    if "transfer-encoding" in headers:
        body = http.content(message._replace(headers={"transfer-encoding": headers["transfer-encoding"]}))
    lines = [line for line in _lines(message.head) if line.partition(b":")[0].rstrip().lower() not in _OURS]
    if "content-encoding" in headers and (names := encodings.names(headers["content-encoding"])):
        sample = encodings.decode(body, names, 1024).data
        if sample != body[: len(sample)] or not sample:
            if all(name.encode() in accepted.lower() for name in names):
                lines.append(b"Content-Encoding: " + ", ".join(names).encode("latin-1", "replace"))
            else:
                body = http.content(message)
    status = message.status if 200 <= message.status <= 599 else 502
    if status in _BARE:
        return head_of(status, _reason(message.head), lines, None), b""
    return head_of(status, _reason(message.head), lines, len(body)), body


def _lines(head: bytes) -> Iterator[bytes]:
    """The recorded headers that are well-formed, one a line."""
    unfolded = re.sub(rb"\r?\n[ \t]+", b" ", head)
    for line in unfolded.split(b"\n")[1:]:
        if _header(stripped := line.rstrip(b"\r")):
            yield stripped


def _reason(head: bytes) -> bytes:
    words = head.partition(b"\n")[0].strip().split(None, 2)
    return re.sub(rb"[^ -~]", b"", words[2])[:100] if len(words) > 2 else b""


def head_of(status: int, reason: bytes, lines: list[bytes], length: int | None) -> bytes:
    """A head, without the empty line that ends it."""
    sized = [] if length is None else [b"Content-Length: %d" % length]
    return b"\r\n".join([b"HTTP/1.1 %d %s" % (status, reason), *lines, *sized, b""])
