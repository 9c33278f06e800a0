"""`pinakes crawl`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.live import LIVE
from pinakes.cli.options import ARCHIVE, INTO, JSON, ON, WEB, WORKERS, LibraryPath, parameters, show_result
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.scope import SCOPE
from pinakes.jobs.crawl import CrawlOptions, crawl
from pinakes.jobs.work_on_ray import helped_by_ray
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope


@click.command("crawl")
@click.option("--topic", default="", metavar="TEXT", help="What you want, in words.")
@click.option("--example", "examples", multiple=True, metavar="URL|FILE", help="A page of the kind you want; repeats.")
@click.option("--seed", "seeds", multiple=True, metavar="URL", help="Where to start; repeats. Without it: the examples,"
              " else ten search hits.")  # fmt: skip
@click.option("--into", required=True, type=LibraryPath(), metavar="LIBRARY", help=INTO)
@ARCHIVE
@ON
@WORKERS
@WEB
@SCOPE
@click.option("--no-traps", is_flag=True, help="Do not guard against endless webs.")
@click.option("--strategy", default="evidence", show_default=True, help="See `pinakes strategies`.")
@click.option("--judge", default="", help="Decides which pages are nuggets; else the strategy's own, else cosine.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the strategy or the"
              " judge, such as threshold; repeats.")  # fmt: skip
@click.option("--pages", type=click.IntRange(min=1), default=1000, show_default=True, help="Successful pages to fetch.")
@click.option("--time", "seconds", type=click.FloatRange(min=0), help="Stop after this many seconds.")
@click.option("--stop-when-exhausted", is_flag=True, help="Stop when hardly anything more is found.")
@click.option("--random-state", type=int, default=0, show_default=True, help="For strategies that draw lots.")
@click.option("--first-bytes", type=click.IntRange(min=1), help="Parse only the first so many bytes of a page.")
@click.option("--no-dedup", is_flag=True, help="Do not look for near-duplicates.")
@click.option("--in-flight", type=click.IntRange(min=1), default=32, show_default=True, help="Requests at once (live).")
@click.option(
    "--batch-hosts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fetch batches of N links from N different hosts, or as many as are ready.",
)
@click.option("--processes", type=click.IntRange(min=1), help="Processes that fetch and read pages (live). Without it:"
              " one a core, up to four, and only this one for small crawls.")  # fmt: skip
@click.option("--sitemaps", is_flag=True, help="Take the pages that sites list in their sitemaps as links, too.")
@click.option("--fresh", type=click.FloatRange(min=0), default=7.0, show_default=True, metavar="DAYS",
              help="Take a page from the library, without a request, when it is not older (live).")  # fmt: skip
@LIVE
@click.option("--new", is_flag=True, help="Leave an unfinished crawl of the library and start another.")
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
    scope: Scope,
    no_traps: bool,
    strategy: str,
    judge: str,
    settings: tuple[str, ...],
    pages: int,
    seconds: float | None,
    stop_when_exhausted: bool,
    random_state: int,
    first_bytes: int | None,
    no_dedup: bool,
    in_flight: int,
    batch_hosts: int | None,
    processes: int | None,
    sitemaps: bool,
    fresh: float,
    live: LiveOptions | None,
    new: bool,
    as_json: bool,
) -> None:
    """Crawl towards a topic and keep what is found in a library."""
    options = CrawlOptions(
        into=into,
        topic=topic,
        examples=examples,
        seeds=seeds,
        web=web,
        scope=scope,
        traps=not no_traps,
        strategy=strategy,
        judge=judge,
        parameters=parameters(settings),
        pages=pages,
        seconds=seconds,
        stop_when_exhausted=stop_when_exhausted,
        random_state=random_state,
        dedup=not no_dedup,
        first_bytes=first_bytes,
        live=live,
        in_flight=in_flight,
        batch_hosts=batch_hosts,
        processes=processes,
        sitemaps=sitemaps,
        fresh=fresh,
        new=new,
        archive=archive,
    )
    with helped_by_ray(on, into, workers, in_flight), CrawlProgress(pages) as progress:
        result = crawl(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    sys.exit(show_result(result, as_json))
