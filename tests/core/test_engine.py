"""The loop: what comes home, in which order, under which name, and why a crawl ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pinakes.core.engine import Engine
from pinakes.core.limits import Limits
from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict
from pinakes.core.roles import Ask, Hit, Progress
from pinakes.frontier.memory import MemoryFrontier
from pinakes.strategies.best_first import BestFirst
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.ledger import MemoryLedger
from pinakes.testing.toy import ToyWeb

A, B, C, D, E = (f"http://{name}.example/" for name in "abcde")


class Marked:
    """A judge for tests: pages with the word `gold` are nuggets."""

    threshold = 1.0

    def judge(self, page: Page) -> Verdict:
        gold = "gold" in page.terms
        return Verdict(float(gold), "gold", {"gold": float(gold)}, gold)


class Crawl:
    """A crawl of a toy web, run to its end."""

    def __init__(self, web: Any, seeds: Sequence[str], strategy: Any = None, **options: Any) -> None:
        self.web, self.ledger = web, options.pop("ledger", None) or MemoryLedger()
        self.strategy = strategy or BreadthFirst(Brief())
        given = options.pop("frontier", None)
        ready_made = MemoryFrontier(limit=self.strategy.limit, delay=None if web.ordered else 0.0)
        self.frontier = ready_made if given is None else given
        limits = options.pop("limits", None) or Limits(pages=options.pop("pages", None))
        self.engine = Engine(
            web=web,
            frontier=self.frontier,
            judge=Marked(),
            strategy=self.strategy,
            ledger=self.ledger,
            limits=limits,
            **options,
        )
        self.engine.seed([Link(url) for url in seeds])
        self.stopped = asyncio.run(self.engine.run())

    @property
    def outcomes(self) -> dict[str, str]:
        return {visit.page.link.origin: visit.page.outcome for visit in self.ledger.visits}


def test_breadth_first_goes_by_arrival() -> None:
    """Links are fetched in the order they were met, each once."""
    web = ToyWeb({A: ("a", [B, C]), B: ("b", [D, A]), C: ("c", [D, E]), D: "d", E: ("e", [A, B, C, D, E])})
    crawl = Crawl(web, [A])
    assert crawl.ledger.urls == [A, B, C, D, E]
    assert web.fetched == [A, B, C, D, E]
    assert crawl.stopped == "frontier empty"


def test_best_first_follows_the_better_page() -> None:
    """Links of the page most like the topic go first (004 fig. 2)."""
    web = ToyWeb(
        {
            A: ("start", [B, C]),
            B: ("trains and stations", ["http://dull.example/"]),
            C: ("owls and eagles, more owls", ["http://good.example/"]),
            "http://dull.example/": "x",
            "http://good.example/": "y",
        }
    )
    crawl = Crawl(web, [A], BestFirst(Brief(topics=(Topic("owls"),))))
    assert crawl.ledger.urls == [A, B, C, "http://good.example/", "http://dull.example/"]


def test_every_link_comes_home_once_by_name() -> None:
    """Failures are delivered too, under the name of what went wrong, and teach nothing."""
    web = ToyWeb({A: ("a", [B, C, D, E])}, errors={B: "timeout", C: "server-error", D: "robots"})
    crawl = Crawl(web, [A])
    assert crawl.outcomes == {A: "ok", B: "timeout", C: "server-error", D: "robots", E: "not-found"}
    assert len(crawl.ledger.visits) == 5
    assert all(not visit.page.links for visit in crawl.ledger.visits if visit.page.error)
    assert crawl.engine.progress.pages == 1


def test_the_budget_counts_successful_pages() -> None:
    """Failures cost nothing; the budget is met exactly."""
    web = ToyWeb({A: ("a", [B, C, D, E]), C: "c", D: "d", E: "e"}, errors={B: "timeout"})
    crawl = Crawl(web, [A], pages=3)
    assert crawl.stopped == "budget"
    assert crawl.ledger.urls == [A, C, D]


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_batch_never_overruns_the_budget(batch: int) -> None:
    """However many links are claimed at once, no more pages are fetched than asked for."""
    web = ToyWeb({A: ("a", [f"{B}{n}" for n in range(50)]), **{f"{B}{n}": "b" for n in range(50)}})
    crawl = Crawl(web, [A], BreadthFirst(Brief(), batch=batch), pages=20)
    assert len(web.fetched) == crawl.engine.progress.pages == 20


def test_a_redirect_on_the_same_host_is_one_page() -> None:
    """A chain is one page under its final address, which is then visited and no longer waits."""
    old, new = f"{A}old", f"{A}new"
    web = ToyWeb({A: ("a", [old, new]), new: ("n", [A])}, redirects={old: new})
    crawl = Crawl(web, [A])
    visit = crawl.ledger.visits[1].page
    assert (visit.link.origin, visit.url, visit.link.parent) == (old, new, A)
    assert crawl.ledger.urls == [A, new]
    assert web.fetched == [A, old, new], "the new address waited, and must not be fetched a second time"
    assert ("dropped", ["visited", [new]]) in crawl.ledger.notes


def test_a_redirect_to_another_host_waits_again() -> None:
    """It goes back to the frontier with its parent and depth, unseen by the strategy, and comes home once."""
    moved = f"{A}moved"
    web = ToyWeb({A: ("a", [moved, C]), C: "c", D: "d"}, redirects={moved: D})
    crawl = Crawl(web, [A])
    assert web.fetched == [A, moved, C, D]
    page = crawl.ledger.visits[-1].page
    assert (page.link.origin, page.link.parent, page.link.depth, page.url) == (moved, A, 1, D)
    assert [visit.page.url for visit in crawl.ledger.visits] == [A, C, D]
    assert len(crawl.ledger.forwarded) == 1


@pytest.mark.parametrize("target", [B, f"{A}two"], ids=["another host", "the same host"])
def test_a_chain_to_a_visited_page_comes_home_as_known(target: str) -> None:
    """It costs no budget and no second request for the page."""
    moved = f"{A}moved"
    web = ToyWeb({A: ("a", [target, moved]), target: "b"}, redirects={moved: target})
    crawl = Crawl(web, [A])
    assert crawl.outcomes[moved] == "known"
    assert web.fetched.count(target) == 1
    assert crawl.engine.progress.pages == 2


def test_two_links_to_one_moved_page_are_both_accounted_for() -> None:
    """The first brings the page home, the second is known; neither is lost."""
    one, two = f"{A}1", f"{A}2"
    web = ToyWeb({A: ("a", [one, two]), D: "d"}, redirects={one: D, two: D})
    crawl = Crawl(web, [A])
    assert crawl.outcomes == {A: "ok", one: "ok", two: "known"}
    assert web.fetched.count(D) == 1


def test_redirect_loops_and_endless_chains_end_by_name() -> None:
    """Loops are noticed, on one host or across hosts, and chains are bounded."""
    chain = {f"{A}{n}": f"{A}{n + 1}" for n in range(30)}
    web = ToyWeb(
        {E: ("e", [f"{A}x", B, f"{A}0"])},
        redirects={f"{A}x": f"{A}y", f"{A}y": f"{A}x", B: C, C: B, **chain},
    )
    crawl = Crawl(web, [E])
    assert crawl.outcomes == {E: "ok", f"{A}x": "redirect-loop", B: "redirect-loop", f"{A}0": "too-many-redirects"}


def test_distance_counts_from_the_nearest_nugget() -> None:
    """000 eq. 2: 0 for a nugget or seed, else one more than the parent's."""
    web = ToyWeb({A: ("a", [B]), B: ("b", [C]), C: ("c gold", [D]), D: ("d", [E]), E: "e"})
    crawl = Crawl(web, [A])
    found = {visit.page.url: (visit.page.link.depth, visit.page.link.distance) for visit in crawl.ledger.visits}
    assert found == {A: (0, 0), B: (1, 0), C: (2, 1), D: (3, 0), E: (4, 1)}
    assert crawl.engine.progress.nuggets == 1


def test_nofollow_is_obeyed() -> None:
    """Links of a page that says nofollow are not offered to the strategy."""
    html = b'<html><head><meta name="robots" content="nofollow"></head><body><a href="http://b.example/">b</a></body>'
    crawl = Crawl(ToyWeb({A: html, B: "b"}), [A])
    assert crawl.ledger.urls == [A]


def test_links_out_of_scope_are_dropped_and_told() -> None:
    """Also where a redirect leads there."""
    told: list[tuple[str, list[str]]] = []

    class Hearing(BreadthFirst):
        def dropped(self, urls: Sequence[str], why: str) -> None:
            told.append((why, list(urls)))

    web = ToyWeb({A: ("a", [B, C]), B: "b", C: "c"}, redirects={C: D})
    crawl = Crawl(web, [A], Hearing(Brief()), scope=lambda link: "scope" if link.url in (B, D) else "")
    assert told == [("scope", [B])], "told once a page, however many links are refused"
    assert crawl.outcomes == {A: "ok", C: "scope"}
    assert web.fetched == [A, C]


def test_the_strategy_hears_of_evictions_before_the_next_claim() -> None:
    """What the limit drops is told, worst first, and noted."""
    told: list[str] = []

    class Hearing(BreadthFirst):
        def dropped(self, urls: Sequence[str], why: str) -> None:
            told.extend(urls if why == "evicted" else [])

    crawl = Crawl(ToyWeb({A: ("a", [B, C, D, E]), B: "b", C: "c"}), [A], Hearing(Brief(), limit=2))
    assert told == [E, D]
    assert crawl.ledger.urls == [A, B, C]


@dataclass
class Patient(BreadthFirst):
    """Asks for the back-links of the first page, then to see it once more."""

    def __post_init__(self) -> None:
        self.pending: list[Ask] = []
        self.seen: list[tuple[str, bool]] = []

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if not self.seen:
            self.pending = [Ask("backlinks", page.url, 5), Ask("revisit", page.url)]
        self.seen.append((page.url, page.revisit))
        return []

    def asks(self) -> Iterable[Ask]:
        pending, self.pending = self.pending, []
        return pending

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        return [Link(url) for url in urls]


def test_asks_are_answered_and_revisits_cost_nothing() -> None:
    """Back-links are admitted and cost budget when fetched; a revisit arrives without a request."""
    web = ToyWeb({A: "a", B: ("b", [A]), C: ("c", [A])})
    strategy = Patient(Brief())
    crawl = Crawl(web, [A], strategy, backlinks=web)
    assert strategy.seen == [(A, False), (A, True), (B, False), (C, False)]
    assert web.fetched == [A, B, C]
    assert crawl.engine.progress.pages == 3
    kinds = [kind for kind, _ in crawl.ledger.notes if kind in ("asked", "answered", "revisit")]
    assert kinds[0] == "asked" and {"answered", "revisit"} <= set(kinds), "asks are journaled"


@dataclass
class Searching(BreadthFirst):
    """Begins with what a search finds."""

    def __post_init__(self) -> None:
        self.pending = [Ask("search", "owls", 2)]

    def asks(self) -> Iterable[Ask]:
        pending, self.pending = self.pending, []
        return pending

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        return [Link(url) for url in urls]


def test_what_a_search_finds_is_admitted() -> None:
    """And nothing where there is no search engine."""

    class Library:
        async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
            return [Hit(url) for url in (B, C, D)[:n]] if query == "owls" else []

    web = ToyWeb({A: "a", B: "b", C: "c", D: "d"})
    assert Crawl(web, [A], Searching(Brief()), search=Library()).ledger.urls == [A, B, C]
    assert Crawl(web, [A], Searching(Brief())).ledger.urls == [A]


@dataclass
class Turning(BreadthFirst):
    """Prices links by their address, higher letters first, but only when asked to reprice."""

    def __post_init__(self) -> None:
        self.stale = True
        self.asked: list[int] = []

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        self.asked.append(len(urls))
        return [float(ord(url[7])) for url in urls]


def test_a_stale_strategy_reprices_before_each_claim() -> None:
    """The new prices decide the very next claim."""
    strategy = Turning(Brief())
    crawl = Crawl(ToyWeb({A: ("a", [B, C, D]), B: "b", C: "c", D: ("d", [E]), E: "e"}), [A], strategy)
    assert crawl.ledger.urls == [A, D, E, C, B]
    assert strategy.asked == [1, 3, 3, 2, 1]


def endless(at: str) -> Fetched:
    link = Link(at)
    return Fetched(Page(link, at, 200, "text/html", links=(Link(f"{at}x", parent=at, depth=1),), words=("w",)))


class Endless:
    """A web without end."""

    ordered = True

    async def fetch(self, link: Link) -> Fetched:
        return endless(link.url)

    async def close(self) -> None: ...


def test_time_ends_a_crawl() -> None:
    """A crawl ends within its time."""
    assert Crawl(Endless(), [A], limits=Limits(seconds=0.05)).stopped == "time"


def test_an_interrupt_ends_a_crawl_after_the_page_at_hand() -> None:
    """What came home is committed."""

    def watch(progress: Progress) -> None:
        if progress.pages == 7:
            holder[0].interrupt()

    holder: list[Engine] = []
    ledger = MemoryLedger()
    engine = Engine(
        web=Endless(),
        frontier=MemoryFrontier(),
        judge=Marked(),
        strategy=BreadthFirst(Brief()),
        ledger=ledger,
        limits=Limits(),
        watch=watch,
    )
    holder.append(engine)
    engine.seed([Link(A)])
    assert asyncio.run(engine.run()) == "interrupted"
    assert ledger.commits[-1].pages == len(ledger.visits) == 7


def test_wishes_from_outside_stop_a_crawl_or_change_its_budget() -> None:
    """The control table is read as the crawl goes."""
    assert Crawl(Endless(), [A], ledger=MemoryLedger({"stop": True})).stopped == "stopped"
    crawl = Crawl(Endless(), [A], ledger=MemoryLedger({"pages": 4}), pages=100)
    assert (crawl.stopped, crawl.engine.progress.pages) == ("budget", 4)


class Slow:
    """A live web over a toy one: requests take their time, and come home in another order than they went."""

    ordered = False

    def __init__(self, web: ToyWeb, seconds: Callable[[str], float], delays: dict[str, float] | None = None) -> None:
        self.web, self.seconds, self.delays = web, seconds, delays or {}
        self.tries: list[str] = []
        self.now = self.most = 0

    async def fetch(self, link: Link) -> Fetched:
        self.tries.append(link.url)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(self.seconds(link.url))
        self.now -= 1
        fetched = await self.web.fetch(link)
        if link.url in self.delays:
            return replace(fetched, retry_at=self.delays.pop(link.url))
        return fetched

    async def close(self) -> None: ...


def test_a_live_crawl_takes_pages_as_they_arrive() -> None:
    """Fetches overlap, no more than allowed, and the quick one is delivered first."""
    hosts = [f"http://h{n}.example/" for n in range(12)]
    toy = ToyWeb({A: ("a", hosts), **dict.fromkeys(hosts, "h")})
    web = Slow(toy, lambda url: 0.5 if "h0." in url else 0.005)
    crawl = Crawl(web, [A], BreadthFirst(Brief(), batch=4), limits=Limits(in_flight=4))
    assert sorted(crawl.ledger.urls) == sorted([A, *hosts])
    assert crawl.ledger.urls.index(hosts[0]) > 3
    assert 1 < web.most <= 4


def test_a_retry_reaches_the_strategy_only_with_its_final_outcome() -> None:
    """It returns to waiting, is tried again, and comes home once."""
    toy = ToyWeb({A: ("a", [B]), B: "b"})
    web = Slow(toy, lambda url: 0.001, {B: 1.0})
    crawl = Crawl(web, [A])
    assert web.tries == [A, B, B]
    assert crawl.outcomes == {A: "ok", B: "ok"}
    assert len(crawl.ledger.visits) == 2


def test_a_live_budget_is_not_overrun_by_what_is_in_flight() -> None:
    """Claims stop when what flies could fill the budget."""
    hosts = [f"http://h{n}.example/" for n in range(30)]
    web = Slow(ToyWeb({A: ("a", hosts), **dict.fromkeys(hosts, "h")}), lambda url: 0.002)
    crawl = Crawl(web, [A], BreadthFirst(Brief(), batch=16), pages=10)
    assert crawl.engine.progress.pages == len(web.tries) == 10


def test_hosts_parked_for_long_end_the_crawl() -> None:
    """When nothing can be fetched for an hour, the crawl says so instead of waiting."""

    class Parking(Slow):
        async def fetch(self, link: Link) -> Fetched:
            return replace(await super().fetch(link), host_delay=7200.0)

    web = Parking(ToyWeb({A: ("a", [f"{A}b"]), f"{A}b": "b"}), lambda url: 0.0)
    crawl = Crawl(web, [A])
    assert crawl.stopped == "hosts parked"
    assert crawl.ledger.urls == [A]


def test_a_late_arrival_is_refused() -> None:
    """When a lease has expired the link is someone else's, and what the late one brings is not stored twice."""
    toy = ToyWeb({A: ("a", [B]), B: "b"})
    first = [True]

    def seconds(url: str) -> float:
        if url == B and first[0]:
            first[0] = False
            return 1.3
        return 0.02

    web = Slow(toy, seconds)
    crawl = Crawl(web, [A], frontier=MemoryFrontier(delay=0.0, lease=0.05))
    assert web.tries.count(B) >= 2
    assert crawl.ledger.urls == [A, B]


class Watched:
    """A border for tests: it refuses what it is told to, and remembers what it was asked and told."""

    def __init__(self, offered: str = "", claimed: dict[str, list[str]] | None = None) -> None:
        self.refused, self.claimed = offered, claimed or {}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, link: Link) -> str:
        self.asked.append(("offer", link.url))
        return "trap:numbered" if link.url == self.refused and link.depth > 1 else ""

    def offered(self, links: Sequence[Link]) -> list[str]:
        return [self(link) for link in links]

    def hop(self, link: Link) -> str:
        self.asked.append(("hop", link.url))
        return "scope:ignore" if link.url == self.refused else ""

    def claim(self, link: Link) -> str:
        self.asked.append(("claim", link.url))
        answers = self.claimed.get(link.url, [])
        return answers.pop(0) if answers else ""

    def visit(self, page: Page, verdict: Verdict) -> None:
        self.asked.append(("visit", page.url))

    def state(self) -> Any:
        return {}

    def restore(self, state: Any) -> None: ...


def test_a_border_hears_of_everything_in_order() -> None:
    """Every link is asked about when offered and before its fetch, redirects at each hop; every page is told."""
    moved, new = f"{A}moved", f"{A}new"
    web = ToyWeb({A: ("a", [moved, B]), new: "n", B: "b"}, redirects={moved: new})
    border = Watched()
    Crawl(web, [A], scope=border)
    assert border.asked == [
        ("offer", A),
        ("claim", A),
        ("visit", A),
        ("offer", moved),
        ("offer", B),
        ("claim", moved),
        ("hop", new),
        ("visit", new),
        ("claim", B),
        ("visit", B),
    ]


def test_what_a_border_refuses_before_the_fetch_comes_home_by_name() -> None:
    """Without a request, outside the budget, and the strategy hears of it; a redirect into it likewise."""
    web = ToyWeb({A: ("a", [B, C, D]), B: "b", C: "c", D: "d"}, redirects={D: E})
    crawl = Crawl(web, [A], scope=Watched(E, {B: ["trap:calendar"]}))
    assert crawl.outcomes == {A: "ok", B: "trap", C: "ok", D: "scope"}
    assert B not in web.fetched and E not in web.fetched
    assert crawl.engine.progress.pages == 2


def test_a_link_that_waits_is_not_dropped_when_it_is_refused_later() -> None:
    """It was let in before; only one that is neither waiting nor visited is lost."""
    web = ToyWeb({A: ("a", [B, C]), B: ("b", [C, D]), C: "c", D: "d"})
    crawl = Crawl(web, [A], scope=Watched(C))
    assert crawl.ledger.urls == [A, B, C, D]
    assert not [note for note in crawl.ledger.notes if note[0] == "dropped" and note[1][0] != "visited"]
    crawl = Crawl(web, [A], scope=Watched(D))
    assert ("dropped", ["trap:numbered", [D]]) in crawl.ledger.notes


def test_a_held_link_lets_others_go_first() -> None:
    """Where hosts have turns it waits while its host rests; on a web without delays nothing is held."""
    pages = {A: ("a", [B, C]), B: "b", C: "c"}
    web = ToyWeb(pages)
    web.ordered = False
    crawl = Crawl(web, [A], limits=Limits(in_flight=1, held=0.05), scope=Watched("", {B: ["hold"]}))
    assert crawl.ledger.urls == [A, C, B]
    assert Crawl(ToyWeb(pages), [A], scope=Watched("", {B: ["hold"]})).ledger.urls == [A, B, C]


def test_batches_of_hosts_come_home_before_the_next() -> None:
    """One link of each host, as many as asked for; then the next best of each (002 §3.4)."""
    links = [f"{host}{n}" for host in (A, B, C) for n in range(3)]
    web = ToyWeb({D: ("d", links), **dict.fromkeys(links, "x")})
    crawl = Crawl(web, [D], frontier=MemoryFrontier(delay=0.0), limits=Limits(hosts=2))
    assert crawl.ledger.urls == [D, f"{A}0", f"{B}0", f"{A}1", f"{B}1", f"{A}2", f"{B}2", f"{C}0", f"{C}1", f"{C}2"]
