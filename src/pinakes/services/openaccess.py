"""Open copies of papers, by services that know only legal ones: OpenAlex, Unpaywall, Semantic Scholar.

They are asked in this order, and what each says is taken together; a service that fails is left out and told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote

import msgspec

from pinakes.formats.url import canonical
from pinakes.services.client import Service, ServiceClient
from pinakes.services.errors import ServiceError
from pinakes.text.titles import Work, compare


@dataclass(frozen=True, slots=True)
class OpenCopy:
    """Where a service says an open copy is."""

    url: str
    source: str
    license: str = ""
    version: str = ""


class _Location(msgspec.Struct):
    pdf_url: str | None = None
    landing_page_url: str | None = None
    license: str | None = None
    version: str | None = None
    is_oa: bool | None = None


class _OpenAlexWork(msgspec.Struct):
    best_oa_location: _Location | None = None
    locations: list[_Location] | None = None


class _Place(msgspec.Struct):
    url: str | None = None
    url_for_pdf: str | None = None
    license: str | None = None
    version: str | None = None


class _Unpaywall(msgspec.Struct):
    best_oa_location: _Place | None = None
    oa_locations: list[_Place] | None = None


class _Pdf(msgspec.Struct):
    url: str | None = None
    license: str | None = None


class _Author(msgspec.Struct):
    name: str | None = None


class _Scholar(msgspec.Struct, rename="camel"):
    title: str | None = None
    year: int | None = None
    authors: list[_Author] | None = None
    open_access_pdf: _Pdf | None = None


class _Matches(msgspec.Struct):
    data: list[_Scholar] = []


def unpaywall_service(email: str, url: str = "") -> Service:
    return Service("Unpaywall", url or "https://api.unpaywall.org/v2", query={"email": email}, gap=0.1)


async def openalex_copies(client: ServiceClient, doi: str) -> list[OpenCopy]:
    """A single record, which costs nothing."""
    try:
        select = {"select": "best_oa_location,locations"}
        work = await client.json(f"/works/https://doi.org/{quote(doi, safe=':;()')}", select, _OpenAlexWork)
    except ServiceError as error:
        return _none(error)
    places = [work.best_oa_location, *(place for place in work.locations or () if place.is_oa)]
    return _distinct(
        OpenCopy(place.pdf_url or place.landing_page_url or "", "OpenAlex", place.license or "", place.version or "")
        for place in places
        if place is not None
    )


async def unpaywall_copies(client: ServiceClient, doi: str) -> list[OpenCopy]:
    try:
        answer = await client.json(f"/{quote(doi, safe='/:;()')}", {}, _Unpaywall)
    except ServiceError as error:
        return _none(error)
    places = [answer.best_oa_location, *(answer.oa_locations or ())]
    return _distinct(
        OpenCopy(place.url_for_pdf or place.url or "", "Unpaywall", place.license or "", place.version or "")
        for place in places
        if place is not None
    )


async def scholar_copies(client: ServiceClient, paper: Work, doi: str = "") -> list[OpenCopy]:
    """By DOI, else by title: the best match counts only where it is the same paper by title, authors and year."""
    fields = {"fields": "title,year,authors,openAccessPdf"}
    try:
        if doi:
            found = [await client.json(f"/paper/DOI:{quote(doi, safe='/:;()')}", fields, _Scholar)]
        else:
            asked = {"query": paper.title, **fields}
            matches = (await client.json("/paper/search/match", asked, _Matches)).data
            found = [one for one in matches if compare(paper, _work(one)).same]
    except ServiceError as error:
        return _none(error)
    pdfs = [one.open_access_pdf for one in found if one.open_access_pdf]
    return _distinct(OpenCopy(pdf.url or "", "Semantic Scholar", pdf.license or "") for pdf in pdfs)


class OpenAccess:
    """All services together; one that keeps failing is not asked again."""

    def __init__(
        self,
        openalex: ServiceClient | None,
        unpaywall: ServiceClient | None,
        scholar: ServiceClient | None,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._openalex, self._unpaywall, self._scholar, self._tell = openalex, unpaywall, scholar, tell
        self._silent: set[str] = set()

    async def copies(self, paper: Work, doi: str = "") -> list[OpenCopy]:
        """Where open copies of a paper are said to be."""
        found: list[OpenCopy] = []
        if doi and self._openalex is not None and "OpenAlex" not in self._silent:
            found += await self._asked("OpenAlex", openalex_copies(self._openalex, doi))
        if doi and not found and self._unpaywall is not None and "Unpaywall" not in self._silent:
            found += await self._asked("Unpaywall", unpaywall_copies(self._unpaywall, doi))
        if not found and self._scholar is not None and "Semantic Scholar" not in self._silent:
            found += await self._asked("Semantic Scholar", scholar_copies(self._scholar, paper, doi))
        return _distinct(found)

    async def _asked(self, name: str, asking: Awaitable[list[OpenCopy]]) -> list[OpenCopy]:
        try:
            return await asking
        except ServiceError as error:
            self._silent.add(name)
            self._tell(f"{error} It is not asked again in this harvest.")
            return []


def _none(error: ServiceError) -> list[OpenCopy]:
    if error.outcome == "not-found":
        return []
    raise error


def _work(one: _Scholar) -> Work:
    return Work(one.title or "", tuple(author.name or "" for author in one.authors or ()), one.year)


def _distinct(copies: Iterable[OpenCopy]) -> list[OpenCopy]:
    found: dict[str, OpenCopy] = {}
    for copy in copies:
        if address := canonical(copy.url):
            found.setdefault(address, copy)
    return [OpenCopy(address, copy.source, copy.license, copy.version) for address, copy in found.items()]
