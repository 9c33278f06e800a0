"""Mojeek, with a key, which it wants in the address. Errors come with status 200, in the body."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pinakes.core.roles import Hit
from pinakes.services.client import ServiceClient
from pinakes.services.search.hits import Found, Hits, asked

_COUNT, _PAGES = 10, 5


class _Result(msgspec.Struct):
    url: str | None = None
    title: str | None = None
    desc: str | None = None


class _Response(msgspec.Struct):
    status: str = "OK"
    results: list[_Result] = []


class _Answer(msgspec.Struct):
    response: _Response = msgspec.field(default_factory=_Response)


class Mojeek:
    """The role `Search`."""

    name = "Mojeek"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        hits = Hits(self.name, n)
        for page in range(_PAGES):
            wanted = {"q": asked(query, phrase), "fmt": "json", "t": str(_COUNT), "s": str(1 + page * _COUNT)}
            answer = await self._client.json("/search", wanted, _Answer, check=self._check)
            found = answer.response.results
            if not hits.add(Found(one.url, one.title, one.desc) for one in found) or hits.enough:
                break
        return hits.all

    def _check(self, answer: _Answer) -> None:
        if answer.response.status.upper() != "OK" and not answer.response.results:
            raise self._client.error("client-error", f"answered “{answer.response.status[:160]}”")
