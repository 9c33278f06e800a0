"""One HTTP/1.1 response off the wire, piece by piece: bounded, strict about where it ends, no more read than is wanted.

Nothing here touches the network: whoever has the connection feeds what arrives, and is told when it is enough. What
old and odd servers do is forgiven where browsers forgive it: empty lines before the head, lines in it that are no
headers, a length that is no number (the body then ends with the connection), a transfer encoding that is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pinakes.web.answers import mapping

_HEAD = 64 << 10
"""The longest head, and the longest trailer, that is accepted."""
_HEADERS = 200
_BEFORE = 4
"""Bytes of empty lines that may stand before a head."""
_CHUNK_LINE = 4096
_CHUNKS = 10_000
"""So many chunks may be as small as they like."""
_LONGEST_LENGTH = 18
"""Digits of a length."""
_LEAST_CHUNK = 16
"""Bytes that chunks beyond that must have on average: smaller ones only cost us time."""
_end_of_head = re.compile(rb"\r?\n\r?\n").search
_first_line = re.compile(rb"HTTP/1\.([0-9])[ \t]+([1-9][0-9]{2})(?:[ \t].*)?").fullmatch
_token = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+").fullmatch
_hexadecimal = re.compile(rb"[0-9A-Fa-f]{1,15}").fullmatch
_unfit = re.compile(rb"[\0\r]+").sub

Allowance = Callable[[int, Mapping[str, str]], int]
"""How many bytes of a body to read, by status and headers."""


class ResponseError(ValueError):
    """What arrived is no HTTP response."""


class Response:
    """Feed it until it is `done`. A body longer than its allowance is `cut`."""

    __slots__ = (
        "_allowance",
        "_before",
        "_bodiless",
        "_buffer",
        "_chunk_ended",
        "_chunks",
        "_left",
        "_limit",
        "_parts",
        "_rest",
        "_searched",
        "_size",
        "cut",
        "done",
        "head",
        "headers",
        "reusable",
        "status",
    )

    def __init__(self, allowance: Allowance, *, bodiless: bool = False) -> None:
        """`bodiless`: whatever the head says no body follows, as after CONNECT."""
        self._allowance, self._bodiless = allowance, bodiless
        self.status, self.head = 0, b""
        """Status line and headers with the empty line that ends them, without a promise of chunks."""
        self.headers: Mapping[str, str] = {}
        self.cut = self.done = False
        self.reusable = False
        """Once done: the connection may be used for another request."""
        self._buffer = bytearray()
        self._before = self._searched = self._chunks = self._size = self._limit = 0
        self._parts: list[bytes] = []
        self._left = 0
        """Bytes of the body, or of a chunk, that are still to come."""
        self._chunk_ended = False
        """The line end that belongs to a chunk is still to come."""
        self._rest: Callable[[bytes], None] = self._take_head

    @property
    def body(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    @property
    def begun(self) -> bool:
        """True when anything at all has arrived."""
        return bool(self.head or self._buffer)

    def feed(self, data: bytes) -> bool:
        """Take what arrived; true when that was all of it. Raises `ResponseError`."""
        if self.done:
            self.reusable = False  # more than was asked for
        else:
            self._rest(data)
        return self.done

    def close(self) -> bool:
        """The connection has ended; true when the response has, too."""
        if self._rest == self._take_rest:
            self.done = True
        return self.done

    # -- the head ----------------------------------------------------------------------------------------------

    def _take_head(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        while not self.head and buffer:
            if buffer[0] in b"\r\n":
                empty = len(buffer) - len(buffer.lstrip(b"\r\n"))
                self._before += empty
                del buffer[:empty]
                if self._before > _BEFORE:
                    raise ResponseError("not HTTP")
                continue
            if not b"HTTP/1.".startswith(bytes(buffer[:7])):
                raise ResponseError("not HTTP")
            end = _end_of_head(buffer, self._searched)
            if (end.end() if end else len(buffer)) > _HEAD:
                raise ResponseError("a head too long")
            if end is None:
                self._searched = max(0, len(buffer) - 3)
                return
            head = bytes(buffer[: end.end()])
            del buffer[: end.end()]
            self._searched = 0
            self._read_head(head)
        if self.head:
            rest, self._buffer = bytes(buffer), bytearray()
            if rest:
                self.feed(rest)

    def _read_head(self, head: bytes) -> None:
        """Understand a head, unless it is only one that goes before the real one."""
        first, *lines = head.rstrip(b"\r\n").split(b"\n")
        found = _first_line(first.rstrip(b"\r"))
        if found is None or len(lines) > _HEADERS:
            raise ResponseError("a malformed head")
        status = int(found[2])
        if status < 200:
            if status == 101:
                raise ResponseError("another protocol")
            return
        pairs, plain = _pairs(lines)
        self.status, self.headers = status, mapping(pairs)
        codings = _codings(pairs) if "transfer-encoding" in self.headers else frozenset()
        if not codings and plain and head.count(b"\n") == head.count(b"\r\n"):
            self.head = head
        else:
            self.head = _rewritten(first.rstrip(b"\r"), pairs)
        self._frame(codings, pairs, found[1] == b"0")

    def _frame(self, codings: frozenset[bytes], pairs: list[tuple[bytes, bytes]], old: bool) -> None:
        """How the body ends: by its length, by chunks, or with the connection (RFC 9112 §6.3)."""
        said = self.headers.get("connection", "").lower()
        lengths = {
            length
            for name, value in pairs
            if name.lower() == b"content-length"
            for part in value.split(b",")
            if (length := part.strip()).isdigit()
        }
        self.reusable = "close" not in said and (not old or "keep-alive" in said)
        self._limit = self._allowance(self.status, self.headers)
        if self._bodiless or self.status in (204, 304):
            self.done = True
        elif codings:
            if codings != {b"chunked"}:
                raise ResponseError("an unknown transfer encoding")
            # Chunks count; but who sends a length besides may mean something else by what follows.
            self.reusable = self.reusable and not lengths and not old
            self._rest = self._take_chunks
        elif lengths:
            if len(lengths) > 1 or len(length := lengths.pop()) > _LONGEST_LENGTH:
                raise ResponseError("a length that cannot be")
            self._left = int(length)
            self.done = not self._left
            self._rest = self._take_length
        else:
            self.reusable = False
            self._rest = self._take_rest

    # -- the body ----------------------------------------------------------------------------------------------

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._limit:
            data = data[: len(data) - self._size + self._limit]
            self.cut, self.done, self.reusable = True, True, False
        self._parts.append(data)

    def _take_rest(self, data: bytes) -> None:
        self._keep(data)

    def _take_length(self, data: bytes) -> None:
        if len(data) > self._left:
            data = data[: self._left]
            self.reusable = False
        self._left -= len(data)
        self._keep(data)
        self.done = self.done or not self._left

    def _take_chunks(self, data: bytes) -> None:
        buffer, at = self._buffer, 0
        buffer += data
        while not self.done:
            if self._left:
                piece = bytes(buffer[at : at + self._left])
                if not piece:
                    break
                at += len(piece)
                self._left -= len(piece)
                self._keep(piece)
                self._chunk_ended = not self._left
                continue
            end = buffer.find(b"\n", at, at + _CHUNK_LINE)
            if end < 0:
                if len(buffer) - at >= _CHUNK_LINE:
                    raise ResponseError("a chunk's line too long")
                break
            line, at = bytes(buffer[at:end]).strip(b" \t\r"), end + 1
            self._take_line(line)
        del buffer[:at]
        if self.done and buffer:
            self.reusable = False

    def _take_line(self, line: bytes) -> None:
        """A line between chunks: the end of the last one, the size of the next, or one of the trailer."""
        if self._chunk_ended:
            if line:
                raise ResponseError("a chunk longer than it says")
            self._chunk_ended = False
            return
        if self._chunks < 0:
            self._chunks -= len(line) + 1
            self.done = not line
            if -self._chunks > _HEAD:
                raise ResponseError("a trailer too long")
            return
        size = line.partition(b";")[0].rstrip()
        self._chunks += 1
        small = self._chunks > _CHUNKS and self._size < _LEAST_CHUNK * self._chunks
        if not _hexadecimal(size) or small:
            raise ResponseError("a malformed chunk")
        self._left = int(size, 16)
        if not self._left:
            self._chunks = -1  # from now on, minus the bytes of the trailer


def _pairs(lines: list[bytes]) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Names and values of headers, and whether they are written as they should be."""
    pairs: list[tuple[bytes, bytes]] = []
    plain = passed = True
    for raw in lines:
        line = raw.rstrip(b"\r")
        if line[:1] in (b" ", b"\t"):
            plain = False
            if not passed:
                name, value = pairs.pop()
                pairs.append((name, value + b" " + _unfit(b" ", line.strip())))
            continue
        name, colon, value = line.partition(b":")
        if not colon or not _token(name := name.rstrip(b" \t")):
            plain, passed = False, True  # as browsers pass it over, with what is folded into it
            continue
        passed = False
        value = value.strip(b" \t")
        if b"\0" in value or b"\r" in value:
            value, plain = _unfit(b" ", value), False
        pairs.append((name, value))
    return pairs, plain


def _codings(pairs: list[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """The transfer encodings a head lists; `identity` is none."""
    listed = (part for name, value in pairs if name.lower() == b"transfer-encoding" for part in value.split(b","))
    return frozenset(part.strip().lower() for part in listed) - {b"", b"identity"}


def _rewritten(first: bytes, pairs: list[tuple[bytes, bytes]]) -> bytes:
    """The head of a body that is kept without its chunks, so that it must not promise them."""
    lines = [_unfit(b" ", first)]
    for name, value in pairs:
        lines.append((b"X-Crawler-Transfer-Encoding" if name.lower() == b"transfer-encoding" else name) + b": " + value)
    return b"\r\n".join(lines) + b"\r\n\r\n"
