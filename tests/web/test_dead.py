"""Hosts that never answer are given up; hosts that did once are not."""

from __future__ import annotations

import asyncio

from pinakes.core.page import Fetched, Link, Page
from pinakes.web.dead import PATIENCE, TRIES, GivingUp

NOW = 1_000.0


class Failing:
    """A web that says what it is told to, in order, and then nothing but timeouts with another try in a minute."""

    ordered = False

    def __init__(self, *outcomes: str, wait: float = 60.0) -> None:
        self._outcomes, self._wait = list(outcomes), wait
        self.asked = 0

    async def fetch(self, link: Link) -> Fetched:
        self.asked += 1
        outcome = self._outcomes.pop(0) if self._outcomes else "timeout"
        retry = NOW + self._wait if outcome == "timeout" else 0.0
        status = 200 if outcome == "connection" else 0  # it broke off after the head
        return Fetched(Page(link, link.url, status, error=outcome), retry_at=retry, host_delay=self._wait)

    async def close(self) -> None: ...


def fetched(web: Failing, times: int) -> list[Fetched]:
    async def go() -> list[Fetched]:
        giving_up = GivingUp(web, clock=lambda: NOW)
        return [await giving_up.fetch(Link(f"http://a.example/{n}")) for n in range(times)]

    return asyncio.run(go())


def test_a_host_that_never_answers_is_given_up_with_all_its_links() -> None:
    web = Failing()
    answers = fetched(web, 10)
    assert web.asked == TRIES and [bool(one.retry_at) for one in answers] == [True] * (TRIES - 1) + [False] * 8
    assert {one.page.error for one in answers} == {"timeout"} and answers[-1].host_delay in (None, 0.0)


def test_who_has_answered_once_is_waited_for() -> None:
    web = Failing("not-found")
    assert all(one.retry_at for one in fetched(web, 10)[1:]) and web.asked == 10


def test_half_an_answer_is_an_answer() -> None:
    web = Failing("connection")
    assert all(one.retry_at for one in fetched(web, 10)[1:]) and web.asked == 10


def test_rules_and_pauses_are_no_answers() -> None:
    web = Failing("robots", "postponed")
    fetched(web, 10)
    assert web.asked == 2 + TRIES


def test_no_such_name_and_long_rests_are_enough() -> None:
    """A name without address is final at the first try; so is a rest of an hour."""
    for web in (Failing("dns"), Failing(wait=PATIENCE + 1)):
        assert not fetched(web, 3)[0].retry_at and web.asked == 1
