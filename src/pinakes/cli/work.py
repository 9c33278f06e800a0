"""`pinakes work`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, ON, WORKERS, Finite, print_json
from pinakes.cli.progress import CrawlProgress
from pinakes.core.counting import count_of
from pinakes.jobs.work import WorkOptions, work
from pinakes.jobs.work_on_ray import work_on_ray


@click.command("work")
@LIBRARY
@click.option("--in-flight", type=click.IntRange(min=0), default=8, show_default=True, help="Requests at once; with"
              " 0 it only decides.")  # fmt: skip
@click.option("--processes", type=click.IntRange(min=1), help="Processes that fetch and read pages (live).")
@click.option("--fetch-only", is_flag=True, help="Never take over the deciding.")
@click.option("--forever", is_flag=True, help="Wait for the next crawl when one has ended.")
@click.option("--patience", type=Finite(min=0), default=600.0, show_default=True, metavar="SECONDS",
              help="How long to wait for a database that is away.")  # fmt: skip
@ON
@WORKERS
@JSON
def command(
    library: Path,
    in_flight: int,
    processes: int | None,
    fetch_only: bool,
    forever: bool,
    patience: float,
    on: str,
    workers: int,
    as_json: bool,
) -> None:
    """Join the running crawl of LIBRARY, a postgresql://… one: fetch pages, and decide when nobody else does."""
    options = WorkOptions(library, in_flight, processes, not fetch_only, forever, patience)
    with CrawlProgress(None) as progress:
        if on:
            result = work_on_ray(on, options, workers)
        else:
            result = work(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    click.echo(f"Stopped: {result.stopped}.")
    click.echo(
        f"{count_of(result.pages, 'page')} brought home in {result.seconds:.1f} s; "
        f"decided {count_of(result.decided, 'time')}."
    )
    if as_json:
        print_json(result)
    sys.exit(130 if result.stopped == "interrupted" else 0)
