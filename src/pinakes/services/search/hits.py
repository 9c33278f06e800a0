"""Hits out of services' answers: real addresses only, each once, and no more than were asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pinakes.core.roles import Hit
from pinakes.formats.url import canonical

LONGEST = 1000


class Found(NamedTuple):
    """One result as a service tells it."""

    url: str | None
    title: str | None = ""
    snippet: str | None = ""


class Hits:
    """The hits of one search, as its pages come in."""

    def __init__(self, provider: str, n: int) -> None:
        self._provider, self._n = provider, n
        self._hits: dict[str, Hit] = {}

    def add(self, found: Iterable[Found]) -> bool:
        """Take in a page of results; false when it held nothing new, so that asking for more is no use."""
        before = len(self._hits)
        for one in found:
            url = canonical(one.url or "")
            if url and url not in self._hits and not self.enough:
                title, snippet = (one.title or "")[:LONGEST], (one.snippet or "")[:LONGEST]
                self._hits[url] = Hit(url, title, snippet, len(self._hits) + 1, self._provider)
        return len(self._hits) > before

    @property
    def enough(self) -> bool:
        return len(self._hits) >= self._n

    @property
    def all(self) -> list[Hit]:
        return list(self._hits.values())


def asked(query: str, phrase: bool) -> str:
    """The query as engines want a phrase: in quotation marks."""
    plain = " ".join(query.split())[:500]
    return f'"{plain.replace(chr(34), " ")}"' if phrase else plain
