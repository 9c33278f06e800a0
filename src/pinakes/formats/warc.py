"""WARC 1.1 records (ISO 28500) as finished gzip members, ready to append to a file.

Each record is a gzip member of its own, so that it can be read alone by offset and length. Members are made by
ISA-L at level 2, several times faster than zlib and little larger.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from isal import isal_zlib

from pinakes import __version__
from pinakes.core.page import Member
from pinakes.formats.warc_reader import Record, read

_IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_FIELDS = "application/warc-fields"
_REQUEST = "application/http; msgtype=request"
_RESPONSE = "application/http; msgtype=response"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")

Block = tuple[bytes, ...]
"""What a record holds, in pieces that need not be put together first."""


def new_id() -> str:
    # A random UUID (version 4), written from its digits: an object for each would cost more than all else here.
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]


def sha1(data: bytes) -> str:
    """A digest as WARC writes it: in base 32, ten bits at a time, which is quicker than the library's way."""
    number = int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest(), "big")
    return "sha1:" + "".join([_PAIRS[number >> shift & 1023] for shift in range(150, -1, -10)])


def date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")[:26] + "Z"


def _member(kind: str, url: str, at: str, content_type: str, block: Block, fields: Mapping[str, str]) -> Member:
    """A record has no digest of its block: each member ends with gzip's checksum of all of it."""
    lines = [
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {fields.get('WARC-Record-ID') or new_id()}",
        f"WARC-Date: {at}",
    ]
    if address := _clean(url):
        lines.append(f"WARC-Target-URI: {address}")
    for name, value in fields.items():
        if value and name != "WARC-Record-ID":
            lines.append(f"{name}: {_clean(value)}")
    lines.append(f"Content-Type: {content_type}\r\nContent-Length: {sum(map(len, block))}\r\n\r\n")
    head = "\r\n".join(lines).encode("utf-8", "replace")
    return Member(kind, url, isal_zlib.compress(b"".join((head, *block, b"\r\n\r\n")), level=2, wbits=31))


def _clean(value: str) -> str:
    """A value that cannot end its line."""
    return value.strip() if value.isprintable() else _CONTROL.sub(" ", value).strip()


def _fields(values: Mapping[str, str]) -> bytes:
    """A block of `application/warc-fields`."""
    lines = [f"{_clean(name)}: {_clean(value)}\r\n" for name, value in values.items()]
    return "".join(lines).encode("utf-8", "replace")


def _ended(head: bytes) -> bytes:
    """An HTTP head with the empty line that ends it."""
    return head if head.endswith((b"\r\n\r\n", b"\n\n")) else head.rstrip(b"\r\n") + b"\r\n\r\n"


def warcinfo(filename: str = "", fields: Mapping[str, str] | None = None, at: float | None = None) -> Member:
    """The record that opens a file and says what made it; by default at this moment."""
    said = {"software": f"pinakes/{__version__}", "format": "WARC File Format 1.1", **(fields or {})}
    moment = time.time() if at is None else at
    return _member("warcinfo", "", date(moment), _FIELDS, (_fields(said),), {"WARC-Filename": filename})


def request(url: str, block: bytes, at: float, *, id: str = "", concurrent_to: str = "", ip: str = "") -> Member:
    given = {"WARC-Record-ID": id, "WARC-Concurrent-To": concurrent_to, "WARC-IP-Address": ip}
    return _member("request", url, date(at), _REQUEST, (_ended(block),), given)


def response(
    url: str,
    head: bytes,
    body: bytes,
    at: float,
    *,
    id: str = "",
    concurrent_to: str = "",
    ip: str = "",
    truncated: str = "",
    digest: str = "",
) -> Member:
    """`truncated` says why the body was cut: `length`, `disconnect` or `time`; `digest` saves computing it again."""
    given = {
        "WARC-Record-ID": id,
        "WARC-Concurrent-To": concurrent_to,
        "WARC-IP-Address": ip,
        "WARC-Truncated": truncated,
        "WARC-Payload-Digest": digest or sha1(body),
    }
    return _member("response", url, date(at), _RESPONSE, (_ended(head), body), given)


def revisit(
    url: str,
    head: bytes,
    digest: str,
    at: float,
    *,
    refers_to_url: str,
    refers_to_at: float,
    refers_to: str = "",
    id: str = "",
    ip: str = "",
) -> Member:
    """The same payload as an earlier response's: only the head is kept."""
    given = {
        "WARC-Record-ID": id,
        "WARC-IP-Address": ip,
        "WARC-Profile": _IDENTICAL,
        "WARC-Payload-Digest": digest,
        "WARC-Refers-To": refers_to,
        "WARC-Refers-To-Target-URI": refers_to_url,
        "WARC-Refers-To-Date": date(refers_to_at),
    }
    return _member("revisit", url, date(at), _RESPONSE, (_ended(head),), given)


def metadata(url: str, fields: Mapping[str, str], at: float, *, id: str = "", concurrent_to: str = "") -> Member:
    given = {"WARC-Record-ID": id, "WARC-Concurrent-To": concurrent_to}
    return _member("metadata", url, date(at), _FIELDS, (_fields(fields),), given)


def exchange(
    url: str,
    asked: bytes,
    head: bytes,
    body: bytes,
    at: float,
    *,
    metadata: Mapping[str, str] | None = None,
    ip: str = "",
    truncated: str = "",
) -> tuple[tuple[Member, ...], str]:
    """The members of one request and its answer, and the digest of the payload.

    Without `metadata` no metadata member is made.
    """
    answer, digest, then = new_id(), sha1(body), date(at)
    given = {
        "WARC-Record-ID": answer,
        "WARC-IP-Address": ip,
        "WARC-Truncated": truncated,
        "WARC-Payload-Digest": digest,
    }
    other = {"WARC-Concurrent-To": answer}
    members = [
        _member("request", url, then, _REQUEST, (_ended(asked),), {**other, "WARC-IP-Address": ip}),
        _member("response", url, then, _RESPONSE, (_ended(head), body), given),
    ]
    if metadata:
        members.append(_member("metadata", url, then, _FIELDS, (_fields(metadata),), other))
    return tuple(members), digest


def as_revisit(record: tuple[Member, ...], head: bytes, url: str, at: float) -> tuple[Member, ...]:
    """The members of an exchange with the last response made a revisit of what `url` said at `at`.

    The response's identity is kept, since the other members name it.
    """
    for place in range(len(record) - 1, -1, -1):
        if record[place].kind == "response" and isinstance(old := read(record[place].data), Record):
            digest, ip = old.headers.get("warc-payload-digest", ""), old.headers.get("warc-ip-address", "")
            new = revisit(old.url, head, digest, old.at, refers_to_url=url, refers_to_at=at, id=old.id, ip=ip)
            return (*record[:place], new, *record[place + 1 :])
    return record
