"""A crawl of the live web, over real HTTP on loopback."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from dataclasses import replace
from email.utils import formatdate
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from pinakes.cli.options import show_result
from pinakes.core.errors import PinakesError
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.jobs.taking_up import resume
from pinakes.jobs.webs import open_frozen
from pinakes.jobs.why import why
from pinakes.testing import ProceduralWeb, serve
from pinakes.testing.answer import Answer, of_error, of_html
from pinakes.testing.server import Served
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace
from pinakes.web.serve import serving

WEB = ProceduralWeb(pages=5000, hosts=40, links=15, words=120, not_found=0.05, server_errors=0.02, redirects=0.05)
SOUND = ProceduralWeb(pages=5000, hosts=40, links=15, words=120)


def live(port: int, delay: float = 0.0) -> LiveOptions:
    return LiveOptions(
        contact="test@pinakes.example",
        pace=Pace(delay=delay, patience=0.0, backoff=0.01, tries=2),
        allow_private=True,
        resolve=(f"*=127.0.0.1:{port}",),
    )


def visited(library: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(library / "catalogue.db") as connection:
        return list(connection.execute("SELECT url, outcome FROM visits ORDER BY id"))


def test_a_live_crawl_fills_a_library_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    """Real requests, named outcomes, nothing twice; the recipe remembers how to behave."""
    with serve(WEB) as server:
        options = CrawlOptions(
            into=tmp_path / "library", topic=WEB.topic(0).text, seeds=WEB.seeds(5), live=live(server.port), pages=60
        )
        assert crawl(options).stopped == "budget"
        result = resume(tmp_path / "library", pages=150)
        asked = server.requests()
    assert (result.stopped, result.pages) == ("budget", 150)
    outcomes = visited(tmp_path / "library")
    assert len({url for url, _ in outcomes}) == len(outcomes)
    assert {"ok", "not-found"} <= {outcome for _, outcome in outcomes}
    paths = [(host, request.path) for host, requests in asked.items() for request in requests]
    pages = [path for path in paths if path[1] != "/robots.txt"]
    assert len(set(pages)) <= len(pages) <= 1.2 * len(outcomes) + 20, "retries and redirects aside, each is asked once"


def test_what_the_library_holds_is_not_asked_for_again(tmp_path: Path) -> None:
    """A second crawl into the same library takes fresh pages from it; with --fresh 0 it asks anew."""
    with serve(SOUND) as server:
        options = CrawlOptions(
            into=tmp_path / "library", topic=SOUND.topic(0).text, seeds=SOUND.seeds(5), live=live(server.port), pages=20
        )
        crawl(options)
        first = asked_for(server)
        assert crawl(replace(options, pages=12)).pages == 12
        assert max(asked_for(server).values()) == 1, "what was asked for once is not asked for again"
        crawl(replace(options, fresh=0.0, pages=12))
        assert any(asked_for(server)[page] > count for page, count in first.items())


def asked_for(server: Served) -> Counter[str]:
    """How often each page was asked for."""
    found = Counter(f"{host}{request.path}" for host, requests in server.requests().items() for request in requests)
    return Counter({page: count for page, count in found.items() if not page.endswith("/robots.txt")})


def test_politeness_is_kept_at_the_server(tmp_path: Path) -> None:
    """With many requests in flight no host is asked sooner than its delay after the last answer."""
    delay = 0.15
    with serve(WEB) as server:
        crawl(
            CrawlOptions(
                into=tmp_path / "library",
                topic=WEB.topic(0).text,
                seeds=WEB.seeds(20),
                live=live(server.port, delay),
                pages=80,
                in_flight=64,
                strategy="best-first",
                parameters={"batch": "64"},
            )
        )
        asked = server.requests()
    gaps = [later.at - earlier.done for requests in asked.values() for earlier, later in pairwise(requests)]
    assert len(gaps) > 30
    assert min(gaps) >= delay * 0.9


def test_what_waits_for_a_host_that_rests_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A host that asks for peace, and nothing else to fetch: neither was nothing tried, nor is it a secret."""

    def answer(host: str, path: str) -> Answer:
        return of_html(b"busy", 503)._replace(headers=(("Retry-After", "600"), ("Content-Length", "4")))

    with serve(answer, robots="User-agent: *\n") as server:
        options = CrawlOptions(
            into=tmp_path / "library",
            topic="pages",
            seeds=("http://busy.example/", "http://busy.example/more"),
            live=live(server.port),
            seconds=1.5,
        )
        result = crawl(options)
    assert (result.stopped, result.pages, result.waiting, result.outcomes) == ("time", 0, 2, {})
    reason = why(tmp_path / "library", "http://busy.example/").reason
    assert "Its host was asked and is to be left alone for another 10 min." in reason
    show_result(result, as_json=False)
    assert "the hosts that were asked are to be asked again later" in capsys.readouterr().out


@pytest.mark.parametrize("processes", [1, 2])
def test_crawl_delay_and_retry_after_are_obeyed_at_the_server(processes: int, tmp_path: Path) -> None:
    """With 64 in flight: a host with a Crawl-delay; one that says 429 and so many seconds, one that says 503 and a
    date, each of which holds for the whole host, not only for the page that was asked."""
    complained: dict[str, float] = {}
    told = {"seconds.example": 429, "date.example": 503}

    def answer(host: str, path: str) -> Answer:
        if host in told and path == "/3" and host not in complained:
            until = ceil(time.time() + 1.5)  # a complaint alone slows a host to one request a second
            complained[host] = time.monotonic() + (2.0 if host == "seconds.example" else until - time.time())
            wait = "2" if host == "seconds.example" else formatdate(until, usegmt=True)
            return of_html(b"slow", told[host])._replace(headers=(("Retry-After", wait), ("Content-Length", "4")))
        body = "".join(f"<p>Page {path} of {host}</p><a href='/{n}'>{n}</a>" for n in range(1, 5))
        return of_html(body.encode()) if host.endswith(".example") else of_error(404)

    hosts = ("patient.example", *told, *(f"h{n}.example" for n in range(5)))
    robots = {host: "User-agent: *\nCrawl-delay: 0.3\n" if host == "patient.example" else "" for host in hosts}
    with serve(answer, robots=robots) as server:
        result = crawl(
            CrawlOptions(
                into=tmp_path / "library",
                topic="pages",
                seeds=tuple(f"http://{host}/" for host in hosts),
                live=replace(live(server.port, 0.02), allow_private=False),
                in_flight=64,
                processes=processes,
                strategy="breadth-first",
                parameters={"batch": "64"},
                dedup=False,
            )
        )
        asked = server.requests()
    assert (result.stopped, dict(result.outcomes)) == ("frontier empty", {"ok": 5 * len(hosts)})
    patient = asked["patient.example"]
    assert len(patient) == 6 and min(b.at - a.done for a, b in pairwise(patient)) >= 0.27
    for host, until in complained.items():
        first, again = (one.at for one in asked[host] if one.path == "/3")
        assert again >= until - 0.05
        assert not [one.path for one in asked[host] if first < one.at < until - 0.05]
    assert set(complained) == set(told)


def test_hosts_behind_one_address_can_share_a_delay(tmp_path: Path) -> None:
    """Measured at the server: of all its forty hosts none is asked sooner than the delay after another."""
    delay = 0.05
    with serve(SOUND) as server:
        result = crawl(
            CrawlOptions(
                into=tmp_path / "library",
                topic=SOUND.topic(0).text,
                seeds=SOUND.seeds(20),
                live=replace(live(server.port, delay), share_delay=True),
                pages=25,
                in_flight=16,
                strategy="best-first",
                parameters={"batch": "16"},
            )
        )
        asked = sorted((request for requests in server.requests().values() for request in requests), key=lambda r: r.at)
    assert result.outcomes == {"ok": 25}
    rules = [one.path == "/robots.txt" for one in asked]
    # From request to request, for when an answer was read only the client knows.
    gaps = [later.at - earlier.at for earlier, later in pairwise(asked)]
    assert sum(rules) > 5 and min(gaps) >= delay * 0.95


def test_a_live_crawl_needs_a_contact_and_a_start(tmp_path: Path) -> None:
    """One sentence each, before anything is written."""
    with pytest.raises(PinakesError, match="contact"):
        crawl(CrawlOptions(into=tmp_path / "library", seeds=("http://a.example/",)))
    with pytest.raises(PinakesError, match="--seed"):
        crawl(CrawlOptions(into=tmp_path / "library", topic="owls", live=live(1)))
    wrong = {"ca": tmp_path / "none.pem", "proxy": "proxy:3128", "logins": {"http://a.example": tmp_path / "none"}}
    for name, value in wrong.items():
        with pytest.raises(PinakesError, match=r"none|proxy"):
            bad = replace(live(1), **{name: value})
            crawl(CrawlOptions(into=tmp_path / "library", seeds=("http://a.example/",), live=bad))
    assert not (tmp_path / "library").exists()


def both_ways(web: str, folder: Path, **options: Any) -> tuple[CrawlResult, CrawlResult]:
    """The same best-first crawl over a recorded web and over HTTP, with one request at a time and no pauses."""
    file = crawl(CrawlOptions(into=folder / "file", web=web, strategy="best-first", **options))
    with serving(open_frozen(web, records=False)) as served:
        # One host of the demo asks for a pause of a second, which costs a minute and changes nothing.
        pace = Pace(delay=0.0, patience=0.0, longest_crawl_delay=0.0)
        wire = LiveOptions("test@pinakes.example", pace=pace, resolve=(served.route,), ca=served.ca)
        http = crawl(CrawlOptions(into=folder / "http", live=wire, in_flight=1, strategy="best-first", **options))
    return file, http


def test_a_live_crawl_visits_the_pages_of_the_recorded_one_in_the_same_order(tmp_path: Path) -> None:
    """All of the demo web: the same addresses under the same names at the same prices, the same links turned away."""
    file, http = both_ways("demo", tmp_path, topic="owls", seeds=("http://www.pinakes.example/",), pages=5000)
    assert visited(http.library) == visited(file.library)
    assert (http.stopped, http.outcomes, http.dropped) == ("frontier empty", file.outcomes, file.dropped)
    assert {"ok", "duplicate", "known", "not-found", "redirect-loop", "robots", "trap"} <= set(http.outcomes)


@pytest.mark.shared
def test_so_it_does_on_a_real_web(shared: Path, tmp_path: Path) -> None:
    """A slice of real pages over many hosts."""
    folder = shared / "webs" / "schools"
    with (folder / "topics.jsonl").open() as lines:
        topic = json.loads(next(lines))
    file, http = both_ways(
        str(folder / "web.warc.gz"), tmp_path, topic=topic["name"], seeds=tuple(topic["seeds"]), pages=150
    )
    assert visited(http.library) == visited(file.library)
    assert http.pages == 150
