"""The jobs as plain functions, for scripts and notebooks.

    import pinakes

    result = pinakes.crawl(topic="owls", web="demo", seeds=["http://www.pinakes.example/"], into="owls", pages=50)
    print(result.harvest_rate)

They are synchronous and also work where an event loop is running. Results are frozen records that render themselves
in a notebook. Bad input raises `pinakes.PinakesError` with one sentence that says what to mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Progress
from pinakes.jobs import crawl as jobs
from pinakes.jobs import status as status_job
from pinakes.jobs import why as why_job
from pinakes.jobs.crawl import CrawlOptions, CrawlResult, Watch
from pinakes.jobs.status import Status
from pinakes.jobs.why import Why
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

__all__ = ["CrawlResult", "PinakesError", "Progress", "Status", "Why", "crawl", "resume", "status", "why"]

Folder = str | PathLike[str]


def crawl(
    *,
    into: Folder,
    topic: str = "",
    examples: Iterable[str] = (),
    seeds: Iterable[str] = (),
    web: str = "live",
    strategy: str = "best-first",
    judge: str = "cosine",
    parameters: Mapping[str, Any] | None = None,
    allow: Iterable[str] = (),
    ignore: Iterable[str] = (),
    depth: int | None = None,
    pages: int | None = 1000,
    seconds: float | None = None,
    random_state: int = 0,
    dedup: bool = True,
    first_bytes: int | None = None,
    contact: str = "",
    fresh: float = 7.0,
    new: bool = False,
    watch: Watch | None = None,
) -> CrawlResult:
    """Crawl towards a topic into a library; see `docs/manual/crawl.md`. `watch` hears the progress page by page."""
    options = CrawlOptions(
        into=Path(into),
        topic=topic,
        examples=(examples,) if isinstance(examples, str) else tuple(examples),
        seeds=(seeds,) if isinstance(seeds, str) else tuple(seeds),
        web=web,
        strategy=strategy,
        judge=judge,
        parameters=dict(parameters or {}),
        scope=Scope(allow=tuple(allow), ignore=tuple(ignore), depth=depth),
        pages=pages,
        seconds=seconds,
        random_state=random_state,
        dedup=dedup,
        first_bytes=first_bytes,
        live=LiveOptions(contact, first_bytes=first_bytes, random_state=random_state) if web == "live" else None,
        fresh=fresh,
        new=new,
    )
    return jobs.crawl(options, watch=watch)


def resume(library: Folder, *, pages: int | None = None, watch: Watch | None = None) -> CrawlResult:
    """Take up the last crawl of a library where it left off."""
    return jobs.resume(Path(library), pages=pages, watch=watch)


def status(library: Folder) -> Status:
    """What a library holds and how its crawls went."""
    return status_job.status(Path(library))


def why(library: Folder, url: str) -> Why:
    """How a page was reached, or why it was not fetched."""
    return why_job.why(Path(library), url)
