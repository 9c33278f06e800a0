"""A frontier so plain that it can be seen to be right, all sorted anew at every claim; others are compared with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from pinakes.core.page import Link, host_of
from pinakes.core.roles import Admitted, Frontier, Lease

Make = Callable[..., Frontier]


@dataclass
class _Item:
    link: Link
    price: float
    seq: int
    wake: float = 0.0
    deadline: float = 0.0
    finished: bool = False

    @property
    def rank(self) -> tuple[float, int]:
        return -self.price, self.seq

    @property
    def priced(self) -> Link:
        return self.link._replace(priority=self.price)


class ModelFrontier:
    """The contract, word for word, at a cost that grows with everything."""

    def __init__(
        self,
        limit: int | None = None,
        delay: float | None = None,
        lease: float = 300.0,
        group: Callable[[str], str] | None = None,
    ) -> None:
        self.limit, self._delay, self._lease, self._group = limit, delay, lease, group
        self._waiting: dict[str, _Item] = {}
        self._leased: dict[int, _Item] = {}
        self._visited: set[str] = set()
        self._free_at: dict[str, float] = {}
        self._seq = self._token = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def leased(self) -> int:
        return len(self._leased)

    def admit(self, links: Iterable[Link]) -> Admitted:
        before = set(self._waiting)
        better: set[str] = set()
        visited = []
        for link in links:
            item = self._waiting.get(link.url)
            if self.known(link.url) in ("leased", "visited"):
                visited.append(link.url)
            elif item is None:
                self._seq += 1
                self._waiting[link.url] = _Item(link, link.priority, self._seq)
            else:
                item.link = item.link._replace(distance=min(item.link.distance, link.distance))
                if link.priority > item.price:
                    self._seq += 1
                    item.price, item.seq = link.priority, self._seq
                    better.add(link.url)
        evicted = []
        while self.limit is not None and len(self._waiting) > self.limit:
            evicted.append(max(self._waiting, key=lambda url: self._waiting[url].rank))
            del self._waiting[evicted[-1]]
        after = set(self._waiting)
        return Admitted(len(after - before), len(after & before & better), visited, evicted)

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        for token, item in list(self._leased.items()):
            if item.deadline <= now:
                del self._leased[token]
                self._rest(item, item.deadline, None)
                self._return(item, 0.0)
        claimed: list[Lease] = []
        for item in sorted(self._waiting.values(), key=lambda item: item.rank):
            if len(claimed) < n and self._ready_at(item) <= now:
                del self._waiting[item.link.url]
                item.deadline = now + self._lease
                self._token += 1
                self._leased[self._token] = item
                claimed.append(Lease(item.priced, self._token))
        return claimed

    def settle(
        self,
        token: int,
        outcome: str,
        now: float,
        url: str = "",
        retry_at: float = 0.0,
        host_delay: float | None = None,
    ) -> bool:
        item = self._leased.pop(token, None)
        if item is None:
            return False
        self._rest(item, now, host_delay)
        if retry_at:
            self._return(item, retry_at)
        else:
            self._visited.add(item.link.url)
        if url and url != item.link.url:
            self._visited.add(url)
            self._waiting.pop(url, None)
            for other in self._leased.values():
                other.finished = other.finished or other.link.url == url
        return not item.finished

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        for url, price in zip(urls, prices, strict=True):
            if url in self._waiting:
                self._waiting[url].price = float(price)

    def working(self, n: int) -> Sequence[str]:
        return [link.url for link in self.best(n)]

    def known(self, url: str) -> str:
        if any(item.link.url == url for item in self._leased.values()):
            return "leased"
        return "visited" if url in self._visited else "waiting" if url in self._waiting else ""

    def next_ready(self, now: float) -> float | None:
        soonest = min((self._ready_at(item) for item in self._waiting.values()), default=inf)
        return None if soonest == inf else max(now, soonest)

    def others_waiting(self, host: str, now: float) -> bool:
        others = [item for item in self._waiting.values() if host_of(item.link.url) != host]
        if self._delay is None:
            return bool(others)
        busy = {self._key(item) for item in self._leased.values()}
        return any(
            item.wake <= now and (self._key(item) in busy or self._free_at.get(self._key(item), -inf) <= now + 60.0)
            for item in others
        )

    def best(self, n: int) -> Sequence[Link]:
        return [item.priced for item in sorted(self._waiting.values(), key=lambda item: item.rank)[:n]]

    def _key(self, item: _Item) -> str:
        host = host_of(item.link.url)
        return host if self._group is None else self._group(host)

    def _ready_at(self, item: _Item) -> float:
        if self._delay is None:
            return item.wake
        key = self._key(item)
        if any(self._key(other) == key for other in self._leased.values()):
            return inf
        return max(item.wake, self._free_at.get(key, -inf))

    def _rest(self, item: _Item, now: float, host_delay: float | None) -> None:
        if self._delay is not None:
            pause = 0.0 if host_delay == 0 else max(self._delay, host_delay or 0.0)
            self._free_at[self._key(item)] = now + pause

    def _return(self, item: _Item, wake: float) -> None:
        if item.finished:
            self._visited.add(item.link.url)
        else:
            item.wake = wake
            self._waiting[item.link.url] = item


def check_model(make: Make, seeds: Iterable[int] = range(24), steps: int = 120) -> None:
    """Under random operations an implementation answers exactly what the plainest one does."""
    for seed in seeds:
        numbers = random.Random(seed)
        options: dict[str, Any] = {
            "limit": numbers.choice([None, None, 1, 5, 20]),
            "delay": numbers.choice([None, 0.0, 1.0, 4.0]),
            "lease": numbers.choice([3.0, 300.0]),
            "group": numbers.choice([None, None, lambda host: host[:2]]),
        }
        _compare(make(**options), ModelFrontier(**options), numbers, steps, f"seed {seed}, {options}")


def _compare(frontier: Frontier, model: Frontier, numbers: random.Random, steps: int, where: str) -> None:
    urls = [f"http://h{numbers.randrange(14)}.example/{number}" for number in range(80)]
    prices: list[Callable[[], float]] = [lambda: float(numbers.randrange(3)), numbers.random, lambda: 1.0]
    price = numbers.choice(prices)
    tokens: list[tuple[int, int]] = []
    now = 0.0

    def link() -> Link:
        url = numbers.choice(urls)
        return Link(url, anchor=str(numbers.random()), distance=numbers.randrange(6), priority=price())

    for step in range(steps):
        at = f"{where}, step {step}"
        now += numbers.choice([0.0, 0.1, 1.0])
        action = numbers.randrange(10)
        if action < 3:
            links = [link() for _ in range(numbers.randrange(12))]
            got, expected = frontier.admit(links), model.admit(links)
            assert _plain(got) == _plain(expected), at
        elif action < 6:
            n = numbers.randrange(5)
            leases, wanted = frontier.claim(n, now), model.claim(n, now)
            assert [lease.link for lease in leases] == [lease.link for lease in wanted], at
            tokens += [(mine.token, its.token) for mine, its in zip(leases, wanted, strict=True)]
        elif action < 8 and tokens:
            mine, its = tokens.pop(numbers.randrange(len(tokens)))
            final = numbers.choice(["", "", numbers.choice(urls)])
            retry_at = numbers.choice([0.0, 0.0, now + numbers.choice([0.0, 0.5, 6.0])])
            host_delay = numbers.choice([None, 0.0, 9.0, 90.0])
            answer = frontier.settle(mine, "ok", now, final, retry_at, host_delay)
            assert answer == model.settle(its, "ok", now, final, retry_at, host_delay), at
        elif action == 8:
            some: Sequence[str] = numbers.sample(urls, numbers.choice([2, 20, 80]))
            if numbers.random() < 0.5:
                some = frontier.working(numbers.choice([3, 100]))
                if numbers.random() < 0.3 and tokens:
                    mine, its = tokens.pop()
                    assert frontier.settle(mine, "timeout", now, retry_at=now) == model.settle(
                        its, "timeout", now, retry_at=now
                    ), at
            asked = [price() for _ in some]
            frontier.reprice(some, asked)
            model.reprice(some, asked)
        assert (len(frontier), frontier.leased) == (len(model), model.leased), at
        assert frontier.best(100) == model.best(100), at
        one = numbers.choice(urls)
        assert frontier.known(one) == model.known(one), at
        mine_ready, its_ready = frontier.next_ready(now), model.next_ready(now)
        assert (mine_ready is None) == (its_ready is None), at
        assert mine_ready is None or its_ready is None or max(mine_ready, now) == its_ready, at
        host = host_of(numbers.choice(urls))
        assert frontier.others_waiting(host, now) == model.others_waiting(host, now), at
        working = frontier.working(7)
        assert len(set(working)) == len(working), at
        assert all(model.known(url) == "waiting" for url in working), at


def _plain(admitted: Admitted) -> tuple[int, int, list[str], list[str]]:
    return admitted.admitted, admitted.repriced, list(admitted.visited), list(admitted.evicted)
