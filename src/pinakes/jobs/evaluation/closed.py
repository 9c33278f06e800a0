"""A frozen web as evaluations see it: nothing leads out of it, and each page is parsed once for all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Hit
from pinakes.web.frozen import FrozenWeb


class ClosedWeb:
    """The roles of a frozen web, counting what is asked of it. Links to addresses it does not hold are dropped
    before a strategy sees them, unless `dead_links` keeps them."""

    ordered = True

    def __init__(self, web: FrozenWeb, *, dead_links: bool = False) -> None:
        self._web, self._dead_links = web, dead_links
        self._answers: dict[str, Fetched] = {}
        self._held: dict[str, bool] = {}
        self.searches = self.backlink_calls = 0

    async def fetch(self, link: Link) -> Fetched:
        fetched = self._answers.get(link.url)
        if fetched is None:
            fetched = self._answers[link.url] = self._closed(await self._web.fetch(Link(link.url)))
        page = fetched.page
        links = tuple([found._replace(depth=link.depth + 1) for found in page.links]) if link.depth else page.links
        return replace(fetched, page=replace(page, link=link, links=links))

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        self.searches += 1
        return await self._web.search(query, n, phrase)

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        self.backlink_calls += 1
        return await self._web.backlinks(url, n)

    async def page(self, url: str) -> Page | None:
        """A page of the web, redirects followed; None when it has none."""
        final = self._web.resolve(url)
        if not final:
            return None
        page = (await self.fetch(Link(final))).page
        return page if page.readable else None

    async def close(self) -> None:
        await self._web.close()

    def _closed(self, fetched: Fetched) -> Fetched:
        page, links = fetched.page, fetched.page.links
        if not self._dead_links:
            links = tuple([link for link in links if self._holds(link.url)])
        # Robots directives are manners towards a living site: a recording has nobody to be polite to.
        return replace(fetched, page=replace(page, links=links, robots=frozenset()))

    def _holds(self, url: str) -> bool:
        held = self._held.get(url)
        if held is None:
            held = self._held[url] = self._web.holds(url)
        return held
