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
from pinakes.web.scope import Scope

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
