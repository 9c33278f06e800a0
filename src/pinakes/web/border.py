"""A crawl's border: the scope's rules and the guards against traps as the one question the engine asks.

border = Border(Scope(allow=["psu.edu"], per_host=500), Traps(today=time.time()))
border(link)                  when a link is offered: `scope:ignore`, `trap:calendar`, …, `last`, or the empty string
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

_REMEMBERED = 1 << 15
_ASK = "?"
"""Not the last word."""


class Border:
    """The rules of one crawl, and what it has learnt of the web beyond them."""

    def __init__(self, scope: Scope | None = None, traps: Traps | None = None) -> None:
        self.scope, self.traps = scope or Scope(), traps
        self._pages: dict[str, int] = {}
        """Pages of each host; counted only where they are limited."""
        self._known: dict[str, str] = {}
        """What will always be said of addresses, or `_ASK`: most links of a site are met on page after page."""

    def __call__(self, link: Link) -> str:
        """Why a link is not let in: `scope` or `trap`, and the rule; empty when it is, `last` when it is to go last."""
        if (why := self._always(link)) != _ASK:
            return why
        if rule := self._full(link):
            return f"scope:{rule}"
        return self.traps(link) if self.traps else ""

    def offered(self, links: Iterable[Link]) -> list[str]:
        """The same of each of a page's links."""
        known = self._known
        return [why if (why := known.get(link[0], _ASK)) != _ASK else self(link) for link in links]

    def hop(self, link: Link) -> str:
        """Why a redirect is not followed."""
        # Whoever marked the link knew nothing of where it leads now.
        if rule := self.scope.rule(link._replace(rel="")) or self._full(link):
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

    def _always(self, link: Link) -> str:
        """What is said of a link whatever has come home; `_ASK` when that makes a difference."""
        if self.scope.varies(link):
            return f"scope:{rule}" if (rule := self.scope.rule(link)) else _ASK
        why = self._known.get(link.url)
        if why is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            if rule := self.scope.rule(link):
                why = f"scope:{rule}"
            else:
                free = self.scope.per_host is None and (not self.traps or self.traps.harmless(link.url))
                why = "" if free else _ASK
            self._known[link.url] = why
        return why

    def _full(self, link: Link) -> str:
        most = self.scope.per_host
        return "per_host" if most is not None and self._pages.get(host_of(link.url), 0) >= most else ""
