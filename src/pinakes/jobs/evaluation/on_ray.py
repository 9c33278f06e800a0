"""The crawls of an evaluation on a Ray cluster: a hand for each core, wherever the cluster has it.

The web must be found at the same place on every machine. A hand that is lost with its machine is replaced when there is
a core for it, and what it was doing is done again: a run is the same wherever it is run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.crew import Done, Work, done_of, environment, obey, order_of, stage_of, told_of
from pinakes.jobs.evaluation.plan import Plan
from pinakes.jobs.ray_cluster import join, leave

TRIES = 3
"""Hands that may be lost over one piece of work before it is given up."""
PATIENCE = 120.0
"""Seconds in which a cluster without a single hand must find a core for one."""


class Hand:
    """At work on a core of the cluster."""

    def __init__(self, plan: bytes) -> None:
        self._plan = plan

    async def ready(self) -> bytes:
        """Opens the web."""
        self._stage = stage_of(self._plan)
        return b""

    async def do(self, order: bytes) -> bytes:
        return await obey(self._stage, order)


class RayCrew:
    """Hands at work on one plan."""

    def __init__(self, plan: Plan, address: str, processes: int | None, pieces: int) -> None:
        self._ray, self._joined = join(address)
        self._address = address
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        self._plan = self._ray.put(told_of(plan))
        self._kind = self._ray.remote(num_cpus=1, max_concurrency=1, runtime_env={"env_vars": environment()})(Hand)
        self._ready: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self.processes = max(1, min(processes or cores, pieces))
        for _ in range(self.processes):
            self._start()

    def each(self, work: Iterable[Work]) -> Iterator[Done]:
        """The pieces of work as they get done, in whatever order."""
        left, lost = deque(work), dict[Work, int]()
        under_way: dict[Any, tuple[Any, Work]] = {}
        while left or under_way:
            while left and self._ready:
                hand, piece = self._ready.pop(), left.popleft()
                under_way[hand.do.remote(order_of(piece))] = hand, piece
            for answer in self._next([*under_way, *self._starting], alone=not under_way):
                if answer in self._starting:
                    self._welcome(answer)
                    continue
                hand, piece = under_way.pop(answer)
                message = self._message(answer)
                if message is not None:
                    self._ready.append(hand)
                    yield done_of(piece, message)
                    continue
                self._start()
                lost[piece] = lost.get(piece, 0) + 1
                if lost[piece] < TRIES:
                    left.append(piece)
                else:
                    yield Done(piece, None, f"the process at work on it ended {TRIES} times; is there memory enough?")

    def close(self) -> None:
        """End all hands, also in the middle of something."""
        for hand in [*self._ready, *self._starting.values()]:
            self._ray.kill(hand)
        if self._joined:
            leave(self._ray)

    def _start(self) -> None:
        hand = self._kind.remote(self._plan)
        self._starting[hand.ready.remote()] = hand

    def _next(self, awaited: list[Any], *, alone: bool) -> list[Any]:
        """What is known next; only hands that have begun count on an answer."""
        found, _ = self._ray.wait(awaited, num_returns=1, timeout=PATIENCE if alone else None)
        if not found:
            raise PinakesError(f"The Ray cluster at {self._address} has no free core; nothing that was run is lost.")
        return list(found)

    def _welcome(self, answer: Any) -> None:
        hand = self._starting.pop(answer)
        if self._message(answer) is not None:
            self._ready.append(hand)
        else:
            self._start()

    def _message(self, answer: Any) -> bytes | None:
        """What a hand answered; None from one that is no more."""
        try:
            said: bytes = self._ray.get(answer)
        except self._ray.exceptions.RayActorError:
            return None
        except self._ray.exceptions.RayTaskError as error:
            raise PinakesError(f"A machine of the cluster cannot do it: {str(error.cause).rstrip('.')}.") from None
        return said
