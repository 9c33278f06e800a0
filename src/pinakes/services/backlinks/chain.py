"""Several sources of back-links as one: asked in order, merged, rationed, and frank when none knows anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.services.backlinks.library import LibraryLinks
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration

MOST = 300
"""Calls to services that a crawl may make."""
EACH = 100
"""Back-links of one page."""
_PATIENCE = 3
"""Failures in a row after which a source is asked no more; one that was never there has had its chance."""
_NOT_THERE = frozenset({"dns", "connection", "timeout", "tls"})


class Source(Protocol):
    """The role `Backlinks` with a name that fits into a sentence."""

    @property
    def name(self) -> str: ...

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]: ...


class Chain:
    """The role `Backlinks` over several sources, the cheapest first. Never raises for a source that fails."""

    def __init__(
        self,
        sources: Sequence[Source],
        ration: Ration,
        *,
        each: int = EACH,
        tell: Callable[[str], None] = lambda sentence: None,
        opened: ExitStack | None = None,
    ) -> None:
        """`ration` is the one the sources take their calls from, `opened` what to close with the chain; `tell` hears
        each sentence as it is said."""
        self.sources, self.ration, self._each, self._tell, self._opened = sources, ration, each, tell, opened
        self._failures = dict.fromkeys((source.name for source in sources), 0)
        self._reached: set[str] = set()
        self._said: set[str] = set()
        self.told: list[str] = []
        """What was said so far; nothing is said twice."""
        self.asked = self.answered = 0
        """Pages asked about, and those of which back-links were found."""

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        target, wanted = canonical(url), min(n, self._each)
        if not target or wanted <= 0:
            return []
        self.asked += 1
        found: dict[str, None] = {}
        asked = [source for source in self.sources if self._failures[source.name] < _PATIENCE]
        for source in asked:
            # One more than is wanted, since the page itself may be among them.
            for link in await self._ask(source, target, wanted + 1):
                if (address := canonical(link)) and address != target:
                    found[address] = None
            if len(found) >= wanted:
                break
        self.answered += bool(found)
        if self.ration.most and not self.ration.left:
            self._say("ration", f"The {self.ration.most:,} calls granted for back-links are used up; services rest.")
        elif not found:
            self._say_none(target, asked)
        return list(found)[:wanted]

    def library(self, connection: sqlite3.Connection | None) -> None:
        """Ask this library first, in the place of the one asked so far; None for no library."""
        others = [source for source in self.sources if not isinstance(source, LibraryLinks)]
        for source in self.sources:
            if isinstance(source, LibraryLinks):
                source.close()
        own: list[Source] = [] if connection is None else [LibraryLinks(connection)]
        self.sources = [*own, *others]
        self._failures[LibraryLinks.name] = 0

    def close(self) -> None:
        """Let go of what the sources keep."""
        self.library(None)
        if self._opened is not None:
            self._opened.close()

    async def _ask(self, source: Source, url: str, n: int) -> Sequence[str]:
        name = source.name
        try:
            given = await source.backlinks(url, n)
        except PinakesError as error:
            outcome = error.outcome if isinstance(error, ServiceError) else str(error)
            never = outcome in _NOT_THERE and name not in self._reached
            self._failures[name] = _PATIENCE if never else self._failures[name] + 1
            self._say(f"{name} {outcome}", str(error))
            if never:
                self._say(f"{name} stopped", f"Back-links are not asked of {name}, which is out of reach.")
            elif self._failures[name] >= _PATIENCE:
                self._say(f"{name} stopped", f"Back-links are no longer asked of {name}, which failed time and again.")
            return []
        self._failures[name] = 0
        self._reached.add(name)
        return given

    def _say_none(self, url: str, asked: Sequence[Source]) -> None:
        """The first page nobody knows a link to is worth a sentence; those after it are not."""
        if not self.sources:
            self._say("none", "There is no source of back-links; name one under [services] in pinakes.toml.")
        names = ", ".join(source.name for source in asked) or "nobody, since all have failed"
        self._say("none", f"No back-links of {url} are known; asked: {names}. Further such pages are not mentioned.")

    def _say(self, topic: str, sentence: str) -> None:
        if topic not in self._said:
            self._said.add(topic)
            self.told.append(sentence)
            self._tell(sentence)
