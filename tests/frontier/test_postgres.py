"""The frontier in PostgreSQL: the same answers as the others, and right however many use it at once."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.migrations import migrate
from pinakes.core.page import Link, host_of
from pinakes.core.roles import Frontier
from pinakes.formats.hashes import hash_of
from pinakes.frontier.extras import pack
from pinakes.frontier.postgres import PostgresFrontier, Settlement
from pinakes.testing.frontier import CHECKS, Make

numbers = count(1)


@pytest.fixture
def connection(database: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


@pytest.fixture
def make(connection: Any) -> Make:
    def make(**options: Any) -> PostgresFrontier:
        return PostgresFrontier(connection, next(numbers), **options)

    return make


def links(n: int, hosts: int, seed: int = 0) -> list[Link]:
    draw = random.Random(seed)
    return [
        Link(f"http://h{draw.randrange(hosts)}.example/{number}", priority=draw.randrange(50) / 10)
        for number in range(n)
    ]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conforms(check: Callable[[Make], None], make: Make) -> None:
    """It passes the conformance suite."""
    check(make)


def test_is_a_frontier(make: Make) -> None:
    """It has every member of the role."""
    assert isinstance(make(), Frontier)


@pytest.mark.parametrize("delay", [None, 0.02])
def test_many_connections(database: str, delay: float | None) -> None:
    """Workers with connections of their own get every link exactly once between them, also while links come and are
    repriced, and no host is asked by two at once or before its delay is over."""
    import time

    import psycopg

    crawl = next(numbers)
    with psycopg.connect(database) as connection:
        decider = PostgresFrontier(connection, crawl, delay=delay)
        wanted = links(400, 25)
        decider.admit(wanted[:200])
        connection.commit()
        taken: list[tuple[float, float, str]] = []
        troubles: list[BaseException] = []
        finished = threading.Event()

        def work(worker: int) -> None:
            try:
                with psycopg.connect(database) as own:
                    frontier = PostgresFrontier(own, crawl, delay=delay, worker=worker)
                    own.commit()
                    while not (finished.is_set() and not len(frontier)):
                        leases = frontier.claim(7, time.time())
                        own.commit()
                        begun = time.time()
                        time.sleep(0.002)
                        frontier.settle_all([Settlement(lease.token, "ok") for lease in leases], time.time())
                        own.commit()
                        taken.extend((begun, time.time(), lease.link.url) for lease in leases)
            except BaseException as error:
                troubles.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for thread in threads:
            thread.start()
        for start in range(200, 400, 20):
            decider.admit(wanted[start : start + 20])
            urls = decider.working(50)
            decider.reprice(urls, [float(number % 7) for number in range(len(urls))])
            connection.commit()
        finished.set()
        for thread in threads:
            thread.join()
        assert not troubles
        assert sorted(url for *_, url in taken) == sorted(link.url for link in wanted)
        assert (len(decider), decider.leased) == (0, 0)
        if delay is not None:
            by_host: dict[str, list[tuple[float, float]]] = {}
            for begun, ended, url in taken:
                by_host.setdefault(host_of(url), []).append((begun, ended))
            for times in by_host.values():
                times.sort()
                # The pause counts from the clock reading handed to `settle`, just before `ended`.
                assert all(later[0] > earlier[0] + delay for earlier, later in pairwise(times))


def test_settle_many(make: Make) -> None:
    """Many leases end at once, each its own way; a token is good once."""
    frontier = make(delay=1.0)
    frontier.admit([Link(f"http://h{number}.example/", priority=float(number)) for number in range(6)])
    leases = frontier.claim(6, 0.0)
    assert isinstance(frontier, PostgresFrontier)
    ends = [
        Settlement(leases[0].token, "ok"),
        Settlement(leases[1].token, "timeout", retry_at=5.0),
        Settlement(leases[2].token, "ok", "http://new.example/"),
        Settlement(leases[3].token, "ok", leases[4].link.url),
        Settlement(999_999, "ok"),
    ]
    assert frontier.settle_all(ends, 1.0) == [True, True, True, True, False]
    assert not any(frontier.settle_all(ends, 1.0))
    assert (len(frontier), frontier.leased) == (1, 2)
    known = [frontier.known(f"http://h{number}.example/") for number in range(6)]
    assert known == ["leased", "leased", "visited", "visited", "waiting", "visited"]
    assert frontier.known("http://new.example/") == "visited"
    assert frontier.claim(9, 4.9) == []
    assert [lease.link.url for lease in frontier.claim(9, 5.0)] == ["http://h4.example/"]


@pytest.mark.parametrize("delay", [None, 0.0])
def test_claimed_while_it_comes_home_by_another_way(database: str, delay: float | None) -> None:
    """A link is claimed at the very moment at which another's page turns out to be at its address: what its lease
    brings is not wanted."""
    import psycopg

    crawl = next(numbers)
    with psycopg.connect(database) as here, psycopg.connect(database) as there:
        one = PostgresFrontier(here, crawl, delay=delay)
        one.admit([Link("http://a.example/", priority=2.0), Link("http://b.example/", priority=1.0)])
        redirected = one.claim(1, 0.0)[0]
        here.commit()
        two = PostgresFrontier(there, crawl, delay=delay)
        taken = two.claim(1, 0.0)[0]
        assert taken.link.url == "http://b.example/"
        settled: list[bool] = []

        def settle() -> None:
            settled.append(one.settle(redirected.token, "ok", 1.0, url=taken.link.url))
            here.commit()

        thread = threading.Thread(target=settle)
        thread.start()
        thread.join(0.2)  # it waits for whoever has the link in hand
        there.commit()
        thread.join()
        assert settled == [True] and not two.settle(taken.token, "ok", 2.0)
        there.commit()
        assert one.known(taken.link.url) == "visited" and (len(one), one.leased) == (0, 0)


def test_release(make: Make, connection: Any) -> None:
    """What a dead worker held waits again at once at its old place, its host rests, and its tokens are late."""
    frontier = make(delay=2.0)
    assert isinstance(frontier, PostgresFrontier)
    crawl = frontier.crawl
    dead = PostgresFrontier(connection, crawl, delay=2.0, worker=7)
    frontier.admit(links(20, 5))
    best = frontier.best(20)
    mine, lost = frontier.claim(2, 0.0), dead.claim(2, 0.0)
    assert len(mine) == len(lost) == 2
    assert frontier.release(7, 1.0) == 2 and frontier.release(7, 1.0) == 0
    assert (len(frontier), frontier.leased) == (18, 2)
    assert frontier.best(20) == [link for link in best if link not in [lease.link for lease in mine]]
    assert not any(dead.settle(lease.token, "ok", 1.0) for lease in lost)
    assert not {host_of(lease.link.url) for lease in frontier.claim(9, 2.9)} & {host_of(le.link.url) for le in lost}
    assert {host_of(lease.link.url) for lease in frontier.claim(9, 3.0)} == {host_of(le.link.url) for le in lost}


def test_migrations(connection: Any) -> None:
    """Steps a schema lacks are run once and in order; a schema from the future is refused."""
    for _ in range(2):
        migrate(connection, "toy", ["CREATE TABLE toy (a INTEGER)"])
    migrate(connection, "toy", ["CREATE TABLE toy (a INTEGER)", "ALTER TABLE toy ADD b INTEGER DEFAULT 3"])
    connection.execute("INSERT INTO toy VALUES (1)")
    assert connection.execute("SELECT * FROM toy").fetchall() == [(1, 3)]
    with pytest.raises(PinakesError, match="newer Pinakes"):
        migrate(connection, "toy", [])


def test_an_older_frontier(postgres: Any) -> None:
    """A frontier that an older version wrote is taken over with all that waited, slept and was leased."""
    import psycopg

    from pinakes.frontier.tables import STEPS

    with psycopg.connect(postgres.create(f"older_{os.getpid()}")) as connection:
        migrate(connection, "frontier", STEPS[:1])
        connection.execute(
            "INSERT INTO frontier_turns (crawl, name, state, cost, seq)"
            " VALUES (1, 'h0.example', 1, -1, 2), (1, 'h1.example', 0, -3, 3)"
        )
        extra = pack(Link(""))
        for state, turn, cost, seq, token, url in (
            (2, 1, -2, 1, 7, "http://h0.example/a"),
            (0, 1, -1, 2, 0, "http://h0.example/b"),
            (0, 2, -3, 3, 0, "http://h1.example/c"),
            (3, 2, -9, 4, 0, "http://h1.example/d"),
        ):
            connection.execute(
                "INSERT INTO frontier_links (crawl, hash, turn, state, cost, seq, token, worker, deadline, url, extra)"
                " VALUES (1, %s, %s, %s, %s, %s, %s, 5, 100, %s, %s)",
                (hash_of(url), turn, state, cost, seq, token, url, extra),
            )
        connection.execute("INSERT INTO frontier_counts VALUES (1, 0, 2, 1, 4)")
        frontier = PostgresFrontier(connection, 1, delay=1.0)
        assert (len(frontier), frontier.leased, frontier.holders()) == (2, 1, {5})
        assert [lease.link.url for lease in frontier.claim(9, 0.0)] == ["http://h1.example/c"]
        assert frontier.known("http://h1.example/d") == "visited" and frontier.known("http://h0.example/a") == "leased"
        assert frontier.settle(7, "ok", 0.0)
        assert [lease.link.url for lease in frontier.claim(9, 1.0)] == ["http://h0.example/b"]
