"""Recorded webs made record by record, for tests of what reads WARC files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pinakes.core.page import Member
from pinakes.formats import warc

AT = 1_700_000_000.0
"""When everything was recorded, unless said otherwise."""


def recorded(
    url: str, body: str | bytes = "", *, status: int = 200, at: float = AT, type: str = "text/html", **headers: str
) -> Member:
    """A response record; an underscore in a header's name stands for a hyphen."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {type}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return warc.response(url, "\r\n".join(lines).encode() + b"\r\n\r\n", data, at)


def html(title: str, *rest: str) -> str:
    """A page of its title and some pieces of markup."""
    return f"<html><head><title>{title}</title></head><body>{' '.join(rest)}</body></html>"


def a(url: str, text: str = "link") -> str:
    """A link."""
    return f'<a href="{url}">{text}</a>'


def write(path: Path, members: Iterable[Member]) -> Path:
    """The members as a file."""
    path.write_bytes(b"".join(member.data for member in members))
    return path
