"""Marginalia Search: the small web. Its results are CC BY-NC-SA 4.0, and it knows no phrases on a site."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pinakes.core.roles import Hit
from pinakes.services.client import ServiceClient
from pinakes.services.search.hits import Found, Hits, asked

_COUNT, _PAGES = 100, 3


class _Result(msgspec.Struct):
    url: str | None = None
    title: str | None = None
    description: str | None = None


class _Answer(msgspec.Struct):
    results: list[_Result] = []


class Marginalia:
    """The role `Search`."""

    name = "Marginalia"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        hits = Hits(self.name, n)
        for page in range(1, _PAGES + 1):
            wanted = {"query": asked(query, phrase), "count": str(min(_COUNT, n)), "page": str(page)}
            answer = await self._client.json("/search", wanted, _Answer)
            if not hits.add(Found(one.url, one.title, one.description) for one in answer.results) or hits.enough:
                break
        return hits.all
