"""Where a crawl may go: guards against traps, limits a host, batches of different hosts, and crawls taken up again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pinakes import demo
from pinakes.core.page import host_of
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.jobs.taking_up import resume
from pinakes.jobs.why import why
from pinakes.testing import serve
from pinakes.testing.answer import Answer, of_error, of_html
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace
from pinakes.web.scope import Scope
from pinakes.web.shapes import endless
from pinakes.web.traps import TrapLimits

SEED = "http://www.pinakes.example/"
TRAP = host_of(json.loads(demo.path("truth.json").read_text())["trap"]["host"])


def wanted(into: Path, **options: object) -> CrawlOptions:
    usual = CrawlOptions(into=into, topic="owls", seeds=(SEED,), web="demo", strategy="breadth-first", pages=5000)
    return replace(usual, **options)  # type: ignore[arg-type]


def visits(library: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(library / "catalogue.db") as connection:
        return list(connection.execute("SELECT final, outcome FROM visits ORDER BY id"))


def fetched(library: Path) -> Counter[str]:
    return Counter(host_of(url) for url, outcome in visits(library) if outcome in ("ok", "duplicate"))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> CrawlResult:
    return crawl(wanted(tmp_path_factory.mktemp("guarded") / "library"))


def test_the_demo_s_trap_costs_little_and_nothing_else_is_lost(guarded: CrawlResult, tmp_path: Path) -> None:
    """The guards are on by default and keep to the trap; without them the crawl falls in."""
    assert {"trap:calendar", "trap:session", "trap:repeating"} <= set(guarded.dropped)
    free = crawl(wanted(tmp_path / "library", traps=False))
    assert not [rule for rule in free.dropped if rule.startswith("trap")]
    ours, theirs = (Counter(host_of(url) for url, _ in visits(one.library)) for one in (guarded, free))
    assert theirs[TRAP] > 2 * ours[TRAP] > 0
    del ours[TRAP], theirs[TRAP]
    assert ours == theirs


def test_why_names_the_rule(guarded: CrawlResult) -> None:
    """Of what was never fetched, the drop; of what was let in and then refused, what it came home as."""
    with sqlite3.connect(guarded.library / "catalogue.db") as connection:
        drops = dict(connection.execute("SELECT why, url FROM drops"))
    known = {url for url, _ in visits(guarded.library)}
    for rule, words in (("trap:calendar", "has had its share"), ("trap:session", "session id")):
        assert drops[rule] not in known
        assert words in why(guarded.library, drops[rule]).reason


@pytest.mark.parametrize("strategy", ["best-first", "breadth-first"])
def test_a_crawl_taken_up_again_refuses_what_it_would_have(strategy: str, tmp_path: Path) -> None:
    """The same pages in the same order, and the same links turned away, however often it was stopped."""
    scope = Scope(per_host=40)
    whole = crawl(wanted(tmp_path / "whole", strategy=strategy, scope=scope))
    parts = crawl(wanted(tmp_path / "parts", strategy=strategy, scope=scope, pages=37))
    for pages in (38, 120, 411, 5000):
        parts = resume(tmp_path / "parts", pages=pages)
    assert visits(parts.library) == visits(whole.library)
    assert (parts.outcomes, parts.dropped) == (whole.outcomes, whole.dropped)
    assert any(rule.startswith("trap") for rule in whole.dropped)


def circles(host: str, path: str) -> Answer:
    """`round.example` has paths that go round in circles, and ten other pages, the last of which leads to
    `wide.example`, which has hundreds."""
    if host == "wide.example":
        return of_html("".join(f"<p>Owls {path}<a href='/{n}'>{n}</a>" for n in range(300)).encode())
    links = ["here/", "there/", *(f"/{n}" for n in range(10))]
    if path == "/9":
        links.append("http://wide.example/")
    body = "".join(f"<a href='{link}'>x</a>" for link in links)
    return of_html(f"<title>{path}</title>Owls.{body}".encode()) if host == "round.example" else of_error(404)


def goes_round(url: str) -> bool:
    return bool(endless(url, TrapLimits().segments, TrapLimits().repeats))


def test_guards_act_only_while_another_ready_host_has_waiting_links(tmp_path: Path) -> None:
    """A host alone loses nothing: what looks endless is let in, and comes when all else has come. Once another host
    has links that wait, it is refused by name, and so is what was let in before."""
    with serve(circles) as server:
        live = LiveOptions("me@example.org", pace=Pace(0.0, 0.0), resolve=(f"*=127.0.0.1:{server.port}",))
        usual = wanted(
            tmp_path / "alone",
            web="live",
            live=live,
            pages=100,
            dedup=False,
            in_flight=1,
            seeds=("http://round.example/",),
        )
        alone = crawl(replace(usual, scope=Scope(allow=["round.example"])))
        beside = crawl(replace(usual, into=tmp_path / "beside"))
    assert (alone.pages, alone.stopped) == (100, "budget")
    assert not [rule for rule in (*alone.dropped, *alone.outcomes) if rule.startswith("trap")]
    endless_ones = [goes_round(url) for url, _ in visits(alone.library)]
    assert sum(endless_ones) > 20 and endless_ones == sorted(endless_ones), "all that looks sound goes first"
    assert beside.dropped["trap:repeating"] > 0
    assert not [url for url, outcome in visits(beside.library) if goes_round(url) and outcome != "trap"]


def test_a_host_gives_no_more_pages_than_it_may(tmp_path: Path) -> None:
    """Exactly so many where it has them, also in a batch; its other links come home, or are turned away, by name."""
    result = crawl(wanted(tmp_path / "library", scope=Scope(per_host=5), parameters={"batch": 50}))
    hosts = fetched(result.library)
    assert max(hosts.values()) == 5 and len(hosts) > 10
    assert result.outcomes["scope"] + result.dropped["scope:per_host"] > 100


def test_batches_are_of_different_hosts(tmp_path: Path) -> None:
    """As many links as asked for, each of another host, or as many as there are hosts (002 §3.4)."""
    free = crawl(wanted(tmp_path / "free", pages=120, traps=False, dedup=False))
    result = crawl(wanted(tmp_path / "library", pages=120, traps=False, batch_hosts=8, dedup=False))
    assert result.pages == 120
    hosts = [host_of(url) for url, _ in visits(result.library)]
    runs, run = list[int](), set[str]()
    for host in hosts:
        if host in run:
            runs.append(len(run))
            run = set()
        run.add(host)
    assert max(runs) <= 8 < len(set(hosts)) and sum(runs) / len(runs) > 5
    together = [host_of(url) for url, _ in visits(free.library)]
    assert sum(a == b for a, b in pairwise(hosts)) < 10
    assert sum(a == b for a, b in pairwise(together)) > 60
