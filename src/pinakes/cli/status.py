"""`pinakes status`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.core.counting import count_of
from pinakes.jobs.status import CrawlStatus, Status, status

MADE = {"panorama": "map", "collect": "page of collections", "harvest": "report"}
"""What jobs make once their crawl has ended."""
LIVE = {
    "running": "running",
    "paused": "paused; go on with it, or stop it, from the browser: `pinakes serve {}`",
    "stopping": "stopping",
}


@click.command("status")
@LIBRARY
@JSON
def command(library: Path, as_json: bool) -> None:
    """What LIBRARY holds and how its crawls went, also while one is running."""
    found = status(library)
    click.echo(
        f"{found.library}: {count_of(found.pages, 'page')} of {count_of(found.hosts, 'host')}, "
        f"{found.bytes / 1e6:,.1f} MB of WARC"
    )
    for crawl in found.crawls:
        _show(crawl, found)
    if found.looking:
        click.echo(
            "\nA harvest was looking for homepages when it ended; its crawl and report are still to come: go on with "
            f"`pinakes resume {found.library}`"
        )
    for worker in found.workers:
        does = "decides and works" if worker.decides else "works"
        regret = f", its links on average {worker.regret:.4f} worse than the best" if worker.regret else ""
        click.echo(
            f"\nWorker {worker.id} ({worker.name}) {does}: {count_of(worker.pages, 'page')} brought home, "
            f"{worker.in_flight} under way{regret}"
        )
    if as_json:
        print_json(found)


def _show(crawl: CrawlStatus, library: Status) -> None:
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(crawl.started))
    about = f" towards “{'”, “'.join(crawl.topics)}”" if any(crawl.topics) else ""
    click.echo(f"\nCrawl {crawl.id}: {crawl.job}{about}, {crawl.strategy} on {crawl.web}, from {started}")
    click.echo(f"  {_state(crawl, library)}")
    click.echo(
        f"  {count_of(crawl.pages, 'page')}, {count_of(crawl.nuggets, 'nugget')} (harvest rate "
        f"{crawl.harvest_rate:.2f}), "
        f"{count_of(crawl.waiting, 'link')} waiting, {crawl.seconds:.1f} s"
    )
    if crawl.vein:
        click.echo(f"  {crawl.vein}")
    outcomes = sorted(crawl.outcomes.items(), key=lambda outcome: -outcome[1])
    click.echo(f"  {', '.join(f'{name} {count:,}' for name, count in outcomes) or 'nothing fetched yet'}")


def _state(crawl: CrawlStatus, library: Status) -> str:
    if crawl.state in LIVE:
        return LIVE[crawl.state].format(library.library)
    state = f"stopped: {crawl.stopped}" if crawl.stopped else "unfinished"
    if crawl.resumable:
        still = f", which makes its {MADE[crawl.job]} too" if crawl.job in MADE else ""
        return f"{state}; go on with `pinakes resume {library.library}`{still}"
    if crawl.lacks and not library.in_use:
        return f"{state}; its {MADE[crawl.job]} is still to be made, by `pinakes resume {library.library}`"
    return state
