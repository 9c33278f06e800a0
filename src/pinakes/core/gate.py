"""How links get in: placed, shown to the border, admitted by the frontier; and whoever has to hear what does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pinakes.core.page import LOWEST, Link
from pinakes.core.roles import Border, Dropping, Frontier, Ledger, Strategy
from pinakes.core.stopwatch import Stopwatch

_REFUSED = 1 << 15
LAST = "last"
"""Said of a link that is to be let in, and to go when nothing else waits."""


def everything(link: Link) -> str:
    """The scope that refuses nothing."""
    return ""


def word(why: str) -> str:
    """The kind of a refusal, without the rule behind it."""
    return why.partition(":")[0]


class Gate:
    """The way into the frontier of one crawl."""

    def __init__(
        self,
        frontier: Frontier,
        strategy: Strategy,
        ledger: Ledger,
        scope: Callable[[Link], str],
        timed: Stopwatch,
    ) -> None:
        """`scope` is what the engine was given; one that is a `Border` is asked for all links of a page at once."""
        self._frontier, self._ledger, self._timed = frontier, ledger, timed
        self._offered = scope.offered if isinstance(scope, Border) else lambda links: list(map(scope, links))
        self.dropping = strategy if isinstance(strategy, Dropping) else None
        self.forwarded: dict[str, str] = {}
        """Where links wait that were redirected to another host, and the address the strategy knows each by."""
        # Refused links that were written down, and why: whoever does not hear of them need not be told each time.
        self._refused: dict[str, str] = {}

    def admit(self, links: Iterable[Link], distance: int) -> None:
        """Offer links, all of one distance."""
        offered = [link if link.distance == distance else link.placed(distance) for link in links]
        whys = self._offered(offered)
        if any(whys):
            offered = self._sifted(offered, whys)
        if offered:
            self.let_in(offered)

    def let_in(self, links: Sequence[Link]) -> None:
        """Admit links that nobody is asked about."""
        result = self._frontier.admit(links)
        if result.admitted and self._refused:
            for link in links:
                self._refused.pop(link[0], None)
        if result.evicted:
            self.drop(result.evicted, "evicted")
        if result.visited and self.dropping is not None:
            self.drop(result.visited, "visited")

    def drop(self, urls: Sequence[str], why: str) -> None:
        """Links that will not come home."""
        if self.forwarded:
            urls = [self.forwarded.pop(url, url) for url in urls]
        self._ledger.note("dropped", [why, list(urls)])
        if self.dropping is not None:
            self._timed(self.dropping.dropped, urls, word(why))

    def forget(self, url: str) -> None:
        """An address becomes known to the frontier by another way."""
        self._refused.pop(url, None)

    def _sifted(self, offered: Sequence[Link], whys: Sequence[str]) -> list[Link]:
        fresh: list[Link] = []
        refused: dict[str, list[str]] = {}
        before = self._refused
        for link, why in zip(offered, whys, strict=True):
            url = link[0]
            if why == LAST:
                fresh.append(link.priced(LOWEST))
                continue
            if why and before.get(url) == why:
                continue
            # One that waits already, or came home, was let in before: it is not lost now.
            if why and not self._frontier.known(url):
                refused.setdefault(why, []).append(url)
                if self.dropping is None:
                    before[url] = why
            else:
                fresh.append(link)
        if len(before) > _REFUSED:
            before.clear()
        for why, urls in refused.items():
            self.drop(urls, why)
        return fresh
