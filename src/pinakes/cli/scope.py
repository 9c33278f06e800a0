"""Options that say where a crawl may go, the same for every job that crawls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from pinakes.cli.lists import listed
from pinakes.core.errors import PinakesError
from pinakes.web.scope import IGNORED_RELS, IGNORED_TYPES, Scope

_OPTIONS = [
    click.option("--allow", multiple=True, metavar="PLACE", help="Stay in this domain, host or directory; repeats."
                 " @FILE has one a line."),
    click.option("--ignore", multiple=True, metavar="PLACE", help="Keep out of it; repeats. @FILE has one a line."),
    click.option("--type", "types", multiple=True, metavar="EXT", help="Fetch only files of this type, and pages;"
                 " repeats."),
    click.option("--ignore-type", "ignore_types", multiple=True, metavar="EXT", help="Never fetch files of this type,"
                 " besides pictures, media, archives and programs; repeats."),
    click.option("--elsewhere", multiple=True, metavar="EXT", help="Fetch files of this type also outside the allowed"
                 " places; repeats."),
    click.option("--match", multiple=True, metavar="REGEX", help="Fetch only addresses it is found in; repeats."),
    click.option("--reject", multiple=True, metavar="REGEX", help="Fetch no address it is found in; repeats."),
    click.option("--ignore-rel", type=click.Choice([*IGNORED_RELS, "nofollow", "none"]), multiple=True,
                 default=IGNORED_RELS, show_default=True, help="Follow no link that is marked so; repeats. `none`:"
                 " follow all."),
    click.option("--depth", type=click.IntRange(min=0), help="Follow at most so many links from a seed."),
    click.option("--per-host", type=click.IntRange(min=1), metavar="N", help="Pages of one host, at most."),
]  # fmt: skip


def SCOPE(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802
    """Adds the options, and hands the command one `scope` made of them."""

    @wraps(command)
    def with_scope(
        *,
        allow: tuple[str, ...],
        ignore: tuple[str, ...],
        types: tuple[str, ...],
        ignore_types: tuple[str, ...],
        elsewhere: tuple[str, ...],
        match: tuple[str, ...],
        reject: tuple[str, ...],
        ignore_rel: tuple[str, ...],
        depth: int | None,
        per_host: int | None,
        **others: Any,
    ) -> Any:
        _agree("--type", types, ignore_types)
        _agree("--elsewhere", elsewhere, ignore_types)
        scope = Scope(
            allow=tuple(listed(allow, "--allow")),
            ignore=tuple(listed(ignore, "--ignore", least=0)),
            types=types,
            ignore_types=(*IGNORED_TYPES, *ignore_types),
            elsewhere=elsewhere,
            match=match,
            reject=reject,
            ignore_rel=tuple(word for word in ignore_rel if word != "none"),
            depth=depth,
            per_host=per_host,
        )
        return command(scope=scope, **others)

    for option in reversed(_OPTIONS):
        with_scope = option(with_scope)
    return with_scope


def _agree(option: str, wanted: Iterable[str], ignored: Iterable[str]) -> None:
    """What is wanted may be one of the types ignored of old, but none that is ignored in the same breath."""
    both = {_type(kind) for kind in wanted} & {_type(kind) for kind in ignored}
    if both:
        kind = min(both)
        raise PinakesError(f"{option} {kind} wants what --ignore-type {kind} refuses; leave one of them out.")


def _type(given: str) -> str:
    return given.strip().lstrip(".").lower()
