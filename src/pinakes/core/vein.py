"""Is there still something to be found? How the latest pages of a crawl compare with the best stretch it had."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

WINDOW = 100
"""Pages that are compared."""
POOR = 0.1
"""A vein is exhausted when the latest pages bring no more than this share of what the best ones brought."""
RICH = 5
"""Nuggets that the best pages brought at least: where nothing was found, nothing is exhausted."""


class Vein:
    """Nuggets among the latest pages of a crawl, and among the best hundred in a row."""

    def __init__(self, nuggets: Iterable[bool] = ()) -> None:
        self._latest: deque[bool] = deque(maxlen=WINDOW)
        self.pages = self.recent = self.best = 0
        for nugget in nuggets:
            self.add(nugget)

    def add(self, nugget: bool) -> None:
        """A page came home."""
        if len(self._latest) == WINDOW:
            self.recent -= self._latest[0]
        self._latest.append(nugget)
        self.recent += nugget
        self.pages += 1
        if self.pages >= WINDOW:
            self.best = max(self.best, self.recent)

    @property
    def exhausted(self) -> bool:
        """True when two hundred pages were fetched and the last hundred hardly brought anything any more."""
        return self.pages >= 2 * WINDOW and self.best >= RICH and self.recent <= POOR * self.best

    def __str__(self) -> str:
        if not self.exhausted:
            return ""
        few = "no nugget" if not self.recent else f"{self.recent} nugget{'s' if self.recent > 1 else ''}"
        return f"The vein seems exhausted: {few} in the last {WINDOW} pages, {self.best} in the best {WINDOW}."
