"""Reading WARC files, gzip or plain, record by record: what is damaged is named and passed over, never raised.

Our own reader rather than a library's because it needs each record's offset and length, and must go on behind damage.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from isal import isal_zlib

RECORD_LIMIT = 64 << 20
"""A record larger than this is passed over."""
_HEAD_LIMIT = 64 << 10
_CHUNK = 16 << 10
_REPAIRS = 200
"""How often reading takes up again after damage; bounds the time a hostile file can take."""
_GZIP = b"\x1f\x8b\x08"
_VERSION = re.compile(rb"WARC/[01]\.\d+\r?\n")
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """One record as read."""

    kind: str
    url: str
    at: float
    """WARC-Date in seconds since 1970; 0 when there is none."""
    id: str
    headers: Mapping[str, str]
    """Names in lower case."""
    block: bytes
    offset: int = 0
    length: int = 0
    """Bytes the record takes in the file, compressed as it is there."""


class WarcDamage(NamedTuple):
    """A place in a file that could not be read, and why, in words."""

    offset: int
    reason: str


def records(path: Path) -> Iterator[Record | WarcDamage]:
    """Every record of a file in order. What cannot be read comes as damage, and reading goes on behind it."""
    with path.open("rb", buffering=1 << 20) as file:
        begin = file.read(len(_GZIP))
        file.seek(0)
        yield from _compressed(file) if begin == _GZIP else _plain(file)


def read_at(file: IO[bytes], offset: int, length: int) -> Record | WarcDamage:
    """The record at a place `records` named. Does not move the file, so threads may share it."""
    try:
        data = os.pread(file.fileno(), length, offset)
    except OSError as problem:
        return WarcDamage(offset, f"cannot be read: {problem}")
    return read(data, offset)


def read(data: bytes, offset: int = 0) -> Record | WarcDamage:
    """The record that `data`, a gzip member or plain, holds."""
    length = len(data)
    try:
        if data.startswith(_GZIP):
            data = isal_zlib.decompressobj(31).decompress(data, RECORD_LIMIT)
    except isal_zlib.error as problem:  # type: ignore[misc]
        return WarcDamage(offset, f"cannot be read: {problem}")
    return _parsed(data, offset, length)


def _compressed(file: IO[bytes]) -> Iterator[Record | WarcDamage]:
    offset, broken, repairs = 0, -1, 0
    size = os.fstat(file.fileno()).st_size
    while offset < size:
        member = _inflate_member(file, offset)
        if member is None:
            repairs += 1
            broken = offset if broken < 0 else broken
            following = _find(file, _GZIP, offset + 1) if repairs < _REPAIRS else -1
            if following < 0:
                break
            offset = following
            continue
        if broken >= 0:
            yield WarcDamage(broken, f"{offset - broken} bytes are no gzip data")
            broken = -1
        data, full, length = member
        yield _parsed(data, offset, length, full)
        offset += length
    if broken >= 0:
        yield WarcDamage(
            broken, f"the last {size - broken} of {size} bytes cannot be read: the file is truncated or damaged"
        )


def _inflate_member(file: IO[bytes], offset: int) -> tuple[bytes, int, int] | None:
    """A member's content as far as the limit goes, its full size, and its length in the file; None if it is broken."""
    file.seek(offset)
    inflate, parts, kept, full, taken = isal_zlib.decompressobj(31), [], 0, 0, 0
    data = b""
    try:
        while not inflate.eof:
            data = inflate.unconsumed_tail
            if not data:
                data = file.read(_CHUNK)
                taken += len(data)
                if not data:
                    return None
            out = inflate.decompress(data, 1 << 20)
            full += len(out)
            if kept < RECORD_LIMIT:
                parts.append(out)
                kept += len(out)
    except isal_zlib.error:  # type: ignore[misc]
        return None
    return b"".join(parts), full, taken - len(inflate.unused_data)


def _find(file: IO[bytes], mark: bytes, offset: int) -> int:
    """Where `mark` next stands at or behind `offset`; -1 if nowhere."""
    file.seek(offset)
    tail = b""
    while chunk := file.read(_CHUNK):
        window = tail + chunk
        at = window.find(mark)
        if at >= 0:
            return offset - len(tail) + at
        offset += len(chunk)
        tail = window[1 - len(mark) :]
    return -1


def _plain(file: IO[bytes]) -> Iterator[Record | WarcDamage]:
    offset, repairs = 0, 0
    size = os.fstat(file.fileno()).st_size
    while offset < size:
        file.seek(offset)
        head = file.read(_HEAD_LIMIT)
        blank = len(head) - len(head.lstrip(b"\r\n"))
        if blank:
            offset += blank
            continue
        parsed = _head(head)
        length = parsed[1] + parsed[2] if parsed else 0
        if parsed and length > RECORD_LIMIT and offset + length <= size:
            yield WarcDamage(offset, f"a record of {length} bytes is passed over, the limit is {RECORD_LIMIT}")
            offset += length
        elif parsed and offset + length <= size:
            file.seek(offset)
            yield _parsed(file.read(length), offset, length)
            offset += length
        else:
            repairs += 1
            following = _find(file, b"\nWARC/1.", offset + 1) + 1 if repairs < _REPAIRS else 0
            end = following or size
            yield WarcDamage(offset, f"{end - offset} bytes cannot be read: the file is truncated or damaged")
            offset = end


def _head(data: bytes) -> tuple[dict[str, str], int, int] | None:
    """The named fields, where the block begins, and how long it says it is."""
    if not _VERSION.match(data):
        return None
    ends = [(at, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (at := data.find(mark, 0, _HEAD_LIMIT)) >= 0]
    if not ends:
        return None
    end, gap = min(ends)
    headers: dict[str, str] = {}
    for line in data[:end].decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 16):
        return None
    return headers, end + gap, int(length)


def _parsed(data: bytes, offset: int, length: int, full: int = 0) -> Record | WarcDamage:
    data = data if data.startswith(b"WARC/") else data.lstrip(b"\r\n")
    parsed = _head(data)
    if parsed is None:
        return WarcDamage(offset, "no WARC record begins here")
    headers, start, size = parsed
    end = start + size
    if data[end : end + 16].lstrip(b"\r\n").startswith(b"WARC/"):
        return WarcDamage(
            offset, "several records share one gzip member, mend the file with `warcio recompress FILE NEWFILE`"
        )
    if full > len(data) or end > RECORD_LIMIT:
        return WarcDamage(offset, f"a record of {max(full, end)} bytes is passed over, the limit is {RECORD_LIMIT}")
    if end > len(data):
        return WarcDamage(offset, f"the record has {len(data) - start} bytes of the {size} it announces")
    return Record(
        kind=headers.get("warc-type", "").lower(),
        url=headers.get("warc-target-uri", "").strip("<>"),
        at=_seconds(headers.get("warc-date", "")),
        id=headers.get("warc-record-id", ""),
        headers=headers,
        block=data[start:end],
        offset=offset,
        length=length,
    )


def _seconds(text: str) -> float:
    """WARC 1.1 dates may stop at any part, from the year on, and may have fractions."""
    match = _DATE.match(text)
    if match is None:
        return 0.0
    year, month, day, hour, minute, second, fraction = match.groups()
    try:
        whole = datetime(
            int(year), int(month), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
    except ValueError:
        return 0.0
    return whole.timestamp() + float(fraction or 0)
