"""The closed web: nothing leads out of it, and what it remembers is bounded."""

from __future__ import annotations

import asyncio

from pinakes import demo
from pinakes.core.page import Link
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.web.frozen import FrozenWeb


def test_little_memory_changes_no_answer() -> None:
    """Pages that were forgotten are decoded again, and are the same."""
    frozen = FrozenWeb(demo.path("web.warc.gz"), records=False)
    roomy, narrow = ClosedWeb(frozen), ClosedWeb(frozen, memory=50_000)

    async def compare() -> None:
        urls = list(frozen.pages())[:40]
        for url in (*urls, *reversed(urls)):
            link = Link(url, depth=2, parent="http://www.pinakes.example/")
            assert await roomy.fetch(link) == await narrow.fetch(link)

    asyncio.run(compare())
    assert len(narrow._answers) < 20 < len(roomy._answers)
    assert narrow._weight == sum(weight for _, weight in narrow._answers.values()) <= 50_000


def test_nothing_leads_out() -> None:
    """Every link of every page can be followed, unless dead links are wanted."""
    frozen = FrozenWeb(demo.path("web.warc.gz"), records=False)

    async def dead(web: ClosedWeb) -> int:
        pages = [(await web.fetch(Link(url))).page for url in frozen.pages()]
        return sum(not frozen.holds(link.url) for page in pages for link in page.links)

    assert asyncio.run(dead(ClosedWeb(frozen))) == 0
    assert asyncio.run(dead(ClosedWeb(frozen, dead_links=True))) > 0
