"""How much CPU time a strategy takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Stopwatch:
    """Calls a strategy and counts its time (a generator's work is done here too)."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def __call__(self, call: Callable[..., Any], *arguments: Any) -> Any:
        start = time.thread_time()
        answer = call(*arguments)
        if isinstance(answer, Iterable) and not isinstance(answer, Sequence) and not hasattr(answer, "shape"):
            answer = list(answer)
        self.seconds += time.thread_time() - start
        return answer
