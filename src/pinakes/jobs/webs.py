"""Which web a job works on: `demo`, a recorded one, or the live one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.web.frozen import FrozenWeb

Indexing = Callable[[str, int, int], None]
"""Hears the stage of a first indexing, how much of it is done, and how much there is."""


def quietly(stage: str, done: int, total: int) -> None: ...


def open_web(
    name: str,
    *,
    records: bool = True,
    first_bytes: int | None = None,
    indexing: Indexing | None = None,
) -> FrozenWeb:
    """Open a web by the name a person gives after `--web`."""
    if name == "live":
        raise PinakesError(
            "This version of Pinakes crawls recorded webs only; name one with --web FILE.warc.gz, or try --web demo."
        )
    return FrozenWeb(web_path(name), records=records, first_bytes=first_bytes, watch=indexing or quietly)


def web_path(name: str) -> Path:
    """The file or folder behind the name of a recorded web."""
    if name == "demo":
        from pinakes import demo

        return demo.path("web.warc.gz")
    return Path(name).expanduser()
