"""What was made a moment ago, for whoever asks for the same: many readers who watch one crawl cost as much as one.

Only for readers who cannot write: whoever can sees at once what their own writing changed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")
SECONDS = 0.9
MOST = 100


class Lately(Generic[T]):
    """Values by key, each as old as `seconds` at most. Several threads may ask; one makes what is not there."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._lock = threading.Lock()
        self._made: dict[Hashable, tuple[float, T]] = {}
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            lock = self._making.setdefault(key, threading.Lock())
        with lock:
            found = self._made.get(key)
            if found is not None and self._clock() - found[0] < self._seconds:
                return found[1]
            value = make()
            with self._lock:
                if len(self._made) >= MOST:
                    self._made.clear()
                    self._making.clear()
                self._made[key] = (self._clock(), value)
            return value
