"""A crawl's border: the scope's rules and the guards against traps as the one question the engine asks.

border = Border(Scope(allow=["psu.edu"], per_host=500), Traps(today=time.time()))
border(link)                  when a link is offered: `scope`, `trap` or the empty string
border.claim(link)            just before it is fetched: the same, or `hold`
border.visit(page, verdict)   when a page has come home
"""

from __future__ import annotations

from pinakes.core.page import Link, Page, Verdict, host_of
from pinakes.core.roles import Plain
from pinakes.web.scope import Scope
from pinakes.web.traps import Dropped, Traps, tell


class Border:
    """The rules of one crawl and what they have refused so far."""

    def __init__(self, scope: Scope | None = None, traps: Traps | None = None) -> None:
        self.scope, self.traps = scope or Scope(), traps
        self._pages: dict[str, int] = {}
        """Pages of each host; counted only where they are limited."""
        self._dropped: dict[str, Dropped] = {}

    def __call__(self, link: Link) -> str:
        """Why a link is not let in: `scope`, `trap`, or the empty string when it is."""
        if rule := self.scope.rule(link) or self._full(link):
            tell(self._dropped, rule, link.url)
            return "scope"
        return self.traps(link) if self.traps else ""

    def claim(self, link: Link) -> str:
        """Why a link that was let in is not fetched now: `scope` and `trap` drop it, `hold` lets it wait again."""
        if rule := self._full(link):
            tell(self._dropped, rule, link.url)
            return "scope"
        return self.traps.claim(link) if self.traps else ""

    def visit(self, page: Page, verdict: Verdict) -> None:
        """A page came home."""
        if self.scope.per_host is not None and page.readable and not page.revisit:
            host = host_of(page.url)
            self._pages[host] = self._pages.get(host, 0) + 1
        if self.traps:
            self.traps.visit(page, verdict)

    def why(self, link: Link) -> str:
        """What speaks against a link, in words; empty when nothing does."""
        if words := self.scope.why(link):
            return words
        if self._full(link):
            return f"its host has given the {self.scope.per_host} pages it may"
        return self.traps.why(link) if self.traps else ""

    @property
    def dropped(self) -> dict[str, Dropped]:
        """By rule, how many links were refused and the first of them; under `host`, those made to wait."""
        return {**self._dropped, **(self.traps.dropped if self.traps else {})}

    def state(self) -> Plain:
        return {
            "pages": dict(self._pages),
            "dropped": {rule: [one.times, list(one.examples)] for rule, one in self._dropped.items()},
            "traps": self.traps.state() if self.traps else None,
        }

    def restore(self, state: Plain) -> None:
        self._pages = dict(state["pages"])
        self._dropped = {rule: Dropped(times, tuple(shown)) for rule, (times, shown) in state["dropped"].items()}
        if self.traps and state["traps"]:
            self.traps.restore(state["traps"])

    def _full(self, link: Link) -> str:
        most = self.scope.per_host
        return "per_host" if most is not None and self._pages.get(host_of(link.url), 0) >= most else ""
