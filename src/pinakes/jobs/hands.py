"""Work in pieces on all cores, of this machine or of a Ray cluster: orders go out, answers come back.

A *hand* is a process that opens once what it works on, as a plan says, and then does one order after the other. Plans,
orders and answers are bytes, and a hand is told to open by the name of a function, so that it needs nothing but this
package, wherever it is. Which hand does what, and in which order, changes nothing.

Here a hand is a process of this module that speaks length-prefixed messages on its standard streams; `web/workers.py`
says why. On a cluster it is an actor of Ray's (`hands_on_ray.py`).
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

from pinakes.core.errors import PinakesError
from pinakes.web.workers import receive, send


class Hand(Protocol):
    """What a function named to `Hands` opens, given a plan."""

    def do(self, order: bytes) -> Coroutine[Any, Any, bytes]: ...

    async def close(self) -> None: ...


class Answer(NamedTuple):
    """What became of an order."""

    place: int
    """The how manyeth order it was."""
    said: bytes | None
    trouble: str = ""
    """Why nothing was said: who was at work on it ended."""


class Hands(Protocol):
    """Hands at work on one plan."""

    processes: int

    def each(self, orders: Iterable[bytes]) -> Iterator[Answer]:
        """The orders as they get done, in whatever order; only a few of them are under way at once."""

    def close(self) -> None:
        """End all hands, also in the middle of something."""


def open_hands(opener: str, plan: bytes, processes: int | None, pieces: int, on: str = "") -> Hands:
    """Hands for so many pieces of work: `opener` is a function as `module:name`, `on` a cluster's address."""
    if on:
        from pinakes.jobs.hands_on_ray import RayHands

        return RayHands(on, opener, plan, processes, pieces)
    return LocalHands(opener, plan, max(1, min(processes or cores(), pieces)))


def in_order(hands: Hands, orders: Iterable[bytes]) -> Iterator[bytes]:
    """The answers in the order of the orders; pieces of like size wait only for a few others."""
    held, turn = dict[int, bytes](), 0
    for place, said, trouble in hands.each(orders):
        if said is None:
            raise PinakesError(f"A part of the library could not be worked on: {trouble}")
        held[place] = said
        while turn in held:
            yield held.pop(turn)
            turn += 1


class HereHands:
    """No process but this one; its hand waits for nothing."""

    processes = 1

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def each(self, orders: Iterable[bytes]) -> Iterator[Answer]:
        for place, order in enumerate(orders):
            try:
                self._hand.do(order).send(None)
            except StopIteration as done:
                yield Answer(place, done.value)

    def close(self) -> None:
        """The hand is its owner's."""


class LocalHands:
    """Processes of this machine."""

    def __init__(self, opener: str, plan: bytes, processes: int) -> None:
        self.processes = processes
        self._team = [_Process(opener, plan) for _ in range(processes)]
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        for process in self._team:
            self._idle.put(process)
        self._pool = ThreadPoolExecutor(processes, "pinakes-hands")

    def each(self, orders: Iterable[bytes]) -> Iterator[Answer]:
        left = enumerate(orders)
        under_way: set[Future[Answer]] = set()
        while True:
            for place, order in left:
                under_way.add(self._pool.submit(self._do, place, order))
                if len(under_way) >= 2 * self.processes:
                    break
            if not under_way:
                return
            finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._team:
            process.end()

    def _do(self, place: int, order: bytes) -> Answer:
        process = self._idle.get()
        try:
            said = process.do(order)
        finally:
            self._idle.put(process)
        if said is not None:
            return Answer(place, said)
        trouble = "the process at work on it ended; is there memory enough for so many --processes?"
        return Answer(place, None, trouble)


class _Process:
    """A process, started again when it dies."""

    def __init__(self, opener: str, plan: bytes) -> None:
        self._opener, self._plan = opener, plan
        self._ended = False
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pinakes.jobs.hands", self._opener],
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

    def do(self, order: bytes) -> bytes | None:
        said = None
        with suppress(BrokenPipeError):
            send(self._to, order)
            said = receive(self._from)
        if said is None and not self._ended:
            self._stop()
            self._start()
        return said

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


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment() -> dict[str, str]:
    """What a process at work is started with. Each has a core; libraries that start threads of their own would only be
    in the others' way."""
    path = os.pathsep.join(search_path())
    return {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": path}


def search_path() -> list[str]:
    """Where modules are found that a person here may name."""
    return [*filter(None, sys.path), str(Path.cwd())]


def opened(opener: str, plan: bytes) -> Hand:
    """What the function of that name opens."""
    module, _, name = opener.partition(":")
    hand: Hand = getattr(import_module(module), name)(plan)
    return hand


async def _serve(opener: str) -> None:
    # Only messages may go to standard output, whatever a library prints.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if (plan := receive(sys.stdin.buffer)) is None:
        return
    hand = opened(opener, plan)
    while (order := receive(sys.stdin.buffer)) is not None:
        send(output, await hand.do(order))
    await hand.close()


if __name__ == "__main__":
    # Whoever asked may be gone by the time there is an answer.
    with suppress(BrokenPipeError):
        asyncio.run(_serve(sys.argv[1]))
