"""`pinakes web info`, `pinakes web build` and `pinakes web serve`."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.cli.progress import CrawlProgress
from pinakes.core.counting import count_of


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
        if value not in ("", (), [], {}):
            click.echo(f"{name.replace('_', ' '):>13}: {_words(name, value)}")
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
    click.echo(
        f"{built.web}: {count_of(built.pages, 'page')}, {built.bytes / 1e6:,.1f} MB. Crawl it with --web {built.web}"
    )
    if as_json:
        print_json(built)


@command.command("serve")
@click.argument("web")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="For HTTP and HTTPS alike;"
              " 0 is any free one.")  # fmt: skip
@click.option("--https-port", type=click.IntRange(0, 65535), help="A second port, for clients that want HTTPS apart.")
@click.option("--ca", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where to write the"
              " certificate that vouches for all hosts; by default a file that goes at the end.")  # fmt: skip
@click.option("--no-https", is_flag=True, help="Speak HTTP only.")
@JSON
def serve(web: str, port: int, https_port: int | None, ca: Path | None, no_https: bool, as_json: bool) -> None:
    """Serve the recorded WEB over HTTP and HTTPS on the loopback, all its hosts as they answered, until Ctrl-C."""
    from pinakes.jobs.web_serve import ServeOptions, Serving, serve_web

    options = ServeOptions(web, port, https_port, ca, https=not no_https)

    def tell(served: Serving) -> None:
        shown.close()
        also = f" and {served.https_port}" if served.https_port not in (0, served.port) else ""
        click.echo(f"Serving {web} on 127.0.0.1, port {served.port}{also}. Ctrl-C ends it. Crawl it with:")
        click.echo(f"  pinakes crawl {shlex.join(served.options)} …")

    with ExitStack() as shown:
        progress = shown.enter_context(CrawlProgress(None))
        result = serve_web(options, started=tell, indexing=progress.indexing)
    click.echo(
        f"Answered {count_of(result.requests, 'request')}, {result.missing:,} of them for what the web does not have."
    )
    if as_json:
        print_json(result)


def _words(name: str, value: object) -> str:
    if name in ("first", "last") and isinstance(value, float):
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(value))
    if name == "size" and isinstance(value, int):
        return f"{value / 1e6:,.1f} MB"
    if isinstance(value, dict):
        return ", ".join(f"{name or 'unknown'} {count:,}" for name, count in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
