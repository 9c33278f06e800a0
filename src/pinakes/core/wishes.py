"""What a strategy wants besides its pages: back-links and searches, pages again, what sites list, new prices."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from pinakes.core.gate import Gate
from pinakes.core.page import Fetched, Link, Page, Verdict, distance_of
from pinakes.core.roles import (
    Ask,
    Asking,
    Backlinks,
    Frontier,
    Judge,
    Ledger,
    Listed,
    Listing,
    Repricing,
    Revisiting,
    Search,
    Strategy,
)
from pinakes.core.stopwatch import Stopwatch


def with_links(page: Page, urls: Iterable[str]) -> Page:
    """A page brought home again with other links than its own: those its site lists."""
    depth = page.link.depth + 1
    links = tuple([Link(url, parent=page.url, depth=depth, rel="sitemap") for url in urls])
    return replace(page, links=links, revisit=True)


def verdict_of(judge: Judge, page: Page) -> Verdict:
    """The judge's opinion; a failed page has none, and a duplicate is never a nugget."""
    verdict = judge.judge(page) if page.readable else Verdict()
    return replace(verdict, nugget=False) if page.error == "duplicate" else verdict


class Wishes:
    """Fulfils what the strategy of one crawl wants."""

    def __init__(
        self,
        strategy: Strategy,
        judge: Judge,
        frontier: Frontier,
        ledger: Ledger,
        gate: Gate,
        timed: Stopwatch,
        *,
        backlinks: Backlinks | None,
        search: Search | None,
        listing: Listing | None,
        working: int,
        resumed: bool,
    ) -> None:
        """`working` is how many waiting links are repriced at once."""
        self._strategy, self._judge, self._frontier, self._ledger = strategy, judge, frontier, ledger
        self._gate, self._timed, self._working = gate, timed, working
        self._backlinks, self._search = backlinks, search
        self._repricing = strategy if isinstance(strategy, Repricing) else None
        self._asking = strategy if isinstance(strategy, Asking) else None
        # A strategy that asks for pages again makes of a page brought a second time what it will.
        self._listing = None if isinstance(strategy, Revisiting) else listing
        self.listings: dict[asyncio.Task[Listed], tuple[Page, Verdict]] = {}
        """Sites that are being asked which pages they have, and the pages that led there."""
        # Prices set by `reprice` are not kept on disk, so a resumed crawl asks for all of them first.
        self._unpriced, self._resumed = 1 << 30, resumed
        if resumed and (self._repricing or gate.dropping):
            gate.forwarded = {link.url: link.origin for link in frontier.best(working) if link.via}

    def delivered(self) -> None:
        """A page came home since prices were set."""
        self._unpriced += 1

    def visit(self, page: Page, verdict: Verdict) -> None:
        """Bring the strategy a page, and admit what it wants."""
        self._gate.admit(self._timed(self._strategy.visit, page, verdict), distance_of(page, verdict))

    # -- asks --------------------------------------------------------------------------------------------------

    async def answer(self) -> bool:
        """Answer what the strategy asks; true when it asked anything."""
        if self._asking is None:
            return False
        asks = self._timed(self._asking.asks)
        if asks:
            # What is asked is asked once: a strategy that is told its story again must give these asks away again.
            self._ledger.note("asked", len(asks))
        for ask in asks:
            if ask.kind == "revisit":
                await self._revisit(ask.url)
                continue
            urls = await self._looked_up(ask)
            self._ledger.note("answered", [list(ask), urls])
            self._gate.admit(self._timed(self._asking.answered, ask, urls), distance=0)
        return bool(asks)

    async def _looked_up(self, ask: Ask) -> list[str]:
        """Who links to an address, or what a search finds; nobody and nothing where there is no one to ask."""
        if ask.kind == "search":
            return [hit.url for hit in await self._search.search(ask.url, ask.n)] if self._search else []
        return list(await self._backlinks.backlinks(ask.url, ask.n)) if self._backlinks else []

    async def _revisit(self, url: str) -> None:
        page = await self._ledger.recall(url)
        if page is None:
            page = Page(Link(url), url, error="not-found")
        page = replace(page, revisit=True)
        verdict = verdict_of(self._judge, page)
        self._ledger.note("revisit", url)
        self.visit(page, verdict)

    # -- the lists of sites ------------------------------------------------------------------------------------

    def ask_site(self, page: Page, verdict: Verdict) -> None:
        """Ask the site of a page which pages it has, unless it was asked before; inside the event loop."""
        if self._listing is not None and self._listing.wants(page.url):
            self.listings[asyncio.create_task(self._listing.listed(page.url))] = page, verdict

    async def take_listings(self, patience: float | None) -> None:
        """The pages that sites list, as links of the page that led to the site; waits so long for an answer."""
        if not self.listings:
            return
        done, _ = await asyncio.wait(self.listings, timeout=patience)
        for task in done:
            (page, verdict), listed = self.listings.pop(task), task.result()
            self._ledger.forward(Fetched(page, record=listed.record))
            self._ledger.note("listed", [page.url, list(listed.urls)])
            self.visit(with_links(page, listed.urls), verdict)

    # -- prices ------------------------------------------------------------------------------------------------

    def reprice(self, least: int) -> None:
        """Price what waits anew, if the strategy wants it and `least` pages came home since the last time."""
        if self._repricing is None or not (self._resumed or self._repricing.stale):
            return
        if self._unpriced < least:
            return
        urls, forwarded = self._frontier.working(self._working), self._gate.forwarded
        self._ledger.note("reprice", len(urls))
        known = [forwarded.get(url, url) for url in urls] if forwarded else urls
        self._frontier.reprice(urls, self._timed(self._repricing.reprice, known))
        self._unpriced, self._resumed = 0, False
