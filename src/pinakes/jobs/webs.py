"""Which web a job works on: `demo`, a recorded one, or the live one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.web.frozen import FrozenWeb


def open_web(
    name: str,
    *,
    records: bool = True,
    first_bytes: int | None = None,
    indexing: Callable[[int, int], None] | None = None,
) -> FrozenWeb:
    """Open a web by the name a person gives after `--web`. `indexing` hears how far a first indexing has come."""
    if name == "live":
        raise PinakesError(
            "This version of Pinakes crawls recorded webs only; name one with --web FILE.warc.gz, or try --web demo."
        )
    return FrozenWeb(web_path(name), records=records, first_bytes=first_bytes, progress=indexing)


def web_path(name: str) -> Path:
    """The file or folder behind the name of a recorded web."""
    if name == "demo":
        from pinakes import demo

        return demo.path("web.warc.gz")
    return Path(name).expanduser()
