"""Brave Search, with a key. Its terms let results be kept only in passing, so hits here are bare addresses."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pinakes.core.roles import Hit
from pinakes.services.client import ServiceClient
from pinakes.services.search.hits import Found, Hits, asked

_COUNT, _PAGES = 20, 10


class _Result(msgspec.Struct):
    url: str | None = None


class _Web(msgspec.Struct):
    results: list[_Result] = []


class _Query(msgspec.Struct):
    more_results_available: bool = False


class _Answer(msgspec.Struct):
    web: _Web | None = None
    """Absent when there are no hits."""
    query: _Query = msgspec.field(default_factory=_Query)


class Brave:
    """The role `Search`."""

    name = "Brave"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        hits = Hits(self.name, n)
        for page in range(_PAGES):
            wanted = {"q": asked(query, phrase), "count": str(min(_COUNT, n)), "offset": str(page)}
            wanted |= {"result_filter": "web", "text_decorations": "false"}
            answer = await self._client.json("/res/v1/web/search", wanted, _Answer)
            fresh = hits.add(Found(one.url) for one in (answer.web.results if answer.web else ()))
            if not fresh or hits.enough or not answer.query.more_results_available:
                break
        return hits.all
