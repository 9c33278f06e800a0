"""What the demo shows of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pinakes.library.library import Library

TOPIC = "owls and other birds of prey"


class Found(NamedTuple):
    score: float
    title: str
    url: str
    depth: int


def best_pages(folder: Path, crawl: int, n: int) -> list[Found]:
    """The best nuggets of a crawl."""
    with Library(folder) as library:
        rows = library.connection.execute(
            "SELECT visits.score, pages.title, pages.url, visits.depth FROM visits JOIN pages ON pages.id = visits.page"
            " WHERE visits.crawl = ? AND visits.nugget ORDER BY visits.score DESC, visits.id LIMIT ?",
            (crawl, n),
        )
        return [Found(*row) for row in rows]
