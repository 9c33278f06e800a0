"""`pinakes work`: one of the many who bring the pages of a crawl home, and who decide when nobody else does."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.formats.document import Reader
from pinakes.jobs.crawl_records import Watch
from pinakes.jobs.outlasting import Outage
from pinakes.jobs.running import on_interrupt, run
from pinakes.jobs.taking_up import open_again, take_up
from pinakes.jobs.webs import Indexing, Tell, quietly
from pinakes.jobs.worker import CHECK, INTERRUPTED, Worker
from pinakes.library.desk import name_of
from pinakes.library.library import Library
from pinakes.library.postgres import cause, is_away


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """What `pinakes work` is told."""

    library: Path
    in_flight: int = 8
    """Requests under way at once; 0 only decides."""
    processes: int | None = None
    decide: bool = True
    """Take over when nobody decides."""
    forever: bool = False
    """Wait for further crawls when one has ended."""
    patience: float = 600.0
    """Seconds to wait for a database that is away."""


@dataclass(frozen=True, slots=True)
class WorkResult:
    """What a worker did."""

    library: str
    pages: int
    """Links it brought home as a worker."""
    decided: int
    """How often it took over the deciding."""
    stopped: str
    seconds: float


def work(
    options: WorkOptions, *, watch: Watch | None = None, indexing: Indexing = quietly, tell: Tell = quietly
) -> WorkResult:
    """Work on the running crawl of a library in PostgreSQL until it ends."""
    return run(_Shift(options, watch, indexing, tell).run())


class _Shift:
    """A worker's day: crawl after crawl, through lost connections and changes of who decides."""

    def __init__(self, options: WorkOptions, watch: Watch | None, indexing: Indexing, tell: Tell) -> None:
        self._options, self._watch, self._indexing, self._tell = options, watch, indexing, tell
        self._pages = self._decided = 0
        self._stopped = ""
        self._interrupted = False
        self._outage = Outage(name_of(options.library), tell)

    async def run(self) -> WorkResult:
        started = time.monotonic()
        name = name_of(self._options.library)
        with on_interrupt(self._interrupt):
            while not self._interrupted:
                try:
                    if not await self._spell():
                        break
                except Exception as error:
                    if not is_away(error):
                        raise
                    if (lasted := self._outage.lasts(error)) > self._options.patience:
                        raise PinakesError(f"{name} did not come back in {lasted:.0f} s ({cause(error)}).") from None
                    await asyncio.sleep(random.uniform(0.2, 1.0))
        stopped = INTERRUPTED if self._interrupted else self._stopped
        return WorkResult(name, self._pages, self._decided, stopped, time.monotonic() - started)

    def _interrupt(self) -> None:
        self._interrupted = True

    async def _spell(self) -> bool:
        """Work, or decide, for as long as nothing changes; false when there is nothing more to do."""
        options = self._options
        with Library(options.library) as library:
            if library.shared is None:
                raise PinakesError(f"{options.library} is one machine's library; workers join postgresql://… ones.")
            crawl, decided = next(iter(library.crawls()[-1:]), None), library.shared.decided()
        self._outage.over()
        if crawl is None or crawl.stopped:
            self._stopped = crawl.stopped if crawl else "no crawl is there"
            if not options.forever:
                return False
            await asyncio.sleep(CHECK)
        elif decided:
            await self._work()
        elif options.decide:
            await self._decide()
        else:
            await asyncio.sleep(CHECK)
        return True

    async def _decide(self) -> None:
        options = self._options
        try:
            result = await take_up(
                options.library, None, options.processes, self._watch, self._indexing, self._tell, options.in_flight
            )
        except PinakesError as error:
            if "in use by another" not in str(error) and "is finished" not in str(error):
                raise
            return  # someone was quicker
        self._decided += 1
        self._stopped = result.stopped
        self._interrupted = self._interrupted or result.interrupted

    async def _work(self) -> None:
        options = self._options
        with Library(options.library) as library:
            recipe = library.recipe(library.crawls()[-1])
        reader = Reader(first_bytes=recipe.options["first_bytes"])
        with Library(options.library, work=True, reader=reader) as library:
            crawl = library.crawls()[-1]
            opened = open_again(library, crawl, recipe, options.processes or 1, self._indexing, self._tell)
            worker = Worker(library, crawl, recipe, opened, options.in_flight)
            try:
                self._stopped = await worker.run(lambda: self._interrupted)
            finally:
                self._pages += worker.pages
                await opened.close()
