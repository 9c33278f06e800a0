"""Back-links by a file of links."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.services.backlinks.linkfile import LinkFile

A, B, C = "http://a.example/", "http://b.example/x,y", "http://c.example/"


def sources(path: Path, url: str, n: int = 10) -> list[str]:
    links = LinkFile(path)
    try:
        return list(asyncio.run(links.backlinks(url, n)))
    finally:
        links.close()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", f'{A},{C}\n"{B}",{C}\n'),
        ("x.csv", f'Target, Anchor ,Source\r\n{C},hello,{A}\r\n{C},"a ""b"" c","{B}"\r\n'),
        ("x.tsv", f"{A}\t{C}\n{B}\t{C}\tanchor\n"),
        ("x.tsv", f"\ufeffsource\ttarget\n{A}\t{C}\n{B}\t{C}"),
        ("x.jsonl", f'{{"source": "{A}", "target": "{C}", "n": 1}}\n{{"target": "{C}", "source": "{B}"}}\n'),
        ("links", f'{{"source": "{A}", "target": "{C}"}}\n{{"target": "{C}", "source": "{B}"}}\n'),
        ("links.txt", f"{A}\t{C}\n{B}\t{C}\n"),
        ("links.txt", f'"{A}","{C}"\n"{B}","{C}"\n'),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_every_form(tmp_path: Path, name: str, text: str, zipped: bool) -> None:
    """By name or by looks, with a head or without, gzipped (whatever the name) or not; in the file's order."""
    path = tmp_path / (f"{name}.gz" if zipped and "." in name else name)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    assert sources(path, C) == [A, B]
    assert sources(path, C, 1) == [A]
    assert sources(path, A) == []


def test_addresses_are_compared_in_their_canonical_form(tmp_path: Path) -> None:
    """As everywhere in Pinakes, and a link that stands twice is one link."""
    path = tmp_path / "x.csv"
    path.write_text("HTTP://A.example:80,http://c.EXAMPLE/%7Eowl#top\nhttp://a.example/,http://c.example/~owl\n")
    assert sources(path, "http://c.example/~owl") == [A]


def test_bad_lines_are_passed_over(tmp_path: Path) -> None:
    """Rubbish, endless lines and half lines cost nothing but themselves."""
    path = tmp_path / "x.jsonl"
    good = f'{{"source": "{A}", "target": "{C}"}}\n'.encode()
    bad = (
        b'\xff\xfe\n{"source": 1}\n{"source": "mailto:x", "target": "http://c.example/"}\n[[[[\n\n'
        + b"[" * 200_000
        + b"\n"
    )
    path.write_bytes(bad + good + b"x" * 300_000 + b"\n" + good.strip())
    links = LinkFile(path)
    assert (links.links, links.passed_over) == (2, 7)
    links.close()
    csv = tmp_path / "y.csv"
    csv.write_text(f'"never closed,{C}\nonly one\n{A},{C}\n')
    assert sources(csv, C) == [A]


def test_a_file_of_no_use_is_told(tmp_path: Path) -> None:
    """Missing, empty, of something else, or broken: one sentence that names it."""
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(gzip.compress(f"{A},{C}\n".encode() * 100_000)[:-2000])
    empty = tmp_path / "empty.csv"
    empty.touch()
    other = tmp_path / "other.csv"
    other.write_text("name,age\nowl,3\n")
    for path, why in (
        (tmp_path / "none.csv", "cannot be read"),
        (tmp_path, "cannot be read"),
        (broken, "cannot be read"),
        (empty, "no line with two web addresses"),
        (other, "no line with two web addresses"),
    ):
        with pytest.raises(PinakesError, match=why) as raised:
            LinkFile(path)
        assert str(path) in str(raised.value)
