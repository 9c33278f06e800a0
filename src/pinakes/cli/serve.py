"""`pinakes serve`."""

from __future__ import annotations

import os
import secrets
import shlex
import socket
from contextlib import closing, suppress
from pathlib import Path

import click

from pinakes.cli.options import LIBRARY
from pinakes.config import load as load_settings
from pinakes.core.errors import PinakesError
from pinakes.library.desk import name_of
from pinakes.library.library import Library


@click.command("serve")
@LIBRARY
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; leave it at this"
              " machine unless a proxy guards the way.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="0 is any free one.")
@click.option("--base-url", default="", metavar="URL", help="Where readers find it, when it stands behind a proxy.")
@click.option("--token", default="", metavar="TEXT", envvar="PINAKES_TOKEN", help="Who has it may write; else one is"
              " drawn at each start.")  # fmt: skip
@click.option("--contact", default="", metavar="EMAIL", help="Whom harvesters (OAI-PMH) can write to; else from"
              " pinakes.toml.")  # fmt: skip
@click.option("--job-options", default="", metavar="TEXT", help="Options that every job started in the browser gets,"
              " such as \"--web demo\" or \"--contact me@example.org\".")  # fmt: skip
def command(library: Path, host: str, port: int, base_url: str, token: str, contact: str, job_options: str) -> None:
    """Open LIBRARY in the browser: search and browse it, watch crawls, label pages, start jobs. A new folder becomes an
    empty library."""
    import uvicorn

    from pinakes.serve.app import create_app
    from pinakes.serve.desk import LOOPBACK

    if token and len(token) < 16:
        raise PinakesError("--token is too short to keep anybody out; take 16 characters or more.")
    token = token or secrets.token_urlsafe(24)
    with closing(_listen(host, port)) as listening:
        if not library.exists():  # made only when there is somewhere to show it
            Library(library, write=True, create=True).close()
            click.echo(f"{library} is new and empty.")
        hosts = (*LOOPBACK, *([f"[{host}]" if ":" in host else host] if host not in ("0.0.0.0", "::", "") else ()))
        app = create_app(
            library,
            token,
            base_url=base_url,
            hosts=hosts,
            job_options=shlex.split(job_options),
            contact=contact or load_settings(None).contact,
        )
        shown = base_url.rstrip("/") or f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        click.echo(
            f"Reading {name_of(library)}: {shown}/\n"
            f"To label pages and start jobs: {shown}/?token={token}\nCtrl-C ends it."
        )
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on",
                                proxy_headers=False, timeout_graceful_shutdown=3)  # fmt: skip
        with suppress(KeyboardInterrupt):  # which is how one ends it
            uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise PinakesError(f"{host}:{port} cannot be listened on ({reason}); choose another --port.") from None
    listening.listen(1024)
    return listening
