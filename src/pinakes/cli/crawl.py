"""`pinakes crawl`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.crawling import Crawling, crawling
from pinakes.cli.lists import seeds
from pinakes.cli.options import ARCHIVE, INTO, JSON, ON, WEB, WORKERS, LibraryPath, show_result
from pinakes.cli.progress import CrawlProgress
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.work_on_ray import helped_by_ray


@click.command("crawl")
@click.option("--topic", default="", metavar="TEXT", help="What you want, in words.")
@click.option("--example", "examples", multiple=True, metavar="URL|FILE", help="A page of the kind you want; repeats.")
@seeds("Where to start; repeats. @FILE has one a line. Without it: the examples, else ten search hits.")
@click.option("--into", required=True, type=LibraryPath(), metavar="LIBRARY", help=INTO)
@ARCHIVE
@ON
@WORKERS
@WEB
@click.option("--strategy", default="evidence", show_default=True, help="See `pinakes strategies`.")
@click.option("--judge", default="", help="Decides which pages are nuggets; else the strategy's own, else cosine.")
@click.option("--pages", type=click.IntRange(min=1), default=1000, show_default=True, help="Successful pages to fetch.")
@click.option("--stop-when-exhausted", is_flag=True, help="Stop when hardly anything more is found.")
@click.option("--first-bytes", type=click.IntRange(min=1), help="Parse only the first so many bytes of a page.")
@click.option(
    "--batch-hosts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fetch batches of N links from N different hosts, or as many as are ready.",
)
@click.option("--sitemaps", is_flag=True, help="Take the pages that sites list in their sitemaps as links, too.")
@crawling()
@JSON
def command(
    topic: str,
    examples: tuple[str, ...],
    seeds: tuple[str, ...],
    into: Path,
    archive: str,
    on: str,
    workers: int,
    web: str,
    strategy: str,
    judge: str,
    pages: int,
    stop_when_exhausted: bool,
    first_bytes: int | None,
    batch_hosts: int | None,
    sitemaps: bool,
    crawling: Crawling,
    as_json: bool,
) -> None:
    """Crawl towards a topic and keep what is found in a library."""
    options = CrawlOptions(
        into=into,
        topic=topic,
        examples=examples,
        seeds=seeds,
        web=web,
        strategy=strategy,
        judge=judge,
        pages=pages,
        stop_when_exhausted=stop_when_exhausted,
        first_bytes=first_bytes,
        batch_hosts=batch_hosts,
        sitemaps=sitemaps,
        archive=archive,
        **crawling,
    )
    with helped_by_ray(on, into, workers, crawling["in_flight"]), CrawlProgress(pages) as progress:
        result = crawl(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    sys.exit(show_result(result, as_json))
