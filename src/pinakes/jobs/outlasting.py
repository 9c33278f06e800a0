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
from pinakes.library.postgres import DatabaseAwayError, is_away

PATIENCE = 600.0
"""Seconds a crawl waits for a database that is away."""

T = TypeVar("T")


async def outlasting(
    folder: Path,
    crawling: Coroutine[Any, Any, T],
    again: Callable[[], Coroutine[Any, Any, T]],
    ended: Callable[[], T | None],
    tell: Tell,
) -> T:
    """A crawl into a library that is taken up `again` when its database is back. By then another may decide, and may
    have `ended` it."""
    away = 0.0
    while True:
        try:
            return await crawling
        except PinakesError as error:
            if not away or not (isinstance(error, DatabaseAwayError) or "in use by another" in str(error)):
                raise
            if isinstance(error, DatabaseAwayError) and time.monotonic() - away > PATIENCE:
                raise
        except Exception as error:
            if not is_away(error) or not address_of(folder):
                raise
            tell(f"{name_of(folder)} is away; waiting for it.")
        away = away or time.monotonic()
        await asyncio.sleep(1.0)
        try:
            if (result := ended()) is not None:
                return result
        except Exception as error:
            if not is_away(error):
                raise
        crawling = again()
