"""Where a document was found: on homepages, on the venue's own site, on both, or by neither's doing (003 figs 14–18).

A document is on a site when it lies there, or when a page of the site links to it, be it by way of pages that lie
elsewhere. One that homepages and the venue's site both lead to was found on both, however often it is linked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from pinakes.library.library import Library
from pinakes.web.scope import Scope

HOMEPAGE, VENUE, BOTH, OPEN, ELSEWHERE = "homepage", "venue site", "both", "open access", "elsewhere"
PLACES = (HOMEPAGE, VENUE, BOTH, OPEN, ELSEWHERE)
NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Grounds:
    """What belongs to whom."""

    homepages: Scope
    venues: Scope
    open_access: frozenset[str] = frozenset()

    def of(self, url: str) -> frozenset[str]:
        """Whose ground an address lies on."""
        both = ((HOMEPAGE, self.homepages), (VENUE, self.venues))
        return frozenset(name for name, scope in both if url and scope.allow and scope.holds(url))


class Whereabouts:
    """The places of one crawl's documents; its visits and links are read once."""

    def __init__(self, library: Library, crawl: int, grounds: Grounds) -> None:
        self._grounds = grounds
        self._led: dict[str, frozenset[str]] = {}
        """Address -> whose pages lead there."""
        final = self._follow_visits(library, crawl)
        for url, links in _links(library, crawl):
            here = self._led.get(url, NOWHERE)
            if here:
                for link in links:
                    if (to := final.get(link)) is not None:
                        self._led[to] = self._led[to] | here

    def place(self, url: str) -> str:
        """Where a document was found."""
        led = self._led.get(url, NOWHERE) | self._grounds.of(url)
        if len(led) > 1:
            return BOTH
        return next(iter(led), OPEN if url in self._grounds.open_access else ELSEWHERE)

    def _follow_visits(self, library: Library, crawl: int) -> dict[str, str]:
        """Give pages their ground, or that of the page they were reached from; the answer is where documents are, by
        every address that was asked for."""
        rows = library.connection.execute(
            "SELECT visits.url, visits.final, visits.parent, pages.type FROM visits"
            " JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? ORDER BY visits.id",
            (crawl,),
        )
        final: dict[str, str] = {}
        for url, to, parent, kind in rows:
            led = self._grounds.of(to) or self._led.get(parent, NOWHERE)
            self._led.setdefault(to, led)
            if kind != "text/html":
                final[url] = final[to] = to
        return final


def _links(library: Library, crawl: int) -> Iterator[tuple[str, list[str]]]:
    """The pages of a crawl, each with the addresses it links to."""
    rows = library.connection.execute(
        "SELECT visits.final, link_lists.list FROM visits JOIN link_lists ON link_lists.page = visits.page"
        " WHERE visits.crawl = ?",
        (crawl,),
    )
    for url, links in rows:
        yield url, [link[0] for link in msgspec.json.decode(links)]
