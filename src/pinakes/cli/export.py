"""`pinakes export`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.core.errors import PinakesError
from pinakes.jobs.export import FORMATS, ExportOptions, export


@click.command("export")
@LIBRARY
@click.option("--format", "name", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option("--collection", default="", metavar="NAME", help="Only this collection, best pages first.")
@click.option("--papers", is_flag=True, help="Only the papers that harvests found, each once.")
@click.option("--since", default="", metavar="DATE", help="Only pages captured on that day or later (2026-03-31).")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Where to; else the screen.")
@JSON
def command(
    library: Path, name: str, collection: str, papers: bool, since: str, output: Path | None, as_json: bool
) -> None:
    """Write LIBRARY, a collection of it, its papers, or what is new in it, in a format of other programs."""
    if as_json and output is None:
        raise PinakesError("--json needs --output FILE, since the export itself would go to the screen.")
    done = export(ExportOptions(library, name, output, collection, since, papers))
    if not done.pages:
        within = f" in {collection}" if collection else ""
        new = f" that is new since {since}" if since else ""
        click.echo(f"pinakes: There is nothing{within}{new} to write; see `pinakes status {library}`.", err=True)
    if output is not None:
        click.echo(f"{done.pages:,} {'papers' if papers else 'pages'}: {done.output}")
    if as_json:
        print_json(asdict(done))
