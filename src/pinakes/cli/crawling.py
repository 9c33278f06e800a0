"""Options of every job that crawls: where it may go, how long and how hard it works, and how it treats the live web."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypedDict

import click

from pinakes.cli.live import LIVE
from pinakes.cli.options import Finite, parameters
from pinakes.cli.scope import SCOPE
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope


class Crawling(TypedDict):
    """What the options say, by the names that the jobs' records of options have for it."""

    parameters: Mapping[str, Any]
    scope: Scope
    seconds: float | None
    random_state: int
    dedup: bool
    traps: bool
    in_flight: int
    processes: int | None
    fresh: float
    live: LiveOptions | None
    new: bool


def _options(in_flight: int) -> list[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    return [
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the strategy or the"
                     " judge, such as threshold; repeats. NAME=@FILE takes it from a file, such as trained weights."),
        SCOPE,
        click.option("--time", "seconds", type=Finite(min=0), help="Stop after this many seconds."),
        click.option("--random-state", type=int, default=0, show_default=True, help="For all that draws lots."),
        click.option("--no-dedup", is_flag=True, help="Do not look for near-duplicates."),
        click.option("--no-traps", is_flag=True, help="Do not guard against endless webs."),
        click.option("--in-flight", type=click.IntRange(min=1), default=in_flight, show_default=True,
                     help="Requests at once (live)."),
        click.option("--processes", type=click.IntRange(min=1), help="Processes that fetch and read pages (live)."
                     " Without it: one a core, up to four, and only this one for small crawls."),
        click.option("--fresh", type=Finite(min=0), default=7.0, show_default=True, metavar="DAYS",
                     help="Take a page from the library, without a request, when it is not older (live)."),
        LIVE,
        click.option("--new", is_flag=True, help="Leave an unfinished crawl of the library and start another."),
    ]  # fmt: skip


def crawling(in_flight: int = 32) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options, and hands the command one `crawling` made of them."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_crawling(
            *,
            settings: tuple[str, ...],
            scope: Scope,
            seconds: float | None,
            random_state: int,
            no_dedup: bool,
            no_traps: bool,
            in_flight: int,
            processes: int | None,
            fresh: float,
            live: LiveOptions | None,
            new: bool,
            **others: Any,
        ) -> Any:
            told = Crawling(
                parameters=parameters(settings),
                scope=scope,
                seconds=seconds,
                random_state=random_state,
                dedup=not no_dedup,
                traps=not no_traps,
                in_flight=in_flight,
                processes=processes,
                fresh=fresh,
                live=live,
                new=new,
            )
            return command(crawling=told, **others)

        for option in reversed(_options(in_flight)):
            with_crawling = option(with_crawling)
        return with_crawling

    return added
