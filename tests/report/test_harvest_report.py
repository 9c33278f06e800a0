"""The report of a harvest in a real browser: on a desktop, on a phone, in the dark; nothing asked of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pinakes.jobs.harvest.result import HarvestResult, People, by_year, places_of
from pinakes.library.harvests import Copy, Harvested
from pinakes.report.harvest import render, write_harvest

HOSTILE = '</script><img src=x onerror="alert(1)">'
LONG = "http://cs.northlake.example/~berg/" + "papers/" * 20 + "shelves.pdf"


def copy(url: str, place: str = "homepage", status: str = "found") -> Copy:
    return Copy(url, status, place, 0.98, "the title stands at word 1; 2 of 2 authors are named")


def result(library: Path) -> HarvestResult:
    papers = (
        Harvested("1", "Shelves Without Walls", ("Anna Berg",), 2001, "WebShelf", "found", copies=(copy(LONG),)),
        Harvested("2", HOSTILE, ("Tom Holm",), 2001, "WebShelf", "missing", "link dead", detail=LONG),
        Harvested("3", "Ladders", ("Ida Lund",), 2002, "WebShelf", "held", "held", detail="“Ladders”: the same title"),
        Harvested("4", "Lamps", ("Anna Berg",), 2003, "WebShelf", "version", "no link",
                  copies=(copy("http://a.example/s.pdf", status="version"),)),
        Harvested("5", "Doors", ("Eve Ford",), 2003, "WebShelf", "found",
                  copies=(copy("http://v.example/d.pdf", "venue site"),)),
    )  # fmt: skip
    homepages = {"Anna Berg": "http://cs.northlake.example/~berg/", "Tom Holm": "javascript:alert(1)"}
    lost = {"Eve Ford": "no search result"}
    people = People(homepages, lost, {"Eve Ford": "University of Oslo, Norway"})
    years, total = by_year(papers, people, looked_all=False)
    return HarvestResult(
        library, None, papers, homepages, lost, years, total, documents=4, publications=2,
        unreadable={"http://a.example/x.pdf": "scanned"}, places=places_of(papers),
    )  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    return write_harvest(result(folder)).as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "light"), (1200, "dark")])
def test_nothing_is_wider_than_the_window_and_nothing_goes_wrong(
    browser: Any, report: str, width: int, scheme: str
) -> None:
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, troubles = context.new_page(), list[str]()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if "file:" not in request.url else None)
    page.goto(report)
    assert page.evaluate("document.documentElement.scrollWidth") <= width and not troubles
    assert page.locator(".papers tbody tr").count() == 5 and page.locator("img").count() == 0
    last = page.locator(".papers tbody tr").first.locator("a").bounding_box()
    assert last["x"] > 0 and last["x"] + last["width"] <= width  # where a paper is can be read without scrolling
    # A heading stands over its column.
    head, cell = (page.locator(f".years {place} th").first.bounding_box()["x"] for place in ("thead", "tbody"))
    assert abs(head - cell) < 2
    page.get_by_role("button", name="missing 1").click()
    assert page.locator(".papers tbody tr:visible").count() == 1
    page.get_by_role("button", name="all 5").click()
    assert page.locator(".papers tbody tr:visible").count() == 5
    context.close()


def test_what_it_says(tmp_path: Path) -> None:
    said = render(result(tmp_path))
    assert "Harvest of WebShelf 2001–2003" in said and "4 missing papers 2 were found" in said
    assert HOSTILE not in said and 'href="javascript' not in said
    assert "on the venue&#x27;s site" in said and "Norway" in said and "Held already" in said
    empty = HarvestResult(tmp_path, None, (), {}, {}, *by_year((), People(), looked_all=True))
    assert "Nothing is missing" in render(empty)
