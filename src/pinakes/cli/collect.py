"""`pinakes collect`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from pinakes.cli.crawling import Crawling, crawling
from pinakes.cli.options import INTO, JSON, WEB, LibraryPath, exit_code, no_page, print_json
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.shown import shown
from pinakes.core.counting import count_of
from pinakes.jobs.collect import CollectOptions, CollectResult, Plan, collect
from pinakes.report.collections import write_collections

SHOWN = 3


@click.command("collect")
@click.argument("topics", type=click.Path(path_type=Path), metavar="TOPICS.TOML")
@click.option("--into", type=LibraryPath(), metavar="LIBRARY", help=INTO)
@WEB
@click.option("--dry-run", is_flag=True, help="Show the centroids and what is wrong with them, and stop.")
@click.option("--pages", type=click.IntRange(min=1), help="Successful pages to fetch; else the file's, else 1000.")
@click.option("--size", type=click.IntRange(min=1), help="Pages of a collection; else the file's, else 50.")
@click.option(
    "--list-per-host", type=click.IntRange(min=1), metavar="M", help="At most so many pages of a host in one."
)
@click.option("--expository/--no-expository", default=None, help="Rank link lists below pages of text (the default).")
@click.option("--hits", type=click.IntRange(min=4, max=7), default=7, show_default=True,
              help="Search hits a centroid is made of, where a topic has no examples.")  # fmt: skip
@click.option("--weights", type=click.Choice(["tf-idf", "tf"]), default="tf-idf", show_default=True,
              help="How terms of the paper's centroids are weighed.")  # fmt: skip
@click.option("--seed-hits", is_flag=True, help="Start from the search hits too.")
@click.option("--shares/--no-shares", default=True, help="Give each topic its share of the fetches (the default).")
@click.option("--strategy", default="", help="See `pinakes strategies`; else the file's, else evidence.")
@click.option("--judge", default="", help="Which pages are nuggets; else the file's, else contrast.")
@click.option("--first-bytes", type=click.IntRange(min=1), help="Parse only the first so many bytes of a page.")
@crawling()
@JSON
def command(
    topics: Path,
    into: Path | None,
    web: str,
    dry_run: bool,
    pages: int | None,
    size: int | None,
    list_per_host: int | None,
    expository: bool | None,
    hits: int,
    weights: str,
    seed_hits: bool,
    shares: bool,
    strategy: str,
    judge: str,
    first_bytes: int | None,
    crawling: Crawling,
    as_json: bool,
) -> None:
    """Build a ranked collection for each topic of TOPICS.TOML, in one crawl for all of them."""
    options = CollectOptions(
        topics=topics,
        into=into,
        web=web,
        strategy=strategy,
        judge=judge,
        pages=pages,
        size=size,
        per_host=list_per_host,
        expository=expository,
        hits=hits,
        weights=weights,
        seed_hits=seed_hits,
        shares=shares,
        dry_run=dry_run,
        first_bytes=first_bytes,
        **crawling,
    )
    with CrawlProgress(pages) as progress:

        def show(plan: Plan) -> None:
            show_plan(plan, progress)

        result = collect(options, show=show, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    if isinstance(result, Plan):
        if as_json:
            print_json({"stopped": "dry run", **plan_json(result)})
        sys.exit(0)
    sys.exit(show_collected(result, as_json))


def show_plan(plan: Plan, progress: CrawlProgress) -> None:
    """The centroids as the crawl will see them, and what is doubtful about them."""
    progress.say(f"{count_of(len(plan.centroids), 'centroid')}, of {count_of(plan.setup['pages'], 'page')}:")
    for view in plan.centroids:
        progress.say(f"  {view.name}: {', '.join(view.terms) or 'no words'}")
    for sentence in (*plan.warnings, *plan.notes):
        progress.tell(sentence)


def show_collected(result: CollectResult, as_json: bool) -> int:
    """Tell how collecting ended, and write the collections down; the answer is the exit code."""
    crawl = result.crawl
    written = write_collections(crawl.library, result.collections)
    click.echo(f"Stopped: {crawl.stopped}.")
    click.echo(
        f"{count_of(crawl.pages, 'page')} in {crawl.seconds:.1f} s, {count_of(crawl.nuggets, 'nugget')} (harvest rate "
        f"{crawl.harvest_rate:.2f}; a nugget scores {crawl.threshold:.2f} or more), "
        f"{count_of(crawl.waiting, 'link')} waiting."
    )
    for one in result.collections:
        click.echo(f"{one.name}: {count_of(len(one.entries), 'page')}")
        for entry in one.entries[:SHOWN]:
            click.echo(f"  {entry.merit:.2f}  {shown(entry.title)}\n        {entry.url}")
    if not crawl.pages:
        click.echo(no_page(crawl, "Check the addresses to start from, or put others into the topics file."))
    elif empty := [one.name for one in result.collections if not one.entries]:
        click.echo(
            f"Nothing that was found is about {', '.join(empty)}; give more words or examples of it, other seeds, or"
            " more --pages."
        )
    click.echo(f"Library: {crawl.library}\nTo read: {written}")
    if result.interrupted:
        click.echo(f"Go on with: pinakes resume {crawl.library}")
    if as_json:
        print_json(collected_json(result))
    return exit_code(crawl)


def collected_json(result: CollectResult) -> dict[str, Any]:
    crawl = result.crawl
    return {
        "library": str(crawl.library),
        "crawl": crawl.crawl,
        "stopped": crawl.stopped,
        "pages": crawl.pages,
        "nuggets": crawl.nuggets,
        "harvest_rate": crawl.harvest_rate,
        "outcomes": crawl.outcomes,
        "waiting": crawl.waiting,
        "seconds": crawl.seconds,
        "threshold": crawl.threshold,
        "continued": result.continued,
        "collections": {one.name: one.entries for one in result.collections},
        **(plan_json(result.plan) if result.plan else {}),
    }


def plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "centroids": {view.name: view for view in plan.centroids},
        "warnings": plan.warnings,
        "dropped": plan.dropped,
        "notes": plan.notes,
        "seeds": plan.seeds,
        "setup": plan.setup,
    }
