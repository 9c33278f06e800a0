"""The event loop crawls run on: uvloop where it is installed, which moves bytes at less cost, else Python's own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What `asyncio.run` does."""
    try:
        from uvloop import new_event_loop
    except ImportError:  # it is not made for every platform
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)
