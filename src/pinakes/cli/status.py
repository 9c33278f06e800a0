"""`pinakes status`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.jobs.status import Status, status


@click.command("status")
@LIBRARY
@JSON
def command(library: Path, as_json: bool) -> None:
    """What LIBRARY holds and how its crawls went, also while one is running."""
    found = status(library)
    _show(found)
    if as_json:
        print_json(found)


def _show(found: Status) -> None:
    click.echo(f"{found.library}: {found.pages:,} pages of {found.hosts:,} hosts, {found.bytes / 1e6:,.1f} MB of WARC")
    for crawl in found.crawls:
        progress = crawl.progress
        started = time.strftime("%Y-%m-%d %H:%M", time.localtime(crawl.started))
        state = crawl.stopped or ("running" if found.in_use else "unfinished: go on with `pinakes resume`")
        click.echo(f"\nCrawl {crawl.id}: {crawl.job}, {crawl.strategy}, from {started}: {state}")
        click.echo(
            f"  {progress.pages:,} pages, {progress.nuggets:,} nuggets (harvest rate {progress.harvest_rate:.2f}), "
            f"{progress.waiting:,} links waiting, {progress.seconds:.0f} s"
        )
        outcomes = sorted(progress.outcomes.items(), key=lambda outcome: -outcome[1])
        click.echo(f"  {', '.join(f'{name} {count:,}' for name, count in outcomes) or 'nothing fetched yet'}")
