"""What readers do, in a real browser: watch a crawl to its end, steer it, label pages, order jobs, upload a paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pinakes import demo
from pinakes.jobs.webs import open_frozen
from pinakes.library.labels import Labels
from pinakes.library.library import Library
from pinakes.web.serve import serving

LONG = 60_000
"""Milliseconds a job may take on a busy machine."""
SEED = "http://www.pinakes.example/"


@pytest.fixture
def desk(browser: Any, own_library: Path, serve: Callable[..., Any]) -> Iterator[Any]:
    """A signed-in tab on a library of one's own."""
    with serve(own_library) as found:
        page = browser.new_page()
        page.goto(f"{found.url}/?token={found.app.state.desk.token}")
        page.served = found
        yield page
        page.close()


@pytest.fixture
def live(browser: Any, tmp_path: Path, serve: Callable[..., Any]) -> Iterator[Any]:
    """A new library whose jobs crawl the demo web over real sockets, politely."""
    folder = tmp_path / "live"
    Library(folder, write=True, create=True).close()
    with serving(open_frozen("demo", records=False), https=False) as web:
        options = [*web.options, "--delay", "0.4", "--contact", "tests@example.org", "--processes", "1"]
        with serve(folder, job_options=options) as found:
            page = browser.new_page()
            page.goto(f"{found.url}/?token={found.app.state.desk.token}")
            page.served = found
            yield page
            page.close()


def order_crawl(page: Any, pages: int) -> None:
    """Fill in the form as a reader does."""
    page.get_by_role("link", name="New job").click()
    page.get_by_role("link", name="Crawl towards a topic").click()
    page.get_by_label("What do you want?").fill("owls and other birds of prey")
    page.get_by_label("Where to start").fill(SEED)
    page.get_by_label("Pages to fetch").fill(str(pages))
    page.get_by_role("button", name="Start").click()


def test_a_live_crawl_is_watched_to_its_end(live: Any) -> None:
    """Ordered in an empty library; its figures grow by themselves, nuggets come in, and it says why it stopped."""
    assert live.get_by_text("This library is empty").count()
    order_crawl(live, 60)
    live.get_by_role("link", name="Watch crawl 1").click(timeout=LONG)
    live.wait_for_selector('[data-state="running"]', timeout=LONG)
    live.evaluate("window.sameLoad = true")
    grown = "() => Number(document.querySelector('.figures strong').textContent)"
    hosts = live.get_by_role("region", name="Hosts asked lately")
    hosts.locator("td", has_text=re.compile("being asked|resting|ready")).first.wait_for(timeout=LONG)
    early = live.wait_for_function(f"() => ({grown})() >= 5 && ({grown})()", timeout=LONG).json_value()
    live.wait_for_selector('[data-state="finished"]', timeout=LONG)
    assert live.evaluate("window.sameLoad"), "the page was loaded anew"
    assert "it fetched as many pages as it was allowed" in live.locator(".state").inner_text()
    assert early < int(live.locator(".figures strong").first.inner_text()) == 60
    assert live.get_by_role("region", name="Outcomes").get_by_role("rowheader", name="ok").count()
    assert live.locator("section", has_text="The last nuggets").locator("li a").count()
    assert hosts.locator("tbody tr").count() >= 3 and hosts.locator("td", has_text=" s").count()
    assert hosts.get_by_role("columnheader").all_inner_texts() == [
        "Host",
        "Pages",
        "Nuggets",
        "Failed",
        "Last",
        "Pause",
    ]
    assert live.locator("figure.chart svg").count() == 2


def test_a_crawl_is_paused_given_another_budget_and_stopped(live: Any) -> None:
    order_crawl(live, 500)
    live.get_by_role("link", name="Watch crawl 1").click(timeout=LONG)
    live.get_by_role("button", name="Pause").click(timeout=LONG)
    live.wait_for_selector('[data-state="paused"]', timeout=LONG)
    live.wait_for_timeout(3000)  # what was asked for already comes home still
    held = live.locator(".figures strong").first.inner_text()
    live.wait_for_timeout(1500)
    assert live.locator(".figures strong").first.inner_text() == held
    live.get_by_label("Pages", exact=True).fill("77")
    live.get_by_role("button", name="Change the budget").click()
    assert "of 77 pages" in live.locator(".state").inner_text()
    live.get_by_role("button", name="Go on").click()
    live.wait_for_function(f"() => document.querySelector('.figures strong').textContent !== '{held}'", timeout=LONG)
    live.get_by_role("button", name="Stop").click()
    live.wait_for_selector('[data-state="unfinished"]', timeout=LONG)
    assert "somebody stopped it" in live.locator(".state").inner_text()
    live.get_by_role("button", name="Resume").click()
    live.wait_for_selector("[data-state=done], [data-state=running]", timeout=LONG)


def test_a_label_changes_a_ranking(desk: Any) -> None:
    """A thumb down, a click, and the collection stands otherwise, with what it was before."""
    name = "Owls and birds of prey"
    desk.goto(f"{desk.served.url}/collection?name={name}")
    before = desk.locator(".ranked .where").all_inner_texts()
    first = desk.locator(".ranked li").first
    first.get_by_role("button", name="Does not belong here").click()
    assert (
        desk.locator(".ranked li")
        .first.get_by_role("button", name="Does not belong here")
        .get_attribute("aria-pressed")
        == "true"
    )
    desk.locator(".ranked li").last.get_by_role("button", name="Belongs here", exact=False).first.click()
    assert len(Labels(desk.served.folder).of(name)) == 2
    desk.get_by_role("button", name="Re-rank").click()
    desk.wait_for_selector(".reranked", timeout=LONG)
    after = desk.locator(".ranked .where").all_inner_texts()
    assert after != before and before[0] not in after
    assert desk.locator(".move").count()
    desk.locator(".reranked summary").click()
    rows = desk.get_by_role("region", name="Before and after").locator("tbody tr").all_inner_texts()
    assert any(row.startswith("1\tout") for row in rows)
    assert desk.get_by_role("button", name="Re-rank").count() == 0


def test_an_upload_becomes_a_panorama(desk: Any) -> None:
    """A paper goes in, a map comes out."""
    desk.goto(f"{desk.served.url}/start/panorama")
    desk.get_by_role("button", name="Start").click()
    assert desk.locator(".wrong").inner_text().startswith("Choose a paper")
    desk.get_by_label("The paper").set_input_files(str(demo.path("paper.pdf")))
    desk.get_by_label("Communities on the map").fill("3")
    desk.get_by_label("Pages to fetch").fill("30")
    desk.get_by_role("button", name="Start").click()
    desk.get_by_role("link", name="See what came of it").click(timeout=LONG)
    assert desk.locator(".shelf").count() == 2
    desk.locator(".shelf a").first.click()
    assert desk.locator("svg.map a.community").count() == 3
    assert desk.url.endswith("/maps/5")


def test_a_list_of_papers_becomes_a_harvest(desk: Any) -> None:
    desk.goto(f"{desk.served.url}/start/harvest")
    desk.get_by_label("The papers that should be there").set_input_files(str(demo.path("venue.jsonl")))
    desk.get_by_label("Only of these years").fill("2001")
    desk.get_by_role("button", name="Start").click()
    desk.get_by_role("link", name="See what came of it").click(timeout=LONG)
    desk.get_by_role("link", name="Harvest 5").click()
    assert desk.locator("ol.hits > li").count() == 6


def test_a_homepage_is_corrected_and_the_harvest_made_again(desk: Any) -> None:
    """Who had no homepage gets one by hand; the new harvest believes it."""
    desk.goto(f"{desk.served.url}/harvests/3")
    row = desk.get_by_role("region", name="Homepages").locator("tbody tr").first
    name = row.locator("th").inner_text()
    row.locator("input[type=url]").fill("http://cs.northlake.example/~tanner/")
    desk.get_by_role("button", name="Harvest again").click()
    desk.get_by_role("link", name="See what came of it").wait_for(timeout=LONG)
    desk.goto(f"{desk.served.url}/harvests/5")
    corrected = desk.get_by_role("region", name="Homepages").locator("tr", has_text=name)
    assert "cs.northlake.example/~tanner/" in corrected.inner_text()


def test_topics_become_collections(desk: Any) -> None:
    desk.goto(f"{desk.served.url}/start/collect")
    desk.locator("#f-name-1").fill("Lanterns")
    desk.locator("#f-examples-1").fill("not an address")
    desk.get_by_role("button", name="Start").click()
    assert "not an address is not a web address" in desk.get_by_role("alert").inner_text()
    assert desk.locator("#f-name-1").input_value() == "Lanterns"
    desk.locator("#f-examples-1").fill("http://www.nightsky.example/")
    desk.get_by_label("Pages to fetch").fill("20")
    desk.get_by_role("button", name="Start").click()
    desk.get_by_role("link", name="See what came of it").click(timeout=LONG)
    assert desk.get_by_role("link", name="Lanterns").count()


def test_strategies_are_compared(desk: Any) -> None:
    desk.goto(f"{desk.served.url}/start/evaluate")
    desk.get_by_label("Topics").set_input_files(str(demo.path("topics.jsonl")))
    desk.get_by_label("evidence: ", exact=False).uncheck()
    desk.get_by_label("Pages of each crawl").fill("8")
    desk.get_by_role("button", name="Start").click()
    desk.get_by_role("link", name="See what came of it").click(timeout=LONG)
    desk.get_by_role("link", name="evaluation-").click()
    assert desk.get_by_text("breadth-first").count()


def test_while_a_job_writes_another_is_told_to_wait(desk: Any) -> None:
    """And what was written in the form is still there."""
    with Library(desk.served.folder, write=True):
        desk.goto(f"{desk.served.url}/start/crawl")
        desk.get_by_label("What do you want?").fill("comets")
        desk.get_by_role("button", name="Start").click()
        assert "writing to this library" in desk.get_by_role("alert").inner_text()
        assert desk.get_by_label("What do you want?").input_value() == "comets"


def test_a_guest_is_offered_nothing_that_writes(browser: Any, served: Any) -> None:
    page = browser.new_page()
    page.goto(f"{served.url}/collection?name=Birds")
    assert not page.locator("form[method=post]").count()
    page.goto(f"{served.url}/start/crawl")
    assert page.get_by_role("button", name="Start").is_disabled()
    page.close()
