"""What a Zotero library holds: on zotero.org, or in the Zotero that runs on this machine."""

from __future__ import annotations

import re
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import Work
from pinakes.formats.json_works import work_of
from pinakes.services.client import Service, ServiceClient

LOCAL = "http://localhost:23119/api/users/0"
ROWS = 100
MOST = 200_000
_whose = re.compile(r"(?:users|groups)/\d+").fullmatch
_NOT_WORKS = frozenset(("attachment", "note", "annotation", "webpage"))


def zotero_service(whose: str, key: str = "", url: str = "") -> Service:
    """`users/12345`, `groups/678`, or `local` for the program that runs here, which has to allow it."""
    headers = {"Zotero-API-Version": "3", **({"Zotero-API-Key": key} if key else {})}
    if whose == "local":
        return Service("Zotero", url or LOCAL, headers=headers, gap=0.0)
    if not _whose(whose):
        raise PinakesError(
            f"zotero:{whose} is no library; write zotero:users/12345, zotero:groups/678 or zotero:local."
        )
    return Service("Zotero", f"{url or 'https://api.zotero.org'}/{whose}", headers=headers, gap=0.5)


async def zotero_works(client: ServiceClient) -> list[Work]:
    """The works of a library, notes, attachments and web pages left out."""
    found: list[Work] = []
    start = 0
    while start < MOST:
        asked = {"format": "json", "include": "data", "limit": str(ROWS), "start": str(start), "sort": "dateAdded"}
        page = await client.json("/items/top", asked, list[dict[str, Any]])
        for item in page:
            data = item.get("data")
            if isinstance(data, dict) and data.get("itemType") not in _NOT_WORKS and (work := work_of(data)).title:
                found.append(work)
        if len(page) < ROWS:
            break
        start += len(page)
    return found
