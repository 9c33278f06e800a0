"""Moves of a crawler that downloads all children of a page before it goes on to the next (001 §3.3).

The children of a page wait at its price. A move takes the page of the highest price that still has children waiting,
and claims all of those together; a child that several pages want belongs to the one that pays most.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from pinakes.core.roles import Plain


class Moves:
    def __init__(self) -> None:
        self._mover: dict[str, int] = {}
        """Waiting address to the number of the page whose children it is among."""
        self._price: dict[int, float] = {}
        self._left: dict[int, int] = {}
        self._order: list[tuple[float, int]] = []
        self._number = 0

    def offer(self, price: float, urls: Iterable[str]) -> None:
        """A page's children begin to wait at its price, unless they wait at a better one already."""
        self._number += 1
        mine = self._number
        self._price[mine], self._left[mine] = price, 0
        for url in urls:
            other = self._mover.get(url)
            if other is not None:
                if self._price[other] >= price:
                    continue
                self._leave(other)
            self._mover[url] = mine
            self._left[mine] += 1
        if self._left[mine]:
            heappush(self._order, (-price, mine))
        else:
            del self._price[mine], self._left[mine]

    def gone(self, url: str) -> None:
        """An address came home, or will not."""
        number = self._mover.pop(url, None)
        if number is not None:
            self._leave(number)

    @property
    def size(self) -> int:
        """How many children the next move takes; at least 1."""
        while self._order and self._order[0][1] not in self._left:
            heappop(self._order)
        return self._left[self._order[0][1]] if self._order else 1

    def state(self) -> Plain:
        return {"mover": list(self._mover.items()), "price": list(self._price.items()), "number": self._number}

    def restore(self, state: Plain) -> None:
        self._mover, self._price = dict(state["mover"]), dict(state["price"])
        self._number = state["number"]
        self._left = {}
        for number in self._mover.values():
            self._left[number] = self._left.get(number, 0) + 1
        self._order = [(-price, number) for number, price in self._price.items()]
        heapify(self._order)

    def _leave(self, number: int) -> None:
        self._left[number] -= 1
        if not self._left[number]:
            del self._left[number], self._price[number]
