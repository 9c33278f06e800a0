"""Who links here, for papers: those that cite them, by OpenAlex and by Semantic Scholar.

A citing paper is given by the address where it can be read most freely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import quote

import msgspec

from pinakes.formats.url import canonical
from pinakes.services.backlinks.identifiers import Paper, paper_of
from pinakes.services.client import ServiceClient
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration
from pinakes.services.openalex import Located

_PAGES = 5
"""Pages of results read for one paper."""
_ROWS = 100
_LIST_COST = 0.0001
"""What OpenAlex takes for a list, in dollars; single records are free."""

# -- OpenAlex ------------------------------------------------------------------------------------------------------


class _Work(Located):
    id: str | None = None
    cited_by_count: int | None = None

    def addresses(self) -> Iterator[str | None]:
        yield from super().addresses()
        yield self.id


class _Meta(msgspec.Struct):
    next_cursor: str | None = None


class _Works(msgspec.Struct):
    results: list[_Work] = []
    meta: _Meta = msgspec.field(default_factory=_Meta)


class OpenAlex:
    """The role `Backlinks` for papers OpenAlex knows."""

    name = "OpenAlex"

    def __init__(self, client: ServiceClient, ration: Ration) -> None:
        self._client, self._ration = client, ration

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        paper = paper_of(url)
        number = await self._number(paper) if paper is not None else ""
        return await self._citing(number, n) if number else []

    async def _number(self, paper: Paper) -> str:
        """OpenAlex's own number of a paper that somebody cites; empty when it knows none."""
        if paper.kind == "openalex":
            return paper.value
        name = _openalex_name(paper)
        if not name or not self._ration.take():
            return ""
        try:
            work = await self._client.json(f"/works/{name}", {"select": "id,cited_by_count"}, _Work)
        except ServiceError as error:
            if error.outcome == "not-found":
                return ""
            raise
        return (work.id or "").rpartition("/")[2] if work.cited_by_count != 0 else ""

    async def _citing(self, number: str, n: int) -> list[str]:
        found: dict[str, None] = {}
        select = "id,doi,primary_location,best_oa_location"
        asked = {"filter": f"cites:{number}", "select": select, "per_page": str(min(n, _ROWS))}
        cursor = "*"
        for _ in range(_PAGES):
            if not self._ration.take():
                break
            try:
                works = await self._client.json("/works", {**asked, "cursor": cursor}, _Works, cost=_LIST_COST)
            except ServiceError:
                if not found:
                    raise
                break  # some are better than none
            found.update(dict.fromkeys(filter(None, (_first(work.addresses()) for work in works.results))))
            following = works.meta.next_cursor
            if len(found) >= n or not works.results or not following or following == cursor:
                break
            cursor = following
        return list(islice(found, n))


def _openalex_name(paper: Paper) -> str:
    dois = {"doi": paper.value, "arxiv": f"10.48550/arxiv.{paper.value}", "acl": f"10.18653/v1/{paper.value.lower()}"}
    if doi := dois.get(paper.kind):
        return f"https://doi.org/{quote(doi, safe='')}"
    return f"{paper.kind}:{paper.value}" if paper.kind in ("pmid", "pmcid") else ""


# -- Semantic Scholar ----------------------------------------------------------------------------------------------


class _Copy(msgspec.Struct):
    url: str | None = None


class _Ids(msgspec.Struct, rename={"doi": "DOI", "arxiv": "ArXiv", "acl": "ACL"}):
    doi: str | None = None
    arxiv: str | None = None
    acl: str | None = None


class _Citing(msgspec.Struct, rename="camel"):
    paper_id: str | None = None
    external_ids: _Ids | None = None
    open_access_pdf: _Copy | None = None

    def addresses(self) -> Iterator[str | None]:
        yield self.open_access_pdf.url if self.open_access_pdf else None
        if ids := self.external_ids:
            yield ids.arxiv and f"https://arxiv.org/abs/{ids.arxiv}"
            yield ids.acl and f"https://aclanthology.org/{ids.acl}/"
            yield ids.doi and f"https://doi.org/{quote(ids.doi, safe='/:;()')}"
        yield self.paper_id and f"https://www.semanticscholar.org/paper/{quote(self.paper_id, safe='')}"


class _Citation(msgspec.Struct, rename="camel"):
    citing_paper: _Citing | None = None


class _Citations(msgspec.Struct):
    data: list[_Citation] | None = None
    """Missing when there are none."""
    next: int | None = None


class SemanticScholar:
    """The role `Backlinks` for papers Semantic Scholar knows."""

    name = "Semantic Scholar"

    def __init__(self, client: ServiceClient, ration: Ration) -> None:
        self._client, self._ration = client, ration

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        paper = paper_of(url)
        name = _s2_name(paper) if paper is not None else ""
        found: dict[str, None] = {}
        offset = 0
        for _ in range(_PAGES if name else 0):
            if not self._ration.take():
                break
            citations = await self._page(name, offset, min(n, _ROWS))
            papers = (citation.citing_paper for citation in citations.data or ())
            found.update(dict.fromkeys(filter(None, (_first(paper.addresses()) for paper in papers if paper))))
            if len(found) >= n or not citations.data or (citations.next or 0) <= offset:
                break
            offset = citations.next or 0
        return list(islice(found, n))

    async def _page(self, name: str, offset: int, limit: int) -> _Citations:
        asked = {"fields": "externalIds,openAccessPdf", "offset": str(offset), "limit": str(limit)}
        try:
            return await self._client.json(f"/paper/{name}/citations", asked, _Citations)
        except ServiceError as error:
            if error.outcome == "not-found" or offset:  # some are better than none
                return _Citations()
            raise


def _s2_name(paper: Paper) -> str:
    prefixes = {"doi": "DOI:", "arxiv": "ARXIV:", "acl": "ACL:", "pmid": "PMID:", "corpus": "CorpusID:", "s2": ""}
    if paper.kind == "pmcid":
        return f"PMCID:{paper.value.removeprefix('PMC')}"
    prefix = prefixes.get(paper.kind)
    return prefix + quote(paper.value, safe="/:;()") if prefix is not None else ""


def _first(addresses: Iterator[str | None]) -> str:
    """The first address that leads somewhere on the web."""
    return next((address for given in addresses if given and (address := canonical(given))), "")
