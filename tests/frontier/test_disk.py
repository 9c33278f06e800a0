"""The frontier on disk: the same answers as in memory, and nothing lost when it is opened again."""

from __future__ import annotations

import gc
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pinakes.core.page import Link
from pinakes.core.roles import Frontier
from pinakes.frontier.disk import DiskFrontier
from pinakes.frontier.memory import MemoryFrontier
from pinakes.testing.frontier import CHECKS, Make
from pinakes.testing.frontier_model import check_model


class Library:
    """A database and a table of addresses in a folder, to be closed and opened again."""

    def __init__(self, folder: Path) -> None:
        self.table = folder / "seen.table"
        self.path = folder / "catalogue.db"
        self.connection = sqlite3.connect(self.path)
        self.frontiers: dict[int, DiskFrontier] = {}

    def open(self, crawl: int = 1, memory: int = 5, **options: object) -> DiskFrontier:
        frontier = DiskFrontier(self.connection, crawl, memory=memory, table=self.table, **options)  # type: ignore[arg-type]
        self.frontiers[crawl] = frontier
        return frontier

    def commit(self) -> None:
        for frontier in self.frontiers.values():
            frontier.flush()
        self.connection.commit()

    def kill(self) -> None:
        """End as a killed process does: what was not committed is lost, and nothing is put in order."""
        self.frontiers.clear()
        self.connection.rollback()
        self.connection.close()
        self.connection = sqlite3.connect(self.path)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path)
    yield library
    library.connection.close()


def links(n: int, start: int = 0, seed: int = 0, hosts: int = 3) -> list[Link]:
    numbers = random.Random(seed)
    return [
        Link(
            f"http://h{number % hosts}.example/{number}",
            anchor=f"link {number}",
            tag="html/body/a",
            parent=f"http://parent.example/{number // 10}",
            depth=number % 4,
            distance=number % 3,
            priority=numbers.randrange(20) / 4,
            via=("http://old.example/",) if number % 5 == 0 else (),
        )
        for number in range(start, start + n)
    ]


def drain(frontier: Frontier, n: int = 3) -> list[Link]:
    order = []
    while leases := frontier.claim(n, 1e6):
        order += [lease.link for lease in leases]
        for lease in leases:
            frontier.settle(lease.token, "ok", 0.0)
    return order


@pytest.mark.parametrize("memory", [1, 7, 10_000])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conforms(check: Callable[[Make], None], memory: int) -> None:
    """It passes the conformance suite, however few links fit in memory."""
    made: list[sqlite3.Connection] = []

    def make(**options: object) -> DiskFrontier:
        made.append(sqlite3.connect(":memory:"))
        return DiskFrontier(made[-1], 1, memory=memory, **options)  # type: ignore[arg-type]

    check(make)
    for connection in made:
        connection.close()


def test_is_a_frontier(library: Library) -> None:
    """It has every member of the role."""
    assert isinstance(library.open(), Frontier)


def test_reopen_after_commit(library: Library) -> None:
    """What was committed waits again with every field, in the same order, and what was visited stays so."""
    frontier, other = library.open(), MemoryFrontier()
    for each in (frontier, other):
        each.admit(links(60))
        for lease in each.claim(7, 0.0):
            each.settle(lease.token, "ok", 0.0, url=lease.link.url + "/final")
    visited = [link.url for link in links(60) if other.known(link.url) == "visited"]
    library.commit()
    library.kill()
    frontier = library.open()
    assert len(frontier) == 53
    again = frontier.admit([Link(url) for url in visited] + [Link(url + "/final") for url in visited])
    assert again.admitted == 0 and len(again.visited) == 14
    more = links(20, start=100, seed=1)
    frontier.admit(more)
    other.admit(more)
    assert drain(frontier) == drain(other)


def test_all_can_be_priced_anew_after_reopening(library: Library) -> None:
    """A strategy that reprices is asked for every link there is room for, though none was in memory yet."""
    first = library.open(memory=100)
    first.admit(links(40, hosts=7) + [Link(f"http://large.example/{n}") for n in range(30)])
    library.commit()
    again = library.open(memory=100)
    assert len(again.working(100)) == 70
    assert len(library.open(memory=20).working(100)) >= 20


def test_reopen_after_rollback(library: Library) -> None:
    """What was not committed never was: neither admissions, nor raised prices, nor visits."""
    frontier = library.open()
    frontier.admit(links(40))
    library.commit()
    expected = frontier.best(100)
    frontier.admit(links(40, start=40))
    frontier.admit([link._replace(priority=99.0) for link in links(10)])
    frontier.reprice([link.url for link in links(40)], [3.0] * 40)
    for lease in frontier.claim(5, 0.0)[:3]:
        frontier.settle(lease.token, "ok", 0.0)
    library.kill()
    frontier = library.open()
    assert len(frontier) == 40 and frontier.best(100) == expected
    assert frontier.known(links(1, start=50)[0].url) == ""


def test_leases_return(library: Library) -> None:
    """Links on lease when the database was last committed wait again at once, and their tokens are late."""
    frontier = library.open()
    frontier.admit(links(30))
    order = frontier.best(100)
    leases = frontier.claim(6, 0.0)
    frontier.settle(leases[0].token, "ok", 0.0)
    library.commit()
    library.kill()
    frontier = library.open()
    assert frontier.leased == 0 and frontier.best(100) == order[1:]
    again = frontier.claim(5, 0.0)
    assert [lease.link for lease in again] == order[1:6]
    assert not {lease.token for lease in leases} & {lease.token for lease in again}
    assert not any(frontier.settle(lease.token, "ok", 0.0) for lease in leases)


@pytest.mark.parametrize("damage", ["none", "deleted", "garbage", "cut short", "of another state"])
def test_table_of_addresses_is_only_a_cache(library: Library, damage: str) -> None:
    """A table that is missing, broken or older than the database is rebuilt; a good one is taken as it is."""
    frontier = library.open()
    frontier.admit(links(50))
    for lease in frontier.claim(4, 0.0):
        frontier.settle(lease.token, "ok", 0.0)
    frontier.claim(2, 0.0)
    expected = sorted(link.url for link in links(50) if frontier.known(link.url) != "visited")
    frontier.close()
    library.commit()
    if damage == "of another state":
        stale = library.table.read_bytes()
        library.open().admit(links(3, start=500))
        library.commit()
        expected = sorted([*expected, *(link.url for link in links(3, start=500))])
        library.table.write_bytes(stale)
    elif damage == "deleted":
        library.table.unlink()
    elif damage == "garbage":
        library.table.write_bytes(random.Random(0).randbytes(200_000))
    elif damage == "cut short":
        library.table.write_bytes(library.table.read_bytes()[:-1000])
    library.kill()
    inode = library.table.stat().st_ino if library.table.exists() else 0
    frontier = library.open()
    assert (library.table.stat().st_ino == inode) == (damage == "none")
    assert len(frontier) == len(expected)
    assert sorted(link.url for link in drain(frontier)) == expected
    assert len(frontier.admit(links(50)).visited) == 50


def test_close_without_commit_is_not_trusted(library: Library) -> None:
    """A table closed with changes that were then lost is rebuilt."""
    frontier = library.open()
    frontier.admit(links(20))
    library.commit()
    frontier.admit(links(20, start=20))
    frontier.close()
    library.kill()
    frontier = library.open()
    assert len(frontier) == 20
    assert frontier.admit(links(20, start=20)).admitted == 20


def test_order_goes_on_after_a_clean_close(library: Library) -> None:
    """Numbers of arrival go on where they stopped, so that later links come after equal ones."""
    early = [Link(f"http://a.example/{number}") for number in range(30)]
    late = [Link(f"http://b.example/{number}") for number in range(30)]
    frontier = library.open()
    frontier.admit(early)
    frontier.close()
    library.commit()
    frontier = library.open()
    frontier.admit(late)
    assert drain(frontier) == early + late


def test_crawls_do_not_meet(library: Library) -> None:
    """Two crawls in one library have frontiers and visited sets of their own."""
    one, two = library.open(1), DiskFrontier(library.connection, 2, memory=5)
    one.admit(links(20))
    assert (len(one), len(two)) == (20, 0)
    drain(one)
    assert two.admit(links(20)).admitted == 20
    assert len(drain(two)) == 20


@pytest.mark.parametrize("delays", [(None, 0.0), (0.0, None)])
def test_going_on_with_other_delays(library: Library, delays: tuple[float | None, float | None]) -> None:
    """A crawl begun without delays can go on with them, and the other way round."""
    frontier = library.open(delay=delays[0])
    frontier.admit(links(50))
    expected = frontier.best(100)
    library.commit()
    frontier = library.open(delay=delays[1])
    assert frontier.best(100) == expected
    raised = frontier.admit([link._replace(priority=90.0) for link in links(50)])
    assert raised.repriced == 50
    assert len(frontier.claim(100, 0.0)) == (50 if delays[1] is None else 3)


def test_a_limit_put_on_later(library: Library) -> None:
    """With a limit everything waits in memory, also what was on disk."""
    frontier = library.open()
    frontier.admit(links(50))
    best = frontier.best(8)
    library.commit()
    frontier = library.open(limit=8)
    assert len(frontier.admit([]).evicted) == 42
    assert frontier.best(100) == best
    assert frontier.known(links(50)[0].url) in ("", "waiting")
    assert drain(frontier) == best


def test_what_was_repriced_is_written_when_it_leaves_memory(library: Library) -> None:
    """A price set in memory holds after the link was spilled to disk."""
    frontier = library.open(memory=10)
    frontier.admit([Link(f"http://a.example/{number}", priority=float(number)) for number in range(10)])
    frontier.reprice([f"http://a.example/{number}" for number in range(10)], [-float(number) for number in range(10)])
    frontier.admit([Link(f"http://b.example/{number}", priority=100.0) for number in range(40)])
    assert len(frontier.working(1000)) <= 10
    assert [link.url for link in drain(frontier)][40:] == [f"http://a.example/{number}" for number in range(10)]


def test_never_commits(library: Library) -> None:
    """The transaction is the owner's."""
    frontier = library.open()
    library.commit()
    frontier.admit(links(30))
    drain(frontier)
    assert library.connection.in_transaction
    library.connection.rollback()
    assert library.connection.execute("SELECT count(*) FROM frontier_waiting").fetchone() == (0,)
    assert library.connection.execute("SELECT count(*) FROM frontier_visited").fetchone() == (0,)


def test_half_a_surrogate_pair_does_no_harm(library: Library) -> None:
    """Text that no database can hold is kept as near as can be."""
    frontier = library.open(memory=1)
    frontier.admit([Link(f"http://a.example/{number}", anchor="bird \ud83d", via=("\udc00",)) for number in range(3)])
    assert [link.anchor for link in drain(frontier)][1:] == ["bird ?", "bird ?"]


def test_memory_is_bounded(tmp_path: Path) -> None:
    """Two hundred thousand waiting links leave no more Python objects behind than the memory allows."""
    connection = sqlite3.connect(tmp_path / "db")
    frontier = DiskFrontier(connection, 1, memory=1000, table=tmp_path / "table")
    gc.collect()
    before = len(gc.get_objects())
    for start in range(0, 200_000, 100):
        frontier.admit(
            [Link(f"http://a.example/{number}", priority=number * 7919 % 1000) for number in range(start, start + 100)]
        )
        if start % 5000 == 0:
            for lease in frontier.claim(2, 0.0):
                frontier.settle(lease.token, "ok", 0.0)
    assert len(frontier) == 200_000 - 80
    assert len(frontier.working(1 << 20)) <= 1000
    gc.collect()
    assert len(gc.get_objects()) - before < 20_000
    connection.close()


def test_random_crawls_with_spilling() -> None:
    """More random operations, over frontiers that keep few links in memory."""
    connections = []

    def make(**options: object) -> DiskFrontier:
        connections.append(sqlite3.connect(":memory:"))
        return DiskFrontier(connections[-1], 1, memory=len(connections) % 20 + 1, **options)  # type: ignore[arg-type]

    check_model(make, range(1000, 1030), 80)
    for connection in connections:
        connection.close()
