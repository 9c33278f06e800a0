"""A whole crawl of the live web: the engine and the fetcher together."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.frontier.memory import MemoryFrontier
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.ledger import MemoryLedger
from pinakes.testing.live import HURRIED, IMPATIENT, always, on_wire
from pinakes.testing.wire import Asked, Say, Wired, Write, page, wire
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions, LiveWeb

A = "http://a.example/"
LINKS = ["loop", "chain/0", "hop", "inside", "file", "private/x", "broken", "slow", "gone", "twice", "b"]
HOME = page("".join(f"<a href='{A}{name}'>{name}</a> " for name in LINKS).encode())


class Nothing:
    threshold = 1.0

    def judge(self, page: Page) -> Verdict:
        return Verdict()


def hurried(web: LiveWeb, ledger: MemoryLedger) -> Engine:
    """A crawl of whatever can be reached, without pauses."""
    return Engine(
        web=web,
        frontier=MemoryFrontier(limit=None, delay=0.0),
        judge=Nothing(),
        strategy=BreadthFirst(Brief()),
        ledger=ledger,
        limits=Limits(pages=100, seconds=30),
        dedup=False,
    )


def test_every_link_comes_home_once_under_its_name() -> None:
    """Loops, chains without end, hops to other hosts and inside, failures that pass and failures that stay."""
    tries = Counter[str]()

    async def say(asked: Asked, write: Write) -> bool:
        path = asked.target[1:]
        tries[path] += 1
        to = {
            "loop": "/loop2",
            "loop2": "/loop",
            "hop": "http://b.example/there",
            "inside": "http://169.254.169.254/",
            "file": "file:///etc/passwd",
        }.get(path, "")
        if path.startswith("chain/"):
            to = f"/chain/{int(path[6:]) + 1}"
        if path == "slow" or (path == "twice" and tries[path] < 3):
            await write(page(b"", status="503 Wait"))
        elif path == "broken":
            return False
        elif to:
            await write(page(b"", f"Location: {to}", status="302 Found"))
        elif path in ("", "b", "there", "twice"):
            await write(HOME if not path else page(f"<title>{path}</title>".encode()))
        else:
            await write(page(b"", status="404 No"))
        return True

    async def use(web: LiveWeb, wired: Wired) -> MemoryLedger:
        ledger = MemoryLedger()
        engine = hurried(web, ledger)
        engine.seed([Link(A)])
        assert await engine.run() == "frontier empty"
        return ledger

    pace = replace(HURRIED, failures=100, slowest=0.01)
    ledger = on_wire(say, use, robots=b"User-agent: *\nDisallow: /private", pace=pace, timeouts=IMPATIENT)
    came = [visit.page.link.origin for visit in ledger.visits]
    assert sorted(came) == sorted([A, *(A + name for name in LINKS)])
    assert {visit.page.link.origin.removeprefix(A): visit.page.outcome for visit in ledger.visits} == {
        "": "ok",
        "loop": "redirect-loop",
        "chain/0": "too-many-redirects",
        "hop": "ok",
        "inside": "address",
        "file": "scheme",
        "private/x": "robots",
        "broken": "connection",
        "slow": "server-error",
        "gone": "not-found",
        "twice": "ok",
        "b": "ok",
    }
    assert tries["slow"] == 4
    assert 4 <= tries["broken"] <= 8, "a kept connection that turns out to be closed is replaced at once"
    assert tries["private/x"] == 0


def deadly(say: Say | None, seeds: list[str], **options: Any) -> tuple[str, list[tuple[str, str]], list[Asked]]:
    """How a crawl ends that starts from these seeds, what came home, and what was asked. Without `say` the port is
    closed; other seeds than those of dead.example are answered."""

    async def run() -> tuple[str, list[tuple[str, str]], list[Asked]]:
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))
        async with wire(say or always(b"")) as dead, wire(always(page(b"<title>T</title>")), robots=b"") as alive:
            port = dead.port if say else closed.getsockname()[1]
            web = LiveWeb(
                replace(
                    LiveOptions("someone@example.org", pace=replace(HURRIED, backoff=0.02), timeouts=IMPATIENT),
                    resolve=(f"dead.example=127.0.0.1:{port}", f"*=127.0.0.1:{alive.port}"),
                    **options,
                )
            )
            ledger = MemoryLedger()
            engine = hurried(web, ledger)
            engine.seed([Link(url) for url in seeds])
            stopped = await engine.run()
            await web.close()
            closed.close()
            return stopped, [(visit.page.url, visit.page.outcome) for visit in ledger.visits], dead.asked

    return asyncio.run(run())


DEAD = "http://dead.example/"


def test_one_link_on_a_host_that_refuses_comes_home_by_name() -> None:
    """It has its few tries, and then nothing keeps the crawl from ending."""
    assert deadly(None, [DEAD])[:2] == ("frontier empty", [(DEAD, "connection")])


def test_a_crawl_with_only_dead_hosts_left_ends_at_once() -> None:
    """The host is parked with its other links; what is alive was fetched meanwhile."""
    stopped, came, _ = deadly(None, [*(f"{DEAD}{n}" for n in range(20)), A, f"{A}b"])
    assert stopped == "hosts parked"
    assert {(A, "ok"), (f"{A}b", "ok"), (f"{DEAD}0", "connection")} <= set(came) and len(came) < 6


def test_a_host_that_says_nothing_is_given_up_sooner_than_one_that_refuses() -> None:
    """Each try takes as long as we are ready to wait."""

    async def silent(asked: Asked, write: Write) -> None:
        await asyncio.sleep(20)

    brief = Timeouts(connect=0.2, head=0.2, read=0.2, total=0.5)
    stopped, came, asked = deadly(silent, [DEAD, f"{DEAD}b", A], timeouts=brief)
    assert (stopped, came) == ("hosts parked", [(A, "ok")])
    assert [one.target for one in asked] == ["/robots.txt"] * 2


def test_a_host_whose_rules_fail_is_asked_for_them_less_and_less() -> None:
    """Each pause is longer than the one before, and the pages are never asked for."""

    async def failing(asked: Asked, write: Write) -> bool:
        await write(page(b"", status="500 No"))
        return True

    stopped, came, asked = deadly(failing, [DEAD], pace=replace(HURRIED, backoff=0.2))
    assert (stopped, came) == ("frontier empty", [(DEAD, "robots-unreachable")])
    assert [one.target for one in asked] == ["/robots.txt"] * 4
    pauses = [after.at - before.at for before, after in pairwise(asked)]
    assert all(pause > 0.19 * n for n, pause in enumerate(pauses, 1))
