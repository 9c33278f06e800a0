"""Hosts behind one address share a pause among all who work on a library."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

from pinakes.core.page import Fetched, Link, Page
from pinakes.library.gate import AddressGate
from pinakes.web.resolve import Resolver, routes
from pinakes.web.turns import AddressTurns

DELAY = 0.05


class Timed:
    """A web that notes when it was asked."""

    ordered = False

    def __init__(self, asked: list[tuple[float, float]]) -> None:
        self._asked = asked

    async def fetch(self, link: Link) -> Fetched:
        begun = time.time()
        await asyncio.sleep(0.01)
        self._asked.append((begun, time.time()))
        return Fetched(Page(link, link.url, status=200))

    async def close(self) -> None: ...


def test_one_at_a_time_among_all(database: str) -> None:
    """Three workers with connections of their own ask hosts behind one address one after the other, with a pause
    between; one that is gone is not waited for."""
    asked: list[tuple[float, float]] = []
    gates = [AddressGate(database) for _ in range(3)]

    async def work(number: int) -> None:
        resolver = Resolver(allow_private=True, routes=routes(("*=127.0.0.1:80",)))
        web = AddressTurns(Timed(asked), resolver, DELAY)
        web.share(gates[number])
        left = [Link(f"http://h{number}-{n}.example/") for n in range(4)]
        while left:
            if (await web.fetch(left[-1])).page.error == "postponed":
                await asyncio.sleep(0.005)
            else:
                left.pop()
        await asyncio.sleep(DELAY * 2)  # the last pause is kept, too

    async def all_of_them() -> None:
        await asyncio.gather(*(work(number) for number in range(3)))

    asyncio.run(all_of_them())
    assert len(asked) == 12
    asked.sort()
    assert all(later[0] - earlier[1] >= DELAY * 0.95 for earlier, later in pairwise(asked))
    assert gates[0].take("10.0.0.1") and not gates[1].take("10.0.0.1") and gates[1].take("10.0.0.2")
    gates[0].close()
    until = time.monotonic() + 5.0
    while not gates[1].take("10.0.0.1"):
        assert time.monotonic() < until
    for gate in gates:
        gate.close()
