"""Guards against endless webs: what they refuse and what they make wait.

Some addresses betray a trap by their shape alone: paths that repeat or never end, dates years ahead. Others need
evidence: hundreds of addresses that differ in a number only and yield next to nothing, or a host that takes most of the
crawl (the figures are those of `TrapLimits`). All of it counts only while another host has something to fetch; where
there is nothing better to do a dull page costs nothing, and what looks like a trap is let in behind everything else. A
page that is known under another session id is the same page, and no more fetched twice than under the same address. A
whole host is never refused for being large: it waits until others have had their turn.

Memory is bounded: what was longest not met is forgotten, and then counted anew.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import exp
from typing import TypeVar

from pinakes.core.gate import LAST
from pinakes.core.page import Link, Page, Verdict, host_of
from pinakes.core.roles import Plain
from pinakes.formats.hashes import hash_of
from pinakes.web.shapes import date_of, endless, template, without_session

V = TypeVar("V")

_SESSION = "session"
_DULL = frozenset({"calendar", "numbered"})
"""Rules that go by what pages yield, which a strategy's prices tell better where nobody else waits."""
_SHAPES = 1 << 15
"""Addresses whose shape is remembered."""


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """When a guard acts."""

    length: int = 600
    """Characters an address may have."""
    segments: int = 12
    repeats: int = 3
    """How often a part of the path, or of the query, may not occur."""
    years: int = 2
    """How far ahead a date may be."""
    dates: int = 60
    """Dates of one calendar that are let in before it has shown that it is worth it."""
    numbered: int = 200
    """Addresses differing in numbers only that are let in although they yield little."""
    poor: float = 0.5
    """A yield below this share of the crawl's is little."""
    window: int = 500
    """The last fetches, over which the share of a host is taken."""
    share: float = 0.3
    """The share of them that a host may have."""
    rich: float = 2.0
    """A host that yields more than this many times what the crawl does may have any share."""
    templates: int = 4096
    sessions: int = 16_384
    hosts: int = 16_384
    """How many of each are remembered."""


class _Tally:
    """What is known of the addresses of one template. They are told apart by bits in a row of a fixed length."""

    __slots__ = ("bits", "fetched", "nuggets")

    def __init__(self, bits: int = 0, fetched: int = 0, nuggets: int = 0) -> None:
        self.bits, self.fetched, self.nuggets = bits, fetched, nuggets


def always(host: str) -> bool:
    return True


class Traps:
    """The guards of one crawl. `others_waiting(host)` says whether some other host is ready and has links waiting."""

    def __init__(
        self,
        today: float,
        limits: TrapLimits | None = None,
        others_waiting: Callable[[str], bool] = always,
    ) -> None:
        """`today`, in seconds since 1970, is what dates are ahead of: now, or when a recorded web was recorded."""
        self.limits = limits or TrapLimits()
        self.others_waiting = others_waiting
        self._width = 8 * max(self.limits.numbered, self.limits.dates)
        self._many = self._bits(self.limits.numbered)
        self._many_dates = self._bits(self.limits.dates)
        self._set_today(today)
        self._tallies: OrderedDict[str, _Tally] = OrderedDict()
        self._sessions: OrderedDict[str, int] = OrderedDict()
        self._hosts: OrderedDict[str, _Tally] = OrderedDict()
        self._all = _Tally()
        self._window: deque[str] = deque(maxlen=self.limits.window)
        self._shares = Counter[str]()
        self._shapes: dict[str, tuple[str, str, str]] = {}

    # -- what the crawl asks -----------------------------------------------------------------------------------

    def __call__(self, link: Link) -> str:
        """`trap:` and the rule when a link should not be let in, `last` when it would not be if anything else waited,
        else the empty string. A seed, which someone chose, always is let in."""
        return "" if _chosen(link) else self._said(link.url, self._rule(link.url, meet=True), LAST)

    def hop(self, link: Link) -> str:
        """`trap:` and the rule where a redirect should not be followed; what it leads to is not a link that was met."""
        return self._said(link.url, self._rule(link.url, meet=False))

    def harmless(self, url: str) -> bool:
        """True for an address that no rule can ever speak against, and that need not be counted."""
        return not any(self._shape(url))

    def claim(self, link: Link) -> str:
        """Just before a fetch: `trap:` and the rule when what came home since the link was let in speaks against it,
        `hold` when its host should wait for others first, else the empty string."""
        if _chosen(link):
            return ""
        rule, bare, name = self._shape(link.url)
        tally = self._tallies.get(name)
        if not rule and tally is not None:
            rule = self._numbered(bare or link.url, name, tally, proven=True)
        return self._said(link.url, rule) or ("hold" if self._floods(host_of(link.url)) else "")

    def visit(self, page: Page, verdict: Verdict) -> None:
        """A page came home: what was asked for and answered counts."""
        if not page.status or page.revisit:
            return
        url = page.link.url
        host = host_of(url)
        tallies = [self._all, _recent(self._hosts, host, self.limits.hosts, _Tally)]
        name = template(without_session(url) or url)
        if name:
            tallies.append(_recent(self._tallies, name, self.limits.templates, _Tally))
        for tally in tallies:
            tally.fetched += 1
            tally.nuggets += verdict.nugget
        if len(self._window) == self.limits.window:
            oldest = self._window[0]
            self._shares[oldest] -= 1
            if not self._shares[oldest]:
                del self._shares[oldest]
        self._window.append(host)
        self._shares[host] += 1

    # -- what a snapshot keeps -----------------------------------------------------------------------------------------

    def state(self) -> Plain:
        """Everything learnt so far as plain data."""
        return {
            "today": self._today,
            "all": [self._all.fetched, self._all.nuggets],
            "templates": [[name, f"{one.bits:x}", one.fetched, one.nuggets] for name, one in self._tallies.items()],
            "hosts": [[host, one.fetched, one.nuggets] for host, one in self._hosts.items()],
            "sessions": [list(pair) for pair in self._sessions.items()],
            "window": list(self._window),
        }

    def restore(self, state: Plain) -> None:
        """Take over what `state` gave."""
        self._set_today(state["today"])
        self._all = _Tally(0, *state["all"])
        self._tallies = OrderedDict(
            (name, _Tally(int(bits, 16), fetched, nuggets)) for name, bits, fetched, nuggets in state["templates"]
        )
        self._hosts = OrderedDict((host, _Tally(0, fetched, nuggets)) for host, fetched, nuggets in state["hosts"])
        self._sessions = OrderedDict(state["sessions"])
        self._window = deque(state["window"], self.limits.window)
        self._shares = Counter(self._window)

    # -- inside ------------------------------------------------------------------------------------------------

    def _set_today(self, today: float) -> None:
        self._today = today
        self._last_year = datetime.fromtimestamp(today, UTC).year + self.limits.years

    def _rule(self, url: str, meet: bool) -> str:
        """The rule that speaks against letting an address in. With `meet` it counts as met."""
        rule, bare, name = self._shape(url)
        if rule:
            return rule
        if bare:
            if self._another_session(url, bare, meet):
                return _SESSION
            url = bare
        if not name:
            return ""
        templates = self.limits.templates
        tally = _recent(self._tallies, name, templates, _Tally) if meet else self._tallies.get(name, _Tally())
        if meet and tally.bits.bit_count() <= self._many:
            tally.bits |= 1 << hash_of(url) % self._width
        return self._numbered(url, name, tally, proven=False)

    def _shape(self, url: str) -> tuple[str, str, str]:
        """What an address alone says: the rule against it, itself less session ids if it has any, and its template.
        Most links of a site are met on page after page, so this is remembered."""
        shape = self._shapes.get(url)
        if shape is None:
            if len(self._shapes) >= _SHAPES:
                self._shapes.clear()
            rule = "long" if len(url) > self.limits.length else endless(url, self.limits.segments, self.limits.repeats)
            bare = "" if rule else without_session(url)
            shape = self._shapes[url] = rule, bare, "" if rule else template(bare or url)
        return shape

    def _another_session(self, url: str, bare: str, meet: bool) -> bool:
        """The page was met before, in another session."""
        mine = hash_of(url)
        first = self._sessions.get(bare, mine)
        if meet:
            _recent(self._sessions, bare, self.limits.sessions, lambda: mine)
        return first != mine

    def _numbered(self, url: str, name: str, tally: _Tally, proven: bool) -> str:
        """What speaks against one of many addresses that differ in numbers. With `proven`, doubt does not suffice."""
        date = date_of(url, name)
        if date is not None and date.sure and date.year > self._last_year:
            return "future"
        met = tally.bits.bit_count()
        if met <= (self._many_dates if date else self._many):
            return ""
        base = self._all.nuggets / max(1, self._all.fetched)
        # Enough fetches for an ordinary template to have shown three nuggets.
        enough = tally.fetched >= (min(100.0, max(10.0, 3 / base)) if base else 100.0)
        good = bool(base) and tally.nuggets >= self.limits.poor * base * tally.fetched
        if date:
            against = not good if enough else not proven
        else:
            against = enough and bool(base) and not good
        return ("calendar" if date else "numbered") if against else ""

    def _floods(self, host: str) -> bool:
        if self._shares[host] <= self.limits.share * self.limits.window:
            return False
        tally = self._hosts.get(host, self._all)
        rich = tally.nuggets * self._all.fetched > self.limits.rich * self._all.nuggets * tally.fetched
        return not rich and self.others_waiting(host)

    def _said(self, url: str, rule: str, alone: str = "") -> str:
        """What follows from a rule; `alone` where no other host has anything to fetch."""
        if rule and rule != _SESSION and not self.others_waiting(host_of(url)):
            return "" if rule in _DULL else alone
        return f"trap:{rule}" if rule else ""

    def _bits(self, addresses: int) -> int:
        """How many bits so many different addresses are expected to set."""
        return round(self._width * (1 - exp(-addresses / self._width)))


def _chosen(link: Link) -> bool:
    return not link.depth and not link.parent and not link.via


def _recent(kept: OrderedDict[str, V], key: str, most: int, new: Callable[[], V]) -> V:
    """What is kept under a key, made if need be, and now the last to be forgotten."""
    value = kept.get(key)
    if value is not None:
        kept.move_to_end(key)
        return value
    value = kept[key] = new()
    if len(kept) > most:
        kept.popitem(last=False)
    return value


WORDS = {
    "long": "the address is too long for a page's",
    "deep": "the path has too many parts",
    "repeating": "parts of the address repeat as in a path that goes round in circles",
    "session": "the page is known under another session id",
    "future": "the date is years ahead, as in a calendar without an end",
    "calendar": "the calendar has had its share of pages and they are not worth more",
    "numbered": "many addresses like it, differing in numbers only, yielded little",
}
