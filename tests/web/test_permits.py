"""robots.txt: asked for once, obeyed, and feared when it cannot be had."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pinakes.core.page import Fetched, Link
from pinakes.testing.live import IMPATIENT, on_wire
from pinakes.testing.wire import Asked, Say, Wired, Write, page
from pinakes.web.http import LiveWeb

HTML = page(b"<title>A page</title><a href='/b'>b</a>")
HOST, URL = "a.example", "http://a.example/"
asking = partial(on_wire, robots=None)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def answering(robots: bytes, rest: bytes = HTML) -> Say:
    async def say(asked: Asked, write: Write) -> bool:
        await write(robots if asked.target == "/robots.txt" else rest)
        return True

    return say


def outcome(robots: bytes, url: str = URL, **options: Any) -> Fetched:
    return asking(answering(robots), lambda web, _: web.fetch(Link(url)), **options)


FORBIDDING = b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.25\n"


class TestRobots:
    def test_robots_txt_is_obeyed_and_asked_for_once(self) -> None:
        """Twenty fetches at the same moment ask for it once; what it forbids is not asked for at all."""

        async def use(web: LiveWeb, wired: Wired) -> tuple[list[str], list[str]]:
            paths = [f"{'private' if n % 2 else 'open'}/{n}" for n in range(20)]
            answers = await asyncio.gather(*(web.fetch(Link(URL + path)) for path in paths))
            return [answer.page.outcome for answer in answers], [asked.target for asked in wired.asked]

        outcomes, asked = on_wire(answering(HTML), use, robots=b"User-agent: *\nDisallow: /private\n")
        assert outcomes == ["ok", "robots"] * 10
        assert asked.count("/robots.txt") == 1
        assert not [target for target in asked if "private" in target]

    @pytest.mark.parametrize("status", ["400 No", "401 No", "403 No", "404 No", "410 Gone", "451 No"])
    def test_one_that_is_not_there_permits_everything(self, status: str) -> None:
        """RFC 9309 §2.3.1.3."""
        assert outcome(page(FORBIDDING, status=status), URL + "private").page.outcome == "ok"

    @pytest.mark.parametrize("status", ["500 No", "503 No", "429 Slow"])
    def test_one_that_fails_forbids_everything_for_now(self, status: str) -> None:
        """RFC 9309 §2.3.1.4: the link waits and is tried again, and so does its host."""
        answer = outcome(page(b"", status=status))
        assert answer.page.error == "robots-unreachable"
        assert answer.retry_at > 0
        assert answer.host_delay > 0

    def test_one_that_cannot_be_had_forbids_everything_for_now(self) -> None:
        """No answer at all, nonsense for an answer, and an answer that drips."""

        async def silent(asked: Asked, write: Write) -> None:
            await asyncio.sleep(5)

        async def drip(asked: Asked, write: Write) -> None:
            await write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                await write(b"#")
                await asyncio.sleep(0.05)

        async def use(web: LiveWeb, wired: Wired) -> tuple[str, float]:
            answer = await web.fetch(Link(URL))
            return answer.page.error, answer.retry_at

        quick = replace(IMPATIENT, head=0.2, read=0.2, total=0.5)
        for say in (silent, drip, answering(b"nonsense\r\n\r\n")):
            error, retry_at = asking(say, use, timeouts=quick)
            assert error == "robots-unreachable" and retry_at > 0

    def test_a_dead_host_is_named_after_what_is_wrong_with_it(self) -> None:
        """Not after its robots.txt."""

        async def use(web: LiveWeb, wired: Wired) -> str:
            return (await web.fetch(Link("http://dead.example/"))).page.error

        def lookup(host: str) -> list[str]:
            raise OSError("no such host")

        assert asking(answering(HTML), use, resolve=(), given={"lookup": lookup}) == "dns"
        assert asking(answering(HTML), use, resolve=("*=127.0.0.1:1",)) == "connection"

    def test_redirects_are_followed_and_the_rules_count_where_they_were_asked_for(self) -> None:
        """Five of them, also to other hosts; more is as if there were no file."""

        def say(hops: int) -> Say:
            async def answer(asked: Asked, write: Write) -> bool:
                number = (
                    int(asked.target[2:] or 0) if asked.target.startswith("/r") and asked.target[2:].isdigit() else 0
                )
                if asked.target != "/robots.txt" and not asked.target.startswith("/r"):
                    await write(HTML)
                elif number < hops:
                    await write(page(b"", f"Location: http://h{number}.example/r{number + 1}", status="302 Found"))
                else:
                    await write(page(FORBIDDING, kind="text/plain"))
                return True

            return answer

        async def use(web: LiveWeb, wired: Wired) -> list[str]:
            return [
                (await web.fetch(Link(f"http://{host}/private"))).page.outcome for host in ("a.example", "h4.example")
            ]

        assert asking(say(5), use)[0] == "robots"
        assert asking(say(6), use)[0] == "ok"

    def test_a_redirect_inside_is_no_way_to_rules(self) -> None:
        """Rules that would have to be fetched from a private address forbid everything."""
        answer = outcome(page(b"", "Location: http://169.254.169.254/", status="302 Found"))
        assert (answer.page.error, answer.retry_at) == ("address", 0.0)

    def test_every_scheme_and_port_has_rules_of_its_own(self) -> None:
        """A host with two ports is asked twice."""

        async def use(web: LiveWeb, wired: Wired) -> list[str]:
            for url in (URL, "http://a.example:8080/", URL, "http://a.example:8080/x"):
                await web.fetch(Link(url))
            return [asked.host for asked in wired.asked if asked.target == "/robots.txt"]

        assert asking(answering(page(b"", status="404 No")), use) == ["a.example", "a.example:8080"]

    def test_rules_are_kept_for_a_day_and_longer_only_when_they_cannot_be_renewed(self) -> None:
        """Then yesterday's are better than none."""
        clock, robots = Clock(), [page(FORBIDDING)]

        async def say(asked: Asked, write: Write) -> bool:
            await write(robots[0] if asked.target == "/robots.txt" else HTML)
            return True

        async def use(web: LiveWeb, wired: Wired) -> list[tuple[str, int]]:
            found = []
            for hours, change in ((0, None), (23, None), (2, b""), (25, page(b"", status="500 No"))):
                clock.now += 3600 * hours
                robots[0] = page(change) if change == b"" else change or robots[0]
                error = (await web.fetch(Link(URL + "private"))).page.outcome
                found.append((error, sum(asked.target == "/robots.txt" for asked in wired.asked)))
            return found

        assert asking(say, use, given={"clock": clock}) == [("robots", 1), ("robots", 1), ("ok", 2), ("ok", 3)]

    def test_the_exchange_goes_into_the_archive_once(self) -> None:
        """With the first page that comes home, before its own; also where the rules forbid the page."""

        async def use(web: LiveWeb, wired: Wired) -> list[list[str]]:
            links = [Link(f"http://a.example/{name}") for name in ("private", "b", "c")]
            return [[f"{m.kind} {m.url}" for m in (await web.fetch(link)).record] for link in links]

        first, second, third = on_wire(page(b"x"), use, robots=b"User-agent: *\nDisallow: /private")
        rules = "http://a.example/robots.txt"
        assert first == [f"request {rules}", f"response {rules}"]
        assert second == [f"{kind} http://a.example/b" for kind in ("request", "response", "metadata")]
        assert rules not in " ".join(third)

    def test_crawl_delay_reaches_the_engine(self) -> None:
        """Decimals and all, up to a minute."""
        for text, least in ((b"0.25", 0.25), (b"0.5", 0.5)):
            answer = outcome(page(b"User-agent: *\nCrawl-delay: " + text))
            assert least <= answer.host_delay <= 1.1 * least
            assert answer.page.title

    def test_a_long_pause_is_not_waited_for_but_handed_back(self) -> None:
        """The link waits with the others, at no loss; on the way along a redirect it goes on."""
        answer = outcome(page(b"User-agent: *\nCrawl-delay: 3600"))
        assert answer.page.error == "postponed"
        assert 59 < answer.host_delay <= 60
        assert answer.retry_at > 0
