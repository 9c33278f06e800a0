"""What `pinakes harvest` is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pinakes.jobs.harvest.homepages import HITS
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

PAGES = 20_000
STRATEGY = "anchor-text"


@dataclass(frozen=True, slots=True)
class HarvestOptions:
    """What `pinakes harvest` is told."""

    metadata: tuple[str, ...]
    """What should be there: files or services; several are taken together."""
    into: Path | None = None
    """Not needed for a list."""
    venue: str = ""
    years: str = ""
    holdings: tuple[str, ...] = ()
    list_only: bool = False
    homepages: Path | None = None
    """A table of homepages that are known or corrected by hand."""
    search: bool = True
    """Look for homepages that are not known."""
    hits: int = HITS
    venue_sites: tuple[str, ...] = ()
    around: str = "auto"
    """How much of a homepage's host is crawled: see `places`."""
    held_too: bool = False
    """Look for held papers too, so that recall can be told of all."""
    open_access: bool = False
    web: str = "live"
    strategy: str = STRATEGY
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pages: int | None = PAGES
    seconds: float | None = None
    scope: Scope = field(default_factory=Scope)
    random_state: int = 0
    dedup: bool = True
    traps: bool = True
    live: LiveOptions | None = None
    fresh: float = 7.0
    in_flight: int = 32
    processes: int | None = None
    new: bool = False
