"""A frozen web as evaluations see it: nothing leads out of it, and each page is decoded once for many runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Hit
from pinakes.measures.documents import is_document
from pinakes.web.frozen import FrozenWeb

MEMORY = 1 << 30
"""About how many bytes of decoded pages all processes of an evaluation hold together."""
LEAST = 64 << 20
"""What each holds at least."""
_PER_LINK, _PER_WORD, _PER_TERM, _PER_PAGE = 320, 8, 60, 2000


class ClosedWeb:
    """The roles of a frozen web, counting what is asked of it. Links to addresses it does not hold are dropped
    before a strategy sees them, unless `dead_links` keeps them."""

    ordered = True

    def __init__(self, web: FrozenWeb, *, dead_links: bool = False, memory: int = MEMORY) -> None:
        self._web, self._dead_links, self._memory = web, dead_links, memory
        self._answers: dict[str, tuple[Fetched, int]] = {}
        """The latest answers, the longest unasked first, and what each weighs."""
        self._weight = 0
        self._held: dict[str, bool] = {}
        self.searches = self.backlink_calls = 0
        self.documents: dict[str, tuple[str, ...]] = {}
        """The documents that pages looked at link to, also those the web does not hold."""

    async def fetch(self, link: Link) -> Fetched:
        fetched = self._answer(link.url) or self._kept(link.url, self._closed(await self._web.fetch(Link(link.url))))
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

    def _answer(self, url: str) -> Fetched | None:
        kept = self._answers.pop(url, None)
        if kept is None:
            return None
        self._answers[url] = kept
        return kept[0]

    def _kept(self, url: str, fetched: Fetched) -> Fetched:
        page = fetched.page
        weight = 2 * len(page.text) + _PER_WORD * len(page.words) + _PER_TERM * len(page.terms)
        weight += _PER_LINK * len(page.links) + _PER_PAGE
        self._answers[url] = (fetched, weight)
        self._weight += weight
        while self._weight > self._memory and len(self._answers) > 1:
            oldest = next(iter(self._answers))
            self._weight -= self._answers.pop(oldest)[1]
        return fetched

    def _closed(self, fetched: Fetched) -> Fetched:
        page, links = fetched.page, fetched.page.links
        self.documents[page.url] = tuple([link.url for link in links if is_document(link.url)])
        if not self._dead_links:
            links = tuple([link for link in links if self._holds(link.url)])
        # Robots directives are manners towards a living site: a recording has nobody to be polite to.
        return replace(fetched, page=replace(page, links=links, robots=frozenset()))

    def _holds(self, url: str) -> bool:
        held = self._held.get(url)
        if held is None:
            held = self._held[url] = self._web.holds(url)
        return held
