"""The path study of a library's crawls, from the data they kept themselves (000 §5)."""

from __future__ import annotations

from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.frontier.find import waiting_parents
from pinakes.library.library import Crawl, Library
from pinakes.measures.paths import PathStudy, Sample, Step, study


def paths(folder: Path, crawl: int | None = None) -> PathStudy:
    """Study the last crawl of a library, or the one of that number."""
    with Library(folder) as library:
        chosen = _chosen(library, folder, crawl)
        recipe = library.recipe(chosen)
        threshold = recipe.judge_parameters.get("threshold")
        if not isinstance(threshold, int | float) or threshold <= 0:
            raise PinakesError(f"The judge {recipe.judge} has no threshold, so the crawl of {folder} has no paths.")
        rows = library.connection.execute(
            "SELECT final, parent, score, nugget, depth, distance FROM visits"
            " WHERE crawl = ? AND outcome = 'ok' ORDER BY id",
            (chosen.id,),
        )
        steps = [
            Step(url, parent, score, bool(nugget), distance + 1 if depth else 0)
            for url, parent, score, nugget, depth, distance in rows
        ]
        if not steps:
            raise PinakesError(f"Crawl {chosen.id} of {folder} has no pages to study.")
        samples = library.connection.execute(
            "SELECT seconds, pages, waiting FROM samples WHERE crawl = ? ORDER BY batch, pages", (chosen.id,)
        )
        return study(
            steps,
            waiting_parents(library.connection, chosen.id),
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
