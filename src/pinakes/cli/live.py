"""Options for the live web, the same for every job that crawls it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec

from pinakes import config
from pinakes.cli.options import Finite
from pinakes.services.backlinks.sources import LINKS, OFF
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

_OPTIONS = [
    click.option("--contact", default="", metavar="MAIL", help="Whom sites can write to; else from pinakes.toml."),
    click.option("--config", "config_file", type=click.Path(path_type=Path), help="Another pinakes.toml."),
    click.option("--search", "search_name", default="", metavar="NAME",
                 help="A search engine of pinakes.toml; needed only where there are several."),
    click.option("--delay", type=Finite(min=0), default=2.0, show_default=True,
                 help="Least seconds between two requests to a host."),
    click.option("--share-delay", type=click.Choice(["host", "address"]), default="host", show_default=True,
                 help="Whose pause it is: hosts behind one address may share one."),
    click.option("--render", is_flag=True, help="Look at pages that are empty without JavaScript in a browser."),
    click.option("--allow-private", is_flag=True, help="Let private addresses be asked (tests, intranets)."),
    click.option("--resolve", multiple=True, metavar="HOST=IP:PORT", help="Connect there instead; `*` for all hosts."),
    click.option("--ca", type=click.Path(path_type=Path), help="A file of certificates to trust besides the system's."),
]  # fmt: skip


def LIVE(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802
    """Adds the options, and hands the command one `live` made of them when it works on the live web."""

    @wraps(command)
    def with_live(
        *,
        web: str,
        contact: str,
        config_file: Path | None,
        delay: float,
        share_delay: str,
        render: bool,
        allow_private: bool,
        resolve: tuple[str, ...],
        ca: Path | None,
        search_name: str,
        **others: Any,
    ) -> Any:
        live = None
        if web == "live":
            settings = config.load(config_file)
            limits = settings.limits
            for name, given in (("--allow-private", allow_private), ("--resolve", resolve), ("--ca", ca)):
                if given:
                    click.echo(f"pinakes: {name} is for tests and intranets; mind what you crawl.", err=True)
            live = LiveOptions(
                contact=contact or settings.contact,
                # Who wants no pause gets none, however long answers take.
                pace=Pace(delay=delay) if delay else Pace(delay=0.0, patience=0.0),
                timeouts=Timeouts(limits.timeout, limits.timeout, limits.timeout, limits.total),
                limit=limits.largest,
                first_bytes=others.get("first_bytes"),
                allow_private=allow_private,
                resolve=resolve,
                ca=ca,
                proxy=settings.proxy,
                logins=settings.logins,
                search=_engine(settings, search_name),
                services={name: _plain(name, section) for name, section in settings.services.items()},
                render=render,
                share_delay=share_delay == "address",
                random_state=others.get("random_state", 0),
            )
        return command(web=web, live=live, **others)

    for option in reversed(_OPTIONS):
        with_live = option(with_live)
    return with_live


def _engine(settings: config.Config, name: str) -> dict[str, str]:
    """The search engine as a crawl keeps it, without its key; the only one there is needs no naming."""
    if not name and len(settings.search) == 1:
        name = next(iter(settings.search))
    return {"name": name, **msgspec.to_builtins(settings.engine(name))} if name else {}


def _plain(name: str, section: config.Service) -> dict[str, str | float]:
    """A section as a crawl keeps it; a link file by its full path, so that the crawl can be resumed from elsewhere."""
    url = section.url
    if name == LINKS and url not in ("", OFF):
        url = str(Path(url).expanduser().resolve())
    return {"url": url, "key_env": section.key_env, "mailto": section.mailto, "budget": section.budget}
