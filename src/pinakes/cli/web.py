"""`pinakes web info` and `pinakes web build`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.cli.progress import CrawlProgress


@click.group("web")
def command() -> None:
    """Recorded webs: a WARC file or folder that can be crawled, searched and asked for back-links, offline."""


@command.command("info")
@click.argument("web")
@JSON
def info(web: str, as_json: bool) -> None:
    """What the recorded WEB (a WARC file or folder, or `demo`) holds. The first time, it is indexed."""
    from pinakes.jobs.webs import open_frozen

    with CrawlProgress(None) as progress:
        found = open_frozen(web, indexing=progress.indexing).info()
    for name, value in asdict(found).items():
        click.echo(f"{name:>10}: {_words(value)}")
    if as_json:
        print_json(found)


@command.command("build")
@LIBRARY
@click.argument("target", type=click.Path(path_type=Path))
@JSON
def build(library: Path, target: Path, as_json: bool) -> None:
    """Make TARGET, a WARC file that is a web, from everything LIBRARY's crawls were answered."""
    from pinakes.jobs.web_build import build_web

    built = build_web(library, target)
    click.echo(f"{built.web}: {built.pages:,} pages, {built.bytes / 1e6:,.1f} MB. Crawl it with --web {built.web}")
    if as_json:
        print_json(built)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count:,}" for name, count in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
