"""`pinakes search`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.cli.progress import StageProgress
from pinakes.core.counting import count_of
from pinakes.formats.item import title_or_name
from pinakes.jobs.search import Found, SearchResult, search

FACETS_SHOWN = 6


# A word that is not wanted begins like an option; `-h` might be the beginning of one.
@click.command("search", context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@LIBRARY
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(0, 1000), default=10, show_default=True, metavar="N",
              help="Pages to show.")  # fmt: skip
@click.option("--offset", type=click.IntRange(0, 1000), default=0, metavar="N", help="Pages to leave out before them.")
@JSON
def command(library: Path, query: tuple[str, ...], limit: int, offset: int, as_json: bool) -> None:
    """Full-text search in LIBRARY: words, "exact phrases", site: topic: type: lang: title:, -without, OR."""
    with StageProgress() as progress:
        found = search(
            library, " ".join(query), limit, offset, lambda done, total: progress.watch("pages", done, total)
        )
    _show(found, offset)
    if as_json:
        print_json(asdict(found))


def _show(found: SearchResult, offset: int) -> None:
    if found.relaxed:
        click.echo("No page holds all of that; these hold some of it.")
    pages = count_of(found.total, "page") if found.total else "No page"
    click.echo(f"{pages} for {found.query} ({found.seconds * 1000:.0f} ms).")
    for hit in found.hits:
        _hit(hit)
    shown = offset + len(found.hits)
    if found.hits and shown < found.total:
        click.echo(f"\n{found.total - shown:,} more: --offset {shown} shows the next, --limit N more at once.")
    for name, values in found.facets.items():
        if len(values) > 1:
            told = ", ".join(f"{value or '?'} {count:,}" for value, count in values[:FACETS_SHOWN])
            click.echo(f"{'by ' + name:>12}: {told}")


def _hit(hit: Found) -> None:
    facts = " · ".join(filter(None, (hit.type, hit.language, hit.date, ", ".join(hit.topics))))
    title = click.style(title_or_name(hit.title, hit.url) or "(no title)", bold=True)
    click.echo(f"\n{hit.rank:3}. {title}\n     {hit.url}\n     {facts}")
    if hit.snippet:
        shown, at = "", 0
        for begin, end in hit.marks:
            shown += hit.snippet[at:begin] + click.style(hit.snippet[begin:end], bold=True)
            at = end
        click.echo(f"     {shown}{hit.snippet[at:]}")
