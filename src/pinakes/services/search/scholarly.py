"""Scholarly sources as search engines: where can the paper of this title be read?

Each answers the role `Search` with the addresses it has of a work whose title is the query: an open copy first, then
the page about it. They know papers, not the pages that talk about them; a web search knows both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import quote

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Hit
from pinakes.formats.url import canonical
from pinakes.services.client import Service, ServiceClient
from pinakes.services.door import Services
from pinakes.services.errors import ServiceError
from pinakes.services.openalex import Located
from pinakes.text.titles import title_words

_LIST_COST = 0.0001
"""What OpenAlex takes for a list, in dollars."""
_PER_WORK = 2
"""Addresses taken of one work: an open copy, and the page about it."""
_marks = re.compile(r"[^\w\s-]+")
_ATOM = "{http://www.w3.org/2005/Atom}"


class Settings(Protocol):
    """A section `[services.NAME]` of the configuration."""

    @property
    def url(self) -> str: ...

    def key(self) -> str: ...


# -- Semantic Scholar ----------------------------------------------------------------------------------------------


class _Copy(msgspec.Struct):
    url: str | None = None


class _Matched(msgspec.Struct, rename={"paper_id": "paperId", "ids": "externalIds", "copy": "openAccessPdf"}):
    paper_id: str | None = None
    title: str | None = None
    ids: dict[str, Any] | None = None
    copy: _Copy | None = None

    def addresses(self) -> Iterator[str | None]:
        yield self.copy.url if self.copy else None
        ids = self.ids or {}
        if arxiv := ids.get("ArXiv"):
            yield f"https://arxiv.org/abs/{arxiv}"
        if acl := ids.get("ACL"):
            yield f"https://aclanthology.org/{acl}/"
        if doi := ids.get("DOI"):
            yield f"https://doi.org/{quote(str(doi), safe='/:;()')}"
        yield self.paper_id and f"https://www.semanticscholar.org/paper/{quote(self.paper_id, safe='')}"


class _Matches(msgspec.Struct):
    data: list[_Matched] = []


class SemanticScholarTitles:
    """Semantic Scholar's match of one title: its best paper, or none."""

    name = "Semantic Scholar"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        asked = {"query": query, "fields": "title,externalIds,openAccessPdf"}
        try:
            found = await self._client.json("/paper/search/match", asked, _Matches)
        except ServiceError as error:
            if error.outcome == "not-found":  # how it says that no title matches
                return []
            raise
        return _hits(((one.title or "", one.addresses()) for one in found.data), query, n, self.name)


# -- OpenAlex ------------------------------------------------------------------------------------------------------


class _Work(Located):
    title: str | None = None


class _Works(msgspec.Struct):
    results: list[_Work] = []


class OpenAlexTitles:
    """OpenAlex's works that have all the words of a title in theirs."""

    name = "OpenAlex"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        asked = {
            "filter": f"title.search:{_plain(query)}",
            "select": "title,doi,primary_location,best_oa_location",
            "per_page": str(n),
        }
        found = await self._client.json("/works", asked, _Works, cost=_LIST_COST)
        return _hits(((one.title or "", one.addresses()) for one in found.results), query, n, self.name)


# -- Crossref ------------------------------------------------------------------------------------------------------


class _Item(msgspec.Struct, rename={"doi": "DOI", "url": "URL"}):
    title: list[str] | None = None
    doi: str | None = None
    url: str | None = None
    resource: dict[str, Any] | None = None

    def addresses(self) -> Iterator[str | None]:
        primary = (self.resource or {}).get("primary")
        yield primary.get("URL") if isinstance(primary, dict) else None
        yield self.url
        yield self.doi and f"https://doi.org/{quote(self.doi, safe='/:;()')}"


class _Message(msgspec.Struct):
    items: list[_Item] = []


class _Answer(msgspec.Struct):
    message: _Message


class CrossrefTitles:
    """Crossref's works whose bibliographic record is like a title."""

    name = "Crossref"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        asked = {"query.bibliographic": query, "rows": str(n), "select": "DOI,title,URL,resource"}
        found = await self._client.json("/works", asked, _Answer)
        items = ((" ".join(one.title or ()), one.addresses()) for one in found.message.items)
        return _hits(items, query, n, self.name)


# -- arXiv ---------------------------------------------------------------------------------------------------------


class ArxivTitles:
    """arXiv's papers that have a title as a phrase in theirs."""

    name = "arXiv"

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        asked = {"search_query": f'ti:"{_plain(query)}"', "start": "0", "max_results": str(n)}
        feed = await self._client.xml("/api/query", asked)
        entries = feed.findall(f"{_ATOM}entry")
        items = (
            (entry.findtext(f"{_ATOM}title") or "", iter([entry.findtext(f"{_ATOM}id")]))
            for entry in entries
            if "/api/errors" not in (entry.findtext(f"{_ATOM}id") or "")
        )
        return _hits(items, query, n, self.name)


def _plain(title: str) -> str:
    """A title without the marks that mean something in a query."""
    return " ".join(_marks.sub(" ", title).split())


def _hits(works: Iterable[tuple[str, Iterator[str | None]]], query: str, n: int, provider: str) -> list[Hit]:
    """The works that really have the title, a longer one with a subtitle among them."""
    wanted = title_words(query)
    found: dict[str, Hit] = {}
    for title, addresses in works:
        if title_words(title)[: len(wanted)] != wanted:
            continue
        own = dict.fromkeys(address for given in addresses if given and (address := canonical(given)))
        for url in list(own)[:_PER_WORK]:
            found.setdefault(url, Hit(url, title, rank=len(found) + 1, provider=provider))
    return list(found.values())[:n]


Scholarly = SemanticScholarTitles | OpenAlexTitles | CrossrefTitles | ArxivTitles

_KINDS: Mapping[str, tuple[Callable[[ServiceClient], Scholarly], Service]] = {
    "semantic-scholar": (
        SemanticScholarTitles,
        Service(SemanticScholarTitles.name, "https://api.semanticscholar.org/graph/v1", gap=3.0),
    ),
    "openalex": (OpenAlexTitles, Service(OpenAlexTitles.name, "https://api.openalex.org", gap=0.1)),
    "crossref": (CrossrefTitles, Service(CrossrefTitles.name, "https://api.crossref.org", gap=0.5)),
    "arxiv": (ArxivTitles, Service(ArxivTitles.name, "https://export.arxiv.org", gap=3.0)),
}
SOURCES = tuple(_KINDS)


def scholarly_source(name: str, settings: Settings | None, services: Services) -> Scholarly:
    """A source by its name in pinakes.toml; a key is read here, and stays in its client."""
    if name not in _KINDS:
        raise PinakesError(f"--scholarly {name} is none of {', '.join(SOURCES)}.")
    kind, service = _KINDS[name]
    if settings and settings.url:
        service = replace(service, url=settings.url)
    key = settings.key() if settings else ""
    if key and name == "semantic-scholar":
        service = replace(service, headers={"x-api-key": key}, gap=1.0)
    if key and name == "openalex":
        service = replace(service, query={"api_key": key})
    return kind(services.client(service))
