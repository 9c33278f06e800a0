"""The sources of back-links by the names `pinakes.toml` gives them, and the chain a crawl asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pinakes.services.backlinks.chain import EACH, MOST, Chain, Source
from pinakes.services.backlinks.citations import OpenAlex, SemanticScholar
from pinakes.services.backlinks.linkfile import LinkFile
from pinakes.services.backlinks.wikipedia import Wikipedia
from pinakes.services.client import Service
from pinakes.services.door import Services
from pinakes.services.limits import Ration

OFF = "off"
"""As the url of a service: it is not asked."""
LINKS = "links"
"""The section whose url is the path of a link file."""
_OPENALEX_ALLOWANCE, _OPENALEX_WITHOUT_KEY = 1.0, 0.01
"""Dollars a day that are free, with a key and without."""


class Settings(Protocol):
    """A section `[services.NAME]` of the configuration."""

    @property
    def url(self) -> str: ...

    @property
    def budget(self) -> float: ...

    def key(self) -> str: ...


def wikipedia(settings: Settings | None) -> Service:
    return Service(Wikipedia.name, (settings and settings.url) or "https://en.wikipedia.org", gap=1.0)


def openalex(settings: Settings | None) -> Service:
    key = settings.key() if settings else ""
    return Service(
        OpenAlex.name,
        (settings and settings.url) or "https://api.openalex.org",
        query={"api_key": key} if key else {},
        gap=0.1,
        budget=(settings and settings.budget) or (_OPENALEX_ALLOWANCE if key else _OPENALEX_WITHOUT_KEY),
    )


def semantic_scholar(settings: Settings | None) -> Service:
    key = settings.key() if settings else ""
    return Service(
        SemanticScholar.name,
        (settings and settings.url) or "https://api.semanticscholar.org/graph/v1",
        headers={"x-api-key": key} if key else {},
        gap=1.0 if key else 3.0,  # without a key one shares the pace with everybody else who has none
    )


_SOURCES = (
    ("wikipedia", wikipedia, Wikipedia),
    ("openalex", openalex, OpenAlex),
    ("semantic-scholar", semantic_scholar, SemanticScholar),
)


def chain_of(
    services: Services,
    settings: Mapping[str, Settings],
    *,
    library: sqlite3.Connection | None = None,
    most: int = MOST,
    each: int = EACH,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Chain:
    """The library first, then the link file, then the services; `most` calls a crawl, `each` back-links a page."""
    ration = Ration(most)
    with ExitStack() as opened:
        sources: list[Source] = []
        if (links := settings.get(LINKS)) is not None and links.url not in ("", OFF):
            sources.append(opened.enter_context(closing(LinkFile(Path(links.url).expanduser()))))
        for name, service, source in _SOURCES:
            section = settings.get(name)
            if section is None or section.url != OFF:
                client = services.client(replace(service(section), dispensable=True))
                sources.append(source(client, ration))
        chain = Chain(sources, ration, each=each, tell=tell, opened=opened.pop_all())
        chain.library(library)
        return chain
