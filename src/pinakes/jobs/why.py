"""Why a page is in a library, or why it is not: its path from the seed, or what became of the link."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import LOWEST
from pinakes.core.roles import Explaining
from pinakes.formats.hashes import hash_of
from pinakes.formats.url import canonical
from pinakes.frontier.find import find_waiting
from pinakes.jobs.judging import open_judge
from pinakes.jobs.outfit import shared
from pinakes.jobs.resume import restore
from pinakes.jobs.watched_hosts import rest_of
from pinakes.library.library import Library
from pinakes.strategies.reasons import in_words
from pinakes.strategies.registry import make_strategy
from pinakes.web.outcomes import OUTCOMES
from pinakes.web.scope import WORDS as SCOPE
from pinakes.web.traps import WORDS as TRAPS

LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One page on a path."""

    url: str
    outcome: str
    score: float
    nugget: bool
    topic: str
    depth: int
    distance: int
    """The page's own distance from its nearest nugget ancestor (000 eq. 2)."""
    price: float
    """What the strategy thought the link worth."""
    anchor: str
    asked: str
    """The address asked for, where a redirect led elsewhere."""
    twin: str
    """The page this one repeats."""
    page: int | None = field(default=None, compare=False)
    """The library's number of what was stored then; None where nothing was."""


@dataclass(frozen=True, slots=True)
class Why:
    """What a library knows of an address."""

    url: str
    crawl: int
    path: tuple[Step, ...] = ()
    """From the seed to the page; empty when it was not fetched."""
    reason: str = ""
    """Why it was not fetched, in a sentence."""
    linked_from: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    """What the strategy knew of the link, in words; empty for strategies that cannot say."""
    features: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The same in numbers: the price is the sum of value times weight."""
    looked_up: bool = False
    """The path begins at a page that a search or back-links led to, not at a seed."""


def why(folder: Path, url: str) -> Why:
    """Explain an address by the latest crawl of a library that knows of it."""
    address = canonical(url)
    if not address:
        raise PinakesError(f"{url} is not a web address; write it like http://example.org/page.")
    with Library(folder) as library:
        connection = library.connection
        if visit := _visit(connection, address):
            reason = "" if visit["outcome"] in ("ok", "duplicate") else OUTCOMES.get(visit["outcome"], visit["outcome"])
            features = _features(library, visit["crawl"], visit["final"], visit["url"])
            because = tuple(in_words(features, msgspec.json.decode(visit["link"])[1]))
            path = tuple(_path(connection, visit))
            looked_up = was_looked_up(library, visit["crawl"], path)
            return Why(address, visit["crawl"], path, reason, because=because, features=features, looked_up=looked_up)
        crawl = max((crawl.id for crawl in library.crawls()), default=0)
        linked = _linked_from(connection, address)
        features = _features(library, crawl, address)
        return Why(
            address,
            crawl,
            reason=_reason(library, crawl, address, linked),
            linked_from=linked,
            because=tuple(in_words(features, _anchor(connection, address))),
            features=features,
        )


def path_of(connection: sqlite3.Connection, url: str, crawl: int | None = None) -> tuple[Step, ...]:
    """How a crawl, or the latest that did, reached a page it brought home; empty where none did."""
    within = "AND +crawl = :crawl" if crawl else ""  # + keeps SQLite to the index of addresses
    visit = _first(connection, f"url_hash = :hash AND final = :url {within}", url, crawl)
    return tuple(_path(connection, visit)) if visit else ()


def was_looked_up(library: Library, crawl: int, path: Sequence[Step]) -> bool:
    """Did a path begin at a page that a search or back-links led to, and not at a seed?"""
    return bool(path) and path[0].depth == 0 and (path[0].asked or path[0].url) not in _seeds(library, crawl)


def _seeds(library: Library, crawl: int) -> set[str]:
    return {link.url for known in library.crawls() if known.id == crawl for link in library.recipe(known).seeds}


def _features(library: Library, crawl: int, *urls: str) -> Mapping[str, tuple[float, float]]:
    """What the crawl's strategy, brought back to where it stands, knows of an address."""
    last = next((known for known in library.crawls() if known.id == crawl), None)
    if last is None:
        return {}
    recipe = library.recipe(last)
    strategy = make_strategy(recipe.strategy, recipe.brief, recipe.parameters)
    if not isinstance(strategy, Explaining):
        return {}
    judge = open_judge(recipe.judge, recipe.brief, recipe.judge_parameters)
    restore(shared(strategy, recipe.brief, recipe.options), None, judge, library, crawl)
    return next(filter(None, map(strategy.explain, urls)), {})


def _anchor(connection: sqlite3.Connection, url: str) -> str:
    row = connection.execute("SELECT anchor FROM links WHERE url = ? AND anchor != '' LIMIT 1", (url,)).fetchone()
    return row[0] if row else ""


def _visit(connection: sqlite3.Connection, url: str, crawl: int | None = None) -> dict[str, Any] | None:
    """The visit that brought a page home: by its final address, the address asked for, or one redirected through."""
    within = "AND +crawl = :crawl" if crawl else ""
    for where in ("url_hash = :hash AND final = :url", "url = :url", "instr(link, :quoted) > 0"):
        if found := _first(connection, f"{where} {within}", url, crawl):
            return found
    return None


def _first(connection: sqlite3.Connection, where: str, url: str, crawl: int | None) -> dict[str, Any] | None:
    cursor = connection.execute(
        f"SELECT crawl, url, final, outcome, score, nugget, topic, depth, distance, price, link, parent, twin, page"
        f" FROM visits WHERE {where} ORDER BY outcome IN ('ok', 'duplicate') DESC, crawl DESC, id LIMIT 1",
        {"hash": hash_of(url), "url": url, "crawl": crawl, "quoted": msgspec.json.encode(url).decode()},
    )
    row = cursor.fetchone()
    return dict(zip([column[0] for column in cursor.description], row, strict=True)) if row else None


def _path(connection: sqlite3.Connection, visit: dict[str, Any]) -> list[Step]:
    steps: list[Step] = []
    while visit and len(steps) < LONGEST:
        seed_or_nugget = visit["nugget"] or visit["depth"] == 0
        steps.append(
            Step(
                url=visit["final"],
                outcome=visit["outcome"],
                score=visit["score"],
                nugget=bool(visit["nugget"]),
                topic=visit["topic"],
                depth=visit["depth"],
                distance=0 if seed_or_nugget else visit["distance"] + 1,
                price=visit["price"],
                anchor=msgspec.json.decode(visit["link"])[1],
                asked=visit["url"] if visit["url"] != visit["final"] else "",
                twin=visit["twin"],
                page=visit["page"],
            )
        )
        parent = visit["parent"]
        visit = (_visit(connection, parent, visit["crawl"]) if parent else None) or {}
    return steps[::-1]


def _reason(library: Library, crawl: int, url: str, linked: tuple[str, ...]) -> str:
    connection = library.connection
    if found := find_waiting(connection, crawl, url):
        at = f"at price {found.price:.4g}" if found.price > LOWEST else "behind all others, for it looks like a trap"
        before = count_of(found.ahead, "link") if found.ahead else "no link"
        rests = rest_of(library, crawl, url)
        rest = f" Its host was asked and is to be left alone for another {_span(rests)}." if rests >= 1 else ""
        return f"It waits {at}, with {before} before it.{rest}"
    row = connection.execute("SELECT why FROM drops WHERE url = ? ORDER BY rowid DESC LIMIT 1", (url,)).fetchone()
    if row:
        kind, _, rule = row[0].partition(":")
        return {
            "evicted": "It was met but evicted: the strategy's limit kept better links.",
            "scope": f"It was met but is out of the crawl's scope: {SCOPE.get(rule, rule)}.",
            "trap": f"It was met but looked like a trap: {TRAPS.get(rule, rule)}.",
        }.get(kind, f"It was met but dropped: {kind}.")
    if linked:
        marks = ",".join("?" * len(linked))
        sql = f"SELECT count(*) FROM pages WHERE url IN ({marks}) AND robots NOT LIKE '%nofollow%'"
        if not connection.execute(sql, linked).fetchone()[0]:
            return "It was met only on pages that ask for their links not to be followed (nofollow)."
        return "It was met, but the strategy did not want it."
    return "No crawl of this library has met it."


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _linked_from(connection: sqlite3.Connection, url: str) -> tuple[str, ...]:
    """A few pages that link to an address; a scan, since no index of targets is kept during a crawl."""
    sql = "SELECT DISTINCT pages.url FROM links JOIN pages ON pages.id = links.page WHERE links.url = ? LIMIT 10"
    return tuple(row[0] for row in connection.execute(sql, (url,)))
