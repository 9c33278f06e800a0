"""The pages a topic's centroid is made of: examples a person gave, or the first hits of a search engine (000 §2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Page, host_of
from pinakes.core.roles import Search, Web
from pinakes.formats.url import canonical
from pinakes.jobs.examples import fetch_example
from pinakes.jobs.topics_file import TopicEntry, TopicsFile
from pinakes.jobs.webs import Opened

FEWEST, MOST = 4, 7
"""k of 000 §2: a topic with fewer hits is discarded, hits after the seventh are ignored."""
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class TopicPages:
    """What one topic has to go by."""

    entry: TopicEntry
    pages: tuple[Page, ...] = ()
    hits: tuple[str, ...] = ()
    """Addresses of search hits; empty when the topic has examples of its own."""
    query: str = ""
    """What the search engine was asked."""
    unread: tuple[str, ...] = ()
    """A sentence for each example or hit that could not be read."""
    dropped: str = ""
    """Why the topic is left out, in a sentence; empty when it is not."""


async def gather_pages(file: TopicsFile, opened: Opened, most: int = MOST) -> list[TopicPages]:
    """The pages of every topic. A topic that has none is dropped and says why."""
    if opened.search is None and (without := [topic.name for topic in file.topics if not topic.examples]):
        raise PinakesError(
            f"The topic '{without[0]}' has no examples, and there is no search engine to find some; give it examples, "
            "or add [search.NAME] to pinakes.toml and name it with --search."
        )
    fetcher = _Fetcher(opened.web, opened.delay)
    gate = asyncio.Semaphore(1 if opened.web.ordered else AT_ONCE)

    async def one(entry: TopicEntry) -> TopicPages:
        async with gate:
            return await _gathered(entry, file.query(entry), fetcher, opened.search, most)

    return list(await asyncio.gather(*map(one, file.topics)))


async def _gathered(entry: TopicEntry, query: str, fetcher: _Fetcher, search: Search | None, most: int) -> TopicPages:
    if entry.examples:
        pages, unread = await fetcher.read(entry.examples)
        dropped = "" if pages else f"The topic '{entry.name}' is dropped: none of its examples can be read."
        return TopicPages(entry, pages, unread=unread, dropped=dropped)
    assert search is not None
    found = [url for hit in await search.search(query, most) if (url := canonical(hit.url))]
    hits = tuple(dict.fromkeys(found))[:most]
    if len(hits) < FEWEST:
        dropped = (
            f"The topic '{entry.name}' is dropped: the search for '{query}' has {count_of(len(hits), 'hit')}, "
            "and a centroid needs "
            f"{FEWEST}; give it examples, or another query."
        )
        return TopicPages(entry, hits=hits, query=query, dropped=dropped)
    pages, unread = await fetcher.read(hits)
    dropped = (
        ""
        if pages
        else f"The topic '{entry.name}' is dropped: none of its {count_of(len(hits), 'search hit')} can be read."
    )
    return TopicPages(entry, pages, hits, query, unread, dropped)


class _Fetcher:
    """Reads pages before the crawl, as politely as the crawl does: a host gets one request at a time."""

    def __init__(self, web: Web, delay: float | None) -> None:
        self._web, self._delay = web, delay
        self._hosts: dict[str, asyncio.Lock] = {}

    async def read(self, names: Sequence[str]) -> tuple[tuple[Page, ...], tuple[str, ...]]:
        """The pages that can be read, each once, and a sentence for each that cannot."""
        answers = await asyncio.gather(*(self._one(name) for name in names))
        pages = {answer.url: answer for answer in answers if isinstance(answer, Page)}
        return tuple(pages.values()), tuple(answer for answer in answers if isinstance(answer, str))

    async def _one(self, name: str) -> Page | str:
        async with self._hosts.setdefault(host_of(canonical(name)), asyncio.Lock()):
            try:
                return await fetch_example(name, self._web)
            except PinakesError as error:
                return str(error)
            finally:
                if self._delay and canonical(name):
                    await asyncio.sleep(self._delay)
