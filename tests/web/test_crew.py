"""The live web on several processes: what one would bring home, nothing lost, nothing left behind, nobody hurried."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.taking_up import resume
from pinakes.library.library import Library
from pinakes.testing import ProceduralWeb, serve
from pinakes.testing.live import HURRIED, IMPATIENT
from pinakes.testing.wire import Asked, Say, Wired, Write, page, wire
from pinakes.web.crew import Crew
from pinakes.web.hand import NAME
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.manners import Pace

T = TypeVar("T")
BOMB = gzip.compress(bytes(80 << 20))
HOSTS = [f"http://{name}.example/" for name in "abcdef"]


def with_crew(
    say: Say,
    use: Callable[[Crew, Wired], Awaitable[T]],
    robots: bytes | None = b"",
    silence: float = 300.0,
    **options: Any,
) -> T:
    """Run `use` with two processes, all of whose hosts are one server."""

    async def run() -> T:
        async with wire(say, robots=robots) as wired:
            usual = LiveOptions("someone@example.org", pace=HURRIED, timeouts=IMPATIENT, resolve=(wired.route,))
            crew = Crew(replace(usual, **options), 2, silence=silence)
            try:
                return await use(crew, wired)
            finally:
                await crew.close()
                assert not crew.pids
                assert not hands(os.getpid())

    return asyncio.run(run())


def hands(parent: int) -> list[psutil.Process]:
    """The fetching processes, and what starts them, below a process."""
    return [one for one in psutil.Process(parent).children(recursive=True) if one.name() == NAME.decode()]


async def answers(asked: Asked, write: Write) -> bool:
    body = f"<title>{asked.host}</title><p>Caf\u00e9 words of {asked.target} <a href='/next' rel=nofollow>on</a> here."
    said = {
        "/gone": page(b"no", status="404 No"),
        "/moved": page(b"", "Location: http://b.example/there", status="302 Found"),
        "/file": page(b"", "Location: file:///etc/passwd", status="302 Found"),
        "/inside": page(b"", "Location: http://169.254.169.254/", status="302 Found"),
        "/bomb": page(BOMB, "Content-Encoding: gzip"),
        "/nonsense": b"nonsense\r\n\r\n",
        "/busy": page(b"", "Retry-After: 7", status="503 Busy"),
        "/human": page(b"<title>Just a moment...</title>", "cf-mitigated: challenge", status="403 No"),
    }
    await write(said.get(asked.target) or page(body.encode(), 'ETag: "1"'))
    return asked.target != "/nonsense"


def test_a_crew_brings_home_what_one_process_does() -> None:
    paths = ["x", "gone", "moved", "file", "inside", "bomb", "nonsense", "busy", "private/x"]
    links = [Link(host + path, depth=3, parent="http://z.example/") for host in HOSTS[:3] for path in paths]
    links += [Link("http://c.example/human"), Link("ftp://c.example/"), Link("http://c.example:22/")]

    async def use(crew: Crew, wired: Wired) -> None:
        alone = LiveWeb(crew.options)
        for link in links:
            theirs, ours = await crew.fetch(link), await alone.fetch(link)
            for field in (
                "words",
                "text",
                "terms",
                "links",
                "title",
                "robots",
                "etag",
                "outcome",
                "url",
                "fingerprint",
            ):
                assert getattr(theirs.page, field) == getattr(ours.page, field), (link.url, field)
            assert theirs.page.link == link
            assert (theirs.hop, theirs.digest, theirs.head) == (ours.hop, ours.digest, ours.head)
            assert [(one.kind, one.url) for one in theirs.record] == [(one.kind, one.url) for one in ours.record]
            assert bool(theirs.retry_at) == bool(ours.retry_at)
        await alone.close()
        assert len(crew.pids) == 2

    pace = replace(HURRIED, failures=100, slowest=0.01, tries=100)
    with_crew(answers, use, b"User-agent: *\nDisallow: /private", pace=pace, limit=1 << 20)


def test_a_page_that_changed_nothing_is_unchanged() -> None:
    async def say(asked: Asked, write: Write) -> bool:
        same = asked.headers.get("if-none-match") == '"1"'
        await write(page(b"", status="304 Same") if same else page(b"<p>new"))
        return True

    async def run() -> list[str]:
        async with wire(say, robots=b"") as wired:
            options = LiveOptions("someone@example.org", pace=HURRIED, resolve=(wired.route,))
            crew = Crew(options, 2, validators={HOSTS[0]: ('"1"', "")})
            try:
                return [(await crew.fetch(Link(host))).page.outcome for host in HOSTS[:2]]
            finally:
                await crew.close()

    assert asyncio.run(run()) == ["unchanged", "ok"]


def test_a_killed_process_loses_nothing() -> None:
    """Its links are fetched by the one that takes its place."""
    tries = Counter[str]()

    async def use(crew: Crew, wired: Wired) -> list[Fetched]:
        async def kill() -> None:
            while len(wired.asked) < 20:
                await asyncio.sleep(0.01)
            os.kill(crew.pids[0], signal.SIGKILL)

        links = [Link(f"{host}{n}") for n in range(20) for host in HOSTS]
        *came, _ = await asyncio.gather(*map(crew.fetch, links), kill())
        assert [one.page.link for one in came] == links
        return came

    async def say(asked: Asked, write: Write) -> bool:
        tries[asked.host + asked.target] += 1
        await asyncio.sleep(0.002)
        return await answers(asked, write)

    assert {one.page.outcome for one in with_crew(say, use)} == {"ok"}
    assert max(tries.values()) <= 3


def test_a_process_that_hangs_is_replaced_and_loses_nothing() -> None:
    """It lives but does nothing: it is ended, and what it had in hand is fetched by the next one."""

    async def use(crew: Crew, wired: Wired) -> list[Fetched]:
        stopped: list[int] = []

        async def hang() -> None:
            while len(wired.asked) < 20:
                await asyncio.sleep(0.01)
            stopped.append(crew.pids[0])
            os.kill(stopped[0], signal.SIGSTOP)

        links = [Link(f"{host}{n}") for n in range(20) for host in HOSTS]
        *came, _ = await asyncio.gather(*map(crew.fetch, links), hang())
        assert [one.page.link for one in came] == links
        assert len(crew.pids) == 2 and stopped[0] not in crew.pids
        return came

    assert {one.page.outcome for one in with_crew(answers, use, silence=2.0)} == {"ok"}


def test_a_foreman_that_hangs_is_replaced() -> None:
    """He lives but starts nobody, so that the second process would be waited for in vain."""

    async def use(crew: Crew, wired: Wired) -> list[Fetched]:
        first = await crew.fetch(Link(HOSTS[0]))
        (foreman,) = (one for one in psutil.Process().children() if one.name() == NAME.decode())
        foreman.suspend()
        rest = await asyncio.gather(*(crew.fetch(Link(host)) for host in HOSTS[1:]))
        assert not foreman.is_running()
        return [first, *rest]

    assert [one.page.outcome for one in with_crew(answers, use, silence=1.0)] == ["ok"] * len(HOSTS)


def test_a_link_that_kills_whoever_fetches_it_comes_home_crashed() -> None:
    """The others that were under way do not, however often the process dies."""

    async def use(crew: Crew, wired: Wired) -> dict[str, str]:
        nonlocal own
        own = crew
        links = [Link(f"{HOSTS[0]}{n}") for n in (*range(10), "poison", *range(10, 20))]
        return {one.page.url: one.page.outcome for one in await asyncio.gather(*map(crew.fetch, links))}

    async def say(asked: Asked, write: Write) -> bool:
        if asked.target == "/poison" and own is not None:
            os.kill(own.pids[0], signal.SIGKILL)
        return await answers(asked, write)

    own: Crew | None = None
    came = with_crew(say, use)
    assert len(came) == 21
    assert [url for url, outcome in came.items() if outcome != "ok"] == [HOSTS[0] + "poison"]
    assert came[HOSTS[0] + "poison"] == "crashed"


def test_bad_options_are_named_at_once() -> None:
    with pytest.raises(PinakesError, match="--contact"):
        Crew(LiveOptions(""), 2)

    with pytest.raises(PinakesError, match="no file of certificates"):
        Crew(LiveOptions("someone@example.org", ca=Path(__file__)), 2)


def test_no_host_is_asked_sooner_than_its_delay_with_64_in_flight() -> None:
    """Also where robots.txt redirects to a host of the other process."""
    hosts = [f"http://h{n}.example/" for n in range(16)]

    async def say(asked: Asked, write: Write) -> bool:
        if asked.target == "/robots.txt" and asked.host != "h0.example":
            await write(page(b"", "Location: http://h0.example/robots.txt", status="301 Moved"))
        else:
            await write(page(b"", kind="text/plain") if "robots" in asked.target else page(b"<p>words"))
        return True

    async def use(crew: Crew, wired: Wired) -> dict[str, list[float]]:
        links = [Link(f"{host}{n}", via=("x",)) for n in range(4) for host in hosts]
        came = await asyncio.gather(*map(crew.fetch, links))
        assert {one.page.outcome for one in came} == {"ok"}
        assert len(crew.pids) == 2
        times = defaultdict(list)
        for asked in wired.asked:
            times[asked.host].append(asked.at)
        return times

    times = with_crew(say, use, robots=None, pace=Pace(delay=0.1, patience=0))
    assert len(times) == 16
    assert len(times["h0.example"]) == 16 + 4
    for asked in times.values():
        assert min(after - before for before, after in pairwise(asked)) > 0.09


WEB = ProceduralWeb(pages=150, topics=5, hosts=12, links=12, words=120, not_found=0.05, redirects=0.05)


def options_for(into: Path, port: int, processes: int, pages: int | None = None) -> CrawlOptions:
    live = LiveOptions(
        "someone@example.org", pace=Pace(delay=0, patience=0, backoff=0.01), resolve=(f"*=127.0.0.1:{port}",)
    )
    seeds, topic = WEB.seeds(3), WEB.topic(0).text
    # A strategy that asks nobody for back-links: services that cannot be reached from here are waited for.
    return CrawlOptions(
        into=into,
        topic=topic,
        strategy="best-first",
        examples=seeds[:1],
        seeds=seeds,
        live=live,
        pages=pages,
        processes=processes,
    )


def test_two_processes_crawl_what_one_does(tmp_path: Path) -> None:
    """The whole of a small web, taken up again half-way on another number of processes."""
    with serve(WEB) as server:
        alone = crawl(options_for(tmp_path / "1", server.port, 1))
        assert crawl(options_for(tmp_path / "2", server.port, 2, pages=40)).stopped == "budget"
        both = resume(tmp_path / "2", pages=1000, processes=3)
    assert (alone.stopped, both.stopped) == ("frontier empty", "frontier empty")
    stored = []
    for name in "12":
        with Library(tmp_path / name) as library:
            stored.append(set(library.connection.execute("SELECT url, title, words, language, digest FROM pages")))
            for (number,) in library.connection.execute("SELECT id FROM pages").fetchall():
                assert library.shelf.page(number).readable
    assert stored[0] == stored[1]
    assert len(stored[0]) == alone.pages


FORKING = """
import asyncio, json, os, psutil, signal, socket, sys, threading
from pathlib import Path
from pinakes.core.page import Link
from pinakes.web.crew import Crew
from pinakes.web.http import LiveOptions
from pinakes.web.loop import run

port, seed, state = sys.argv[1:]
if state == "threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if state == "SIGCHLD ignored":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGUSR1, lambda number, frame: None)

async def main():
    heard, said = os.pipe()
    with open("held", "w") as held, socket.create_server(("127.0.0.1", 0)) as door:
        crew = Crew(LiveOptions("a@example.org", resolve=(f"*=127.0.0.1:{port}",)), 2)
        fetched = await crew.fetch(Link(seed))
        children = psutil.Process().children(recursive=True)
        anew = "-m" in children[0].cmdline()
        ours = {os.readlink(f"/proc/self/fd/{n}") for n in (held.fileno(), door.fileno(), heard, said)}
        theirs = {os.readlink(one) for child in children for one in Path(f"/proc/{child.pid}/fd").iterdir()}
        taken = {
            os.readlink(place) for child in children for one in (held, door)
            if (place := Path(f"/proc/{child.pid}/fd/{one.fileno()}")).is_symlink()
        }
        caught = [
            int(line.split()[1], 16) >> signal.SIGUSR1 - 1 & 1 for child in children
            for line in Path(f"/proc/{child.pid}/status").read_text().splitlines() if line.startswith("SigCgt:")
        ]
        await crew.close()
    left = psutil.Process().children(recursive=True)
    print(json.dumps([anew, fetched.page.error, len(ours & theirs), sum(caught), len(left), sorted(taken)]))

run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
@pytest.mark.parametrize("state", ["one thread", "threads", "SIGCHLD ignored"])
def test_only_a_process_with_one_thread_is_forked_and_what_it_has_open_stays_its_own(
    tmp_path: Path, state: str
) -> None:
    """In a process of its own, for this one's threads are pytest's affair. What it has open is nowhere open in the
    others, nor does anything of theirs take its place; its handlers of signals are not theirs."""
    with serve(WEB) as server:
        given = [str(server.port), WEB.seeds(1)[0], state]
        command = [sys.executable, "-c", FORKING, *given]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *said, taken = json.loads(done.stdout)
    assert said == [state == "threads", "", 0, 0, 0]
    if state != "threads":
        assert taken == [os.devnull]
    assert not done.stderr


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_crawl(tmp_path: Path, how: signal.Signals) -> None:
    slow = replace(WEB, pages=100_000, hosts=200)
    with serve(slow) as server:
        command = [sys.executable, "-m", "pinakes", "crawl", "--into", str(tmp_path / "library"), "--topic", "x"]
        command += ["--processes", "2", "--contact", "a@example.org", "--delay", "0.2", "--pages", "10000"]
        command += [f"--resolve=*=127.0.0.1:{server.port}", *(f"--seed={url}" for url in slow.seeds(20))]
        crawling = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while not server.counts():
            time.sleep(0.05)
        theirs = hands(crawling.pid)
        assert len(theirs) >= 2
        crawling.send_signal(how)
        assert crawling.wait(20) == (130 if how == signal.SIGINT else -signal.SIGKILL)
        _, left = psutil.wait_procs(theirs, timeout=5)
        assert not left
