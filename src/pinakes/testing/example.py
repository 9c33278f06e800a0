"""A small web and a brief to check strategies with: a topic, and sixty pages on four hosts with every trouble."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from random import Random

from pinakes.core.page import Brief, Fetched, Link, Page, Topic
from pinakes.testing.toy import Drawn, ToyLink, ToyWeb

PAGES = 60
BUDGET = 40
SEEDS = ("http://a.example/0", "http://b.example/1", "http://a.example/gone", "http://c.example/moved")
ON_TOPIC = "owl falcon heron plumage feather nest egg migration wing beak flock hatch perch raptor wader"
OFF_TOPIC = "loom weave cotton treaty parliament engine turbine violin sonata harbour mortar granite ledger tariff"
FILLER = "page about many things that people read write find know year part place world time name work"
MOVED = {
    "http://c.example/moved": "http://a.example/4",
    "http://a.example/near": "http://a.example/8",
    "http://b.example/loop": "http://b.example/pool",
    "http://b.example/pool": "http://b.example/loop",
}


class ExampleWeb:
    """The roles `Web` and `Backlinks` over the sixty pages, each read once for all crawls; with `error` all fail so."""

    ordered = True

    def __init__(self, error: str = "") -> None:
        self._web, self._answers, self._error = _toy_web(), _answers(), error
        self.fetched: list[str] = []
        """Addresses asked for, in order."""

    async def fetch(self, link: Link) -> Fetched:
        self.fetched.append(link.url)
        if self._error:
            return Fetched(Page(link, link.url, error=self._error))
        fetched = self._answers.get(link.url) or await self._web.fetch(link)
        links = tuple([found._replace(depth=link.depth + 1) for found in fetched.page.links])
        return replace(fetched, page=replace(fetched.page, link=link, links=links))

    async def backlinks(self, url: str, n: int = 10) -> list[str]:
        pages = [fetched.page for fetched in self._answers.values()]
        return [page.url for page in pages if any(link.url == url for link in page.links)][:n]

    async def close(self) -> None:
        pass


def example_web(error: str = "") -> ExampleWeb:
    return ExampleWeb(error)


@cache
def example_brief() -> Brief:
    """The topic with examples, counter-examples, layers before it, and document frequencies."""
    pages = {url: fetched.page for url, fetched in _answers().items() if fetched.page.readable and not fetched.hop}
    on = tuple(pages[_url(n)] for n in range(PAGES) if n % 5 == 3 and _url(n) in pages)
    off = tuple(pages[_url(n)] for n in range(PAGES) if n % 5 == 1 and _url(n) in pages)
    background = Counter(term for page in pages.values() for term in page.terms)
    return Brief(
        topics=(Topic("birds", "owls, falcons and herons: plumage, nests and migration"),),
        examples={"birds": on[:4]},
        negatives=off[:5],
        background={**background, "": len(pages)},
        layers=(off[5:7], off[7:9]),
        pages=BUDGET,
    )


@cache
def _answers() -> Mapping[str, Fetched]:
    web = _toy_web()

    async def everything() -> dict[str, Fetched]:
        return {url: await web.fetch(Link(url)) for url in [*_drawn(), *MOVED]}

    return asyncio.run(everything())


@cache
def _toy_web() -> ToyWeb:
    failing = {_url(number): "timeout" if number % 2 else "server-error" for number in range(10, PAGES, 13)}
    return ToyWeb(_drawn(), redirects=MOVED, errors=failing)


@cache
def _drawn() -> Mapping[str, Drawn]:
    random = Random(3)
    on, off, filler = ON_TOPIC.split(), OFF_TOPIC.split(), FILLER.split()
    pages: dict[str, Drawn] = {}
    for number in range(PAGES):
        words = on if number % 5 in (3, 4) or number % 11 == 0 else off
        text = " ".join(random.choices(words, k=25) + random.choices(on + off + filler, k=15))
        near = [random.randrange(PAGES) for _ in range(random.randrange(2, 7))]
        links: list[ToyLink] = [(_url(to), " ".join(random.sample(words if to % 2 else off, 2))) for to in near]
        links += [_url(number), "http://a.example/gone", "http://c.example/moved"][: random.randrange(4)]
        links += ["http://a.example/near", "http://b.example/loop"] if number % 7 == 2 else []
        pages[_url(number)] = (text, [] if number % 9 == 7 else links)
    return pages


def _url(number: int) -> str:
    return f"http://{'abcd'[number % 4]}.example/{number}"
