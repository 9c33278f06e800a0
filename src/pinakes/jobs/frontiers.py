"""Where the links of a crawl wait: beside its catalogue, on this disk or in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from pinakes.frontier.disk import DiskFrontier
from pinakes.frontier.postgres import PostgresFrontier
from pinakes.jobs.webs import Opened
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe

LEASE = 600.0
"""Seconds a worker may keep a link while its connection lives; what a dead one held returns at once."""
SLACK = 0.03
"""Seconds for which a look at the clock and at what others count is good enough."""


def open_frontier(
    library: Library, crawl: int, recipe: Recipe, limit: int | None, opened: Opened
) -> DiskFrontier | PostgresFrontier:
    delay = delay_of(recipe, opened)
    if library.shared is not None:
        shared = library.shared
        delay = opened.delay if delay is None else delay  # all must agree, however many requests each has under way
        frontier = PostgresFrontier(
            shared.raw, crawl, limit=limit, delay=delay, lease=LEASE, worker=shared.worker, slack=SLACK
        )
        shared.plain.before_commit.append(frontier.flush)
        shared.commit()
        return frontier
    table = library.folder / "index" / f"frontier-{crawl:04d}.seen"
    return DiskFrontier(library.connection, crawl, limit=limit, delay=delay, table=table)


def delay_of(recipe: Recipe, opened: Opened) -> float | None:
    if recipe.options.get("batch_hosts"):
        return opened.delay or 0.0  # hosts take turns also on a web that needs no pauses
    if opened.delay == 0 and recipe.options["in_flight"] == 1:
        return None  # one request at a time and no pauses: strictly the strategy's order, as on a frozen web
    return opened.delay


def clock_of(library: Library) -> Callable[[], float]:
    """The clock leases and pauses go by: the database server's, where there is one."""
    if library.shared is None:
        return time
    offset = library.shared.clock_offset
    return lambda: time() + offset
