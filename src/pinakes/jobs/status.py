"""What a library holds, at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pinakes.core.roles import Progress
from pinakes.library.library import Library, in_use

AFTER_SCHEME = "substr(url, instr(url, '//') + 2)"
HOST = f"substr({AFTER_SCHEME}, 1, instr({AFTER_SCHEME}, '/') - 1)"


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    id: int
    job: str
    strategy: str
    started: float
    stopped: str
    """Why it stopped; empty while it runs, or when it died."""
    progress: Progress


@dataclass(frozen=True, slots=True)
class Status:
    library: str
    pages: int
    hosts: int
    bytes: int
    in_use: bool
    """A process is writing to the library now."""
    crawls: tuple[CrawlStatus, ...]


def status(folder: Path) -> Status:
    with Library(folder) as library:
        pages, hosts = library.connection.execute(
            f"SELECT count(DISTINCT url), count(DISTINCT {HOST}) FROM pages"
        ).fetchone()
        crawls = [
            CrawlStatus(
                crawl.id, crawl.job, library.recipe(crawl).strategy, crawl.started, crawl.stopped, crawl.progress
            )
            for crawl in library.crawls()
        ]
        return Status(
            library=str(folder),
            pages=pages,
            hosts=hosts,
            bytes=library.connection.execute("SELECT coalesce(sum(bytes), 0) FROM segments").fetchone()[0],
            in_use=in_use(folder),
            crawls=tuple(crawls),
        )
