"""`pinakes label`."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, SHARDS_ON, print_json
from pinakes.core.errors import PinakesError
from pinakes.jobs.rerank import label, rerank

SHOWN = 10


@click.command("label")
@LIBRARY
@click.argument("collection")
@click.option("--good", multiple=True, metavar="URL", help="A page that belongs to the collection; repeats.")
@click.option("--bad", multiple=True, metavar="URL", help="A page that does not; repeats.")
@click.option("--forget", multiple=True, metavar="URL", help="Take a label back; repeats.")
@SHARDS_ON
@JSON
def command(
    library: Path,
    collection: str,
    good: tuple[str, ...],
    bad: tuple[str, ...],
    forget: tuple[str, ...],
    on: str,
    as_json: bool,
) -> None:
    """Teach the judge of COLLECTION by its pages, and rank it anew. Without pages, by the labels it has."""
    try:
        for urls, meant in ((good, True), (bad, False), (forget, None)):
            for url in urls:
                label(library, collection, url, meant)
        done = rerank(library, collection, on=on)
    except LookupError as error:
        raise PinakesError(str(error)) from None
    click.echo(f"{collection}, ranked anew by {done.good} good and {done.bad} bad pages; {done.moved} stand elsewhere:")
    places = {url: rank for rank, url in enumerate(done.before, 1)}
    for rank, url in enumerate(done.after[:SHOWN], 1):
        click.echo(f"{rank:>4}  {_was(places.get(url), rank):<8} {url}")
    if as_json:
        print_json(done)


def _was(before: int | None, now: int) -> str:
    return "(new)" if before is None else "" if before == now else f"(was {before})"
