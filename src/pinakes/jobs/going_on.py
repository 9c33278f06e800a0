"""A library's last job taken up, whatever it was: the crawl where it left off, then what the job makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pinakes.jobs.collect import CollectResult, collected, uncollected
from pinakes.jobs.crawl_records import CrawlResult, Watch
from pinakes.jobs.harvest.job import Looking, harvest
from pinakes.jobs.harvest.outcome import harvested, left_over
from pinakes.jobs.harvest.pending import pending
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.panorama.job import PanoramaResult, panorama_of, unmapped
from pinakes.jobs.refresh import RefreshResult, refreshed
from pinakes.jobs.taking_up import resume
from pinakes.jobs.webs import Indexing, Tell, quietly

Outcome = CrawlResult | CollectResult | RefreshResult | HarvestResult | PanoramaResult
"""How a job ended; the result of a crawl alone where it was nothing more."""


def go_on(
    folder: Path,
    *,
    pages: int | None = None,
    processes: int | None = None,
    watch: Watch | None = None,
    budget: Callable[[int | None], None] = quietly,
    looking: Looking = quietly,
    asking: Looking = quietly,
    matching: Looking = quietly,
    indexing: Indexing = quietly,
    tell: Tell = quietly,
) -> Outcome:
    """Take up the last job of a library; `pages` is a new budget for its crawl.

    Without one, a job whose crawl had ended only makes what it was killed before making, and a harvest that was killed
    while it looked for homepages goes on looking, with the budget it began with, which `budget` hears.
    """
    if pages is not None:
        over = None
    elif (late := unmapped(folder) or uncollected(folder)) is not None:
        return late
    elif (begun := pending(folder)) is not None:
        budget(begun.pages)
        ended = harvest(
            begun, looking=looking, asking=asking, watch=watch, matching=matching, indexing=indexing, tell=tell
        )
        assert isinstance(ended, HarvestResult)  # a mere listing leaves nothing to take up
        return ended
    else:
        over = left_over(folder)
    crawl = over or resume(folder, pages=pages, processes=processes, watch=watch, indexing=indexing, tell=tell)
    return refreshed(crawl) or collected(crawl) or harvested(crawl, matching) or panorama_of(crawl) or crawl


def crawl_of(outcome: Outcome) -> CrawlResult | None:
    """The crawl behind it; None for a harvest that found nowhere to start one."""
    return outcome if isinstance(outcome, CrawlResult) else outcome.crawl
