"""The papers of a source (a journal, a series of proceedings) by OpenAlex."""

from __future__ import annotations

import re

import msgspec

from pinakes.formats.bibliography import Work, doi_in, orcid_in
from pinakes.services.client import ServiceClient

ROWS = 100
MOST = 20_000
LIST_COST = 0.0001
_source = re.compile(r"(?:https://openalex\.org/)?(?:sources/)?(S\d+)", re.IGNORECASE).fullmatch
_SELECT = "id,doi,title,publication_year,type,authorships,primary_location"


class _Named(msgspec.Struct):
    id: str | None = None
    display_name: str | None = None
    country_code: str | None = None
    orcid: str | None = None


class _Authorship(msgspec.Struct):
    author: _Named | None = None
    raw_author_name: str | None = None
    institutions: list[_Named] = []
    countries: list[str] = []


class _Location(msgspec.Struct):
    landing_page_url: str | None = None
    source: _Named | None = None


class _Work(msgspec.Struct):
    id: str | None = None
    doi: str | None = None
    title: str | None = None
    publication_year: int | None = None
    type: str | None = None
    authorships: list[_Authorship] = []
    primary_location: _Location | None = None


class _Meta(msgspec.Struct):
    next_cursor: str | None = None


class _Works(msgspec.Struct):
    results: list[_Work] = []
    meta: _Meta = msgspec.field(default_factory=_Meta)


class _Sources(msgspec.Struct):
    results: list[_Named] = []


async def openalex_papers(client: ServiceClient, venue: str, years: tuple[int, int] | None = None) -> list[Work]:
    """The papers of a source, by its number (`S4306420609`) or its name."""
    source = await _number(client, venue)
    wanted = f"primary_location.source.id:{source}"
    if years:
        wanted += f",publication_year:{years[0]}-{years[1]}"
    cursor: str | None = "*"
    found: list[Work] = []
    seen: set[str] = set()
    while cursor and cursor not in seen and len(found) < MOST:
        seen.add(cursor)
        asked = {"filter": wanted, "select": _SELECT, "per_page": str(ROWS), "cursor": cursor}
        page = await client.json("/works", asked, _Works, cost=LIST_COST)
        found += [work for one in page.results if (work := work_of(one)).title]
        cursor = page.meta.next_cursor if page.results else None
    return found


async def _number(client: ServiceClient, venue: str) -> str:
    if given := _source(venue.strip()):
        return given[1].upper()
    page = await client.json("/sources", {"search": venue, "select": "id,display_name", "per_page": "5"}, _Sources,
                             cost=LIST_COST)  # fmt: skip
    if not page.results:
        raise client.error("not-found", f"knows no source called {venue[:80]}; look up its number (S…) at openalex.org")
    exact = [one for one in page.results if (one.display_name or "").casefold() == venue.casefold()]
    return ((exact or page.results)[0].id or "").rpartition("/")[2]


def work_of(one: _Work) -> Work:
    place = one.primary_location
    return Work(
        title=one.title or "",
        authors=tuple(_name(author) for author in one.authorships),
        year=one.publication_year,
        venue=(place.source.display_name if place and place.source else "") or "",
        kind=one.type or "",
        doi=doi_in(one.doi or ""),
        url=(place.landing_page_url if place else "") or one.doi or "",
        key=(one.id or "").rpartition("/")[2],
        affiliations=tuple(_affiliation(author) for author in one.authorships),
        identities=tuple(orcid_in((author.author.orcid if author.author else "") or "") for author in one.authorships),
    )


def _name(author: _Authorship) -> str:
    return (author.author.display_name if author.author else "") or author.raw_author_name or ""


def _affiliation(author: _Authorship) -> str:
    """`Institution, COUNTRY`; empty where OpenAlex knows none."""
    place = author.institutions[0] if author.institutions else None
    country = (place.country_code if place else "") or (author.countries[0] if author.countries else "")
    return ", ".join(filter(None, ((place.display_name if place else "") or "", country)))
