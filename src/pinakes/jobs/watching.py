"""A crawl as one watches it: read from the catalogue while it is written, or long after."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.formats.item import clean
from pinakes.jobs.watched_hosts import HostState, hosts_of
from pinakes.library.control import Control
from pinakes.library.library import Crawl, Library, in_use
from pinakes.web.outcomes import OUTCOMES

POINTS = 120
FEW = 2_000
"""Pages of a crawl whose curve is drawn page by page."""
SPARSE = 20
"""Samples that suffice for a small curve."""
NUGGETS = 12
RECENT_VISITS = 500
RECENT_SECONDS = 15.0
State = Literal["running", "paused", "stopping", "finished", "unfinished"]


@dataclass(frozen=True, slots=True)
class Nugget:
    url: str
    title: str
    score: float
    topic: str
    page: int | None
    at: float


@dataclass(frozen=True, slots=True)
class AtWork:
    """A process that works on a crawl of many machines."""

    name: str
    """Its machine and process."""
    decides: bool
    """It also decides where next; the others fetch."""
    pages: int
    """Brought home so far."""
    in_flight: int
    seconds: float
    """Since it last told how it stands."""


@dataclass(frozen=True, slots=True)
class CrawlView:
    id: int
    job: str
    strategy: str
    topics: tuple[str, ...]
    web: str
    started: float
    ended: float | None
    state: State
    stopped: str
    """Why it stopped; empty while it runs, or when it died."""
    resumable: bool
    budget: int | None
    delay: float | None
    """Seconds between two requests to a host, as it was told; None on a recorded web."""
    pages: int
    nuggets: int
    harvest_rate: float
    waiting: int
    seconds: float
    rate: float
    """Pages a second, lately."""
    outcomes: tuple[tuple[str, int, str], ...]
    """Name, how often, and what it means."""
    curve: tuple[tuple[int, float, int], ...] = ()
    """Pages so far, harvest rate so far, links waiting then."""
    latest: tuple[Nugget, ...] = ()
    """Nuggets, the latest first."""
    hosts: tuple[HostState, ...] = ()
    last: str = ""
    """The address fetched last."""
    workers: tuple[AtWork, ...] = ()
    """Who works on it now, where many can."""


def view_crawl(library: Library, crawl: int) -> CrawlView:
    found = next((one for one in library.crawls() if one.id == crawl), None)
    if found is None:
        raise LookupError(f"The library has no crawl {crawl}.")
    return _view(library, found, whole=True)


def view_crawls(library: Library, n: int = 1000) -> list[CrawlView]:
    """The latest crawls, the latest first, without what only one of them shows."""
    return [_view(library, crawl, whole=False) for crawl in reversed(library.crawls()[-n:])]


def steer(
    library: Library, crawl: int, *, pause: bool | None = None, stop: bool = False, pages: int | None = None
) -> None:
    """Wish something of a running crawl; it looks at its wishes several times a second."""
    view = view_crawl(library, crawl)
    if view.state in ("finished", "unfinished"):
        raise PinakesError(f"Crawl {crawl} is not running; start it again with resume.")
    if pages is not None and pages < 1:
        raise PinakesError("A budget is a number of pages, 1 or more.")
    control = library.control if library.shared is not None else Control(library.folder)
    try:
        if pause is not None:
            control.wish(crawl, "pause", True if pause else None)
        if stop:
            control.wish(crawl, "stop", True)
        if pages is not None:
            control.wish(crawl, "pages", pages)
    finally:
        if library.shared is None:
            control.close()


def _view(library: Library, crawl: Crawl, *, whole: bool) -> CrawlView:
    told = _told(library, crawl)
    options = told.options
    wishes = wishes_for(library, crawl.id)
    last = library.crawls()[-1].id == crawl.id
    running = last and not crawl.stopped and in_use(library.folder)
    progress = crawl.progress
    samples = _samples(library.connection, crawl.id)
    samples.append((progress.pages, progress.nuggets, progress.waiting, progress.seconds))
    told_enough = not whole and len(samples) > SPARSE
    outcomes = sorted(progress.outcomes.items(), key=lambda pair: (-pair[1], pair[0]))
    return CrawlView(
        crawl.id,
        crawl.job,
        told.strategy,
        tuple(topic.name for topic in told.brief.topics if topic.name),
        told.web,
        crawl.started,
        crawl.ended,
        state_of(crawl, wishes, running),
        crawl.stopped,
        last and crawl.unfinished and not running,
        wishes.get("pages") or options.get("pages"),
        ((options.get("live") or {}).get("pace") or {}).get("delay"),
        progress.pages,
        progress.nuggets,
        progress.harvest_rate,
        progress.waiting,
        progress.seconds,
        _rate(samples, progress.pages, progress.seconds, running),
        tuple((name, count, OUTCOMES.get(name, "")) for name, count in outcomes),
        _curve(samples if progress.pages > FEW or told_enough else _each(library.connection, crawl.id, samples)),
        _latest(library.connection, crawl.id) if whole else (),
        hosts_of(library, crawl.id, RECENT_VISITS, running) if whole else (),
        progress.last,
        _workers(library) if whole and running else (),
    )


class _Topic(msgspec.Struct, frozen=True):
    name: str = ""


class _Brief(msgspec.Struct, frozen=True):
    topics: tuple[_Topic, ...] = ()


class _Told(msgspec.Struct, frozen=True):
    """What is shown of a recipe. The pages in its brief may be many, and are passed over."""

    strategy: str = "its recipe cannot be read"
    web: str = ""
    options: dict[str, Any] = {}
    brief: _Brief = _Brief()


def _told(library: Library, crawl: Crawl) -> _Told:
    try:
        if library.shared is None:
            text = (library.folder / "recipes" / crawl.recipe).read_bytes()
        else:
            sql = "SELECT data FROM recipes WHERE name = ?"
            text = library.connection.execute(sql, (crawl.recipe,)).fetchone()[0].encode()
        return msgspec.json.decode(text, type=_Told)
    except (OSError, TypeError, msgspec.MsgspecError):
        return _Told()


def state_of(crawl: Crawl, wishes: Mapping[str, Any], running: bool) -> State:
    if not running:
        return "unfinished" if crawl.unfinished else "finished"
    return "stopping" if wishes.get("stop") else "paused" if wishes.get("pause") else "running"


def wishes_for(library: Library, crawl: int) -> Mapping[str, Any]:
    """Looking leaves the library untouched: where nobody ever wished anything there is nothing to open."""
    if library.shared is None and not (library.folder / "control.db").is_file():
        return {}
    try:
        return dict(library.control.wishes(crawl, 0.0))
    except sqlite3.Error:
        return {}


Sample = tuple[int, int, int, float]
"""Pages, nuggets, waiting, seconds."""


def _samples(connection: sqlite3.Connection, crawl: int) -> list[Sample]:
    sql = "SELECT pages, nuggets, waiting, seconds FROM samples WHERE crawl = ? ORDER BY batch, pages"
    return connection.execute(sql, (crawl,)).fetchall()


def _each(connection: sqlite3.Connection, crawl: int, samples: list[Sample]) -> list[Sample]:
    """A small crawl page by page."""
    sql = "SELECT nugget FROM visits WHERE crawl = ? AND outcome IN ('ok', 'duplicate') ORDER BY id LIMIT ?"
    found: list[Sample] = []
    nuggets, at = 0, 0
    for pages, (nugget,) in enumerate(connection.execute(sql, (crawl, FEW)), 1):
        nuggets += nugget
        while at < len(samples) - 1 and samples[at][0] < pages:
            at += 1
        found.append((pages, nuggets, samples[at][2] if samples else 0, 0.0))
    return found


def _curve(samples: list[Sample]) -> tuple[tuple[int, float, int], ...]:
    grown = [sample for sample in samples if sample[0]]
    every = max(1, len(grown) // POINTS)
    chosen = grown[::every] if not grown or (len(grown) - 1) % every == 0 else [*grown[::every], grown[-1]]
    return tuple((pages, nuggets / pages, waiting) for pages, nuggets, waiting, _ in chosen)


def _rate(samples: list[Sample], pages: int, seconds: float, running: bool) -> float:
    if running and len(samples) > 1:
        now = samples[-1]
        then = next((one for one in reversed(samples) if now[3] - one[3] >= RECENT_SECONDS), samples[0])
        if now[3] > then[3]:
            return (now[0] - then[0]) / (now[3] - then[3])
    return pages / seconds if seconds else 0.0


def _workers(library: Library) -> tuple[AtWork, ...]:
    if library.shared is None:
        return ()
    now = time.time()
    return tuple(
        AtWork(clean(one.name, 100), one.decides, one.pages, one.in_flight, round(max(0.0, now - one.seen), 1))
        for one in library.shared.workers()
        if one.alive
    )


def _latest(connection: sqlite3.Connection, crawl: int) -> tuple[Nugget, ...]:
    rows = connection.execute(
        "SELECT final, title, score, topic, page, at FROM (SELECT * FROM visits WHERE crawl = ? ORDER BY id DESC"
        " LIMIT ?) AS recent JOIN pages ON pages.id = recent.page WHERE nugget != 0 ORDER BY recent.id DESC LIMIT ?",
        (crawl, RECENT_VISITS, NUGGETS),
    )
    return tuple(Nugget(url, clean(title, 200), score, topic, page, at) for url, title, score, topic, page, at in rows)
