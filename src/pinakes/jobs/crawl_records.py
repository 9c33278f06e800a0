"""What a crawl is told, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.core.page import Brief, Link
from pinakes.core.roles import Judge, Progress, Strategy
from pinakes.core.vein import WINDOW, Vein
from pinakes.jobs.borders import turned_away
from pinakes.library.library import Crawl, Library
from pinakes.library.shelf import Found
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

BEST = 10
"""How many of the best pages a result names."""

Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What `pinakes crawl` is told."""

    into: Path
    topic: str = ""
    examples: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    web: str = "live"
    strategy: str = "evidence"
    judge: str = ""
    """Empty for the one the strategy goes by."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """For the strategy; `threshold`, and what only the judge knows, reaches the judge."""
    pages: int | None = 1000
    seconds: float | None = None
    stop_when_exhausted: bool = False
    """End when the last hundred pages brought next to none of what the best hundred did."""
    random_state: int = 0
    dedup: bool = True
    first_bytes: int | None = None
    scope: Scope = field(default_factory=Scope)
    """Where the crawl may go."""
    traps: bool = True
    """Guard against endless webs."""
    batch_hosts: int | None = None
    """Fetch in batches of so many links, each from another host (002 §3.4)."""
    sitemaps: bool = False
    """Take the pages that sites list in their sitemaps as links, too."""
    live: LiveOptions | None = None
    """How to behave on the live web; needed there."""
    fresh: float = 7.0
    """A page the library got from the live web within so many days is taken from it, without a request."""
    in_flight: int = 32
    """How many requests may be under way at once on the live web."""
    processes: int | None = None
    """How many processes fetch and read pages of the live web; 1 is the crawl's own. None: by cores and budget."""
    new: bool = False
    """Leave an unfinished crawl of the library behind."""
    archive: str = ""
    """Where a new library in PostgreSQL keeps its pages: a folder all machines see, or `s3://…`."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a crawl ended."""

    library: Path
    crawl: int
    stopped: str
    pages: int
    nuggets: int
    harvest_rate: float
    outcomes: Mapping[str, int]
    dropped: Mapping[str, int]
    """How often links were not followed, by the rule: `scope:type`, `trap:calendar`, `evicted`, …"""
    waiting: int
    seconds: float
    threshold: float
    """What a page had to score to be a nugget."""
    best: tuple[Found, ...]
    """The best nuggets, best first."""
    recent_harvest_rate: float = 0.0
    """Of the last hundred pages."""
    exhausted: bool = False
    """Hardly anything came home at the end of what the best hundred pages in a row had brought."""

    @property
    def interrupted(self) -> bool:
        return self.stopped == "interrupted"

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        outcomes = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.items())
        rows = {
            "Library": str(self.library),
            "Stopped": self.stopped,
            "Pages": f"{self.pages:,} in {self.seconds:.1f} s",
            "Nuggets": f"{self.nuggets:,} (harvest rate {self.harvest_rate:.2f})",
            "Waiting": count_of(self.waiting, "link"),
            "Vein": "exhausted" if self.exhausted else f"{self.recent_harvest_rate:.2f} at the end",
            "Outcomes": outcomes,
            "Not followed": ", ".join(f"{name} {count:,}" for name, count in self.dropped.items()) or "nothing",
        }
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"


@dataclass(frozen=True, slots=True)
class Ready:
    """A crawl that has everything it needs."""

    brief: Brief
    seeds: tuple[Link, ...]
    strategy: Strategy
    judge: Judge
    judge_name: str
    parameters: Mapping[str, Any]
    """The strategy's, all of them."""
    job: str = "crawl"
    own: Mapping[str, Any] = field(default_factory=dict)
    """The job's own options, kept in the recipe beside those of every crawl."""


def kept_result(library: Library, crawl: Crawl) -> CrawlResult:
    """How a crawl ended, as its library tells."""
    progress = crawl.progress
    return CrawlResult(
        library.folder,
        crawl.id,
        crawl.stopped,
        progress.pages,
        progress.nuggets,
        progress.harvest_rate,
        progress.outcomes,
        turned_away(library, crawl.id),
        progress.waiting,
        progress.seconds,
        library.recipe(crawl).judge_parameters.get("threshold", 0.0),
        tuple(library.shelf.best(crawl.id, BEST)),
    )


def result_of(library: Library, crawl: int, stopped: str, progress: Progress, judge: Judge, vein: Vein) -> CrawlResult:
    return CrawlResult(
        library.folder,
        crawl,
        stopped,
        progress.pages,
        progress.nuggets,
        progress.harvest_rate,
        progress.outcomes,
        turned_away(library, crawl),
        progress.waiting,
        progress.seconds,
        judge.threshold,
        tuple(library.shelf.best(crawl, BEST)),
        vein.recent / max(1, min(progress.pages, WINDOW)),
        vein.exhausted,
    )
