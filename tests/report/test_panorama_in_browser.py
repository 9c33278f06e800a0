"""The report of a panorama in a real browser: clicks, keys, dark, phone, print, hostile titles, long labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pinakes.formats.paper import Paper, Reference
from pinakes.graph.layout import place
from pinakes.jobs.crawl_records import CrawlResult
from pinakes.jobs.panorama.communities import Community, CommunityMap, Standing
from pinakes.jobs.panorama.examples import Asked, Query
from pinakes.jobs.panorama.job import PanoramaResult, Sources
from pinakes.report.community_map import Box, arranged
from pinakes.report.panorama import as_html

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
LOCAL = ("file:", "data:", "blob:")
LONG = "Very long titles " * 60


def result(k: int, word: str = "label") -> PanoramaResult:
    """A panorama of `k` communities that nobody crawled."""
    draw = np.random.default_rng(k)
    likeness = draw.random((k, k))
    likeness = (likeness + likeness.T) / 2
    circles = place(draw.integers(5, 200, k).astype(float), likeness)
    urls = [f"http://www.example.org/{'long/' * 40}{n}.html" for n in range(3)]
    titles = [HOSTILE, LONG, ""]
    pages = tuple(Standing(url, title, 0.5) for url, title in zip(urls, titles, strict=True))
    communities = tuple(
        Community(
            (f"{word} {n}", "second", HOSTILE), ("stem",), 10 + n, circles[n], pages, pages, pages,
            (("www.example.org", 3),), (("en", 3),), tuple(urls), tuple(titles),
        )
        for n in range(k)
    )  # fmt: skip
    table = tuple(tuple(float(x) for x in row) for row in likeness)
    found = CommunityMap(communities, table, tuple((1,) * k for _ in range(k)), 30, 10)
    crawl = CrawlResult(Path("library"), 1, "budget", 40, 10, 0.25, {"ok": 40}, {}, 5, 1.0, 0.5, ())
    paper = Paper(LONG, (HOSTILE,), abstract=LONG, references=(Reference(LONG),))
    asked = (Asked(Query(LONG, "title"), (urls[0], "javascript:alert(1)"), 2),)
    sources = Sources((paper,), ("paper.pdf",), asked, 3, 6, (), k, 0.25, True)
    return PanoramaResult(crawl, sources, found, ((1, 1.0), (40, 0.25)))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("panorama") / "panorama.html"
    path.write_text(as_html(result(5), ["panorama-0001-paper-1.pdf"]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """Opens the report; nothing may go wrong, nothing may be asked of a network."""
    contexts: list[Any] = []
    troubles: list[str] = []

    def open_it(**options: Any) -> Any:
        contexts.append(browser.new_context(offline=True, accept_downloads=True, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on(
            "request", lambda asked: asked.url.startswith(("file:", "data:", "blob:")) or troubles.append(asked.url)
        )
        page.goto(address)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert troubles == []


def test_clicks_open_a_community_and_escape_shows_all(opened: Any) -> None:
    page = opened()
    page.locator("svg.map a.community circle").nth(2).click()
    parts = page.locator("article.community")
    assert [parts.nth(n).is_visible() for n in range(5)] == [False, False, True, False, False]
    page.keyboard.press("Escape")
    assert all(parts.nth(n).is_visible() for n in range(5))
    page.locator(".find").fill("very long")
    assert "5 pages in 5 of 5" in page.locator(".found").inner_text()


def test_the_keyboard_does_all_that_the_mouse_does(opened: Any) -> None:
    page = opened()
    page.locator("svg.map a.community").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.community") == "3"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator("article.community:visible").count() == 1
    assert page.evaluate("document.activeElement.id") == "community-2"


def test_hostile_titles_are_text(opened: Any) -> None:
    page = opened()
    assert page.title() != "owned" and page.locator("main img").count() == 0
    assert page.locator("a", has_text="<script>").count() > 0
    assert page.locator('a[href^="javascript"]').count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_and_dark(opened: Any, scheme: str) -> None:
    """No part is wider than a phone, whatever titles say; the dark page is dark."""
    page = opened(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    shade = sum(int(part) for part in colour[4:-1].split(",")[:3])
    assert shade < 150 if scheme == "dark" else shade > 600


def test_all_communities_are_printed(opened: Any) -> None:
    page = opened()
    page.locator("svg.map a.community circle").first.click()
    page.emulate_media(media="print")
    assert page.locator("article.community:visible").count() == 5 and not page.locator(".finder").is_visible()


def test_the_map_is_saved_as_a_picture(opened: Any) -> None:
    page = opened()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the map as PNG").click()
    data = Path(download.value.path()).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 5000


@pytest.mark.parametrize("k", [2, 5, 8, 12])
def test_labels_lie_apart(k: int) -> None:
    """Also long ones: none over another, none over another's circle."""
    circles, labels = arranged(result(k, "an exceedingly long label").map)
    for at, label in enumerate(labels):
        assert not any(label.box.overlap(other.box) for other in labels[:at])
        assert not any(label.box.overlap(Box(x - r, y - r, x + r, y + r)) for x, y, r in circles)
