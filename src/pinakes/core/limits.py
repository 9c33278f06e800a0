"""What bounds a crawl."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a crawl."""

    pages: int | None = None
    seconds: float | None = None
    in_flight: int = 16
    hops: int = 10
    """Redirects followed for one link."""
    working: int = 50_000
    """How many waiting links a strategy reprices at once."""
    parked: float = 1800.0
    """When no host is ready for this long, the crawl ends as `hosts parked`; less than a host is parked for."""
    held: float = 10.0
    """Seconds a host rests that should wait until others have had their turn."""
    exhausted: bool = False
    """End when hardly anything comes home any more of what is wanted."""
    hosts: int | None = None
    """Claim batches of so many links, each from another host, and bring all of one home before the next (002 §3.4)."""
    look: float = 0.05
    """Seconds between two looks at what others brought home."""
    commit_pages: int = 256
    commit_seconds: float = 1.0
