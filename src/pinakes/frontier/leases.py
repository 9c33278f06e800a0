"""Links handed out: each under a token that alone can settle it, until its time is up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from pinakes.core.page import Link
from pinakes.frontier.waiting import LINK, Entry


@dataclass(slots=True)
class Held:
    """An entry on lease."""

    entry: Entry
    deadline: float
    finished: bool = False
    """Another lease ended at this address meanwhile: it must not wait again."""


class Leases:
    """Tokens count upwards from `first` and are never given twice."""

    def __init__(self, seconds: float, first: int = 1) -> None:
        self._seconds = seconds
        self._tokens = count(first)
        self._held: dict[int, Held] = {}
        self._by_url: dict[str, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, url: str) -> bool:
        return url in self._by_url

    def grant(self, entry: Entry, now: float) -> int:
        token = next(self._tokens)
        self._held[token] = self._by_url[_link(entry).url] = Held(entry, now + self._seconds)
        return token

    def end(self, token: int) -> Held | None:
        held = self._held.pop(token, None)
        if held is not None:
            del self._by_url[_link(held.entry).url]
        return held

    def entry(self, url: str) -> Entry:
        return self._by_url[url].entry

    def finish(self, url: str) -> Entry:
        """The page at this address came home by another way."""
        held = self._by_url[url]
        held.finished = True
        return held.entry

    @property
    def unfinished(self) -> int:
        """How many may yet wait again."""
        return sum(not held.finished for held in self._held.values())

    def expired(self, now: float) -> Iterator[Held]:
        """End the leases whose time is up. They are held in the order they were granted, so the oldest come first."""
        while self._held:
            token, held = next(iter(self._held.items()))
            if held.deadline > now:
                return
            self.end(token)
            yield held


def _link(entry: Entry) -> Link:
    link: Link = entry[LINK]
    return link
