"""The loop of a crawl: claim, fetch, settle, judge, ask the strategy, admit, write down, commit.

`docs/architecture.md` tells a page's journey through it in numbered steps. The engine decides nothing about
what is worth fetching; it holds the promise that every link handed out comes home exactly once.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pinakes.core.homecoming import Homecoming, bring, homecoming, refused_hop
from pinakes.core.observing import Observing
from pinakes.core.page import Fetched, Link, Page, Verdict, distance_of
from pinakes.core.roles import (
    Arrivals,
    Ask,
    Asking,
    Backlinks,
    Border,
    Dropping,
    Frontier,
    Judge,
    Lease,
    Ledger,
    Listed,
    Listing,
    Progress,
    Repricing,
    Revisiting,
    Search,
    Strategy,
    Web,
    WritingLate,
)
from pinakes.core.vein import Vein

BUDGET = "budget"
FRONTIER_EMPTY = "frontier empty"
TIME = "time"
HOSTS_PARKED = "hosts parked"
INTERRUPTED = "interrupted"
STOPPED = "stopped"
EXHAUSTED = "exhausted"

HOLD = "hold"
_REFUSED = 1 << 15


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


def _word(why: str) -> str:
    """The kind of a refusal, without the rule behind it."""
    return why.partition(":")[0]


def with_links(page: Page, urls: Iterable[str]) -> Page:
    """A page brought home again with other links than its own: those its site lists."""
    depth = page.link.depth + 1
    links = tuple([Link(url, parent=page.url, depth=depth, rel="sitemap") for url in urls])
    return replace(page, links=links, revisit=True)


def everything(link: Link) -> str:
    """The scope that refuses nothing."""
    return ""


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
        self.limits, self.backlinks, self.search, self.scope = limits, backlinks, search, scope
        self.arrivals = arrivals
        self.dedup, self.watch, self.clock = dedup, watch, clock
        self._observing = Observing(ledger, frontier)
        self._border = scope if isinstance(scope, Border) else None
        self._hop = scope if self._border is None else self._border.hop
        self._offered = (lambda links: list(map(scope, links))) if self._border is None else self._border.offered
        self._late = frontier if isinstance(frontier, WritingLate) else None
        self._repricing = strategy if isinstance(strategy, Repricing) else None
        self._dropping = strategy if isinstance(strategy, Dropping) else None
        self._asking = strategy if isinstance(strategy, Asking) else None
        # A strategy that asks for pages again makes of a page brought a second time what it will.
        self._listing = None if isinstance(strategy, Revisiting) else listing
        self._listings: dict[asyncio.Task[Listed], tuple[Page, Verdict]] = {}
        start = begun or Progress()
        self._pages, self._nuggets, self._outcomes = start.pages, start.nuggets, Counter(start.outcomes)
        self._before, self._strategy_seconds, self._last = start.seconds, start.strategy_seconds, start.last
        self._started = time.monotonic()
        self._committed, self._uncommitted = self._started, 0
        # Prices set by `reprice` are not kept on disk, so a resumed crawl asks for all of them first.
        self._unpriced, self._resumed = 1 << 30, begun is not None
        self._budget = limits.pages
        self._interrupted = ""
        self._flight: dict[asyncio.Task[Fetched], Lease] = {}
        self._home: deque[asyncio.Task[Fetched]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        # Refused links that were written down, and why: whoever does not hear of them need not be told each time.
        self._refused: dict[str, str] = {}
        # Where links wait that were redirected to another host, and the address the strategy knows each by.
        self._forwarded: dict[str, str] = {}
        if begun is not None and (self._repricing or self._dropping):
            self._forwarded = {link.url: link.origin for link in frontier.best(limits.working) if link.via}

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
            self._strategy_seconds,
            self._last,
        )

    def interrupt(self, why: str = INTERRUPTED) -> None:
        """Ask the crawl to end at the next safe moment."""
        self._interrupted = why

    def seed(self, links: Sequence[Link]) -> None:
        """Hand the strategy the links to start from."""
        self.ledger.note("seed", [link.url for link in links])
        self._admit(self._timed(self.strategy.seed, links), distance=0)
        self._commit()

    def ask_site(self, page: Page, verdict: Verdict) -> None:
        """Ask the site of a page which pages it has, unless it was asked before; inside the event loop."""
        if self._listing is not None and self._listing.wants(page.url):
            self._listings[asyncio.create_task(self._listing.listed(page.url))] = page, verdict

    async def run(self) -> str:
        """Crawl until something ends it; answers what did."""
        try:
            while True:
                asked = await self._answer_asks()
                await self._take_listings()
                if why := self._ending(asked):
                    break
                self._reprice()
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
        if self._flight or self._listings:
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
                task = asyncio.create_task(self._bring(lease.link))
                self._flight[task] = lease
                task.add_done_callback(self._came_home)
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
        if not self._home:
            await self._something_home(longest)
        while self._home:
            task = self._home.popleft()
            self._arrive(self._flight.pop(task), task.result())

    def _came_home(self, task: asyncio.Task[Fetched]) -> None:
        self._home.append(task)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _something_home(self, seconds: float) -> None:
        """Wait until a task is done, or so long. `asyncio.wait` would go over all that are under way each time."""
        loop = asyncio.get_running_loop()
        self._waiter = waiter = loop.create_future()
        alarm = loop.call_later(seconds, self._wake)
        try:
            await waiter
        finally:
            alarm.cancel()
            self._waiter = None

    async def _land(self) -> None:
        """Let go of what is in flight: its leases return when the crawl is resumed."""
        under_way = [*self._flight, *self._listings]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        self._flight.clear()
        self._home.clear()
        self._listings.clear()

    async def _bring(self, link: Link) -> Fetched:
        """Fetch a link, unless the border has learnt better."""
        if self._border is not None and (why := self._border.claim(link)):
            if why != HOLD:
                return Fetched(Page(link, link.url, error=_word(why), fetched_at=self.clock()), host_delay=0.0)
            if not self.web.ordered:  # where no host is ever busy, none stands in another's way
                page = Page(link, link.url, error=HOLD)
                return Fetched(page, retry_at=self.clock(), host_delay=self.limits.held)
        return await bring(self.web, link, self._refuse_hop)

    def _refuse_hop(self, link: Link) -> str:
        return refused_hop(link, self.limits.hops, self.frontier.known) or _word(self._hop(link))

    # -- coming home -------------------------------------------------------------------------------------------

    def _arrive(self, lease: Lease, fetched: Fetched) -> None:
        home = homecoming(lease.link, fetched, self.frontier.known)
        self._refused.pop(home.url, None)
        in_time = self.frontier.settle(
            lease.token, home.outcome, self.clock(), home.url, fetched.retry_at, fetched.host_delay
        )
        if not self.web.ordered:
            self._observing.settled(lease.link.url, self.clock())
        if in_time and not fetched.retry_at:
            self._take_home(fetched, home)

    def _take_home(self, fetched: Fetched, home: Homecoming) -> None:
        """A link's lease was settled, here or elsewhere: go on with where it leads, or deliver its page."""
        if home.onward:
            self.ledger.forward(fetched)
            self._forwarded[home.page.link.url] = home.page.link.origin
            self._let_in([home.page.link])
            return
        if home.waited:
            self._drop([home.url], "visited")
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
        verdict = self._verdict(page)
        self._outcomes[page.outcome] += 1
        if page.readable:
            self._pages += 1
            self._nuggets += verdict.nugget
            self.vein.add(verdict.nugget)
        self._last = page.url
        self._forwarded.pop(page.link.url, None)
        self.ledger.deliver(fetched, page, verdict, twin)
        if self._border is not None:
            self._border.visit(page, verdict)
        self._admit(self._timed(self.strategy.visit, page, verdict), distance_of(page, verdict))
        if page.readable:
            self.ask_site(page, verdict)
        self._uncommitted += 1
        self._unpriced += 1
        self._observing.grown(self._pages, lambda: self.progress)
        if self.watch:
            self.watch(self.progress)

    def _verdict(self, page: Page) -> Verdict:
        """The judge's opinion; a failed page has none, and a duplicate is never a nugget."""
        verdict = self.judge.judge(page) if page.readable else Verdict()
        return replace(verdict, nugget=False) if page.error == "duplicate" else verdict

    def _admit(self, links: Iterable[Link], distance: int) -> None:
        offered = [link if link.distance == distance else link.placed(distance) for link in links]
        whys = self._offered(offered)
        if any(whys):
            offered = self._sifted(offered, whys)
        if offered:
            self._let_in(offered)

    def _sifted(self, offered: Sequence[Link], whys: Sequence[str]) -> list[Link]:
        fresh: list[Link] = []
        refused: dict[str, list[str]] = {}
        before = self._refused
        for link, why in zip(offered, whys, strict=True):
            url = link[0]
            if why and before.get(url) == why:
                continue
            # One that waits already, or came home, was let in before: it is not lost now.
            if why and not self.frontier.known(url):
                refused.setdefault(why, []).append(url)
                if self._dropping is None:
                    before[url] = why
            else:
                fresh.append(link)
        if len(before) > _REFUSED:
            before.clear()
        for why, urls in refused.items():
            self._drop(urls, why)
        return fresh

    def _let_in(self, links: Sequence[Link]) -> None:
        result = self.frontier.admit(links)
        if result.admitted and self._refused:
            for link in links:
                self._refused.pop(link[0], None)
        if result.evicted:
            self._drop(result.evicted, "evicted")
        if result.visited and self._dropping is not None:
            self._drop(result.visited, "visited")

    def _drop(self, urls: Sequence[str], why: str) -> None:
        if self._forwarded:
            urls = [self._forwarded.pop(url, url) for url in urls]
        self.ledger.note("dropped", [why, list(urls)])
        if self._dropping is not None:
            self._timed(self._dropping.dropped, urls, _word(why))

    # -- what the strategy wants -------------------------------------------------------------------------------

    async def _answer_asks(self) -> bool:
        """Answer what the strategy asks; true when it asked anything."""
        if self._asking is None:
            return False
        asks = self._timed(self._asking.asks)
        if asks:
            # What is asked is asked once: a strategy that is told its story again must give these asks away again.
            self.ledger.note("asked", len(asks))
        for ask in asks:
            if ask.kind == "revisit":
                await self._revisit(ask.url)
                continue
            urls = await self._looked_up(ask)
            self.ledger.note("answered", [list(ask), urls])
            self._admit(self._timed(self._asking.answered, ask, urls), distance=0)
        return bool(asks)

    async def _looked_up(self, ask: Ask) -> list[str]:
        """Who links to an address, or what a search finds; nobody and nothing where there is no one to ask."""
        if ask.kind == "search":
            return [hit.url for hit in await self.search.search(ask.url, ask.n)] if self.search else []
        return list(await self.backlinks.backlinks(ask.url, ask.n)) if self.backlinks else []

    async def _revisit(self, url: str) -> None:
        page = await self.ledger.recall(url)
        if page is None:
            page = Page(Link(url), url, error="not-found")
        page = replace(page, revisit=True)
        verdict = self._verdict(page)
        self.ledger.note("revisit", url)
        self._admit(self._timed(self.strategy.visit, page, verdict), distance_of(page, verdict))

    async def _take_listings(self) -> None:
        """The pages that sites list, as links of the page that led to the site."""
        if not self._listings:
            return
        patience = None if self.web.ordered else 0
        done, _ = await asyncio.wait(self._listings, timeout=patience)
        for task in done:
            (page, verdict), listed = self._listings.pop(task), task.result()
            self.ledger.forward(Fetched(page, record=listed.record))
            self.ledger.note("listed", [page.url, list(listed.urls)])
            page = with_links(page, listed.urls)
            self._admit(self._timed(self.strategy.visit, page, verdict), distance_of(page, verdict))

    def _reprice(self) -> None:
        if self._repricing is None or not (self._resumed or self._repricing.stale):
            return
        if self._unpriced < (1 if self.web.ordered else self.strategy.batch):
            return
        urls = self.frontier.working(self.limits.working)
        self.ledger.note("reprice", len(urls))
        known = [self._forwarded.get(url, url) for url in urls] if self._forwarded else urls
        self.frontier.reprice(urls, self._timed(self._repricing.reprice, known))
        self._unpriced, self._resumed = 0, False

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call the strategy, counting its CPU time (a generator's work is done here too)."""
        start = time.thread_time()
        answer = call(*arguments)
        if isinstance(answer, Iterable) and not isinstance(answer, Sequence) and not hasattr(answer, "shape"):
            answer = list(answer)
        self._strategy_seconds += time.thread_time() - start
        return answer

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
