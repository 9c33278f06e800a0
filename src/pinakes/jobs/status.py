"""What a library holds, at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.jobs.harvest.pending import pending
from pinakes.jobs.unreported import Lacking, lacking
from pinakes.jobs.watching import State, state_of, wishes_for
from pinakes.library.desk import name_of
from pinakes.library.library import Crawl, Library, in_use
from pinakes.library.shared import Worker

AFTER_SCHEME = "substr(url, instr(url, '//') + 2)"
HOST = f"substr({AFTER_SCHEME}, 1, instr({AFTER_SCHEME}, '/') - 1)"


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    id: int
    job: str
    strategy: str
    topics: tuple[str, ...]
    web: str
    started: float
    stopped: str
    """Why it stopped; empty while it runs, or when it died."""
    resumable: bool
    """`pinakes resume` goes on with it."""
    pages: int
    nuggets: int
    harvest_rate: float
    waiting: int
    seconds: float
    outcomes: Mapping[str, int]
    exhausted: bool
    """The last hundred pages brought next to none of what the best hundred did."""
    vein: str
    """The same in words; empty while there is something to be found."""
    lacks: Lacking = ""
    """What it was killed before making: its `map`, its `collections`, or what became of its `papers`. `pinakes resume`
    makes that of the last crawl."""
    state: State = "finished"
    """As the browser says it."""


@dataclass(frozen=True, slots=True)
class Status:
    library: str
    pages: int
    hosts: int
    bytes: int
    in_use: bool
    """A process is writing to the library now."""
    crawls: tuple[CrawlStatus, ...]
    workers: tuple[Worker, ...] = ()
    """Who works on it now, where its catalogue is in PostgreSQL."""
    looking: bool = False
    """A harvest was looking for homepages when it ended; `pinakes resume` goes on with it."""


def status(folder: Path) -> Status:
    with Library(folder) as library:
        counts = f"SELECT count(DISTINCT url), count(DISTINCT {HOST}) FROM pages"
        pages, hosts = library.connection.execute(counts).fetchone()
        crawls = library.crawls()
        return Status(
            library=name_of(folder),
            pages=pages,
            hosts=hosts,
            bytes=library.connection.execute("SELECT coalesce(sum(bytes), 0) FROM segments").fetchone()[0],
            in_use=in_use(folder),
            crawls=tuple(_status(library, crawl, last=crawl is crawls[-1]) for crawl in crawls),
            workers=tuple(one for one in library.shared.workers() if one.alive) if library.shared else (),
            looking=not in_use(folder) and pending(folder) is not None,
        )


def _status(library: Library, crawl: Crawl, *, last: bool) -> CrawlStatus:
    try:
        recipe = library.recipe(crawl)
        strategy, web, topics = recipe.strategy, recipe.web, tuple(topic.name for topic in recipe.brief.topics)
    except PinakesError:
        strategy, web, topics = "its recipe cannot be read", "", ()
    progress, vein = crawl.progress, library.vein(crawl.id)
    return CrawlStatus(
        crawl.id,
        crawl.job,
        strategy,
        topics,
        web,
        crawl.started,
        crawl.stopped,
        last and crawl.unfinished,
        progress.pages,
        progress.nuggets,
        progress.harvest_rate,
        progress.waiting,
        progress.seconds,
        progress.outcomes,
        vein.exhausted,
        str(vein),
        lacking(library, crawl) if last else "",
        state_of(crawl, wishes_for(library, crawl.id), last and not crawl.stopped and in_use(library.folder)),
    )
