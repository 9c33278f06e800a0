"""A library's pages in shards: what an analysis of many pages counts, judges and follows is done shard by shard.

A shard is some hundreds of pages by their numbers, or a stretch of a crawl's visits. Every hand opens the library
itself and reads what it needs from the catalogue and the archive, so that only numbers go out, and only what was
counted comes back. Without a cluster, and for few pages, the same is done here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import Verdict
from pinakes.formats.hashes import hash_of
from pinakes.jobs.hands import HereHands, in_order, open_hands
from pinakes.jobs.judging import open_judge
from pinakes.library.desk import address_of, library_path
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe, decoded, encoded
from pinakes.library.terms import KeptTerms
from pinakes.measures.paths import Steps

SHARD = 500
"""Pages of a shard."""
STRETCH = 50_000
"""Visits of a stretch."""
FEW = 1_000
"""So few pages are read sooner here than other processes are started."""

Ints = NDArray[np.int64]


class _Plan(NamedTuple):
    library: str
    judge: bytes
    """The recipe of the judge, if there is to be one."""


class _Order(NamedTuple):
    kind: str
    numbers: list[int]


class LibraryHand:
    """Does what is asked of pages of a library."""

    def __init__(self, library: Library, recipe: Recipe | None) -> None:
        self._library = library
        self._judge: Any = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters) if recipe else None

    async def do(self, order: bytes) -> bytes:
        kind, numbers = msgspec.msgpack.decode(order, type=_Order)
        answer: Any = getattr(self, f"_{kind}")(numbers)
        return msgspec.msgpack.encode(answer)

    async def close(self) -> None:
        self._library.close()

    def _terms(self, pages: list[int]) -> Any:
        """The stems of a shard, how many each page has, which, and how often."""
        kept = KeptTerms(self._library.connection)
        known = kept.known(pages)
        held = kept.of([page for page in pages if page in known])
        stems: dict[str, int] = {}
        sizes, terms, counts = list[int](), list[int](), list[int]()
        for page in pages:
            found = next(held) if page in known else self._library.shelf.page(page).terms
            sizes.append(len(found))
            terms += [stems.setdefault(stem, len(stems)) for stem in found]
            counts += found.values()
        return list(stems), *(np.array(column, np.uint32).tobytes() for column in (sizes, terms, counts))

    def _links(self, pages: list[int]) -> Any:
        """How many links each page has, and hashes of where they lead."""
        marks = ", ".join("?" * len(pages))
        rows = self._library.connection.execute(f"SELECT page, url FROM links WHERE page IN ({marks})", tuple(pages))
        found: dict[int, list[int]] = {}
        for page, url in rows:
            found.setdefault(page, []).append(hash_of(url))
        sizes = [len(found.get(page, ())) for page in pages]
        targets = [target for page in pages for target in found.get(page, ())]
        return np.array(sizes, np.uint32).tobytes(), np.array(targets, np.int64).tobytes()

    def _verdicts(self, pages: list[int]) -> Any:
        return [self._judge.judge(self._library.shelf.page(page)) for page in pages]

    def _steps(self, stretch: list[int]) -> Any:
        rows = self._library.connection.execute(
            "SELECT final, parent, score, nugget, depth, distance FROM visits"
            " WHERE crawl = ? AND outcome = 'ok' AND id BETWEEN ? AND ? ORDER BY id",
            tuple(stretch),
        ).fetchall()
        urls = [hash_of(row[0]) for row in rows]
        parents = [hash_of(row[1]) if row[1] else 0 for row in rows]
        levels = [row[5] + 1 if row[4] else 0 for row in rows]
        scores, nuggets = [row[2] for row in rows], [bool(row[3]) for row in rows]
        kinds: list[tuple[list[Any], Any]] = [
            (urls, np.int64), (parents, np.int64), (scores, np.float64), (nuggets, np.bool_), (levels, np.int64),
        ]  # fmt: skip
        return [np.array(column, kind).tobytes() for column, kind in kinds]


def open_library(plan: bytes) -> LibraryHand:
    """For a hand, wherever it is."""
    library, judge = msgspec.msgpack.decode(plan, type=_Plan)
    return LibraryHand(Library(library_path(library)), decoded(judge) if judge else None)


class Shards:
    """A library's pages for an analysis: use it in a `with`. `pages` is how many there are about; `judge` the recipe
    of a judge."""

    def __init__(
        self, library: Library, pages: int, processes: int | None = None, on: str = "", judge: Recipe | None = None
    ) -> None:
        if not on and (processes == 1 or pages <= FEW):
            self._hands: Any = HereHands(LibraryHand(library, judge))
            return
        name = address_of(library.folder) or str(Path(library.folder).resolve())
        plan = msgspec.msgpack.encode(_Plan(name, encoded(judge) if judge else b""))
        pieces = -(-pages // SHARD)
        self._hands = open_hands("pinakes.jobs.shards:open_library", plan, processes, pieces, on)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._hands.close()

    def terms(self, pages: Sequence[int]) -> Iterator[Mapping[str, int]]:
        """How often each stem stands on each page, in the order of the pages."""
        for said in self._answers("terms", _portions(pages)):
            stems, *columns = msgspec.msgpack.decode(said, type=tuple[list[str], bytes, bytes, bytes])
            sizes, terms, counts = (np.frombuffer(column, np.uint32).tolist() for column in columns)
            at = 0
            for size in sizes:
                end = at + size
                yield {stems[term]: count for term, count in zip(terms[at:end], counts[at:end], strict=True)}
                at = end

    def links(self, pages: Sequence[int]) -> Iterator[tuple[Ints, Ints]]:
        """For each shard, how many links each of its pages has, and hashes of where they lead."""
        for said in self._answers("links", _portions(pages)):
            sizes, targets = msgspec.msgpack.decode(said, type=tuple[bytes, bytes])
            yield np.frombuffer(sizes, np.uint32).astype(np.int64), np.frombuffer(targets, np.int64)

    def verdicts(self, pages: Sequence[int]) -> Iterator[Verdict]:
        """What the judge thinks of each page, in the order of the pages."""
        for said in self._answers("verdicts", _portions(pages)):
            yield from msgspec.msgpack.decode(said, type=list[Verdict])

    def steps(self, crawl: int, first: int, last: int) -> Steps:
        """The pages that a crawl brought home, in order; `first` and `last` are numbers of visits."""
        stretches = ([crawl, at, min(at + STRETCH - 1, last)] for at in range(first, last + 1, STRETCH))
        parts = [
            msgspec.msgpack.decode(said, type=tuple[bytes, bytes, bytes, bytes, bytes])
            for said in self._answers("steps", stretches)
        ]
        kinds = (np.int64, np.int64, np.float64, np.bool_, np.int64)
        columns = [
            np.concatenate([np.zeros(0, kind), *(np.frombuffer(part[at], kind) for part in parts)])
            for at, kind in enumerate(kinds)
        ]
        return Steps(*columns)

    def _answers(self, kind: str, portions: Iterable[Sequence[int]]) -> Iterator[bytes]:
        return in_order(self._hands, (msgspec.msgpack.encode(_Order(kind, list(some))) for some in portions))


def _portions(pages: Sequence[int]) -> Iterator[Sequence[int]]:
    return (pages[at : at + SHARD] for at in range(0, len(pages), SHARD))
