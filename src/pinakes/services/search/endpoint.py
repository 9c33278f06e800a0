"""Any search engine that answers in JSON: where the results stand in the answer is told in the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Hit
from pinakes.services.client import ServiceClient
from pinakes.services.search.hits import Found, Hits, asked


class Endpoint:
    """The role `Search`. `template` is the query part of its address, with `{query}` and perhaps `{n}` in it."""

    name = "The search engine"

    def __init__(
        self, client: ServiceClient, template: str, *, results: str, address: str, title: str, snippet: str
    ) -> None:
        self._client = client
        self._template = dict(parse_qsl(template, keep_blank_values=True))
        if not any("{query}" in value for value in self._template.values()):
            raise PinakesError("The url of a search engine of kind json has {query} where the query goes.")
        self._results, self._address, self._title, self._snippet = results, address, title, snippet

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        words = asked(query, phrase)
        wanted = {
            name: value.replace("{query}", words).replace("{n}", str(n)) for name, value in self._template.items()
        }
        answer = await self._client.json("", wanted, Any, check=self._check)
        hits = Hits(self._client.service.name, n)
        hits.add(self._found(answer))
        return hits.all

    def _check(self, answer: Any) -> None:
        if not isinstance(at(answer, self._results), list):
            where = f"at results = '{self._results}'" if self._results else "at the top of its answer"
            raise self._client.error("bad-response", f"has no list of results {where}")

    def _found(self, answer: Any) -> Iterator[Found]:
        for one in at(answer, self._results):
            yield Found(text(at(one, self._address)), text(at(one, self._title)), text(at(one, self._snippet)))


def at(document: Any, path: str) -> Any:
    """What stands at a dotted path of a document; the document itself at the empty path, None where nothing does."""
    for name in path.split(".") if path else ():
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def split_template(url: str) -> tuple[str, str]:
    """An address in two: what comes before its query, and the query."""
    parts = urlsplit(url)
    return parts._replace(query="", fragment="").geturl(), parts.query
