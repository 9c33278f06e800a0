"""Getting the crawls and measurements of an evaluation done: on the cores of this machine, on a Ray
cluster, or on the live web."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pinakes.core.roles import Web
from pinakes.jobs.evaluation.cached import CachedWeb
from pinakes.jobs.evaluation.crew import Crew, Done, Work, perform
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.stage import Stage
from pinakes.jobs.hands import cores
from pinakes.jobs.running import run
from pinakes.jobs.webs import open_web
from pinakes.web.http import LiveOptions

SECONDS = 10.0
"""What 004 §5.2 grants a download."""
CRAWLS = 64
"""Crawls at once on the live web: each waits for one answer at a time, and hosts are shared politely by all."""

Tell = Callable[[Done], None]


class Labour(Protocol):
    processes: int
    """How many do the work."""

    def do(self, pieces: Sequence[Work], tell: Tell) -> None:
        """Do all pieces, telling of each as it is done, in whatever order."""

    def close(self) -> None: ...


class FrozenLabour:
    """Pieces of work on a recorded web: on several processes, on a Ray cluster, or here."""

    def __init__(self, plan: Plan, processes: int | None, pieces: int, on: str = "") -> None:
        self._crew: Crew | None = None
        if on:
            self._plan = plan
            self._crew = Crew(plan, processes, pieces, on)
            self.processes = self._crew.processes
        else:
            self.processes = wanted = min(processes or cores(), max(1, pieces))
            self._plan = replace(plan, processes=wanted)
            self._crew = Crew(self._plan, wanted, pieces) if wanted > 1 else None
        self._stage: Stage | None = None

    def do(self, pieces: Sequence[Work], tell: Tell) -> None:
        here = [piece for piece in pieces if self._crew is None or self._only_here(piece)]
        if self._crew is not None:
            for done in self._crew.each([piece for piece in pieces if not self._only_here(piece)]):
                tell(done)
        for piece in here:
            if self._stage is None:
                self._stage = Stage.frozen_stage(self._plan)
            tell(run(perform(self._stage, piece)))

    def close(self) -> None:
        if self._crew is not None:
            self._crew.close()
        if self._stage is not None:
            run(self._stage.web.close())

    def _only_here(self, piece: Work) -> bool:
        """A class typed into a notebook is known to no other process."""
        return isinstance(piece, Task) and self._plan.entrant(piece.entrant).given is not None


class LiveLabour:
    """Pieces of work on the live web: all crawls at once, behind one cache."""

    processes = 1

    def __init__(self, plan: Plan, folder: Path, live: LiveOptions, tell: Callable[[str], None]) -> None:
        self._plan, self._folder, self._tell = plan, folder, tell
        # Search engines and services that know back-links answer differently from day to day: nobody is given them.
        self._live = replace(live, timeouts=replace(live.timeouts, total=SECONDS), search={})

    def do(self, pieces: Sequence[Work], tell: Tell) -> None:
        if pieces:
            run(self._do(pieces, tell, live=any(isinstance(piece, Task) for piece in pieces)))

    def close(self) -> None:
        """Everything is closed after each round."""

    async def _do(self, pieces: Sequence[Work], tell: Tell, *, live: bool) -> None:
        web: Web | None = open_web("live", live=self._live, tell=self._tell).web if live else None
        cached = CachedWeb(web, self._folder)
        stage, room = Stage(self._plan, cached), asyncio.Semaphore(CRAWLS)

        async def one(piece: Work) -> None:
            async with room:
                tell(await perform(stage, piece))

        try:
            there = await stage.examples()
            for topic in self._plan.topics if live else ():
                if lost := [url for url in topic.examples if url not in there]:
                    self._tell(
                        f"{topic.where or topic.id}: {lost[0]} cannot be read; '{topic.id}' learns from the others."
                    )
            async with asyncio.TaskGroup() as group:
                for piece in pieces:
                    group.create_task(one(piece))
        finally:
            await cached.close()
