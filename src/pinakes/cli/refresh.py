"""`pinakes refresh`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, no_page, print_json
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.shown import shown
from pinakes.jobs.refresh import NEW_PAGES, RefreshOptions, RefreshResult, refresh
from pinakes.report.collections import write_collections
from pinakes.report.refresh import write_refresh

SHOWN = 10


@click.command("refresh")
@LIBRARY
@click.option("--web", default="", help="Another web than that of the last crawl, such as a newer recording.")
@click.option("--pages", type=click.IntRange(min=0), default=NEW_PAGES, show_default=True,
              help="New pages to look at, besides those looked over again.")  # fmt: skip
@click.option("--most", type=click.IntRange(min=1), default=1000, show_default=True,
              help="Old nuggets to look over again, the best.")  # fmt: skip
@click.option("--reach", type=click.IntRange(min=0), default=0, show_default=True,
              help="How far from a nugget new links are followed.")  # fmt: skip
@JSON
def command(library: Path, web: str, pages: int, most: int, reach: int, as_json: bool) -> None:
    """Look LIBRARY over again: what changed, what is gone, and what is new near its nuggets."""
    options = RefreshOptions(library, web, pages, most, reach)
    with CrawlProgress(None) as progress:
        result = refresh(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    sys.exit(show_refreshed(result, as_json))


def show_refreshed(result: RefreshResult, as_json: bool) -> int:
    """Tell only what is new; the answer is the exit code."""
    folder = result.crawl.library
    written = write_refresh(folder, result)
    if result.collections:
        write_collections(folder, result.collections)
    counts = {kind: len(result.of(kind)) for kind in ("new", "changed", "gone")}
    click.echo(
        f"{counts['new']:,} new, {counts['changed']:,} changed, {counts['gone']:,} gone; {result.unchanged:,} as they "
        "were" + (f", {sum(result.troubled.values()):,} could not be looked at" if result.troubled else "") + "."
    )
    for kind in counts:
        for one in result.of(kind)[:SHOWN]:
            click.echo(f"  {kind:<8}{shown(one.title)}\n          {one.url}")
    unseen = bool(result.troubled) and not result.news and not result.unchanged
    if unseen:
        click.echo(no_page(result.crawl, "Nothing is known of what is new; look again when the web can be reached."))
    click.echo(f"Report: {written}")
    if result.interrupted:
        click.echo(f"Go on with: pinakes resume {folder}")
    if as_json:
        print_json(
            {
                "library": str(folder),
                "crawl": result.crawl.crawl,
                "stopped": result.crawl.stopped,
                "pages": result.crawl.pages,
                "harvest_rate": result.crawl.harvest_rate,
                "outcomes": result.crawl.outcomes,
                "new": result.of("new"),
                "changed": result.of("changed"),
                "gone": result.of("gone"),
                "unchanged": result.unchanged,
                "troubled": result.troubled,
                "report": str(written),
            }
        )
    return 130 if result.interrupted else int(unseen)
