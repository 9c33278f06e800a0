"""Tools to test crawlers, strategies and frontiers with, also those written elsewhere."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pinakes.testing.frontier import check_frontier
    from pinakes.testing.inprocess import InProcessWeb
    from pinakes.testing.procedural import ProceduralWeb
    from pinakes.testing.server import serve
    from pinakes.testing.strategy import check_strategy
    from pinakes.testing.toy import ToyWeb

__all__ = ["InProcessWeb", "ProceduralWeb", "ToyWeb", "check_frontier", "check_strategy", "serve"]

_HOMES = {
    "InProcessWeb": "inprocess",
    "ProceduralWeb": "procedural",
    "ToyWeb": "toy",
    "check_frontier": "frontier",
    "check_strategy": "strategy",
    "serve": "server",
}


def __getattr__(name: str) -> Any:
    """Import a tool when it is first asked for, so that importing this package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
