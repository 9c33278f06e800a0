"""Pinakes builds digital libraries from the web.

The jobs are functions: `pinakes.crawl(...)`, `pinakes.collect(...)`, `pinakes.resume(...)`, `pinakes.status(...)`,
`pinakes.search(...)`, `pinakes.export(...)`, `pinakes.why(...)`, `pinakes.evaluate(...)`,
`pinakes.paper(...)`, `pinakes.panorama(...)`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it: whoever imports the package waits for nothing

if TYPE_CHECKING:
    from typing import Any

    from pinakes.api import (
        CollectResult,
        CrawlResult,
        Evaluation,
        EvaluationTopic,
        ExportResult,
        HarvestResult,
        PanoramaResult,
        Paper,
        PinakesError,
        Progress,
        SearchResult,
        Status,
        Why,
        collect,
        collections,
        crawl,
        evaluate,
        export,
        harvest,
        panorama,
        paper,
        resume,
        search,
        status,
        why,
    )

__version__ = "0.1.0"
__all__ = [
    "CollectResult",
    "CrawlResult",
    "Evaluation",
    "EvaluationTopic",
    "ExportResult",
    "HarvestResult",
    "PanoramaResult",
    "Paper",
    "PinakesError",
    "Progress",
    "SearchResult",
    "Status",
    "Why",
    "collect",
    "collections",
    "crawl",
    "evaluate",
    "export",
    "harvest",
    "panorama",
    "paper",
    "resume",
    "search",
    "status",
    "why",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """The jobs are imported when first used, so that importing the package costs nothing."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("pinakes.api"), name)
    raise AttributeError(f"module 'pinakes' has no attribute '{name}'")
