"""A whole crawl of the live web: the engine and the fetcher together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pinakes.core.engine import Engine, Limits
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.frontier.memory import MemoryFrontier
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.ledger import MemoryLedger
from pinakes.testing.live import HURRIED, IMPATIENT, on_wire
from pinakes.testing.wire import Asked, Wired, Write, page
from pinakes.web.http import LiveWeb

A = "http://a.example/"
LINKS = ["loop", "chain/0", "hop", "inside", "file", "private/x", "broken", "slow", "gone", "twice", "b"]
HOME = page("".join(f"<a href='{A}{name}'>{name}</a> " for name in LINKS).encode())


class Nothing:
    threshold = 1.0

    def judge(self, page: Page) -> Verdict:
        return Verdict()


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
        engine = Engine(
            web=web,
            frontier=MemoryFrontier(limit=None, delay=0.0),
            judge=Nothing(),
            strategy=BreadthFirst(Brief()),
            ledger=ledger,
            limits=Limits(pages=100, seconds=30),
            dedup=False,
        )
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
