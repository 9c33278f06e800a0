"""The papers of a venue by dblp's search.

Since 2026 dblp puts a page before its search that wants visitors to prove they are human; that is told, with the way
out: hand in the dump.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from pinakes.formats.bibliography import Person, Work, doi_in, year_in
from pinakes.formats.dblp import person_of
from pinakes.services.client import Service, ServiceClient
from pinakes.services.errors import ServiceError

ROWS = 1000
MOST = 20_000
_number = re.compile(r"\s+\d{4}$")
_pid = re.compile(r"[A-Za-z0-9]{1,8}/[A-Za-z0-9-]{1,40}").fullmatch
PERSON = "https://dblp.org/pid/"
"""How a dblp person is named, wherever dblp is asked."""


def dblp_service(url: str = "") -> Service:
    return Service("dblp", url or "https://dblp.org", gap=2.0)


async def dblp_papers(client: ServiceClient, venue: str, years: tuple[int, int] | None = None) -> list[Work]:
    """The papers of a venue (`WebDB`), or of one volume by its table of contents (`db/conf/webdb/webdb2001.bht`)."""
    asked = f"toc:{venue}:" if venue.startswith("db/") else f"venue:{venue}:"
    spans = [f" year:{year}:" for year in range(years[0], years[1] + 1)] if years and years[1] - years[0] < 30 else [""]
    found: dict[str, Work] = {}
    for span in spans:
        first = 0
        while len(found) < MOST:
            hits, total = await _page(client, asked + span, first)
            found.update({work.key: work for work in map(_work, hits) if work.title})
            first += len(hits)
            if not hits or first >= total:
                break
    return list(found.values())


async def dblp_person(client: ServiceClient, identity: str) -> Person | None:
    """What dblp knows of a person, named by `PERSON` and a number."""
    try:
        answer = await client.xml(f"/pid/{identity.removeprefix(PERSON)}.xml", {})
    except ServiceError as error:
        if error.outcome == "not-found":
            return None
        raise
    record = answer.find("person")
    return None if record is None else person_of(record)


async def _page(client: ServiceClient, query: str, first: int) -> tuple[list[dict[str, Any]], int]:
    asked = {"q": query, "format": "json", "h": str(ROWS), "f": str(first), "c": "0"}
    try:
        answer = await client.json("/search/publ/api", asked, dict[str, Any])
    except ServiceError as error:
        if error.outcome == "challenge":
            raise ServiceError(
                error.service,
                error.outcome,
                "dblp wants visitors to prove they are human and is left alone; download dblp.xml.gz with a browser "
                "and give that file as --metadata.",
            ) from None
        raise
    try:
        hits = answer["result"]["hits"]
        listed = hits.get("hit", [])  # missing when there are none
        infos = [hit["info"] for hit in (listed if isinstance(listed, list) else [listed])]
        return infos, int(hits["@total"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise client.error("bad-response", "sent JSON of another shape than it documents") from None


def _work(info: dict[str, Any]) -> Work:
    authors = _many((info.get("authors") or {}).get("author"))
    venue = _many(info.get("venue"))
    links = [str(link) for link in _many(info.get("ee"))]
    return Work(
        title=unescape(str(info.get("title", ""))).removesuffix("."),
        authors=tuple(_number.sub("", unescape(_name(author))) for author in authors),
        year=year_in(str(info.get("year", ""))),
        venue=unescape(str(venue[0])) if venue else "",
        kind=str(info.get("type", "")).lower(),
        doi=doi_in(str(info.get("doi", ""))),
        url=links[0] if links else "",
        key=str(info.get("key", "")),
        identities=tuple(_person(author) for author in authors),
    )


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _person(author: Any) -> str:
    pid = str(author.get("@pid", "")) if isinstance(author, dict) else ""
    return f"{PERSON}{pid}" if _pid(pid) else ""


def _name(author: Any) -> str:
    return str(author.get("text", "")) if isinstance(author, dict) else str(author)
