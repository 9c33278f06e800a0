"""A crawl's border: the scope's rules and the guards against traps as the one question the engine asks.

border = Border(Scope(allow=["psu.edu"], per_host=500), Traps(today=time.time()))
border(link)                  when a link is offered: `scope:ignore`, `trap:calendar`, … or the empty string
border.offered(links)         the same of a page's links
border.hop(link)              of where a redirect leads: the same
border.claim(link)            just before it is fetched: the same, or `hold`
border.visit(page, verdict)   when a page has come home
"""

from __future__ import annotations

from collections.abc import Iterable

from pinakes.core.page import Link, Page, Verdict, host_of
from pinakes.core.roles import Plain
from pinakes.web.scope import Scope
from pinakes.web.traps import Traps

_REMEMBERED = 100_000


class Border:
    """The rules of one crawl, and what it has learnt of the web beyond them."""

    def __init__(self, scope: Scope | None = None, traps: Traps | None = None) -> None:
        self.scope, self.traps = scope or Scope(), traps
        self._pages: dict[str, int] = {}
        """Pages of each host; counted only where they are limited."""
        self._ruled: dict[str, str] = {}
        """What the scope said of addresses: most links of a site are met on page after page."""
        self._harmless: set[str] = set()
        """Addresses that no rule will ever speak against, whatever comes home."""

    def __call__(self, link: Link) -> str:
        """Why a link is not let in: `scope` or `trap`, and the rule; empty when it is."""
        if rule := self._rule(link) or self._full(link):
            return f"scope:{rule}"
        return self.traps(link) if self.traps else ""

    def offered(self, links: Iterable[Link]) -> list[str]:
        """The same of each of a page's links."""
        harmless = self._harmless
        return ["" if link[0] in harmless else self(link) for link in links]

    def hop(self, link: Link) -> str:
        """Why a redirect is not followed."""
        if rule := self.scope.rule(link) or self._full(link):
            return f"scope:{rule}"
        return self.traps.hop(link) if self.traps else ""

    def claim(self, link: Link) -> str:
        """Why a link that was let in is not fetched now: `scope` and `trap` drop it, `hold` lets it wait again."""
        if rule := self._full(link):
            return f"scope:{rule}"
        return self.traps.claim(link) if self.traps else ""

    def visit(self, page: Page, verdict: Verdict) -> None:
        """A page came home."""
        if self.scope.per_host is not None and page.readable and not page.revisit:
            host = host_of(page.url)
            self._pages[host] = self._pages.get(host, 0) + 1
        if self.traps:
            self.traps.visit(page, verdict)

    def state(self) -> Plain:
        return {"pages": dict(self._pages), "traps": self.traps.state() if self.traps else None}

    def restore(self, state: Plain) -> None:
        self._pages = dict(state["pages"])
        if self.traps and state["traps"]:
            self.traps.restore(state["traps"])

    def _rule(self, link: Link) -> str:
        if self.scope.depth is not None:
            return self.scope.rule(link)
        rule = self._ruled.get(link.url)
        if rule is None:
            if len(self._ruled) >= _REMEMBERED:
                self._ruled.clear()
                self._harmless.clear()
            rule = self._ruled[link.url] = self.scope.rule(link)
            if not rule and self.scope.per_host is None and (not self.traps or self.traps.harmless(link.url)):
                self._harmless.add(link.url)
        return rule

    def _full(self, link: Link) -> str:
        most = self.scope.per_host
        return "per_host" if most is not None and self._pages.get(host_of(link.url), 0) >= most else ""
