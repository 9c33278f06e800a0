"""How a link comes home: followed through redirects on its own host, and what its lease then ends as.

The engine does this for what it fetches itself, and every worker of a crawl on many machines for what it fetches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from pinakes.core.page import Fetched, Link, Member, Page, host_of
from pinakes.core.roles import Web

UNASKED = frozenset({"known", "redirect-loop", "too-many-redirects", "scope", "trap"})
"""Outcomes that end a redirect chain before its last address was asked for."""


class Homecoming(NamedTuple):
    """What becomes of a link whose answer is there."""

    page: Page
    outcome: str
    url: str = ""
    """The final address, to be marked visited."""
    onward: bool = False
    """It was redirected to another host, where the page's link is to wait."""
    waited: bool = False
    """The final address waits, and will now not come home."""


async def bring(web: Web, link: Link, refuse: Callable[[Link], str]) -> Fetched:
    """Fetch a link and follow redirects on its own host; a hop to another host is handed back. `refuse` names what is
    wrong with where a redirect leads, if anything is."""
    start, members = link, list[Member]()
    while True:
        fetched = await web.fetch(link)
        if not fetched.hop and not members and fetched.page.link is link:
            return fetched
        members += fetched.record
        fetched = replace(fetched, record=tuple(members), page=replace(fetched.page, link=link))
        if not fetched.hop:
            return fetched
        via = (*link.via, link.url)
        link = link._replace(url=fetched.hop, via=via)
        trouble = refuse(link)
        if trouble:
            return replace(fetched, hop="", page=replace(fetched.page, link=link, url=link.url, error=trouble))
        if host_of(link.url) != host_of(start.url):
            return replace(fetched, page=replace(fetched.page, link=link))


def refused_hop(link: Link, hops: int, known: Callable[[str], str]) -> str:
    """What is wrong with where a redirect leads, whatever the crawl's scope says of it."""
    if link.url in link.via:
        return "redirect-loop"
    if len(link.via) > hops:
        return "too-many-redirects"
    return "known" if known(link.url) in ("visited", "leased") else ""


def homecoming(link: Link, fetched: Fetched, known: Callable[[str], str]) -> Homecoming:
    """What a lease ends as; `known` is the frontier's, asked before the lease is settled."""
    page = fetched.page
    if fetched.retry_at:
        return Homecoming(page, page.outcome)
    if fetched.hop:
        if not known(page.link.url):
            return Homecoming(page, "redirect", onward=True)
        return Homecoming(replace(page, url=page.link.url, error="known"), "redirect")
    state = known(page.url) if page.url != link.url else ""
    if state in ("visited", "leased"):
        page = replace(page, error=page.error or "known", links=())
    final = "" if page.error in UNASKED or state in ("visited", "leased") else page.url
    return Homecoming(page, page.outcome, final, waited=state == "waiting" and bool(final))
