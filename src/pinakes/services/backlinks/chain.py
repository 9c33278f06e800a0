"""Several sources of back-links as one: asked in order, merged, rationed, and frank when none knows anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.services.limits import Ration

MOST = 500
"""Calls to services that a crawl may make."""
EACH = 100
"""Back-links of one page."""
_PATIENCE = 3
"""Failures in a row after which a source is asked no more."""


class Source(Protocol):
    """The role `Backlinks` with a name that fits into a sentence."""

    @property
    def name(self) -> str: ...

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]: ...


class Chain:
    """The role `Backlinks` over several sources, the cheapest first; never raises for what a source does."""

    def __init__(
        self,
        sources: Sequence[Source],
        ration: Ration,
        *,
        each: int = EACH,
        tell: Callable[[str], None] = lambda sentence: None,
        close: Sequence[Callable[[], None]] = (),
    ) -> None:
        """`ration` is the one the sources take their calls from; `tell` hears each sentence as it is said."""
        self._sources, self._ration, self._each, self._tell, self._close = sources, ration, each, tell, close
        self._failures = dict.fromkeys((source.name for source in sources), 0)
        self.told: dict[str, None] = {}
        """Every sentence said so far; none is said twice."""
        self.asked = self.answered = 0
        """Pages asked about, and those of which back-links were found."""

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        target, wanted = canonical(url), min(n, self._each)
        if not target or wanted <= 0:
            return []
        self.asked += 1
        found: dict[str, None] = {}
        for source in self._sources:
            # One more than is missing, since the page itself may be among them.
            given = await self._ask(source, target, wanted - len(found) + 1)
            found.update((address, None) for link in given if (address := canonical(link)) and address != target)
            if len(found) >= wanted:
                break
        if found:
            self.answered += 1
        else:
            self._say_none(target)
        if self._sources and not self._ration.left:
            self._say(f"The ration of {self._ration.most:,} calls for back-links is used up; services are asked no more.")
        return list(found)[:wanted]

    def close(self) -> None:
        """Let go of what the sources keep."""
        for close in self._close:
            close()

    async def _ask(self, source: Source, url: str, n: int) -> Sequence[str]:
        if self._failures[source.name] >= _PATIENCE:
            return []
        try:
            given = await source.backlinks(url, n)
        except PinakesError as error:
            self._failures[source.name] += 1
            self._say(str(error))
            if self._failures[source.name] >= _PATIENCE:
                self._say(f"{_capital(source.name)} failed {_PATIENCE} times in a row and is asked for back-links no more.")
            return []
        self._failures[source.name] = 0
        return given

    def _say_none(self, url: str) -> None:
        """The first page nobody knows a link to is worth a sentence; those after it are not."""
        if any(" knows a page that links to " in sentence or " source of back-links " in sentence for sentence in self.told):
            return
        if not self._sources:
            self._say("There is no source of back-links; name one under [services] in pinakes.toml.")
            return
        names = " nor ".join(source.name for source in self._sources)
        neither = "Neither " if len(self._sources) > 1 else "Not even "
        self._say(f"{neither}{names} knows a page that links to {url}; other such pages are not mentioned.")

    def _say(self, sentence: str) -> None:
        if sentence not in self.told:
            self.told[sentence] = None
            self._tell(sentence)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
