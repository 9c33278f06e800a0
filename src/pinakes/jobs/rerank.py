"""Ranking a collection anew by what people said of its pages.

Pages that belong become examples of the topic, pages that do not become negatives; the crawl's judge is made again of
them and of what it had learnt from before, and judges the topic's best pages again. What does not belong is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.core.page import Page, Verdict
from pinakes.jobs.centroid_check import look_at
from pinakes.jobs.gather import Ranking, gather_anew
from pinakes.jobs.judging import open_judge
from pinakes.jobs.shards import Shards
from pinakes.library.collections import Collection, load_collections, save_collections
from pinakes.library.labels import Labels, Reranking
from pinakes.library.library import Crawl, Library
from pinakes.library.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Reranked:
    library: str
    collection: str
    good: int
    bad: int
    before: tuple[str, ...]
    """Addresses, best first."""
    after: tuple[str, ...]

    @property
    def moved(self) -> int:
        """How many pages stand elsewhere than before, came new or went."""
        places = {url: rank for rank, url in enumerate(self.before)}
        return sum(places.get(url) != rank for rank, url in enumerate(self.after)) + len(
            set(self.before) - set(self.after)
        )


def label(folder: Path, collection: str, url: str, good: bool | None) -> None:
    """Say of a page whether it belongs to a collection; None takes it back."""
    with Library(folder) as library:
        number = _number(library, collection)
        sql = "SELECT 1 FROM entries WHERE collection = ? AND url = ?"
        known = library.connection.execute(sql, (number, url)).fetchone()
    if not known and good is not None and not _was_there(folder, collection, url):
        raise PinakesError(f"{url[:200]} is no page of the collection {collection}; label pages that stand in it.")
    Labels(folder).set(collection, url, good)


def rerank(folder: Path, collection: str, *, processes: int | None = None, on: str = "") -> Reranked:
    """Rank a collection by its labels, and keep both rankings. Pages are judged in shards, by `processes` of this
    machine or by those of the Ray cluster `on`."""
    with Library(folder, write=True) as library:
        _number(library, collection)
        one = next(found for found in load_collections(library.connection) if found.name == collection)
        crawl = next((known for known in library.crawls() if known.id == one.crawl), None)
        if crawl is None:
            raise PinakesError(f"The crawl that made the collection {collection} is not in the library any more.")
        made = labelled(library, crawl, library.recipe(crawl), one, processes, on)
        save_collections(library.connection, [made])
    labels = Labels(folder).of(collection)
    good = sum(each.good for each in labels)
    before, after = (tuple(entry.url for entry in ranked.entries) for ranked in (one, made))
    Labels(folder).note(collection, Reranking(time.time(), good, len(labels) - good, before, after))
    return Reranked(str(folder), collection, good, len(labels) - good, before, after)


def labelled(
    library: Library, crawl: Crawl, recipe: Recipe, one: Collection, processes: int | None = 1, on: str = ""
) -> Collection:
    """A collection as the judge sees it who learnt from its labels; unchanged where that cannot be."""
    labels = Labels(library.folder).of(one.name)
    kept = recipe.options.get("collect")
    if kept is None or one.name not in {topic.name for topic in recipe.brief.topics}:
        raise PinakesError(
            f"The collection {one.name} was not made by a crawl for collections; it cannot be re-ranked."
        )
    good = _pages(library, (each.url for each in labels if each.good))
    bad = _pages(library, (each.url for each in labels if not each.good))
    brief = recipe.brief
    examples = {**brief.examples, one.name: (*brief.examples.get(one.name, ()), *good)}
    taught = replace(brief, examples=examples, negatives=(*brief.negatives, *bad))
    parameters = {name: value for name, value in recipe.judge_parameters.items() if name != "model"}
    judge = open_judge(recipe.judge, taught, parameters)
    terms = {view.name: view.terms for view in look_at(taught, kept["weights"])}
    unwanted = {each.url for each in labels if not each.good}
    recipe = replace(recipe, brief=taught, judge_parameters=parameters)

    def judged(pages: Sequence[int]) -> Iterator[Verdict]:
        with Shards(library, len(pages), processes, on, judge=recipe) as shards:
            yield from shards.verdicts(pages)

    entries = gather_anew(
        library,
        crawl,
        taught,
        judge,
        one.name,
        Ranking(kept["size"], kept["per_host"], kept["expository"]),
        {*kept["given"].get(one.name, ()), *unwanted},
        judged,
    )
    return replace(one, built=time.time(), terms=terms.get(one.name, one.terms), entries=entries)


def _number(library: Library, collection: str) -> int:
    row = library.connection.execute("SELECT id FROM collections WHERE name = ?", (collection,)).fetchone()
    if row is None:
        raise LookupError(f"There is no collection {collection[:200]}.")
    return int(row[0])


def _was_there(folder: Path, collection: str, url: str) -> bool:
    """True for a page that labels put out of the collection: one may think better of it."""
    last = Labels(folder).last(collection)
    return last is not None and url in last.before


def _pages(library: Library, urls: Iterable[str]) -> tuple[Page, ...]:
    numbers = [number for url in urls if (number := library.shelf.number(url)) is not None]
    return tuple(page for number in numbers if (page := library.shelf.page(number)).terms)
