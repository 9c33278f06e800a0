"""Where a crawl may go: the border made from a recipe, and what it turned away."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pinakes.core.roles import Frontier
from pinakes.jobs.webs import Opened
from pinakes.library.library import Library
from pinakes.web.border import Border
from pinakes.web.frozen import FrozenWeb
from pinakes.web.scope import Scope
from pinakes.web.traps import TrapLimits, Traps


def open_border(options: Mapping[str, Any], opened: Opened, frontier: Frontier) -> Border:
    """The border of a crawl with these options of a recipe. Dates are ahead of today or, on a recorded web, of the day
    it was recorded. Where hosts take no turns none can have too many, and the strategy's order is left alone."""
    traps = None
    if options.get("traps", True):
        today = opened.web.info().last if isinstance(opened.web, FrozenWeb) else time.time()
        traps = Traps(
            today,
            TrapLimits() if opened.delay else TrapLimits(share=1.0),
            others_waiting=lambda host: frontier.others_waiting(host, time.time()),
        )
    return Border(Scope.read(options["scope"]), traps)


def turned_away(library: Library, crawl: int) -> dict[str, int]:
    """How often each rule refused a link of a crawl: `scope:type`, `trap:calendar`, `evicted`, …"""
    sql = "SELECT why, count(*) FROM drops WHERE crawl = ? GROUP BY why ORDER BY count(*) DESC, why"
    return dict(library.connection.execute(sql, (crawl,)))
