"""Hosts behind one address share a pause among all who work on a library."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import pytest

from pinakes.core.page import Fetched, Link, Page
from pinakes.library import postgres
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


@pytest.fixture
def gates(database: str) -> Iterator[list[AddressGate]]:
    with closing(postgres.connect(database, autocommit=False)) as connection:
        postgres.create(connection)
        connection.commit()
    made = [AddressGate(database) for _ in range(3)]
    yield made
    for gate in made:
        gate.close()


def test_one_at_a_time_among_all(gates: list[AddressGate]) -> None:
    """Three workers with connections of their own ask hosts behind one address one after the other, with a pause
    between."""
    asked: list[tuple[float, float]] = []

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

    async def all_of_them() -> None:
        await asyncio.gather(*(work(number) for number in range(3)))

    asyncio.run(all_of_them())
    assert len(asked) == 12
    asked.sort()
    assert all(later[0] - earlier[1] >= DELAY * 0.95 for earlier, later in pairwise(asked))


def test_one_who_is_gone(gates: list[AddressGate]) -> None:
    """Nobody waits for one who went while it asked an address, but for the pause after its request."""
    one, two, three = gates
    assert one.take("10.0.0.1", 0.3) == 0 and two.take("10.0.0.1", 0.3) == 0.3 and two.take("10.0.0.2", 0.3) == 0
    gone = time.monotonic()
    one.close()
    while wait := two.take("10.0.0.1", 0.3):
        assert 0 < wait <= 0.3 and time.monotonic() - gone < 10.0
        time.sleep(0.01)
    assert time.monotonic() - gone >= 0.29
    two.give("10.0.0.1", 0.2)
    assert 0.1 < three.take("10.0.0.1", 0.3) <= 0.2
