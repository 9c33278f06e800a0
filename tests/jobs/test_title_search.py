"""Scholarly sources beside a search engine, for a panorama's titles."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from pinakes.core.roles import Hit
from pinakes.jobs.panorama.scholarly import TitleSearch
from pinakes.testing.wire import Asked, Write, wire
from pinakes.web.http import LiveOptions

TITLE = "Maps of Small Webs"
WORK = {
    "title": f"{TITLE}: a study",
    "doi": "https://doi.org/10.1/maps",
    "best_oa_location": {"pdf_url": "http://o.example/m.pdf"},
}


class Engine:
    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        return [Hit("http://web.example/about", "About")]


def test_a_source_that_fails_is_told_of_once() -> None:
    """The engine's hits come first, then those of the sources; Crossref refuses and is not asked again."""
    told: list[str] = []
    asked_of: list[str] = []

    async def say(asked: Asked, write: Write) -> bool:
        asked_of.append(asked.host)
        good = asked.host == "openalex.example"
        body = json.dumps({"results": [WORK]} if good else {"error": "no"}).encode()
        head = f"HTTP/1.1 {200 if good else 403} X\r\nContent-Length: {len(body)}\r\n"
        await write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        return True

    async def go() -> list[list[str]]:
        async with wire(say) as wired:
            services = {name: {"url": f"http://{name}.example"} for name in ("openalex", "crossref")}
            live = LiveOptions("someone@example.org", resolve=(wired.route,), services=services)
            titles = TitleSearch(("openalex", "crossref"), live, Engine(), told.append)
            try:
                return [[hit.url for hit in await titles.search(f"{TITLE} {n}"[:-2])] for n in range(2)]
            finally:
                await titles.close()

    first, second = asyncio.run(go())
    assert first == second == ["http://web.example/about", "http://o.example/m.pdf", "https://doi.org/10.1/maps"]
    assert asked_of.count("crossref.example") == 1
    assert len(told) == 1 and "Crossref" in told[0] and "not asked again" in told[0]
