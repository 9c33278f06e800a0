"""`pinakes resume`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.collect import show_collected
from pinakes.cli.harvest import show_harvest
from pinakes.cli.options import JSON, LIBRARY, show_result
from pinakes.cli.panorama import show_panorama
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.refresh import show_refreshed
from pinakes.jobs.collect import CollectResult
from pinakes.jobs.going_on import Outcome, go_on
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.panorama.job import PanoramaResult
from pinakes.jobs.refresh import RefreshResult


@click.command("resume")
@LIBRARY
@click.option("--pages", type=click.IntRange(min=1), help="A new budget, counted from the crawl's beginning.")
@click.option("--processes", type=click.IntRange(min=1), help="Processes that fetch and read pages (live); else as"
              " before.")  # fmt: skip
@JSON
def command(library: Path, pages: int | None, processes: int | None, as_json: bool) -> None:
    """Take up the last crawl of LIBRARY where it left off: nothing committed is fetched again, nothing is lost."""
    with CrawlProgress(pages) as progress:
        outcome = go_on(
            library,
            pages=pages,
            processes=processes,
            watch=progress.watch,
            budget=progress.budget,
            looking=progress.stage_of("authors looked for"),
            asking=progress.stage_of("papers asked for"),
            matching=progress.stage_of("documents read"),
            indexing=progress.indexing,
            tell=progress.tell,
        )
    sys.exit(_show(outcome, as_json))


def _show(outcome: Outcome, as_json: bool) -> int:
    """Tell how the job ended, as its own command does; the answer is the exit code."""
    match outcome:
        case CollectResult():
            return show_collected(outcome, as_json)
        case RefreshResult():
            return show_refreshed(outcome, as_json)
        case HarvestResult():
            return show_harvest(outcome, as_json)
        case PanoramaResult():
            return show_panorama(outcome, as_json)
    return show_result(outcome, as_json)
