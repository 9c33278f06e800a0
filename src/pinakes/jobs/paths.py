"""The path study of a library's crawls, from the data they kept themselves (000 §5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pinakes.core.errors import PinakesError
from pinakes.formats.hashes import hash_of
from pinakes.frontier.find import waiting_parents
from pinakes.jobs.shards import Shards
from pinakes.library.library import Crawl, Library
from pinakes.measures.paths import PathStudy, Sample, study


def paths(folder: Path, crawl: int | None = None, *, processes: int | None = None, on: str = "") -> PathStudy:
    """Study the last crawl of a library, or the one of that number; its visits are read in shards by `processes` of
    this machine, or by those of the Ray cluster `on`."""
    with Library(folder) as library:
        chosen = _chosen(library, folder, crawl)
        recipe = library.recipe(chosen)
        threshold = recipe.judge_parameters.get("threshold")
        if not isinstance(threshold, int | float) or threshold <= 0:
            raise PinakesError(f"The judge {recipe.judge} has no threshold, so the crawl of {folder} has no paths.")
        sql = "SELECT min(id), max(id), count(*) FROM visits WHERE crawl = ?"
        first, last, many = library.connection.execute(sql, (chosen.id,)).fetchone()
        # A visit is read a hundred times sooner than a page.
        with Shards(library, many // 100, processes, on) as shards:
            steps = shards.steps(chosen.id, first or 0, last or -1)
        if not len(steps.url):
            raise PinakesError(f"Crawl {chosen.id} of {folder} has no pages to study.")
        samples = library.connection.execute(
            "SELECT seconds, pages, waiting FROM samples WHERE crawl = ? ORDER BY batch, pages", (chosen.id,)
        )
        return study(
            steps,
            np.array([hash_of(url) for url in waiting_parents(library.connection, chosen.id)], np.int64),
            [Sample(*row) for row in samples],
            name=folder.name if crawl is None else f"{folder.name}, crawl {chosen.id}",
            strategy=_told(recipe.strategy, recipe.parameters),
            threshold=float(threshold),
        )


def _chosen(library: Library, folder: Path, crawl: int | None) -> Crawl:
    crawls = {one.id: one for one in library.crawls()}
    if not crawls:
        raise PinakesError(f"{folder} holds no crawl; start one with `pinakes collect` or `pinakes crawl`.")
    if crawl is not None and crawl not in crawls:
        raise PinakesError(f"{folder} has no crawl {crawl}; it has {', '.join(map(str, crawls))}.")
    return crawls[crawl if crawl is not None else max(crawls)]


def _told(strategy: str, parameters: dict[str, object]) -> str:
    cutoff = parameters.get("cutoff")
    return f"{strategy}, cutoff {cutoff:g}" if isinstance(cutoff, int | float) else strategy
