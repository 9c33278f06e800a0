"""Links that are being fetched, and what came home of them, in the order of arrival."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any

from pinakes.core.page import Fetched
from pinakes.core.roles import Lease


class Flight:
    """The fetches of one crawl that are under way."""

    def __init__(self) -> None:
        self._leases: dict[asyncio.Task[Fetched], Lease] = {}
        self._home: deque[asyncio.Task[Fetched]] = deque()
        self._waiter: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._leases)

    def send(self, lease: Lease, fetch: Coroutine[Any, Any, Fetched]) -> None:
        task = asyncio.create_task(fetch)
        self._leases[task] = lease
        task.add_done_callback(self._came_home)

    async def wait(self, seconds: float) -> None:
        """Until something is home, or so long. `asyncio.wait` would go over all that are under way each time."""
        if self._home:
            return
        loop = asyncio.get_running_loop()
        self._waiter = waiter = loop.create_future()
        alarm = loop.call_later(seconds, self._wake)
        try:
            await waiter
        finally:
            alarm.cancel()
            self._waiter = None

    def arrived(self) -> Iterator[tuple[Lease, Fetched]]:
        """What is home."""
        while self._home:
            task = self._home.popleft()
            yield self._leases.pop(task), task.result()

    async def cancel(self, others: Iterable[asyncio.Task[Any]]) -> None:
        """Let go of everything, and of other tasks with it."""
        under_way = [*self._leases, *others]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        self._leases.clear()
        self._home.clear()

    def _came_home(self, task: asyncio.Task[Fetched]) -> None:
        self._home.append(task)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
