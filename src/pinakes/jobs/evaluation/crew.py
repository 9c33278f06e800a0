"""The crawls of an evaluation and their measuring, as pieces of work for hands.

Each opens the web once (the index is memory-mapped and shared by all of a machine) and then does what it is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.measuring import Measured, Pool, measure
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.runs import Run
from pinakes.jobs.evaluation.stage import Stage
from pinakes.jobs.hands import open_hands

Work = Task | Pool
Result = Run | Measured


class Done(NamedTuple):
    """What became of a piece of work."""

    work: Work
    result: Result | None
    trouble: str = ""
    """Why there is no result."""


class _Order(NamedTuple):
    run: Task | None
    pool: Pool | None


class _Answer(NamedTuple):
    run: Run | None
    measured: Measured | None
    trouble: str


def told_of(plan: Plan) -> bytes:
    """A plan for another process; a class of this process alone means nothing to it, and it is never told to run it."""
    entrants = tuple(replace(entrant, given=None) for entrant in plan.entrants)
    return msgspec.msgpack.encode(replace(plan, entrants=entrants))


def order_of(piece: Work) -> bytes:
    return msgspec.msgpack.encode(_Order(piece, None) if isinstance(piece, Task) else _Order(None, piece))


def done_of(piece: Work, message: bytes) -> Done:
    """What another process answered to an order."""
    answer = msgspec.msgpack.decode(message, type=_Answer)
    return Done(piece, answer.run or answer.measured, answer.trouble)


class StageHand:
    """A hand that runs an evaluation's crawls and measures them."""

    def __init__(self, plan: bytes) -> None:
        self._stage = Stage.frozen_stage(msgspec.msgpack.decode(plan, type=Plan))

    async def do(self, order: bytes) -> bytes:
        told = msgspec.msgpack.decode(order, type=_Order)
        piece = told.run or told.pool
        assert piece is not None
        done = await perform(self._stage, piece)
        run = done.result if isinstance(done.result, Run) else None
        measured = done.result if isinstance(done.result, Measured) else None
        return msgspec.msgpack.encode(_Answer(run, measured, done.trouble))

    async def close(self) -> None:
        await self._stage.web.close()


class Crew:
    """Hands at work on one plan, here or on a cluster."""

    def __init__(self, plan: Plan, processes: int | None, pieces: int, on: str = "") -> None:
        opener = f"{__name__}:{StageHand.__name__}"
        self._hands = open_hands(opener, told_of(plan), processes, pieces, on)
        self.processes = self._hands.processes

    def each(self, work: Sequence[Work]) -> Iterator[Done]:
        """The pieces of work as they get done, in whatever order."""
        for place, said, trouble in self._hands.each(order_of(piece) for piece in work):
            yield done_of(work[place], said) if said is not None else Done(work[place], None, trouble)

    def close(self) -> None:
        """End all hands, also in the middle of something."""
        self._hands.close()


async def perform(stage: Stage, piece: Work) -> Done:
    """Do a piece of work here and now. What a strategy of somebody's does wrong is told, and spoils only its run."""
    try:
        if isinstance(piece, Task):
            return Done(piece, await stage.run(piece))
        return Done(piece, await measure(stage, piece))
    except PinakesError as error:
        return Done(piece, None, str(error))
    except Exception as error:
        if os.environ.get("PINAKES_DEBUG"):
            raise
        return Done(piece, None, f"{type(error).__name__}: {error}")
