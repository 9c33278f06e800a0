"""A harvest that has not begun to crawl: what it was told is kept in the library, so that `pinakes resume` goes on
with the search for homepages where a power cut ended it."""

from __future__ import annotations

import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec

from pinakes.jobs.harvest.asking import is_service
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.webs import live_from_plain, live_to_plain
from pinakes.library.library import Library
from pinakes.web.scope import Scope

FILE = Path("recipes") / "harvest-begun.json"


def note_pending(options: HarvestOptions) -> None:
    """Keep what a harvest was told, files by their full names."""
    assert options.into is not None
    plain = {one.name: getattr(options, one.name) for one in fields(options)}
    plain |= {
        "metadata": [_full(name) for name in options.metadata],
        "holdings": [_full(name) for name in options.holdings],
        "homepages": str(options.homepages.expanduser().resolve()) if options.homepages else None,
        "web": options.web if options.web in ("live", "demo") else _full(options.web),
        "scope": options.scope.plain(),
        "live": live_to_plain(options.live),
        "into": None,
        "noted": time.time(),
    }
    path = options.into / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.encode(plain))
    part.replace(path)


def pending(folder: Path) -> HarvestOptions | None:
    """The harvest that was looking for homepages when it ended; None where there is none."""
    try:
        plain: dict[str, Any] = msgspec.json.decode((folder / FILE).read_bytes())
        noted = float(plain.pop("noted"))
        with Library(folder) as library:
            crawls = library.crawls()
        if crawls and crawls[-1].started >= noted:
            return None  # it has begun to crawl, and its recipe says the rest
        given = {
            **plain,
            "metadata": tuple(plain["metadata"]),
            "holdings": tuple(plain["holdings"]),
            "venue_sites": tuple(plain["venue_sites"]),
            "homepages": Path(plain["homepages"]) if plain["homepages"] else None,
            "scope": Scope.read(plain["scope"]),
            "live": live_from_plain(plain["live"]),
        }
        return replace(HarvestOptions(**given), into=folder)
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None


def forget_pending(folder: Path) -> None:
    (folder / FILE).unlink(missing_ok=True)


def _full(name: str) -> str:
    here = Path(name).expanduser()
    return name if name.startswith("demo:") or (is_service(name) and not here.exists()) else str(here.resolve())
