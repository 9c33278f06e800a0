"""The papers that harvests were for: where each was found, or why not; and what is known of people's homepages."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Copy:
    """A document of the library that is a wanted paper."""

    url: str
    status: str
    """`found`, or `version` for slides, a poster or another form of the work."""
    place: str
    """`homepage`, `venue site`, `both`, `open access` or `elsewhere`."""
    confidence: float
    evidence: str
    page: int | None = None
    """The library's number of the stored document."""
    form: str = ""
    """What it is of the work: `paper`, `preprint`, `slides`, `poster`, `supplement` …; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A holding that resembles a wanted paper and was not taken for it."""

    title: str
    authors: tuple[str, ...]
    year: int | None
    likeness: float
    why: str


@dataclass(frozen=True, slots=True)
class Harvested:
    """A wanted paper and what became of it."""

    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str
    status: str
    """`held`, `found`, `version` (only slides or another form of it), or `missing`."""
    why: str = ""
    """Of a held paper which holding it is, of a missing one why it was not found."""
    doi: str = ""
    booktitle: str = ""
    copies: tuple[Copy, ...] = ()
    """The best first."""
    detail: str = ""
    """The address or sentence behind `why`."""
    nearest: Nearest | None = None
    """Of a paper that is not held, the holding that came nearest."""

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(copy.url for copy in self.copies)


def save_papers(connection: sqlite3.Connection, crawl: int, papers: Iterable[Harvested]) -> None:
    """Put the papers of a crawl in place of those kept of it before, all or none."""
    with connection:
        connection.execute("DELETE FROM harvest_papers WHERE crawl = ?", (crawl,))
        connection.execute("DELETE FROM harvest_copies WHERE crawl = ?", (crawl,))
        for n, paper in enumerate(papers):
            data = {"authors": paper.authors, "venue": paper.venue, "doi": paper.doi, "booktitle": paper.booktitle,
                    "detail": paper.detail, "nearest": paper.nearest,
                    "forms": {copy.url: copy.form for copy in paper.copies}}  # fmt: skip
            connection.execute(
                "INSERT INTO harvest_papers VALUES (?,?,?,?,?,?,?,?)",
                (crawl, n, paper.id, paper.title, paper.year, paper.status, paper.why, _packed(data)),
            )
            connection.executemany(
                "INSERT OR IGNORE INTO harvest_copies VALUES (?,?,?,?,?,?,?,?)",
                [(crawl, n, c.url, c.page, c.status, c.place, c.confidence, c.evidence) for c in paper.copies],
            )


def load_papers(connection: sqlite3.Connection, crawl: int | None = None) -> list[Harvested]:
    """The papers of a crawl, or of the library's last harvest."""
    if crawl is None:
        crawl = connection.execute("SELECT max(crawl) FROM harvest_papers").fetchone()[0] or 0
    held: dict[int, list[Copy]] = {}
    rows = connection.execute(
        "SELECT paper, url, status, place, confidence, evidence, page FROM harvest_copies WHERE crawl = ?"
        " ORDER BY paper, status, confidence DESC, url",
        (crawl,),
    )
    for paper, *rest in rows:
        held.setdefault(paper, []).append(Copy(*rest))
    rows = connection.execute(
        "SELECT n, id, title, year, status, why, data FROM harvest_papers WHERE crawl = ? ORDER BY n", (crawl,)
    )
    return [_harvested(*row, copies=held.get(n, ())) for n, *row in rows]


def copies(connection: sqlite3.Connection, only: Collection[str] | None = None) -> dict[str, Harvested]:
    """By address, of all documents or of some alone: the paper that it is, as the last harvest that found it says."""
    if only is not None and not only:
        return {}
    within = "" if only is None else f"WHERE copies.url IN ({','.join('?' * len(only))})"
    rows = connection.execute(
        "SELECT copies.url, id, title, year, papers.status, why, data FROM harvest_copies AS copies"
        " JOIN harvest_papers AS papers ON papers.crawl = copies.crawl AND papers.n = copies.paper"
        f" {within} ORDER BY papers.crawl, papers.n",
        tuple(only or ()),
    )
    return {url: _harvested(*row) for url, *row in rows}


def _harvested(
    key: str, title: str, year: int | None, status: str, why: str, data: str, *, copies: Sequence[Copy] = ()
) -> Harvested:
    more = msgspec.json.decode(data)
    return Harvested(
        key,
        title,
        tuple(more["authors"]),
        year,
        more["venue"],
        status,
        why,
        more["doi"],
        more["booktitle"],
        tuple(_formed(copies, more.get("forms", {}))),
        more["detail"],
        msgspec.convert(more.get("nearest"), Nearest | None),
    )


def _formed(found: Sequence[Copy], forms: Mapping[str, str]) -> list[Copy]:
    """The copies in the order in which they were kept, each with what it is of the work."""
    order = {url: at for at, url in enumerate(forms)}
    formed = [replace(copy, form=forms.get(copy.url, "")) for copy in found]
    return sorted(formed, key=lambda copy: order.get(copy.url, len(order)))


def remember_person(connection: sqlite3.Connection, name: str, looked: float, data: Any) -> None:
    """Keep what looking for a person's homepage brought."""
    sql = (
        "INSERT INTO harvest_people VALUES (?,?,?)"
        " ON CONFLICT (name) DO UPDATE SET looked = excluded.looked, data = excluded.data"
    )
    with connection:
        connection.execute(sql, (name, looked, _packed(data)))


def recall_people(connection: sqlite3.Connection, since: float) -> dict[str, Any]:
    """What is kept of everybody who was looked for since then, by name."""
    rows = connection.execute("SELECT name, data FROM harvest_people WHERE looked >= ?", (since,))
    return {name: msgspec.json.decode(data) for name, data in rows}


def _packed(data: Any) -> str:
    return msgspec.json.encode(data).decode()
