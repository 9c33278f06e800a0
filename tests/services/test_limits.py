"""How often a service may be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.services.limits import LONGEST, Budget, Limiter, Ration, RestingError


def turns(limiter: Limiter, clock: Any, n: int) -> list[float]:
    """When `n` callers who came at once had their turns."""
    at: list[float] = []

    async def one() -> None:
        async with limiter.turn():
            at.append(clock())

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(n)))

    asyncio.run(all_of_them())
    return [moment - at[0] for moment in at]


@pytest.fixture
def limiter_of(clock: Any) -> Callable[..., Limiter]:
    return lambda gap=1.0, at_once=1: Limiter(gap, at_once, clock=clock, sleep=clock.sleep)


def test_callers_take_turns(limiter_of: Any, clock: Any) -> None:
    """However many ask at once, calls are a gap apart."""
    assert turns(limiter_of(2.0), clock, 4) == [0, 2, 4, 6]


def test_only_so_many_calls_are_under_way(limiter_of: Any) -> None:
    """A place is free again when a call ends, and the service may grant fewer."""

    async def most_at_once(limiter: Limiter) -> int:
        running = most = 0

        async def one() -> None:
            nonlocal running, most
            async with limiter.turn():
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*(one() for _ in range(9)))
        return most

    limiter = limiter_of(0.0, 3)
    assert asyncio.run(most_at_once(limiter)) == 3
    limiter = limiter_of(0.0, 3)
    limiter.heard(200, {"x-concurrency-limit": "1"})
    assert asyncio.run(most_at_once(limiter)) == 1
    limiter.heard(200, {"x-concurrency-limit": "50"})
    assert limiter.at_once == 3


def test_a_caller_who_gives_up_leaves_the_place_to_the_next(limiter_of: Any, clock: Any) -> None:
    """A call that is cancelled, waiting or under way, blocks nobody."""

    async def scenario() -> str:
        limiter = limiter_of(0.0)
        entered = asyncio.Event()

        async def holds() -> None:
            async with limiter.turn():
                entered.set()
                await asyncio.sleep(3600)

        async def waits() -> str:
            async with limiter.turn():
                return "served"

        first = asyncio.create_task(holds())
        await entered.wait()
        second, third = asyncio.create_task(waits()), asyncio.create_task(waits())
        await asyncio.sleep(0)
        second.cancel()
        first.cancel()
        async with asyncio.timeout(5):
            return await third

    assert asyncio.run(scenario()) == "served"


def test_the_service_may_ask_for_a_slower_pace_but_not_for_a_faster_one(limiter_of: Any) -> None:
    """Crossref's headers name calls and the time they are for; ours is the least gap."""
    limiter = limiter_of(0.1)
    limiter.heard(200, {"x-rate-limit-limit": "5", "x-rate-limit-interval": "1s"})
    assert limiter.gap == pytest.approx(0.2)
    limiter.heard(200, {"x-rate-limit-limit": "150", "x-rate-limit-interval": "1s"})
    assert limiter.gap == pytest.approx(0.1)
    limiter.heard(200, {"x-rate-limit-limit": "60", "x-rate-limit-interval": "1m"})
    assert limiter.gap == pytest.approx(1.0)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed_with_a_complaint(limiter_of: Any, clock: Any, status: int) -> None:
    """Seconds or a date, for everybody who asks the service."""
    limiter = limiter_of(0.0)
    limiter.heard(status, {"retry-after": "7"})
    turns(limiter, clock, 1)
    assert clock.slept == [7]
    limiter.heard(status, {"retry-after": formatdate(clock() + 30, usegmt=True)})
    turns(limiter, clock, 1)
    assert clock.slept[-1] == pytest.approx(30, abs=1)


def test_retry_after_with_success_means_nothing(limiter_of: Any, clock: Any) -> None:
    """Some services send it with every answer."""
    limiter = limiter_of(0.0)
    limiter.heard(200, {"retry-after": "60"})
    turns(limiter, clock, 1)
    assert clock.slept == []


def test_a_long_rest_is_told_at_once(limiter_of: Any, clock: Any) -> None:
    """Nobody waits an hour for an answer; after the hour the service is asked again."""
    limiter = limiter_of(0.0)
    limiter.heard(429, {"retry-after": "3600"})
    with pytest.raises(RestingError) as resting:
        turns(limiter, clock, 1)
    assert (resting.value.outcome, resting.value.seconds, clock.slept) == ("rate-limited", 3600, [])
    clock.now += 3600
    assert turns(limiter, clock, 1) == [0]


def test_complaints_slow_the_service_down_and_good_answers_speed_it_up(limiter_of: Any) -> None:
    """The gap doubles with each complaint and comes back little by little."""
    limiter = limiter_of(1.0)
    gaps = [limiter.gap]
    for status in (429, 503, 200, 200):
        limiter.heard(status, {})
        gaps.append(limiter.gap)
    assert gaps == pytest.approx([1, 2, 4, 3.6, 3.24])
    for _ in range(40):
        limiter.heard(200, {})
    assert limiter.gap == 1


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9"}, 9),
        ({"ratelimit-remaining": "9", "ratelimit-reset": "1"}, 0),  # as OpenAlex sends it
        ({"ratelimit-remaining": "0", "ratelimit-reset": "1"}, 1),
        ({"x-ratelimit-remaining": "0, 950", "x-ratelimit-reset": "1, 1419704"}, 1),  # a second and a month
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000020"}, 20),  # a date
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1600000000"}, 0),
        ({"backoff": "5"}, 5),
        ({"x-ratelimit-remaining": "none", "x-ratelimit-reset": "soon"}, 0),
    ],
)
def test_a_window_without_calls_left_is_waited_for(limiter_of: Any, clock: Any, headers: Any, wait: float) -> None:
    """The service says in how many seconds, or when, it grants calls again."""
    limiter = limiter_of(0.0)
    limiter.heard(200, headers)
    turns(limiter, clock, 1)
    assert sum(clock.slept) == wait


def test_a_service_that_keeps_failing_is_left_alone(limiter_of: Any, clock: Any) -> None:
    """Five failures in a row are an hour's rest, and one after it another; a good answer clears the record."""
    limiter = limiter_of(0.0)
    for status in (500, 0, 502, 200, 500, 0, 0, 504):
        limiter.heard(status, {})
    assert turns(limiter, clock, 1) == [0]
    limiter.heard(0, {})
    with pytest.raises(RestingError, match="connection"):
        turns(limiter, clock, 1)
    clock.now += 3601
    turns(limiter, clock, 1)
    limiter.heard(500, {})
    with pytest.raises(RestingError, match="server-error"):
        turns(limiter, clock, 1)


@given(
    st.integers(0, 999),
    st.dictionaries(
        st.sampled_from(
            [
                "retry-after",
                "backoff",
                "x-rate-limit-limit",
                "x-rate-limit-interval",
                "x-concurrency-limit",
                "x-ratelimit-remaining",
                "x-ratelimit-reset",
            ]
        ),
        st.text(max_size=40) | st.integers(-5, 10**20).map(str) | st.floats().map(str),
    ),
)
def test_no_header_breaks_the_limiter(status: int, headers: dict[str, str]) -> None:
    """Whatever a service says, the gap stays within reason and at least one call is allowed."""
    limiter = Limiter(1.0, 2)
    limiter.heard(status, headers)
    assert 1.0 <= limiter.gap <= LONGEST
    assert 1 <= limiter.at_once <= 2


def test_a_budget_lasts_for_the_day(clock: Any) -> None:
    """What cannot be afforded is not spent; midnight (UTC) fills the purse, and free calls are always allowed."""
    budget = Budget(0.01, clock)
    assert all(budget.spend(0.0001) for _ in range(100))
    assert not budget.spend(0.0001)
    assert budget.spend(0.0)
    clock.now += 86_400
    assert budget.spend(0.0001)
    assert budget.spent == 0.0001
    assert Budget(0.0, clock).spend(1e9)


def test_a_ration_runs_out() -> None:
    """So many calls and not one more."""
    ration = Ration(2)
    assert [ration.take() for _ in range(4)] == [True, True, False, False]
    assert (ration.left, ration.most) == (0, 2)
