"""The guards against traps: what they catch, and what they leave alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes import demo
from pinakes.core.page import Link, Page, Verdict
from pinakes.formats.url import canonical
from pinakes.testing import InProcessWeb
from pinakes.testing import traps as endless_hosts
from pinakes.testing.answer import Answer, of_error
from pinakes.web.frozen import FrozenWeb
from pinakes.web.shapes import Date, date_of, template, without_session
from pinakes.web.traps import WORDS, TrapLimits, Traps

TODAY = 1_700_000_000.0
"""In November 2023."""
A = "http://a.example/"


def link(url: str) -> Link:
    return Link(url, depth=1, parent="http://parent.example/")


def visit(traps: Traps, url: str, nugget: bool = False, times: int = 1) -> None:
    for _ in range(times):
        traps.visit(Page(link(url), url, 200), Verdict(nugget=nugget))


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("x" * 600, "long"),
        ("1/2/3/4/5/6/7/8/9/a/b/c/d", "deep"),
        ("1/2/3/4/5/6/7/8/9/a/b/c/", ""),
        ("a/b/a/b/", "repeating"),
        ("x/a/b/c/a/b/c", "repeating"),
        ("a/x/a/y/a", "repeating"),
        ("events/events/events/", "repeating"),
        ("events/events/", ""),
        ("a/b/a/", ""),
        ("2004/04/04/", ""),
        ("1/1/1/1/", ""),
        ("?a=1&a=1&a=1", "repeating"),
        ("?a=1&a=2&a=3", ""),
        ("a/b?next=/a/b/", ""),
        ("2025/07/", ""),
        ("2026/07/", "future"),
        ("2026/7/", ""),
        ("2026/7/31", "future"),
        ("2026-07.html", "future"),
        ("events?year=2040", "future"),
        ("events?date=2040-05-01", "future"),
        ("events?month=5&year=2040&view=list", "future"),
        ("item?year=2040&id=5", ""),
        ("2199/papers/", ""),
        ("5021/3", ""),
        ("1866/04/12/", ""),
    ],
)
def test_shapes_that_give_a_trap_away(path: str, rule: str) -> None:
    """At once; numbers, dates gone by and ordinary paths pass."""
    traps = Traps(TODAY)
    assert traps(link(A + path)) == traps.hop(link(A + path)) == (f"trap:{rule}" if rule else "")
    assert not rule or rule in WORDS


@pytest.mark.parametrize(
    ("path", "bare"),
    [
        ("x?PHPSESSID=4dd949826bca9985", "x"),
        ("x?a=1&PHPSESSID=4dd9&b=2", "x?a=1&b=2"),
        ("x;jsessionid=A1B2?q=1", "x?q=1"),
        ("(S(abcdefghijkl0123456789))/x", "x"),
        ("x?sid=0123456789ab", "x"),
        ("x?q=1&s=k3jh4kj3h4kj3h", "x?q=1"),
        ("x?CFID=1&CFTOKEN=2", "x"),
        ("x?sid=12345678", ""),
        ("x?sid=04/05/12/1234", ""),
        ("x?s=searching", ""),
        ("session/2.html", ""),
        ("x?sidebar=1a2b3c4d5e", ""),
    ],
)
def test_session_ids(path: str, bare: str) -> None:
    """Names that always mean a session, and others when the value looks drawn by lot."""
    assert without_session(A + path) == (A + bare if bare else "")


def test_a_page_is_let_in_under_one_session_id() -> None:
    """The first; it may be offered again, others may not."""
    traps = Traps(TODAY)
    assert traps(link(A + "x?sid=0123456789ab")) == traps(link(A + "x?sid=0123456789ab")) == ""
    assert traps(link(A + "x?sid=ba9876543210")) == "trap:session"
    assert traps(link(A + "y?sid=ba9876543210")) == ""


def test_templates_and_dates() -> None:
    """Addresses that differ in numbers have one template; a date counts when it is what the address is about."""
    assert template(A + "x/y.html") == ""
    assert template("http://a1.example/x") == ""
    assert template(A + "p/12/x3.html?id=4") == template(A + "p/7/x99.html?id=0") == A + "p/0/x0.html?id=0"
    assert template(A + "wiki/%D0%9A%D0%BE%20x") == ""
    assert template(A + "%2012") == A + "%200"
    assert template(A + "d/0cc175b9c0f1b6a8") == template(A + "d/92eb5ffee6ae2fec")

    def date(path: str) -> Date | None:
        return date_of(A + path, template(A + path))

    assert date("2004/05/") == date("cal/2004-05.html") == date("?ym=2004-05") == Date(2004, True)
    assert date("2004/5") == Date(2004, False)
    assert date("?month=5") == Date(0, True)
    assert date("2004/05/story-about-owls") is date("2004/13/") is date("2004/05/?id=3") is date("12345/6") is None


def numbered(n: int, path: str = "item") -> list[Link]:
    return [link(f"{A}{path}/{number}.html") for number in range(n)]


def test_numbered_pages_that_yield_little() -> None:
    """After two hundred met and enough fetched no more are let in or fetched, as long as others wait."""
    waiting = True
    traps = Traps(TODAY, others_waiting=lambda host: waiting)
    visit(traps, "http://b.example/", nugget=True, times=30)
    assert {traps(one) for one in numbered(400)} == {""}, "nothing is known against them yet"
    for one in numbered(30):
        visit(traps, one.url)
    assert {traps(one) for one in numbered(400)} == {traps.claim(numbered(1)[0])} == {"trap:numbered"}
    assert traps(link(A + "index.html")) == traps(link(A + "other/5.html")) == ""
    waiting = False
    assert {traps(one) for one in numbered(400)} == {traps.claim(numbered(1)[0])} == {""}


def test_numbered_pages_that_yield_well_are_left_alone() -> None:
    """However many there are; so are those of a crawl that finds nothing anywhere."""
    traps = Traps(TODAY)
    visit(traps, "http://b.example/", nugget=False, times=100)
    for place, one in enumerate(numbered(100)):
        visit(traps, one.url, nugget=place % 4 == 0)
    assert {traps(one) for one in numbered(5000)} == {""}
    barren = Traps(TODAY)
    for one in numbered(300):
        visit(barren, one.url)
    assert {barren(one) for one in numbered(5000)} == {""}


def test_a_link_on_every_page_counts_once() -> None:
    """It is different addresses that make a flood."""
    traps = Traps(TODAY)
    visit(traps, "http://b.example/", nugget=True, times=30)
    for _ in range(50):
        for one in numbered(20):
            visit(traps, one.url)
            assert traps(one) == ""


def test_a_calendar_must_show_that_it_is_worth_it() -> None:
    """Sixty dates are let in; more only once those fetched have yielded."""
    days = [
        link(f"{A}{year}/{month:02}/{day:02}/")
        for year in (2004, 2005)
        for month in range(1, 13)
        for day in range(1, 29)
    ]
    traps = Traps(TODAY)
    visit(traps, "http://b.example/", nugget=True, times=10)
    visit(traps, "http://b.example/", nugget=False, times=90)
    admitted = [day for day in days if not traps(day)]
    assert 55 <= len(admitted) <= 65
    assert {traps.claim(day) for day in admitted} == {""}, "fetching them shows what they are worth"
    for day in admitted[:50]:
        visit(traps, day.url, nugget=False)
    assert traps.claim(admitted[-1]) == "trap:calendar"
    good = Traps(TODAY)
    visit(good, "http://b.example/", nugget=True, times=10)
    visit(good, "http://b.example/", nugget=False, times=90)
    for day in days[:40]:
        good(day)
        visit(good, day.url, nugget=True)
    assert {good(day) for day in days} == {""}


def test_a_host_that_takes_most_of_the_crawl_waits() -> None:
    """It is held, not dropped, while others wait; it need not when it yields twice what the crawl does."""
    waiting = True
    traps = Traps(TODAY, others_waiting=lambda host: waiting)
    for number in range(600):
        visit(traps, "http://b.example/" if number % 2 else A, nugget=number % 20 == 1)
    assert traps(link(A + "x")) == "" and traps.claim(link(A + "x")) == "hold"
    assert traps.claim(link("http://c.example/")) == ""
    waiting = False
    assert traps.claim(link(A + "x")) == ""
    waiting = True
    visit(traps, "http://c.example/", times=400)
    assert traps.claim(link(A + "x")) == "", "its share of the last five hundred has fallen"
    rich = Traps(TODAY)
    for number in range(1000):
        visit(rich, A if number % 5 < 2 else f"http://h{number % 50}.example/", nugget=number % 5 < 2)
    assert rich.claim(link(A + "x")) == ""


def test_what_someone_chose_is_no_trap() -> None:
    """A seed is let in whatever it looks like; where it redirects to is looked at."""
    traps = Traps(TODAY)
    assert traps(Link(A + "a/b/a/b/")) == traps.claim(Link(A + "a/b/a/b/")) == ""
    assert traps(Link(A + "a/b/a/b/", via=(A,))) == traps.hop(Link(A + "a/b/a/b/", via=(A,))) == "trap:repeating"


class EndlessHosts:
    def answer(self, url: str) -> Answer:
        return endless_hosts.answer(url) or of_error(404)


def crawl(
    traps: Traps, seeds: Iterable[str], page: Callable[[str], Page], most: int, good: str = ""
) -> tuple[list[str], Counter[str]]:
    """Breadth first, until nothing is left; a page of `good` comes home now and then, as in a crawl that does well."""
    waiting = deque(Link(url, depth=1) for url in seeds)
    known, came, refused = {one.url for one in waiting}, list[str](), Counter[str]()
    while waiting and len(came) < most:
        one = waiting.popleft()
        if traps.claim(one):
            continue
        home = page(one.url)
        came.append(one.url)
        traps.visit(home, Verdict())
        if good:
            visit(traps, f"http://good{len(came) % 10}.example/", nugget=True)
        for found in home.links:
            if found.url in known:
                continue
            if why := traps(found):
                refused[why] += 1
                continue
            known.add(found.url)
            waiting.append(found)
    return came, refused


@pytest.mark.parametrize("good", ["", "yes"])
def test_endless_hosts_end(good: str) -> None:
    """A calendar that always has a next month and a shop with session ids cost a few dozen fetches, not thousands."""
    traps = Traps(TODAY, TrapLimits(share=1.0))
    web = InProcessWeb(EndlessHosts(), records=False)
    came, refused = crawl(traps, (endless_hosts.entrance(1), endless_hosts.entrance(2)), web.page, 2000, good)
    web.reader.close()
    hosts = Counter(url.split("/")[2] for url in came)
    assert hosts["shop.example"] <= 21
    assert hosts["calendar.example"] <= 130
    assert set(refused) == {"trap:calendar", "trap:session"}
    assert json.loads(json.dumps(traps.state())) == traps.state()


def test_alone_a_host_may_look_like_a_trap() -> None:
    """What would be refused is let in behind everything else, and refused when its turn comes and others wait by then;
    a page that is known under another session id is known."""
    waiting = False
    traps = Traps(TODAY, others_waiting=lambda host: waiting)
    shapes = {"a/b/a/b/": "repeating", "x/" * 20: "deep", "y" * 700: "long", "2140/12/24": "future"}
    for path, rule in shapes.items():
        one = link(A + path)
        waiting = False
        assert (traps(one), traps.hop(one), traps.claim(one)) == ("last", "", "")
        waiting = True
        assert {traps(one), traps.hop(one), traps.claim(one)} == {f"trap:{rule}"}
    waiting = False
    assert [traps(link(f"{A}?PHPSESSID={number}")) for number in (1, 2)] == ["", "trap:session"]


def test_without_other_hosts_the_shop_still_ends() -> None:
    """One page under many session ids is one page; a calendar goes on."""
    traps = Traps(TODAY, others_waiting=lambda host: False)
    web = InProcessWeb(EndlessHosts(), records=False)
    assert len(crawl(traps, [endless_hosts.entrance(2)], web.page, 500)[0]) <= 21
    assert len(crawl(traps, [endless_hosts.entrance(1)], web.page, 500)[0]) == 500
    web.reader.close()


def test_the_demo_calendar_is_caught() -> None:
    """Of the hundreds of addresses it offers few are let in, and nothing outside it is refused."""
    web = FrozenWeb(demo.path("web.warc.gz"), records=False)
    truth = json.loads(demo.path("truth.json").read_text())
    traps = Traps(web.info().last)
    refused, offered = offer_everything(web, traps, lambda url: False)
    trap = truth["trap"]["host"]
    assert {url for url in refused if not url.startswith(trap)} == set()
    assert set(refused.values()) == {"trap:calendar", "trap:session", "trap:repeating"}
    assert sum(url.startswith(trap) for url in offered) > 300
    assert sum(url.startswith(trap) for url in offered - set(refused)) < 150


def offer_everything(web: FrozenWeb, traps: Traps, nugget: Callable[[str], bool]) -> tuple[dict[str, str], set[str]]:
    """Bring every page home and offer all its links, as if other hosts always waited."""
    refused, offered = dict[str, str](), set[str]()

    async def offer() -> None:
        for url in web.pages():
            page = (await web.fetch(link(url))).page
            traps.visit(page, Verdict(nugget=nugget(url)))
            for one in page.links:
                offered.add(one.url)
                if why := traps(one):
                    refused[one.url] = why

    asyncio.run(offer())
    return refused, offered


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("schools", 0), ("webkb", 40)])
def test_real_webs_lose_next_to_nothing(shared: Path, name: str, most: int) -> None:
    """No page of theirs is refused, and of links that lead out a few dozen in tens of thousands."""
    folder = shared / "webs" / name
    with (folder / "topics.jsonl").open() as lines:
        relevant = set(json.loads(next(lines))["relevant"])
    web = FrozenWeb(folder / "web.warc.gz", records=False)
    traps = Traps(web.info().last)
    refused, offered = offer_everything(web, traps, relevant.__contains__)
    assert len(offered) > 25_000 and len(refused) <= most
    assert not [url for url in refused if web.holds(url)]


ADDRESSES = st.lists(
    st.sampled_from([*"ab/?&=;", "/a", "/2004", "/05", "/1", "sid=", "0123456789ab", "year=2099", ";jsessionid=1"]),
    max_size=12,
).map(lambda pieces: canonical(A + "".join(pieces)) or A)


@given(st.lists(st.tuples(ADDRESSES, st.booleans()), max_size=60), st.lists(ADDRESSES, max_size=10))
def test_a_resumed_crawl_answers_as_one_left_alone(before: list[tuple[str, bool]], after: list[str]) -> None:
    """Through plain data, and within bounds however few things may be remembered."""
    limits = TrapLimits(dates=2, numbered=3, window=10, templates=4, sessions=3, hosts=2)
    alone, resumed = Traps(TODAY, limits), Traps(0.0, limits)
    for url, nugget in before:
        alone(link(url))
        visit(alone, url, nugget)
    resumed.restore(json.loads(json.dumps(alone.state())))
    for url in after:
        assert resumed.hop(link(url)) == alone.hop(link(url))
        assert resumed(link(url)) == alone(link(url)) and resumed.claim(link(url)) == alone.claim(link(url))
    state = resumed.state()
    assert state == alone.state()
    assert len(state["templates"]) <= 4 and len(state["sessions"]) <= 3 and len(state["window"]) <= 10


def test_hostile_addresses_take_linear_time() -> None:
    """The longest address of the worst kinds is judged in well under a millisecond each."""
    worst = [
        "/a" * 999,
        "/ab/cd" * 99,
        "?" + "a=1&" * 490,
        "?sid=" + "a1" * 900,
        ";jsessionid=" * 160,
        "/(S(" * 450,
        "1/" * 900,
    ]
    traps = Traps(TODAY, TrapLimits(length=2000, segments=2000))
    begun = time.process_time()
    for path in worst * 10:
        traps(link((A + path)[:2000]))
    assert time.process_time() - begun < 0.5
