"""The papers of a journal or of proceedings by Crossref."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from pinakes.formats.bibliography import Work
from pinakes.formats.json_works import work_of
from pinakes.services.client import Service, ServiceClient
from pinakes.text.titles import title_words

ROWS = 200
MOST = 20_000
_issn = re.compile(r"\d{4}-?\d{3}[\dXx]").fullmatch
_SELECT = "DOI,title,author,issued,container-title,type,URL,event"


class _Message(msgspec.Struct, rename={"next_cursor": "next-cursor"}):
    items: list[dict[str, Any]] = []
    next_cursor: str | None = None


class _Answer(msgspec.Struct):
    message: _Message


def crossref_service(url: str = "", mailto: str = "") -> Service:
    query = {"mailto": mailto} if mailto else {}
    return Service("Crossref", url or "https://api.crossref.org", query=query, gap=0.5)


async def crossref_papers(client: ServiceClient, venue: str, years: tuple[int, int] | None = None) -> list[Work]:
    """The papers of a journal by its ISSN, or of whatever container has the words of a title."""
    filters = [f"from-pub-date:{years[0]}", f"until-pub-date:{years[1]}"] if years else []
    asked: dict[str, str] = {"rows": str(ROWS), "select": _SELECT}
    issn = _issn(venue.strip())
    if issn:
        plain = venue.strip().upper().replace("-", "")
        filters.append(f"issn:{plain[:4]}-{plain[4:]}")
    else:
        asked["query.container-title"] = venue
    if filters:
        asked["filter"] = ",".join(filters)
    words = set(title_words(venue))
    cursor = "*"
    found: dict[str, Work] = {}
    while cursor and len(found) < MOST:
        # A cursor may stay the same from page to page: the service remembers where it is.
        message = (await client.json("/works", {**asked, "cursor": cursor}, _Answer, again=True)).message
        works = [work for item in message.items if (work := work_of(_flat(item))).title]
        # A search by words goes on for ever with less and less likely ones.
        fitting = {work.key: work for work in works if issn or words <= _named(work)}
        new = fitting.keys() - found.keys()
        found.update(fitting)
        cursor = message.next_cursor or "" if new else ""
    return list(found.values())


def _named(work: Work) -> set[str]:
    return set(title_words(f"{work.venue} {work.booktitle}"))


def _flat(item: Mapping[str, Any]) -> dict[str, Any]:
    """Crossref's item with its DOI as id and the event's name as the proceedings' title."""
    event = item.get("event")
    return {**item, "id": item.get("DOI", ""), "event-title": event.get("name", "") if isinstance(event, dict) else ""}
