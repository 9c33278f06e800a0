"""Topics from the collections of a library: what was collected once is what crawlers should find again."""

from __future__ import annotations

import re
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.library.collections import load_collections
from pinakes.library.library import Library

EXAMPLES = 8
"""The best pages of a collection, which show what it is about."""


def topics_of_library(folder: Path, examples: int = EXAMPLES) -> list[EvaluationTopic]:
    """A topic for each collection: its best pages are the examples, its nuggets the relevant pages, and the crawl
    begins where the one did that collected them."""
    with Library(folder) as library:
        seeds = {crawl.id: tuple(link.url for link in library.recipe(crawl).seeds) for crawl in library.crawls()}
        collections = load_collections(library.connection)
    topics: dict[str, EvaluationTopic] = {}
    for collection in collections:
        read = [entry.url for entry in collection.entries if entry.nugget and entry.page is not None]
        name = re.sub(r"\W+", "-", collection.name).strip("-").lower() or "topic"
        while name in topics:
            name += "-"
        topics[name] = EvaluationTopic(
            id=name,
            name=collection.name,
            description=collection.description,
            examples=tuple(read[:examples]),
            seeds=seeds.get(collection.crawl, ()),
            relevant=frozenset(read),
            where=f"{folder.name}, the collection {collection.name}",
        )
    if not topics:
        raise PinakesError(f"{folder} holds no collections; make some with `pinakes collect`, or give a topics file.")
    return list(topics.values())
