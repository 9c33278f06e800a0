"""The conformance suite of frontiers: what any implementation of the role must do, seen from outside.

`check_frontier(make)` runs every check; each can be run alone. `make(limit=…, delay=…, lease=…, group=…)` must answer
a new, empty frontier, all its arguments optional. The clock is whatever `now` says. A failed check raises
AssertionError.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterable

from pinakes.core.page import Link, host_of
from pinakes.core.roles import Frontier, Lease
from pinakes.testing.frontier_model import Make, ModelFrontier, check_model


def _url(number: int, host: int = 0) -> str:
    return f"http://h{host}.example/{number}"


def _links(prices: Iterable[float], host: int = 0) -> list[Link]:
    return [Link(_url(number, host), priority=price) for number, price in enumerate(prices)]


def _urls(leases: Iterable[Lease]) -> list[str]:
    return [lease.link.url for lease in leases]


def _drain(frontier: Frontier, now: float = 0.0, n: int = 1) -> list[str]:
    """Claim and settle everything that is ready, in order."""
    order: list[str] = []
    while leases := frontier.claim(n, now):
        order += _urls(leases)
        for lease in leases:
            assert frontier.settle(lease.token, "ok", now)
    return order


def check_order(make: Make) -> None:
    """Higher prices come first, however they are claimed, and a claim's link carries its price."""
    prices = [0.1, 5.0, -3.0, 2.5, 1e300, 0.0, -1e300, 2.4999]
    expected = [_url(number) for number in sorted(range(len(prices)), key=lambda number: -prices[number])]
    for n in (1, 3, 100):
        frontier = make()
        assert frontier.admit(_links(prices)).admitted == len(prices)
        assert [link.url for link in frontier.best(100)] == expected
        assert _drain(frontier, n=n) == expected
        assert len(frontier) == 0 and frontier.claim(1, 0.0) == []
    frontier = make()
    frontier.admit(_links([0.25]))
    frontier.reprice([_url(0)], [0.75])
    assert frontier.best(1)[0].priority == 0.75
    assert frontier.claim(1, 0.0)[0].link.priority == 0.75


def check_odd_prices(make: Make) -> None:
    """Prices that are no numbers do no harm: infinite ones are extreme, and none at all is the worst."""
    frontier = make()
    frontier.admit(_links([float("nan"), 1.0, float("inf"), float("-inf"), 2.0]))
    order = _drain(frontier)
    assert order[:3] == [_url(2), _url(4), _url(1)]
    assert sorted(order[3:]) == [_url(0), _url(3)]


def check_ties(make: Make) -> None:
    """Among equals, whoever reached the price first: over many pages, and through a raised price."""
    frontier = make()
    for start in range(0, 60, 20):
        frontier.admit([Link(_url(number), priority=1.0) for number in range(start, start + 20)])
    frontier.admit([Link(_url(100), priority=0.5)])
    frontier.admit([Link(_url(101), priority=1.0)])
    assert frontier.admit([Link(_url(100), priority=1.0)]).repriced == 1
    frontier.admit([Link(_url(102), priority=1.0)])
    assert _drain(frontier, n=7) == [_url(number) for number in (*range(60), 101, 100, 102)]


def check_dedup(make: Make) -> None:
    """An address waits once, keeps its first parent, and a worse or equal price changes nothing."""
    frontier = make()
    first = Link(
        _url(1), anchor="first", parent="http://p.example/", depth=1, distance=4, priority=2.0, via=("http://v/",)
    )
    twice = frontier.admit([first, first._replace(anchor="second", parent="http://q.example/")])
    assert (twice.admitted, twice.repriced, list(twice.visited), list(twice.evicted)) == (1, 0, [], [])
    again = frontier.admit([Link(_url(1), anchor="third", distance=9, priority=1.0)])
    assert (again.admitted, again.repriced) == (0, 0)
    assert frontier.admit([Link(_url(1), anchor="fourth", distance=9, priority=3.0)]).repriced == 1
    assert len(frontier) == 1
    assert [lease.link for lease in frontier.claim(5, 0.0)] == [first._replace(priority=3.0)]


def check_least_distance(make: Make) -> None:
    """An address met again takes the lesser distance, whatever the price it is met at."""
    frontier = make()
    frontier.admit([Link(_url(number), distance=5, priority=1.0) for number in range(3)])
    frontier.admit([Link(_url(0), distance=2, priority=0.5), Link(_url(1), distance=7, priority=0.5)])
    frontier.admit([Link(_url(1), distance=3, priority=2.0), Link(_url(2), distance=8, priority=2.0)])
    distances = {lease.link.url: lease.link.distance for lease in frontier.claim(3, 0.0)}
    assert distances == {_url(0): 2, _url(1): 3, _url(2): 5}


def check_repricing(make: Make) -> None:
    """Prices are set outright, up and down; ties keep the order of arrival; unknown addresses are passed over."""
    frontier = make()
    frontier.admit(_links([1.0, 2.0, 3.0, 4.0]))
    taken = frontier.claim(1, 0.0)[0]
    frontier.reprice([_url(0), _url(2), _url(3), "http://nowhere.example/"], [9.0, 2.0, 99.0, 5.0])
    frontier.reprice([], [])
    assert frontier.known("http://nowhere.example/") == ""
    assert frontier.settle(taken.token, "ok", 0.0)
    assert _drain(frontier) == [_url(0), _url(1), _url(2)]


def check_reprice_all(make: Make) -> None:
    """Everything that waits can be repriced at once, from an array, again and again."""
    numbers = random.Random(5)
    frontier, model = make(), ModelFrontier()
    links = _links(numbers.random() for _ in range(400))
    for each in (frontier, model):
        each.admit(links)
    for _ in range(6):
        urls = sorted(frontier.working(1000))
        prices = array("d", [float(numbers.randrange(50)) for _ in urls])
        frontier.reprice(urls, prices)
        model.reprice(urls, prices)
        assert frontier.best(1000) == model.best(1000)
        more = _links((numbers.random() * 50 for _ in range(20)), host=numbers.randrange(1000))
        for each in (frontier, model):
            each.admit(more)
        expected = _urls(lease for lease in model.claim(30, 0.0))
        assert _urls(frontier.claim(30, 0.0)) == expected


def check_leases(make: Make) -> None:
    """A claimed link is handed out once; an expired lease returns it at its old place, and its token is late."""
    frontier = make(lease=10.0)
    frontier.admit(_links([3.0, 2.0, 2.0, 1.0]))
    old = frontier.claim(2, 0.0)
    assert (len(frontier), frontier.leased) == (2, 2)
    assert [frontier.known(_url(number)) for number in range(4)] == ["leased", "leased", "waiting", "waiting"]
    assert frontier.settle(old[0].token, "ok", 9.0)
    assert not frontier.settle(old[0].token, "ok", 9.0)
    new = frontier.claim(2, 10.0)
    assert _urls(new) == [_url(1), _url(2)]
    assert not frontier.settle(old[1].token, "ok", 11.0)
    assert frontier.leased == 2 and frontier.known(_url(1)) == "leased"
    assert len({lease.token for lease in (*old, *new)}) == 4
    assert all(frontier.settle(lease.token, "ok", 12.0) for lease in new)
    assert not frontier.settle(-1, "ok", 12.0)
    assert frontier.known(_url(1)) == "visited"


def check_limit(make: Make) -> None:
    """No more than `limit` wait: the worst go, among equals the newest, and are named, the worst first."""
    frontier = make(limit=3)
    first = frontier.admit(_links([5.0, 1.0, 1.0, 4.0, 1.0]))
    assert (first.admitted, list(first.evicted)) == (3, [_url(4), _url(2)])
    second = frontier.admit([Link(_url(10), priority=0.5), Link(_url(11), priority=9.0)])
    assert (second.admitted, list(second.evicted)) == (1, [_url(10), _url(1)])
    assert len(frontier) == 3
    assert _drain(frontier) == [_url(11), _url(0), _url(3)]


def check_limit_at_length(make: Make) -> None:
    """The limit holds exactly over a long crawl, with prices that change all the while."""
    numbers = random.Random(3)
    frontier, model = make(limit=600), ModelFrontier(limit=600)
    for turn in range(60):
        links = [Link(_url(numbers.randrange(5000)), priority=numbers.random() + turn / 50) for _ in range(70)]
        assert list(frontier.admit(links).evicted) == list(model.admit(links).evicted)
        if turn % 7 == 0:
            urls = sorted(model.working(600))[:: numbers.choice([1, 50])]
            prices = [numbers.random() * 2 for _ in urls]
            frontier.reprice(urls, prices)
            model.reprice(urls, prices)
        assert _urls(frontier.claim(2, 0.0)) == _urls(model.claim(2, 0.0))
    assert frontier.best(600) == model.best(600)


def check_evicted_returns(make: Make) -> None:
    """An evicted address is forgotten, and new again when met again."""
    frontier = make(limit=1)
    frontier.admit(_links([2.0, 1.0]))
    assert frontier.known(_url(1)) == ""
    assert list(frontier.admit([Link(_url(1), anchor="back", priority=3.0)]).evicted) == [_url(0)]
    lease = frontier.claim(1, 0.0)[0]
    assert lease.link.anchor == "back" and lease.link.url == _url(1)


def check_limit_and_retry(make: Make) -> None:
    """A link that returns may exceed the limit until the next admission."""
    frontier = make(limit=1)
    frontier.admit(_links([1.0]))
    lease = frontier.claim(1, 0.0)[0]
    frontier.admit([Link(_url(5), priority=3.0)])
    frontier.settle(lease.token, "timeout", 1.0, retry_at=2.0)
    assert len(frontier) == 2
    assert list(frontier.admit([]).evicted) == [_url(0)]
    assert _drain(frontier, 5.0) == [_url(5)]


def check_visited(make: Make) -> None:
    """An address that is or was fetched is refused for good, with its final address."""
    frontier = make()
    frontier.admit(_links([2.0, 1.0, 0.5]))
    lease = frontier.claim(1, 0.0)[0]
    assert list(frontier.admit([Link(_url(0), priority=9.0)]).visited) == [_url(0)]
    assert frontier.settle(lease.token, "ok", 0.0, url=_url(1))
    assert len(frontier) == 1
    refused = frontier.admit([Link(_url(number), priority=9.0) for number in (0, 1)])
    assert (refused.admitted, refused.repriced, sorted(refused.visited)) == (0, 0, [_url(0), _url(1)])
    lease = frontier.claim(1, 0.0)[0]
    assert lease.link.url == _url(2) and frontier.settle(lease.token, "ok", 0.0, url=_url(77))
    assert list(frontier.admit([Link(_url(77))]).visited) == [_url(77)]
    assert frontier.known(_url(77)) == "visited"


def check_final_address_on_lease(make: Make) -> None:
    """A final address that another holds on lease does not wait again when that lease ends or expires, and what comes
    of it is not wanted any more."""
    for ending in ("expires", "retries", "ends"):
        frontier = make(lease=10.0)
        frontier.admit(_links([2.0, 1.0]))
        one, two = frontier.claim(2, 0.0)
        assert frontier.settle(one.token, "ok", 1.0, url=_url(1))
        assert frontier.known(_url(1)) == "leased"
        if ending == "retries":
            assert not frontier.settle(two.token, "timeout", 2.0, retry_at=3.0)
        if ending == "ends":
            assert not frontier.settle(two.token, "ok", 2.0)
        assert frontier.claim(5, 50.0) == []
        assert frontier.known(_url(1)) == "visited" and len(frontier) == 0


def check_retry(make: Make) -> None:
    """A retried link waits at its old price and place, but not before its time; nor does it hold up its host."""
    for delay in (None, 0.0):
        frontier = make(delay=delay)
        frontier.admit(_links([3.0, 2.0]))
        lease = frontier.claim(1, 0.0)[0]
        assert frontier.settle(lease.token, "timeout", 1.0, retry_at=100.0)
        assert frontier.known(_url(0)) == "waiting" and len(frontier) == 2
        other = frontier.claim(5, 1.0)
        assert _urls(other) == [_url(1)]
        frontier.settle(other[0].token, "ok", 2.0)
        assert frontier.claim(5, 99.0) == [] and frontier.next_ready(99.0) == 100.0
        frontier.admit([Link(_url(9), priority=2.5), Link(_url(0), priority=2.8)])
        assert _drain(frontier, 100.0) == [_url(0), _url(9)]


def check_politeness(make: Make) -> None:
    """A host has one link out at a time and then rests; other hosts go on, the one with the best link first."""
    frontier = make(delay=10.0)
    frontier.admit([*_links([9.0, 8.0], host=1), *_links([7.0], host=2), *_links([7.5, 1.0], host=3)])
    leases = frontier.claim(5, 0.0)
    assert _urls(leases) == [_url(0, 1), _url(0, 3), _url(0, 2)]
    assert frontier.claim(5, 1.0) == [] and frontier.next_ready(1.0) is None
    frontier.settle(leases[0].token, "ok", 2.0)
    frontier.settle(leases[1].token, "ok", 3.0, host_delay=1.0)
    frontier.settle(leases[2].token, "ok", 4.0)
    assert frontier.next_ready(5.0) == 12.0 and frontier.claim(5, 11.9) == []
    (again,) = frontier.claim(5, 12.0)
    assert again.link.url == _url(1, 1)
    frontier.settle(again.token, "ok", 12.0, host_delay=60.0)
    frontier.admit(_links([0.0] * 3, host=1))
    assert _urls(frontier.claim(5, 13.0)) == [_url(1, 3)]
    assert frontier.next_ready(13.0) == 72.0


def check_unasked(make: Make) -> None:
    """A host of which nothing was asked need not rest."""
    frontier = make(delay=10.0)
    frontier.admit(_links([3.0, 2.0, 1.0]))
    lease = frontier.claim(1, 0.0)[0]
    frontier.settle(lease.token, "robots", 1.0, host_delay=0.0)
    (lease,) = frontier.claim(1, 1.0)
    frontier.settle(lease.token, "ok", 1.0)
    assert frontier.claim(1, 1.0) == [] and frontier.next_ready(1.0) == 11.0


def check_others_waiting(make: Make) -> None:
    """Whether another host has links: without delays any, with them one that is not parked; leased links are not
    among them, nor are those that wait for a retry."""
    for delay in (None, 5.0):
        frontier = make(delay=delay)
        one, two = "h1.example", "h2.example"
        assert not frontier.others_waiting(one, 0.0)
        frontier.admit(_links([3.0, 2.0], host=1))
        assert not frontier.others_waiting(one, 0.0) and frontier.others_waiting(two, 0.0)
        frontier.admit(_links([9.0, 8.0], host=2))
        assert frontier.others_waiting(one, 0.0) and frontier.others_waiting(two, 0.0)
        lease = frontier.claim(1, 0.0)[0]
        assert frontier.others_waiting(one, 0.0), "while it is asked its other links wait"
        frontier.settle(lease.token, "ok", 0.0, host_delay=3600.0)
        assert frontier.others_waiting(one, 1.0) == (delay is None), "it is parked"
        assert frontier.others_waiting(one, 3590.0)
        assert _urls(frontier.claim(1, 3600.0)) == [_url(1, 2)]
        assert not frontier.others_waiting(one, 3600.0), "nothing of it waits any more"


def check_no_delays(make: Make) -> None:
    """On a web without delays no host is ever busy, whatever it asks for."""
    frontier = make(delay=None)
    frontier.admit(_links([1.0] * 5))
    lease, *rest = frontier.claim(3, 0.0)
    assert len(rest) == 2
    frontier.settle(lease.token, "ok", 0.0, host_delay=1000.0)
    assert frontier.next_ready(0.0) == 0.0 and len(frontier.claim(3, 0.0)) == 2


def check_group(make: Make) -> None:
    """Hosts mapped to one key take turns."""
    frontier = make(delay=5.0, group=lambda host: "shared" if host in ("h1.example", "h2.example") else host)
    for host in (1, 2, 3):
        frontier.admit(_links([float(host), 0.5], host=host))
    leases = frontier.claim(9, 0.0)
    assert _urls(leases) == [_url(0, 3), _url(0, 2)]
    frontier.settle(leases[1].token, "ok", 1.0)
    assert frontier.claim(9, 5.0) == []
    assert _urls(frontier.claim(9, 6.0)) == [_url(0, 1)]


def check_next_ready(make: Make) -> None:
    """None when nothing waits or all depends on leases, else the exact moment a claim gives something."""
    for delay in (None, 0.0, 10.0):
        frontier = make(delay=delay)
        assert frontier.next_ready(0.0) is None
        frontier.admit(_links([1.0, 0.5]))
        ready = frontier.next_ready(7.0)
        assert ready is not None and ready <= 7.0
        lease = frontier.claim(1, 7.0)[0]
        assert (frontier.next_ready(7.0) is None) == (delay is not None)
        frontier.settle(lease.token, "ok", 8.0, retry_at=9.0)
        (waiting,) = frontier.claim(1, 8.0 + (delay or 0.0))
        assert waiting.link.url == _url(1 if not delay else 0)


def check_many_workers(make: Make) -> None:
    """However many workers claim and settle in whatever order, no host is asked twice within its delay, and every
    link is handed out exactly once."""
    for seed in range(3):
        numbers = random.Random(seed)
        delay, now = 2.0, 0.0
        frontier = make(delay=delay)
        links = [Link(_url(number, numbers.randrange(12)), priority=numbers.random()) for number in range(150)]
        busy: dict[str, Lease] = {}
        free_at: dict[str, float] = {}
        done: list[str] = []
        while links or busy or len(frontier):
            now += numbers.random()
            if links:
                frontier.admit([links.pop() for _ in range(min(len(links), numbers.randrange(9)))])
            for lease in frontier.claim(numbers.randrange(6), now):
                host = host_of(lease.link.url)
                assert host not in busy and now >= free_at.get(host, 0.0)
                busy[host] = lease
            for host in [host for host in busy if numbers.random() < 0.4]:
                lease = busy.pop(host)
                extra = numbers.choice([None, 0.5, 5.0])
                assert frontier.settle(lease.token, "ok", now, host_delay=extra)
                free_at[host] = now + max(delay, extra or 0.0)
                done.append(lease.link.url)
        assert len(done) == len(set(done)) == 150


CHECKS: tuple[Callable[[Make], None], ...] = (
    check_order,
    check_odd_prices,
    check_ties,
    check_dedup,
    check_least_distance,
    check_repricing,
    check_reprice_all,
    check_leases,
    check_limit,
    check_limit_at_length,
    check_evicted_returns,
    check_limit_and_retry,
    check_visited,
    check_final_address_on_lease,
    check_retry,
    check_politeness,
    check_unasked,
    check_others_waiting,
    check_no_delays,
    check_group,
    check_next_ready,
    check_many_workers,
    check_model,
)


def check_frontier(make: Make) -> None:
    """Run every check."""
    for check in CHECKS:
        check(make)
