"""The processes that run an evaluation's crawls, as many as there are cores.

Each is a process of this module that speaks length-prefixed messages on its standard streams; `web/workers.py` says
why. It opens the web once (the index is memory-mapped and shared by all) and then does what it is told. Which process
does what, and in which order, changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.measuring import Measured, Pool, measure
from pinakes.jobs.evaluation.plan import Plan, Task
from pinakes.jobs.evaluation.runs import Run
from pinakes.jobs.evaluation.stage import Stage
from pinakes.web.workers import receive, send

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


def stage_of(plan: bytes) -> Stage:
    return Stage.frozen_stage(msgspec.msgpack.decode(plan, type=Plan))


async def obey(stage: Stage, message: bytes) -> bytes:
    """Do what an order says; the answer."""
    order = msgspec.msgpack.decode(message, type=_Order)
    piece = order.run or order.pool
    assert piece is not None
    done = await perform(stage, piece)
    run = done.result if isinstance(done.result, Run) else None
    measured = done.result if isinstance(done.result, Measured) else None
    return msgspec.msgpack.encode(_Answer(run, measured, done.trouble))


class Crew:
    """Processes at work on one plan."""

    def __init__(self, plan: Plan, processes: int) -> None:
        self._team = [_Worker(plan) for _ in range(processes)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._team:
            self._idle.put(worker)
        self._pool = ThreadPoolExecutor(processes, "pinakes-evaluate")

    def each(self, work: Iterable[Work]) -> Iterator[Done]:
        """The pieces of work as they get done, in whatever order."""
        left = iter(work)
        under_way: set[Future[Done]] = set()
        while True:
            for piece in left:
                under_way.add(self._pool.submit(self._do, piece))
                if len(under_way) >= 2 * len(self._team):
                    break
            if not under_way:
                return
            finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()

    def close(self) -> None:
        """End all processes, also in the middle of something."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in self._team:
            worker.end()

    def _do(self, piece: Work) -> Done:
        worker = self._idle.get()
        try:
            return worker.do(piece)
        finally:
            self._idle.put(worker)


class _Worker:
    """A process, started again when it dies."""

    def __init__(self, plan: Plan) -> None:
        self._plan = told_of(plan)
        self._ended = False
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pinakes.jobs.evaluation.crew"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, **environment()},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        with suppress(BrokenPipeError):
            send(self._to, self._plan)

    def do(self, piece: Work) -> Done:
        message = None
        with suppress(BrokenPipeError):
            send(self._to, order_of(piece))
            message = receive(self._from)
        if message is not None:
            return done_of(piece, message)
        if not self._ended:
            self._stop()
            self._start()
        return Done(piece, None, "the process at work on it ended; is there memory enough for so many --processes?")

    def end(self) -> None:
        self._ended = True
        self._process.kill()
        self._process.wait()
        self._stop()

    def _stop(self) -> None:
        with suppress(BrokenPipeError):
            self._to.close()
        self._process.wait()
        self._from.close()


def environment() -> dict[str, str]:
    """What a process at work is started with. Each has a core; libraries that start threads of their own would only be
    in the others' way."""
    path = os.pathsep.join([*filter(None, sys.path), str(Path.cwd())])
    return {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": path}


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


async def _serve() -> None:
    # Only messages may go to standard output, whatever a library prints.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if (told := receive(sys.stdin.buffer)) is None:
        return
    stage = stage_of(told)
    while (message := receive(sys.stdin.buffer)) is not None:
        send(output, await obey(stage, message))
    await stage.web.close()


if __name__ == "__main__":
    # Whoever asked may be gone by the time there is an answer.
    with suppress(BrokenPipeError):
        asyncio.run(_serve())
