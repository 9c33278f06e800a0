"""The loop of a crawl: claim, fetch, settle, judge, ask the strategy, admit, write down, commit.

`docs/architecture.md` tells a page's journey through it in numbered steps. The engine decides nothing about
what is worth fetching; it holds the promise that every link handed out comes home exactly once.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from pinakes.core.flight import Flight
from pinakes.core.gate import Gate, everything, word
from pinakes.core.homecoming import Homecoming, bring, homecoming, refused_hop
from pinakes.core.limits import Limits
from pinakes.core.observing import Observing
from pinakes.core.page import Fetched, Link, Page, Verdict
from pinakes.core.roles import (
    Arrivals,
    Backlinks,
    Border,
    Frontier,
    Judge,
    Lease,
    Ledger,
    Listing,
    Progress,
    Search,
    Strategy,
    Web,
    WritingLate,
)
from pinakes.core.stopwatch import Stopwatch
from pinakes.core.vein import Vein
from pinakes.core.wishes import Wishes, verdict_of

BUDGET = "budget"
FRONTIER_EMPTY = "frontier empty"
TIME = "time"
HOSTS_PARKED = "hosts parked"
INTERRUPTED = "interrupted"
STOPPED = "stopped"
EXHAUSTED = "exhausted"

HOLD = "hold"


class Engine:
    """One crawl, from its seeds or from where a library left off."""

    def __init__(
        self,
        *,
        web: Web,
        frontier: Frontier,
        judge: Judge,
        strategy: Strategy,
        ledger: Ledger,
        limits: Limits,
        backlinks: Backlinks | None = None,
        search: Search | None = None,
        listing: Listing | None = None,
        arrivals: Arrivals | None = None,
        scope: Callable[[Link], str] = everything,
        dedup: bool = True,
        begun: Progress | None = None,
        vein: Vein | None = None,
        watch: Callable[[Progress], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`scope` names why a link is refused (`scope` or `trap`; more after a colon), or answers an empty string. A
        `Border` also hears what comes home, and is asked again before a link is fetched. `arrivals` are pages that
        others fetch, who claim from the same frontier. `begun` and `vein` are where a resumed crawl left off."""
        self.vein = vein or Vein()
        self.web, self.frontier, self.judge, self.strategy, self.ledger = web, frontier, judge, strategy, ledger
        self.limits, self.arrivals = limits, arrivals
        self.dedup, self.watch, self.clock = dedup, watch, clock
        self._observing = Observing(ledger, frontier)
        self._border = scope if isinstance(scope, Border) else None
        self._hop = scope if self._border is None else self._border.hop
        self._late = frontier if isinstance(frontier, WritingLate) else None
        start = begun or Progress()
        self._timed = Stopwatch(start.strategy_seconds)
        self._gate = Gate(frontier, strategy, ledger, scope, self._timed)
        self._wishes = Wishes(
            strategy,
            judge,
            frontier,
            ledger,
            self._gate,
            self._timed,
            backlinks=backlinks,
            search=search,
            listing=listing,
            working=limits.working,
            resumed=begun is not None,
        )
        self._pages, self._nuggets, self._outcomes = start.pages, start.nuggets, Counter(start.outcomes)
        self._before, self._last = start.seconds, start.last
        self._started = time.monotonic()
        self._committed, self._uncommitted = self._started, 0
        self._budget = limits.pages
        self._interrupted = ""
        self._flight = Flight()
        self.brought = 0
        """Links that it brought home itself, others' not counted."""

    @property
    def progress(self) -> Progress:
        seconds = self._before + time.monotonic() - self._started
        return Progress(
            self._pages,
            self._nuggets,
            dict(self._outcomes),
            len(self.frontier),
            self.frontier.leased,
            seconds,
            self._timed.seconds,
            self._last,
        )

    @property
    def under_way(self) -> int:
        """Requests that are."""
        return len(self._flight)

    def interrupt(self, why: str = INTERRUPTED) -> None:
        """Ask the crawl to end at the next safe moment."""
        self._interrupted = why

    def seed(self, links: Sequence[Link]) -> None:
        """Hand the strategy the links to start from."""
        self.ledger.note("seed", [link.url for link in links])
        self._gate.admit(self._timed(self.strategy.seed, links), distance=0)
        self._commit()

    def ask_site(self, page: Page, verdict: Verdict) -> None:
        """Ask the site of a page which pages it has, unless it was asked before; inside the event loop."""
        self._wishes.ask_site(page, verdict)

    async def run(self) -> str:
        """Crawl until something ends it; answers what did."""
        try:
            while True:
                asked = await self._wishes.answer()
                await self._wishes.take_listings(None if self.web.ordered else 0)
                if why := self._ending(asked):
                    break
                self._wishes.reprice(1 if self.web.ordered else self.strategy.batch)
                await (self._turn_ordered() if self.web.ordered else self._turn_live(asked))
                self._commit_if_due()
        finally:
            await self._land()
        self._commit()
        return why

    # -- when to stop ------------------------------------------------------------------------------------------

    def _ending(self, asked: bool) -> str:
        if self._interrupted:
            return self._interrupted
        control = self.ledger.control()
        if control.get("stop"):
            return STOPPED
        self._budget = control.get("pages") or self.limits.pages
        if self._budget is not None and self._pages >= self._budget:
            return BUDGET
        if self.limits.seconds is not None and time.monotonic() - self._started >= self.limits.seconds:
            return TIME
        if self.limits.exhausted and self.vein.exhausted:
            return EXHAUSTED
        if self._flight or self._wishes.listings:
            return ""
        ended: str = getattr(self.strategy, "ended", "")
        if ended:
            return ended
        now = self.clock()
        if not len(self.frontier) and not self.frontier.leased:
            # Whatever others settled has arrived by now: both are one transaction.
            return "" if asked or (self.arrivals is not None and self.arrivals.waiting()) else FRONTIER_EMPTY
        ready = self.frontier.next_ready(now)
        return HOSTS_PARKED if ready is not None and ready - now > self.limits.parked else ""

    def _room(self) -> int:
        """How many links may be claimed now, so that the budget is never overrun."""
        room = self.strategy.batch
        if self.limits.hosts is not None:
            room = 0 if self._flight else self.limits.hosts
        elif not self.web.ordered:
            room = min(room, self.limits.in_flight - len(self._flight))
        if self._budget is not None:
            others = 0 if self.arrivals is None else self.frontier.leased - len(self._flight)
            room = min(room, self._budget - self._pages - len(self._flight) - others)
        return room

    # -- one turn ----------------------------------------------------------------------------------------------

    async def _turn_ordered(self) -> None:
        """Claim a batch, bring all of it home, settle it in claim order: the same crawl every time."""
        if self.ledger.control().get("pause"):
            await asyncio.sleep(0.2)
            return
        came = self._take_arrivals()
        leases = self.frontier.claim(self._room(), self.clock())
        for lease in leases:
            self._arrive(lease, await self._bring(lease.link))
        self._let_go()
        await asyncio.sleep(0 if leases or came or self.arrivals is None else self.limits.look)

    async def _turn_live(self, asked: bool) -> None:
        """Fill the free places and take what has arrived, in the order of arrival."""
        paused = bool(self.ledger.control().get("pause"))
        came = self._take_arrivals()
        while not paused and (room := self._room()) > 0:
            leases = self.frontier.claim(room, self.clock())
            for lease in leases:
                self._flight.send(lease, self._bring(lease.link))
            if not leases or self.limits.hosts is not None:
                break
        if not self._flight and asked:
            return
        self._let_go()
        longest = 1.0 if self.arrivals is None else 0.0 if came else self.limits.look
        if not self._flight:
            ready = self.frontier.next_ready(self.clock())
            await asyncio.sleep(min(longest, max(0.01, (ready or self.clock() + 1.0) - self.clock())))
            return
        await self._flight.wait(longest)
        for lease, fetched in self._flight.arrived():
            self._arrive(lease, fetched)

    async def _land(self) -> None:
        """Let go of what is in flight: its leases return when the crawl is resumed."""
        await self._flight.cancel(self._wishes.listings)
        self._wishes.listings.clear()

    async def _bring(self, link: Link) -> Fetched:
        """Fetch a link, unless the border has learnt better."""
        if self._border is not None and (why := self._border.claim(link)):
            if why != HOLD:
                return Fetched(Page(link, link.url, error=word(why), fetched_at=self.clock()), host_delay=0.0)
            if not self.web.ordered:  # where no host is ever busy, none stands in another's way
                page = Page(link, link.url, error=HOLD)
                return Fetched(page, retry_at=self.clock(), host_delay=self.limits.held)
        return await bring(self.web, link, self._refuse_hop)

    def _refuse_hop(self, link: Link) -> str:
        return refused_hop(link, self.limits.hops, self.frontier.known) or word(self._hop(link))

    # -- coming home -------------------------------------------------------------------------------------------

    def _arrive(self, lease: Lease, fetched: Fetched) -> None:
        home = homecoming(lease.link, fetched, self.frontier.known)
        self._gate.forget(home.url)
        in_time = self.frontier.settle(
            lease.token, home.outcome, self.clock(), home.url, fetched.retry_at, fetched.host_delay
        )
        if not self.web.ordered:
            self._observing.settled(lease.link.url, self.clock())
        if in_time and not fetched.retry_at:
            self.brought += 1
            self._take_home(fetched, home)

    def _take_home(self, fetched: Fetched, home: Homecoming) -> None:
        """A link's lease was settled, here or elsewhere: go on with where it leads, or deliver its page."""
        if home.onward:
            self.ledger.forward(fetched)
            self._gate.forwarded[home.page.link.url] = home.page.link.origin
            self._gate.let_in([home.page.link])
            return
        if home.waited:
            self._gate.drop([home.url], "visited")
        self._deliver(replace(fetched, hop="") if fetched.hop else fetched, home.page)

    def _take_arrivals(self) -> bool:
        """What workers elsewhere brought home, in the order of arrival; true when there was something."""
        if self.arrivals is None:
            return False
        left = self.limits.commit_pages
        if self._budget is not None:
            left = min(left, self._budget - self._pages)
        found = self.arrivals.take(left)
        for fetched, waited in found:
            page = fetched.page
            if fetched.hop:
                home = homecoming(page.link, fetched, self.frontier.known)
            else:
                home = Homecoming(page, page.outcome, page.url, waited=waited)
            self._take_home(fetched, home)
        return bool(found)

    def _deliver(self, fetched: Fetched, page: Page) -> None:
        """Judge a page that came home for good, tell the strategy, admit what it wants, write all of it down."""
        twin = self.ledger.twin(page, fetched.digest) if self.dedup and not page.error else None
        if twin is not None:
            page = replace(page, error="duplicate", links=tuple(self.ledger.lacking(page, twin)))
        if "nofollow" in page.robots:
            page = replace(page, links=())
        verdict = verdict_of(self.judge, page)
        self._outcomes[page.outcome] += 1
        if page.readable:
            self._pages += 1
            self._nuggets += verdict.nugget
            self.vein.add(verdict.nugget)
        self._last = page.url
        self._gate.forwarded.pop(page.link.url, None)
        self.ledger.deliver(fetched, page, verdict, twin)
        if self._border is not None:
            self._border.visit(page, verdict)
        self._wishes.visit(page, verdict)
        if page.readable:
            self.ask_site(page, verdict)
        self._uncommitted += 1
        self._wishes.delivered()
        self._observing.grown(self._pages, lambda: self.progress)
        if self.watch:
            self.watch(self.progress)

    # -- durability --------------------------------------------------------------------------------------------

    def _commit_if_due(self) -> None:
        late = time.monotonic() - self._committed >= self.limits.commit_seconds
        if self._uncommitted >= self.limits.commit_pages or (late and (self._uncommitted or self._flight)):
            self._commit()

    def _let_go(self) -> None:
        """Others wait for what this turn has locked, so that it must be committed before the next."""
        if self.arrivals is not None and self._uncommitted:
            self._commit()
        elif self.arrivals is not None:
            self.arrivals.rest()

    def _commit(self) -> None:
        if self._late is not None:
            self._late.flush()
        self._observing.committing()
        self.ledger.commit(self.progress, self.strategy, self._border, self.judge)
        self._committed, self._uncommitted = time.monotonic(), 0
