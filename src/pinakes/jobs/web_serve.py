"""Serve a frozen web over real HTTP and HTTPS, so that anything that crawls the live web can crawl it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pinakes.jobs.running import on_interrupt
from pinakes.jobs.webs import Indexing, open_frozen, quietly
from pinakes.web.serve import Serving, serving

__all__ = ["ServeOptions", "ServeResult", "Serving", "serve_web"]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What `pinakes web serve` is told."""

    web: str
    port: int = 8000
    """0 is any free one."""
    https_port: int | None = None
    """HTTPS is spoken on `port` too; this is a second one."""
    ca: Path | None = None
    """Where to write the certificate that vouches for all hosts."""
    https: bool = True


@dataclass(frozen=True, slots=True)
class ServeResult:
    """How a server did."""

    web: str
    requests: int
    missing: int
    bytes: int
    seconds: float


def serve_web(
    options: ServeOptions,
    *,
    started: Callable[[Serving], None],
    until: threading.Event | None = None,
    indexing: Indexing = quietly,
) -> ServeResult:
    """Serve until Ctrl-C, SIGTERM or `until` is set; `started` hears where."""
    ended = until or threading.Event()
    web = open_frozen(options.web, records=False, indexing=indexing)
    begun = time.monotonic()
    with (
        on_interrupt(ended.set),
        serving(web, port=options.port, https_port=options.https_port, ca=options.ca, https=options.https) as served,
    ):
        started(served)
        ended.wait()
        counts = served.counts
    return ServeResult(options.web, counts.requests, counts.missing, counts.bytes, time.monotonic() - begun)
