"""Options several commands share, and how their results are printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import click
import msgspec

from pinakes.cli.shown import shown
from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.formats.item import title_or_name
from pinakes.jobs.crawl_records import CrawlResult
from pinakes.library.desk import library_path, name_of
from pinakes.web.outcomes import OUTCOMES


class LibraryPath(click.Path):
    """A folder, or `postgresql://…`."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return library_path(value)


LIBRARY = click.argument("library", type=LibraryPath())
INTO = "The library: a folder, or postgresql://…"
ON = click.option("--on", default="", is_eager=True, metavar="RAY", help="Workers on a Ray cluster: ray://HOST:10001,"
                  " HOST:6379, or ray://local.")  # fmt: skip
SHARDS_ON = click.option("--on", default="", metavar="RAY", help="Read the pages on a Ray cluster: ray://HOST:10001,"
                         " HOST:6379, or ray://local.")  # fmt: skip


def _with_on(context: click.Context, option: click.Parameter, workers: int | None) -> int:
    if workers is not None and not context.params.get("on"):
        raise PinakesError(
            "--workers is how many a Ray cluster runs, and no --on RAY is given; on this machine start `pinakes work` "
            "as often as you like."
        )
    return workers or 4


WORKERS = click.option("--workers", type=click.IntRange(min=1), callback=_with_on, help="How many of them, with --on;"
                       " without it 4.")  # fmt: skip
ARCHIVE = click.option("--archive", default="", metavar="FOLDER|URL", help="Where a new library in PostgreSQL keeps its"
                       " pages: a folder all machines see, or s3://bucket/path.")  # fmt: skip
JSON = click.option("--json", "as_json", is_flag=True, help="End with one line of JSON.")
WEB = click.option("--web", default="live", show_default=True, help="`live`, `demo`, or a WARC file or folder.")


def parameters(given: Sequence[str]) -> dict[str, Any]:
    """`--set name=value …` as a mapping."""
    pairs = dict[str, Any]()
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise PinakesError(f"--set {text} is not of the form NAME=VALUE.")
        value = value.strip()
        pairs[name.strip().replace("-", "_")] = _from_file(value[1:]) if value.startswith("@") else value
    return pairs


def _from_file(name: str) -> Any:
    """`@FILE` stands for the JSON that a file holds, such as trained weights."""
    try:
        return msgspec.json.decode(Path(name).read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise PinakesError(f"{name} cannot be read as JSON: {error}.") from None


class Finite(click.FloatRange):
    """A number that is one: with `nan` and `inf` seconds nothing would ever come to an end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number to count with; give one such as 2.5.", param, ctx)
        return number


def print_json(value: Any) -> None:
    click.echo(msgspec.json.encode(value, enc_hook=str).decode())


def show_result(result: CrawlResult, as_json: bool) -> int:
    """Tell how a crawl ended; the answer is the exit code."""
    outcomes = ", ".join(f"{name} {count:,}" for name, count in sorted(result.outcomes.items(), key=lambda o: -o[1]))
    rate = result.pages / result.seconds if result.seconds else 0.0
    click.echo(f"Stopped: {result.stopped}.")
    click.echo(
        f"{count_of(result.pages, 'page')} in {result.seconds:.1f} s ({rate:.0f} a second), "
        f"{count_of(result.nuggets, 'nugget')} "
        f"(harvest rate {result.harvest_rate:.2f}), {count_of(result.waiting, 'link')} still waiting."
    )
    if result.exhausted:
        click.echo(
            f"The vein seems exhausted: a harvest rate of {result.recent_harvest_rate:.2f} in the last hundred pages. "
            "More pages will hardly find more; other seeds or examples might."
        )
    click.echo(f"Outcomes: {outcomes or 'none'}.")
    if result.dropped:
        refused = ", ".join(f"{rule} {count:,}" for rule, count in result.dropped.items())
        click.echo(f"Not followed: {refused}.")
    if result.best:
        click.echo(f"The best pages (a nugget scores {result.threshold:.2f} or more; see --set threshold=):")
        for page in result.best:
            title = shown(title_or_name(page.title, page.url)) or "(no title)"
            click.echo(f"  {page.score:.2f}  {title}\n        {page.url}")
    elif not result.pages:
        click.echo(no_page(result, "Check the addresses to start from, or give others by --seed."))
    else:
        click.echo(
            f"Nothing that was found is about the topic: no page scored {result.threshold:.2f}; try more words, an"
            " --example, other seeds, or --set threshold= lower."
        )
    library = name_of(result.library)
    click.echo(f"Library: {library}")
    if result.interrupted:
        click.echo(f"Go on with: pinakes resume {library}")
    if as_json:
        print_json({**asdict(result), "library": library})
    return exit_code(result)


def no_page(crawl: CrawlResult, advice: str) -> str:
    """Why a crawl came home with nothing at all."""
    why = "; ".join(OUTCOMES.get(name, name).rstrip(".") for name in crawl.outcomes)
    if not why:
        why = "the hosts that were asked are to be asked again later" if crawl.waiting else "nothing was tried"
    return f"No page could be fetched: {why}. {advice}"


def exit_code(crawl: CrawlResult) -> int:
    """130 after Ctrl-C; 1 when not a single page came home, unless somebody stopped the crawl before one could."""
    if crawl.interrupted:
        return 130
    return 1 if not crawl.pages and crawl.stopped != "stopped" else 0
