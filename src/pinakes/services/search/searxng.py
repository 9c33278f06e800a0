"""SearXNG: a search engine of engines, on an instance of one's own. It must answer in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pinakes.core.roles import Hit
from pinakes.services.client import ServiceClient
from pinakes.services.errors import ServiceError
from pinakes.services.search.hits import Found, Hits, asked

_PAGES = 5


class _Result(msgspec.Struct):
    url: str | None = None
    title: str | None = None
    content: str | None = None


class _Answer(msgspec.Struct):
    results: list[_Result] = []
    unresponsive_engines: list[Any] = []


class SearXNG:
    """The role `Search`."""

    name = "SearXNG"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        hits = Hits(self.name, n)
        for page in range(1, _PAGES + 1):
            answer = await self._page({"q": asked(query, phrase), "format": "json", "pageno": str(page)})
            if not hits.add(Found(one.url, one.title, one.content) for one in answer.results) or hits.enough:
                break
        return hits.all

    async def _page(self, query: dict[str, str]) -> _Answer:
        try:
            return await self._client.json("/search", query, _Answer, check=self._check)
        except ServiceError as error:
            if error.outcome != "forbidden":
                raise
            what = "answered 403; add json to search.formats in the settings.yml of the instance"
            raise self._client.error("forbidden", what) from None

    def _check(self, answer: _Answer) -> None:
        """No results while engines did not answer is a failure, not an empty web."""
        if not answer.results and answer.unresponsive_engines:
            names = [str(one[0])[:40] for one in answer.unresponsive_engines if isinstance(one, list) and one][:5]
            what = f"found nothing because its engines did not answer ({', '.join(names)})"
            raise self._client.error("server-error", what, passing=True)
