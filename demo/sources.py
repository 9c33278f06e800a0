"""Reads the demo web's sources: hosts.toml, pages/*.txt, papers.txt and topics.toml beside this file.

A page opens with a line `@ host:path | title | topics | flags` and goes on in light markup. A paper opens with
`@ key | year | title | authors | layout | copies`. Addresses are written `host:path`, the host by its short name.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
VENUE = "WebShelf"
PROCEEDINGS = f"Proceedings of the {VENUE} Workshop"


@dataclass(frozen=True)
class Host:
    key: str
    url: str
    name: str
    style: str
    links: str
    nav: tuple[tuple[str, str], ...]
    foot: str
    robots: str = ""


@dataclass(frozen=True)
class Page:
    ref: str
    title: str
    topics: tuple[str, ...]
    flags: frozenset[str]
    body: str

    @property
    def host(self) -> str:
        return self.ref.partition(":")[0]

    @property
    def language(self) -> str:
        return next((flag[5:] for flag in self.flags if flag.startswith("lang=")), "en")


@dataclass(frozen=True)
class Paper:
    key: str
    year: int
    title: str
    authors: tuple[str, ...]
    layout: frozenset[str]
    """`one` or `two` columns and `num` or `ay` references for a paper; else `slides`, `notes` or `none` (no file)."""
    copies: tuple[tuple[str, str], ...]
    """(kind, ref): kind is `home`, `venue`, `other` (not of the venue) or `dead` (linked, never recorded)."""
    body: str

    @property
    def at_venue(self) -> bool:
        return self.key.startswith("P")

    @property
    def refs(self) -> tuple[str, ...]:
        """Where the file is recorded."""
        return tuple(ref for kind, ref in self.copies if kind != "dead")

    @property
    def abstract(self) -> str:
        return self.body.split("\nkeywords:")[0].strip()


@dataclass(frozen=True)
class Work:
    """Something a paper cites."""

    authors: tuple[str, ...]
    title: str
    where: str
    year: int


class Sources:
    def __init__(self, folder: Path = HERE) -> None:
        data: dict[str, Any] = tomllib.loads((folder / "hosts.toml").read_text("utf-8"))
        self.redirects: list[dict[str, Any]] = data.pop("redirect")
        self.hosts = {
            key: Host(key=key, **{**row, "nav": tuple((label, ref) for label, ref in row["nav"])})
            for key, row in data.items()
        }
        self.pages: list[Page] = []
        for file in sorted((folder / "pages").glob("*.txt")):
            self.pages += [_page(block) for block in _blocks(file.read_text("utf-8"))]
        text = (folder / "papers.txt").read_text("utf-8")
        self.papers = [_paper(block) for block in _blocks(text)]
        self.affiliations: dict[str, str] = {}
        self.works = {paper.key: Work(paper.authors, paper.title, PROCEEDINGS, paper.year) for paper in self.papers}
        for line in text.splitlines():
            if line.startswith("% "):
                names, place = line[2:].split(" | ")
                self.affiliations |= dict.fromkeys(names.split(", "), place)
            elif line.startswith("= "):
                key, names, title, where, year = line[2:].split(" | ")
                self.works[key] = Work(tuple(names.split("; ")), title, where, int(year))
        self.topics: list[dict[str, Any]] = tomllib.loads((folder / "topics.toml").read_text("utf-8"))["topic"]

    def url(self, ref: str) -> str:
        """`aviary:owls/` as an address; an address stays as it is."""
        if ref.startswith("http"):
            return ref
        host, _, path = ref.partition(":")
        return self.hosts[host].url + path

    @cached_property
    def venue_papers(self) -> list[Paper]:
        return [paper for paper in self.papers if paper.at_venue]


def _blocks(text: str) -> list[str]:
    return re.split(r"^@ ", text, flags=re.MULTILINE)[1:]


def _page(block: str) -> Page:
    head, _, body = block.partition("\n")
    ref, title, *rest = [part.strip() for part in head.split("|")]
    topics, flags = [*rest, "", ""][:2]
    return Page(ref, title, tuple(topics.split()), frozenset(flags.split()), body.strip())


def _paper(block: str) -> Paper:
    head, _, body = block.partition("\n")
    key, year, title, authors, layout, copies = head.split(" | ")
    found = []
    for copy in copies.split(", "):
        kind, _, ref = copy.rpartition("=")
        if ref != "-":
            found.append((kind or "home", ref))
    return Paper(
        key, int(year), title, tuple(authors.split("; ")), frozenset(layout.split()), tuple(found), body.strip()
    )
