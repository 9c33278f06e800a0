"""What may be given many times, or as `@FILE` with one a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from pinakes.core.errors import PinakesError, unread


def listed(given: Iterable[str], option: str, *, least: int = 1) -> Iterator[str]:
    """What was given, with what files list in their place; what follows a # is a remark, as it is in an address.

    A file that lists fewer than `least` is a mistake: without a place to stay in, all the web would be allowed.
    """
    for text in given:
        if not text.startswith("@"):
            yield text
            continue
        name = text[1:]
        if not name:
            raise PinakesError(f"{option} @ names no file; write {option} @FILE, where FILE has one a line.")
        try:
            lines = Path(name).expanduser().read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise PinakesError(f"{option} {text} is not UTF-8 text: {error}.") from None
        except OSError as error:
            raise unread(f"{option} {text}", error) from None
        found = [one for line in lines if (one := line.partition("#")[0].strip())]
        if len(found) < least:
            raise PinakesError(f"{option} {text} lists nothing; write one a line into the file, or leave it out.")
        yield from found


def _all(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(listed(given, option.opts[0]))


def seeds(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--seed`."""
    return click.option("--seed", "seeds", multiple=True, callback=_all, metavar="URL|@FILE", help=about)
