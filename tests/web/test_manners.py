"""Politeness: what hosts ask for is what they get."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from pinakes.core.page import Fetched, Link, host_of
from pinakes.testing.live import on_wire
from pinakes.testing.wire import Asked, Say, Wired, Write, page
from pinakes.web.http import LiveWeb
from pinakes.web.manners import Advice, Manners, Pace, seconds_of

HTML = page(b"<title>A page</title><a href='/b'>b</a>")
HOST, URL = "a.example", "http://a.example/"
asking = partial(on_wire, robots=None)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def settled(manners: Manners, outcome: str, status: int = 0, retry_after: str = "", url: str = URL) -> Advice:
    return manners.settle(url, outcome, status, retry_after)


class TestPace:
    def manners(self, **pace: Any) -> tuple[Manners, Clock]:
        clock = Clock()
        return Manners(Pace(**pace), 7, clock), clock

    def test_the_pause_is_the_longest_that_anyone_wants(self) -> None:
        """Ours, five times the last answer's time, or the host's; a little more, to fall out of step."""
        manners, _ = self.manners()
        assert 2.0 <= settled(manners, "ok", 200).host_delay <= 2.2
        manners.took(HOST, 1.0)
        assert 5.0 <= settled(manners, "ok", 200).host_delay <= 5.5
        manners.asks(HOST, 7.5)
        assert 7.5 <= settled(manners, "ok", 200).host_delay <= 8.25
        manners.asks(HOST, 86_400)
        manners.took(HOST, 1000)
        assert 60 <= settled(manners, "ok", 200).host_delay <= 66
        assert settled(manners, "ok", 200, url="http://b.example/").host_delay <= 2.2

    def test_a_host_that_complains_is_asked_half_as_often_each_time(self) -> None:
        """And only slowly as often as before."""
        manners, _ = self.manners(failures=100)
        complaints = [settled(manners, "rate-limited", 429).host_delay for _ in range(10)]
        for place, delay in enumerate(complaints):
            least = min(2.0 * 2 ** (place + 1), 300)
            assert least <= delay <= 1.1 * least
        better = [settled(manners, "ok", 200).host_delay for _ in range(60)]
        assert better[0] > 250
        assert better[20] > 20
        assert better[-1] <= 2.2
        assert settled(manners, "server-error", 503).host_delay >= 4

    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ("120", 120.0),
            (" 5 ", 5.0),
            ("0", 0.0),
            ("-5", 0.0),
            ("soon", 0.0),
            ("", 0.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            (formatdate(1_000_090, usegmt=True), 90.0),
            ("Fri, 99 Foo 9999 00:00:00 GMT", 0.0),
            ("9" * 5000, float("9" * 64)),
        ],
    )
    def test_retry_after_names_seconds_or_a_date(self, header: str, seconds: float) -> None:
        """What is past or nonsense asks for nothing."""
        assert seconds_of(header, 1_000_000.0) == seconds

    def test_retry_after_is_honoured_for_the_address_and_the_host(self) -> None:
        """With 429 and 503; elsewhere it means nothing, and beyond an hour the host is parked."""
        manners, clock = self.manners()
        for outcome, status in (("rate-limited", 429), ("server-error", 503)):
            advice = settled(manners, outcome, status, "120", f"http://{status}.example/")
            assert advice.retry_at == clock.now + 120
            assert advice.host_delay == 120
        assert settled(manners, "ok", 200, "120", "http://c.example/") == Advice(0.0, pytest.approx(2.1, abs=0.11))
        far = settled(manners, "rate-limited", 429, "7200", "http://d.example/")
        assert far.parked and far.host_delay == 7200 and far.retry_at == clock.now + 7200
        endless = settled(manners, "rate-limited", 429, "9" * 60, "http://e.example/")
        assert endless.parked and endless.host_delay == 86_400

    @pytest.mark.parametrize(
        ("outcome", "status"),
        [
            ("connection", 0),
            ("timeout", 0),
            ("server-error", 500),
            ("server-error", 502),
            ("client-error", 408),
            ("client-error", 425),
            ("rate-limited", 429),
            ("robots-unreachable", 0),
        ],
    )
    def test_what_may_pass_is_tried_four_times(self, outcome: str, status: int) -> None:
        """Each wait is drawn from twice as long a time as the one before; then it is over."""
        manners, clock = self.manners(failures=100)
        for tries in range(3):
            wait = settled(manners, outcome, status).retry_at - clock.now
            assert 0 <= wait <= 5 * 2**tries
        assert settled(manners, outcome, status).retry_at == 0
        assert settled(manners, outcome, status).retry_at > 0, "a later visit starts afresh"

    @pytest.mark.parametrize(
        ("outcome", "status"),
        [
            ("not-found", 404),
            ("forbidden", 403),
            ("client-error", 400),
            ("tls", 0),
            ("dns", 0),
            ("bad-response", 0),
            ("too-large", 200),
            ("ok", 200),
        ],
    )
    def test_what_will_not_pass_is_not_tried_again(self, outcome: str, status: int) -> None:
        """A page that is gone stays gone."""
        manners, _ = self.manners()
        assert settled(manners, outcome, status).retry_at == 0

    def test_waits_are_drawn_the_same_every_time(self) -> None:
        """The random state makes a crawl repeatable, and differs from host to host within it."""
        one, two = (self.manners(failures=100)[0] for _ in range(2))
        waits = [
            [settled(manners, "timeout", url=f"http://{n}.example/").retry_at for n in range(5)]
            for manners in (one, two)
        ]
        assert waits[0] == waits[1]
        assert len(set(waits[0])) == 5

    def test_five_failures_in_a_row_park_a_host(self) -> None:
        """For an hour, then six, then a day; a good answer in between makes it new."""
        manners, clock = self.manners()

        def fail(n: int) -> list[float]:
            found = [settled(manners, "timeout", url=f"http://a.example/{place}") for place in range(n)]
            assert all(advice.retry_at >= clock.now + advice.host_delay for advice in found if advice.parked)
            return [round(advice.host_delay) if advice.parked else 0 for advice in found]

        assert fail(4) == [0, 0, 0, 0]
        settled(manners, "ok", 200)
        assert fail(8) == [0, 0, 0, 0, 3600, 21600, 86400, 86400]
        settled(manners, "not-found", 404)
        assert fail(5) == [0, 0, 0, 0, 3600]

    def test_memory_is_bounded_however_many_hosts_there_are(self) -> None:
        """The longest untouched is forgotten."""
        manners, _ = self.manners()
        for number in range(60_000):
            settled(manners, "timeout", url=f"http://h{number}.example/")
        assert len(manners._hosts) <= 20_000
        assert len(manners._tries) <= 50_000


def answering(robots: bytes, rest: bytes = HTML) -> Say:
    async def say(asked: Asked, write: Write) -> bool:
        await write(robots if asked.target == "/robots.txt" else rest)
        return True

    return say


class TestTurns:
    def test_no_host_is_asked_sooner_than_its_delay(self) -> None:
        """With 64 fetches at once, measured where the requests arrive; robots.txt and redirects count too."""
        delay = 0.06

        async def say(asked: Asked, write: Write) -> bool:
            again = asked.target.endswith("/moved")
            await write(page(b"", "Location: /here", status="302 Found") if again else HTML)
            return True

        async def use(web: LiveWeb, wired: Wired) -> list[Asked]:
            async def follow(url: str) -> None:
                link = Link(url)
                while (answer := await web.fetch(link)).hop:
                    link = link._replace(url=answer.hop, via=(*link.via, link.url))

            urls = [f"http://h{n % 8}.example/{n}{'/moved' if n % 3 == 0 else ''}" for n in range(64)]
            await asyncio.gather(*map(follow, urls))
            return wired.asked

        asked = on_wire(say, use, robots=b"", pace=Pace(delay=delay, patience=0))
        assert len(asked) == 64 + 22 + 8
        for host in {request.host for request in asked}:
            times = sorted(request.at for request in asked if request.host == host)
            assert min(after - before for before, after in pairwise(times)) >= delay - 0.005

    def test_a_host_is_asked_one_thing_at_a_time(self) -> None:
        """Even without a delay, and however slow it is."""
        busy = [0, 0]

        async def say(asked: Asked, write: Write) -> bool:
            busy[0] += 1
            busy[1] = max(busy)
            await asyncio.sleep(0.01)
            busy[0] -= 1
            await write(HTML)
            return True

        async def use(web: LiveWeb, wired: Wired) -> None:
            await asyncio.gather(*(web.fetch(Link(f"{URL}{n}")) for n in range(10)))

        on_wire(say, use, robots=b"")
        assert busy == [0, 1]

    def test_slow_answers_and_complaints_reach_the_engine(self) -> None:
        """429 with Retry-After, as a host's delay and as the time of the next try."""
        answer = asking(
            answering(page(b""), page(b"", "Retry-After: 77", status="429 Slow")),
            lambda web, _: web.fetch(Link(URL)),
        )
        assert (answer.page.error, answer.host_delay) == ("rate-limited", 77)
        assert answer.retry_at > 0


def test_trouble_ends_after_four_tries() -> None:
    """The link comes home for good, and the host is known by the failures of all its pages."""

    async def use(web: LiveWeb, wired: Wired) -> list[Fetched]:
        return [await web.fetch(Link(URL)) for _ in range(4)]

    answers = asking(answering(page(b""), page(b"", status="500 No")), use)
    assert [bool(answer.retry_at) for answer in answers] == [True, True, True, False]
    assert host_of(answers[0].page.url) == HOST
