"""Going on after the database was away for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from pinakes.core.errors import PinakesError
from pinakes.jobs.webs import Tell
from pinakes.library.desk import address_of, name_of
from pinakes.library.postgres import DatabaseAwayError, cause, is_away

PATIENCE = 600.0
"""Seconds a crawl waits for a database that is away."""
REMINDED = 60.0
"""Seconds between two words about it."""

T = TypeVar("T")


class Outage:
    """What is told of a database that is away: once when it goes, once a minute, and when it is back."""

    def __init__(self, name: str, tell: Tell) -> None:
        self._name, self._tell = name, tell
        self._since = self._told = 0.0

    def lasts(self, error: BaseException) -> float:
        """It does not answer; for how many seconds now."""
        now = time.monotonic()
        if not self._since:
            self._since = self._told = now
            self._tell(f"{self._name} is away ({cause(error)}); waiting for it.")
        elif now - self._told >= REMINDED:
            self._told = now
            self._tell(f"{self._name} has been away for {(now - self._since) / 60:.0f} min ({cause(error)}).")
        return now - self._since

    def over(self) -> None:
        """It answers."""
        if self._since:
            self._tell(f"{self._name} is back after {time.monotonic() - self._since:.0f} s.")
        self._since = 0.0


async def outlasting(
    folder: Path,
    crawling: Coroutine[Any, Any, T],
    again: Callable[[], Coroutine[Any, Any, T]],
    ended: Callable[[], T | None],
    tell: Tell,
) -> T:
    """A crawl into a library that is taken up `again` when its database is back. By then another may decide, and may
    have `ended` it."""
    outage, lost, taken = Outage(name_of(folder), tell), False, False
    while True:
        try:
            return await crawling
        except PinakesError as error:
            if not lost or not (isinstance(error, DatabaseAwayError) or "in use by another" in str(error)):
                raise
            if isinstance(error, DatabaseAwayError):
                if outage.lasts(error) > PATIENCE:
                    raise
            elif not taken:
                taken = True
                tell(f"Another process decides on {name_of(folder)} now; this one waits until it has ended the crawl.")
        except Exception as error:
            if not is_away(error) or not address_of(folder):
                raise
            outage.lasts(error)
        lost = True
        await asyncio.sleep(1.0)
        try:
            result = ended()
            outage.over()
            if result is not None:
                return result
        except Exception as error:
            if not is_away(error):
                raise
        crawling = again()
