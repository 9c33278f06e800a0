"""One worker of a crawl on many machines: claim, fetch, read, file, settle.

It keeps nothing that others need: whatever becomes of it, its links return and others go on.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from pinakes.core.engine import HOLD
from pinakes.core.homecoming import bring, homecoming, refused_hop
from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Lease
from pinakes.frontier.postgres import PostgresFrontier, Settlement
from pinakes.jobs.arrivals import arrive
from pinakes.jobs.borders import open_border
from pinakes.jobs.frontiers import clock_of, open_frontier
from pinakes.jobs.webs import Opened
from pinakes.library.ledger import SEGMENT, file_exchange
from pinakes.library.library import Crawl, Library
from pinakes.library.postgres import in_the_way
from pinakes.library.recipe import Recipe

LOOK = 0.05
"""Seconds between two looks for something to fetch, while there is nothing."""
PERIOD = 0.1
"""Seconds between two transactions, while there is something to fetch."""
CHECK = 1.0
"""Seconds between two looks at whether the crawl goes on and somebody decides."""
BEHIND = 25
"""While so many pages wait to be decided on, nothing more is claimed: the best links may be theirs."""
NEAR = 100
"""When so few pages of the budget are left, besides twice what is under way, workers claim one after the other, so that
none are fetched in vain."""
HOPS = 10
BUDGET = 0x506970
"""Of the advisory lock under which the last of a budget is claimed."""
VACANT = "nobody decides"
INTERRUPTED = "interrupted"


class Worker:
    """One crawl's links, a few at a time."""

    def __init__(self, library: Library, crawl: Crawl, recipe: Recipe, opened: Opened, in_flight: int) -> None:
        assert library.shared is not None
        self._library, self._shared, self._crawl, self._recipe = library, library.shared, crawl.id, recipe
        self._web, self._in_flight = opened.web, in_flight
        self._clock = clock_of(library)
        frontier = open_frontier(library, crawl.id, recipe, None, opened)
        assert isinstance(frontier, PostgresFrontier)
        self._frontier = frontier
        self._border = open_border(recipe.options, opened, frontier)
        self._snapshot = ""
        self._flight: dict[asyncio.Task[Fetched], Lease] = {}
        # Claimed ahead, so that a request begins when another ends, and not only after the next claim.
        self._next: deque[Lease] = deque()
        self._checked = self._going = 0.0
        self.pages = 0
        # Who settles gives way: whoever decides may hold for a while what it needs.
        self._shared.raw.execute("SET lock_timeout = '250ms'")
        self._shared.commit()

    async def run(self, interrupted: Callable[[], bool]) -> str:
        """Work until something ends it; answers what did."""
        try:
            while True:
                if interrupted():
                    return INTERRUPTED
                why, pause = self._state()
                if why:
                    return why
                if not pause:
                    self._claim()
                if came := await self._fetch():
                    await self._settle(came)
                elif not self._flight:
                    await asyncio.sleep(LOOK)
        finally:
            for task in self._flight:
                task.cancel()
            await asyncio.gather(*self._flight, return_exceptions=True)
            if not self._shared.raw.broken:
                self._leave()

    # -- claim -------------------------------------------------------------------------------------------------

    def _state(self) -> tuple[str, bool]:
        """Why to stop, if there is a reason; and whether to pause."""
        now, pause = time.monotonic(), bool(self._library.control.wishes(self._crawl).get("pause"))
        if now - self._checked < CHECK:
            return "", pause
        self._checked = now
        row = self._shared.raw.execute("SELECT stopped FROM crawls WHERE id = %s", (self._crawl,)).fetchone()
        decided = self._shared.decided()
        self._learn()
        self._shared.tell(in_flight=self._under_way())
        self._shared.commit()
        if row and row[0]:
            return str(row[0]), pause
        return "" if decided else VACANT, pause

    def _claim(self) -> None:
        room = 2 * self._in_flight - len(self._flight) - len(self._next)
        if room <= 0:
            return
        try:
            # A claim lost with the server's last moments is no loss: its token is late, and the link waits again.
            self._shared.raw.execute("SET LOCAL synchronous_commit = off")
            leases = self._frontier.claim(min(room, self._left()), self._clock())
            if leases:
                self._shared.tell(in_flight=self._under_way(len(leases)), claims=len(leases))
            self._shared.commit()
        except in_the_way():
            self._roll_back()
            return
        self._next += leases

    def _under_way(self, more: int = 0) -> int:
        """How many requests are, as soon as what is claimed has begun."""
        return min(self._in_flight, len(self._flight) + len(self._next) + more)

    def _left(self) -> int:
        """How many pages may be claimed, by the budget and by how far the deciding is behind."""
        spent, undecided = self._standing()
        if undecided >= BEHIND:
            return 0
        budget = self._library.control.wishes(self._crawl).get("pages") or self._recipe.options["pages"]
        if budget is None:
            return 1 << 30
        left = int(budget) - spent
        if left < NEAR + 2 * self._frontier.leased:
            self._shared.raw.execute("SELECT pg_advisory_xact_lock(%s, %s)", (BUDGET, self._crawl))
            left = int(budget) - self._standing()[0]
        return left

    def _standing(self) -> tuple[int, int]:
        """How many pages of the budget are spoken for, and how many pages nobody has decided on yet."""
        row = self._shared.raw.execute(
            "SELECT crawls.pages + count(arrived.id) FILTER (WHERE readable), count(arrived.id) FROM crawls"
            " LEFT JOIN arrived ON arrived.crawl = crawls.id WHERE crawls.id = %s GROUP BY crawls.id",
            (self._crawl,),
        ).fetchone()
        pages, undecided = row or (0, 0)
        return pages + self._frontier.leased, undecided

    def _learn(self) -> None:
        """Take over what the border of whoever decides had learnt when it was last written down."""
        row = self._shared.raw.execute("SELECT xmin::text FROM snapshots WHERE crawl = %s", (self._crawl,)).fetchone()
        if row is None or row[0] == self._snapshot:
            return
        self._snapshot = row[0]
        sql = "SELECT (state::json -> 'border')::text FROM snapshots WHERE crawl = %s"
        state: Any = self._shared.raw.execute(sql, (self._crawl,)).fetchone()
        if state and state[0] and (learnt := msgspec.json.decode(state[0])) is not None:
            self._border.restore(learnt)

    # -- fetch -------------------------------------------------------------------------------------------------

    async def _fetch(self) -> list[tuple[Lease, Fetched]]:
        """Keep the requests under way for a while; what came home meanwhile is settled together."""
        came: list[tuple[Lease, Fetched]] = []
        until = time.monotonic() + PERIOD
        while True:
            while self._next and len(self._flight) < self._in_flight:
                lease = self._next.popleft()
                self._flight[asyncio.create_task(self._bring(lease.link))] = lease
            left = until - time.monotonic()
            if not self._flight or left <= 0:
                return came
            done, _ = await asyncio.wait(self._flight, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            came += [(self._flight.pop(task), task.result()) for task in done]

    async def _bring(self, link: Link) -> Fetched:
        why = self._border.claim(link).partition(":")[0]
        if why and why != HOLD:
            return Fetched(Page(link, link.url, error=why, fetched_at=time.time()), host_delay=0.0)
        return await bring(self._web, link, self._refuse)

    def _refuse(self, link: Link) -> str:
        return refused_hop(link, HOPS, self._frontier.known) or self._border.hop(link).partition(":")[0]

    # -- settle ------------------------------------------------------------------------------------------------

    async def _settle(self, came: list[tuple[Lease, Fetched]]) -> None:
        """End leases and let their pages arrive, in one transaction, again and again if others are in the way."""
        while True:
            try:
                self._bring_in(came)
                return
            except in_the_way():
                self._roll_back()
                await asyncio.sleep(random.uniform(0.01, 0.05))

    def _bring_in(self, came: list[tuple[Lease, Fetched]]) -> None:
        shared, frontier, archive = self._shared, self._frontier, self._shared.archive
        homes = [homecoming(lease.link, fetched, frontier.known) for lease, fetched in came]
        ends = [
            Settlement(lease.token, home.outcome, home.url, fetched.retry_at, fetched.host_delay)
            for (lease, fetched), home in zip(came, homes, strict=True)
        ]
        taken = frontier.settle_all(ends, self._clock())
        pages = 0
        for (_, fetched), home, in_time in zip(came, homes, taken, strict=True):
            if in_time and not fetched.retry_at:
                filed = file_exchange(fetched, home.page, self._library.archive, self._library.shelf)
                arrive(self._library, self._crawl, fetched, home, filed if fetched.record else None)
                pages += 1
        self._library.connection.executemany(SEGMENT, archive.flush())
        shared.tell(pages, self._under_way())
        shared.commit()
        archive.keep()
        self.pages += pages

    def _leave(self) -> None:
        """Give back what is in hand."""
        self._roll_back()
        self._shared.raw.execute("SET lock_timeout = '5s'")
        self._frontier.release(self._shared.worker, self._clock())
        self._shared.raw.execute(
            "UPDATE workers SET left_at = %s, in_flight = 0 WHERE id = %s", (time.time(), self._shared.worker)
        )
        self._shared.commit()

    def _roll_back(self) -> None:
        self._shared.raw.rollback()
        self._shared.archive.rewind()
        self._frontier.forget()
