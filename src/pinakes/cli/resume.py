"""`pinakes resume`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.collect import show_collected
from pinakes.cli.harvest import run_harvest, show_harvest
from pinakes.cli.options import JSON, LIBRARY, show_result
from pinakes.cli.panorama import show_panorama
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.refresh import show_refreshed
from pinakes.jobs.collect import collected, uncollected
from pinakes.jobs.harvest.outcome import harvested, left_over
from pinakes.jobs.harvest.pending import pending
from pinakes.jobs.panorama.job import panorama_of, unmapped
from pinakes.jobs.refresh import refreshed
from pinakes.jobs.taking_up import resume


@click.command("resume")
@LIBRARY
@click.option("--pages", type=click.IntRange(min=1), help="A new budget, counted from the crawl's beginning.")
@click.option("--processes", type=click.IntRange(min=1), help="Processes that fetch and read pages (live); else as"
              " before.")  # fmt: skip
@JSON
def command(library: Path, pages: int | None, processes: int | None, as_json: bool) -> None:
    """Take up the last crawl of LIBRARY where it left off: nothing committed is fetched again, nothing is lost."""
    if pages is None and (late := unmapped(library)) is not None:
        sys.exit(show_panorama(late, as_json))
    if pages is None and (unmade := uncollected(library)) is not None:
        sys.exit(show_collected(unmade, as_json))
    if pages is None and (begun := pending(library)) is not None:
        sys.exit(run_harvest(begun, as_json))
    with CrawlProgress(pages) as progress:
        done = left_over(library) if pages is None else None
        result = done or resume(
            library,
            pages=pages,
            processes=processes,
            watch=progress.watch,
            indexing=progress.indexing,
            tell=progress.tell,
        )
    if (looked_over := refreshed(result)) is not None:
        sys.exit(show_refreshed(looked_over, as_json))
    if (collections := collected(result)) is not None:
        sys.exit(show_collected(collections, as_json))
    if (papers := harvested(result)) is not None:
        sys.exit(show_harvest(papers, as_json))
    if (mapped := panorama_of(result)) is not None:
        sys.exit(show_panorama(mapped, as_json))
    sys.exit(show_result(result, as_json))
