"""Hands on a Ray cluster: one for each core, wherever the cluster has it.

What a plan names (a web, a library) must be found at the same place on every machine. A hand that is lost with its
machine is replaced when there is a core for it, and what it was doing is done again: a piece of work comes out the
same wherever it is done.

Hands are processes that Ray has ready, so that they begin at once: an environment of their own would cost each a second
more. Ray itself sees to it that a hand with one core starts one thread; where else to look for modules it is told.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.jobs.hands import Answer, opened, search_path
from pinakes.jobs.ray_cluster import join, leave

TRIES = 3
"""Hands that may be lost over one piece of work before it is given up."""
PATIENCE = 120.0
"""Seconds in which a cluster without a single hand must find a core for one."""


class RayHand:
    """At work on a core of the cluster."""

    def __init__(self, opener: str, plan: bytes, path: list[str]) -> None:
        self._opener, self._plan = opener, plan
        sys.path += [folder for folder in path if folder not in sys.path]

    async def ready(self) -> bytes:
        self._hand = opened(self._opener, self._plan)
        return b""

    async def do(self, order: bytes) -> bytes:
        return await self._hand.do(order)


class RayHands:
    """Hands at work on one plan."""

    def __init__(self, address: str, opener: str, plan: bytes, processes: int | None, pieces: int) -> None:
        self._ray, self._joined = join(address)
        self._address, self._opener = address, opener
        many = int(self._ray.cluster_resources().get("CPU", 1))
        self._plan = self._ray.put(plan)
        self._kind = self._ray.remote(num_cpus=1, max_concurrency=1)(RayHand)
        self._ready: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self.processes = max(1, min(processes or many, pieces))
        for _ in range(self.processes):
            self._start()

    def each(self, orders: Iterable[bytes]) -> Iterator[Answer]:
        left, again = enumerate(orders), deque[tuple[int, bytes]]()
        lost = dict[int, int]()
        under_way: dict[Any, tuple[Any, int, bytes]] = {}
        given = True
        while given or again or under_way:
            while self._ready:
                piece = again.popleft() if again else next(left, None)
                if piece is None:
                    given = False
                    break
                hand = self._ready.pop()
                under_way[hand.do.remote(piece[1])] = (hand, *piece)
            if not under_way and not given and not again:
                return
            for answer in self._next([*under_way, *self._starting], alone=not under_way):
                if answer in self._starting:
                    self._welcome(answer)
                    continue
                hand, place, order = under_way.pop(answer)
                message = self._message(answer)
                if message is not None:
                    self._ready.append(hand)
                    yield Answer(place, message)
                    continue
                self._start()
                lost[place] = lost.get(place, 0) + 1
                if lost[place] < TRIES:
                    again.append((place, order))
                else:
                    yield Answer(place, None, f"the process at work on it ended {TRIES} times; is there memory enough?")

    def close(self) -> None:
        for hand in [*self._ready, *self._starting.values()]:
            self._ray.kill(hand)
        if self._joined:
            leave(self._ray)

    def _start(self) -> None:
        hand = self._kind.remote(self._opener, self._plan, search_path())
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
