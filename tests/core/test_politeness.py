"""The host clockwork."""

from __future__ import annotations

import random

from pinakes.core.politeness import Politeness


def test_best_ready_host_first() -> None:
    """Hosts are taken by the rank of what they offer, each once until it is free and rested."""
    hosts = Politeness(10.0)
    for number, host in enumerate("abc"):
        hosts.offer(host, (-float(number), number))
    assert [hosts.take(0.0) for _ in range(4)] == ["c", "b", "a", None]
    assert hosts.next_ready(0.0) is None
    hosts.free("b", 1.0)
    hosts.free("a", 0.5)
    assert hosts.next_ready(2.0) == 10.5
    assert hosts.take(10.4) is None
    assert hosts.take(11.0) == "b"
    assert hosts.take(11.0) == "a"


def test_longest_delay_counts() -> None:
    """The usual delay, the one a host asked for and its own: the longest holds."""
    hosts = Politeness(2.0)
    hosts.set_delay("slow", 30.0)
    for host, asked, ready in (("fast", None, 2.0), ("asked", 9.0, 9.0), ("less", 1.0, 2.0), ("slow", 9.0, 30.0)):
        hosts.offer(host, (0.0, 1))
        assert hosts.take(0.0) == host
        hosts.free(host, 0.0, asked)
        assert hosts.not_before(host) == ready
        hosts.offer(host, None)


def test_a_changed_offer_changes_the_order() -> None:
    """An offer replaces the one before, better or worse, and can be taken back."""
    hosts = Politeness(0.0)
    hosts.offer("a", (-1.0, 1))
    hosts.offer("b", (-2.0, 2))
    hosts.offer("a", (-3.0, 3))
    hosts.offer("b", (-9.0, 4))
    hosts.offer("b", (-0.5, 5))
    hosts.offer("c", (-7.0, 6))
    hosts.offer("c", None)
    assert [hosts.take(0.0), hosts.take(0.0), hosts.take(0.0)] == ["a", "b", None]


def test_resting_host_without_offers_is_not_waited_for() -> None:
    """The next moment is one at which something can be fetched."""
    hosts = Politeness(5.0)
    for host in "ab":
        hosts.offer(host, (0.0, ord(host)))
        hosts.take(0.0)
        hosts.offer(host, None)
    hosts.free("a", 0.0)
    hosts.free("b", 3.0)
    hosts.offer("b", (0.0, 9))
    assert hosts.next_ready(1.0) == 8.0
    hosts.offer("a", (0.0, 10))
    assert hosts.next_ready(1.0) == 5.0


def test_shared_key() -> None:
    """Hosts of one group take turns, the best first; a host that is forgotten still belongs to it."""
    hosts = Politeness(5.0, group=lambda host: host[0])
    for number, host in enumerate(("a1", "a2", "b1")):
        hosts.offer(host, (float(number), number))
    assert [hosts.take(0.0), hosts.take(0.0), hosts.take(0.0)] == ["a1", "b1", None]
    hosts.offer("a1", None)
    hosts.offer("b1", None)
    assert hosts.not_before("a3") == float("inf")
    hosts.free("a1", 1.0)
    hosts.free("b1", 1.0)
    assert hosts.take(5.9) is None
    hosts.offer("a0", (-1.0, 9))
    assert hosts.take(6.0) == "a0"


def test_hosts_are_forgotten() -> None:
    """What offers nothing and has rested is not remembered, so that a long crawl does not fill the memory."""
    for group in (None, lambda host: host[-2:]):
        hosts = Politeness(1.0, group)
        for number in range(20_000):
            host = f"h{number:05}"
            hosts.offer(host, (0.0, number))
            assert hosts.take(float(number)) == host
            hosts.offer(host, None)
            hosts.free(host, float(number), 0.5)
        assert len(hosts) < 300
        assert len(hosts._alarms) + len(hosts._ready) + len(hosts._keys) < 600


def test_stale_offers_do_not_pile_up() -> None:
    """A host whose offer changes for ever costs no more than one that keeps still."""
    hosts = Politeness(1.0)
    for number in range(50_000):
        hosts.offer("a", (float(number), number))
    assert len(hosts._ready) < 200


def test_agrees_with_a_plain_model() -> None:
    """Over random moves it takes exactly the host that plain sorting would."""
    numbers = random.Random(1)
    hosts, offers, rest, busy, now = Politeness(1.5), {}, {}, set(), 0.0
    for number in range(5000):
        now += numbers.choice([0.0, 0.2])
        host = f"h{numbers.randrange(30)}"
        action = numbers.randrange(4)
        if action == 0:
            offers[host] = (numbers.random(), number)
            hosts.offer(host, offers[host])
        elif action == 1:
            offers.pop(host, None)
            hosts.offer(host, None)
        elif action == 2 and host in busy:
            asked = numbers.choice([None, 4.0])
            busy.remove(host)
            rest[host] = now + max(1.5, asked or 0.0)
            hosts.free(host, now, asked)
        elif action == 3:
            ready = [(rank, name) for name, rank in offers.items() if name not in busy and rest.get(name, 0.0) <= now]
            expected = min(ready)[1] if ready else None
            assert hosts.take(now) == expected
            if expected:
                busy.add(expected)
                offers.pop(expected)
                hosts.offer(expected, None)
        times = [max(now, rest.get(name, 0.0)) for name in offers if name not in busy]
        assert hosts.next_ready(now) == (min(times) if times else None)
