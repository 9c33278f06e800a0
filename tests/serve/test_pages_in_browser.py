"""Every page in a real browser: what it shows, that its own policy refuses nothing of it, and that everybody can read
it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from pinakes.library.library import Library

PAGES = [
    "/", "/search", "/search?q=owl", '/search?q=owl topic:"Owls and birds of prey"', "/collections",
    "/collection?name=Owls and birds of prey", "/crawls", "/crawls/2", "/pages/NUGGET", "/pages/PDF",
    "/page?url=http://no.example/", "/maps", "/maps/4", "/harvests", "/harvests/3", "/evaluations",
    "/evaluation?name=small", "/start", "/start/crawl", "/start/collect", "/start/panorama", "/start/harvest",
    "/start/evaluate", "/nowhere",
]  # fmt: skip


BOTH = (
    "/",
    "/search",
    "/collection",
    "/crawls/2",
    "/harvests/3",
    "/maps/4",
    "/evaluation",
    "/start/collect",
    "/pages/NUGGET",
)
"""Pages that are looked at on a phone in the dark, too: together they have every kind of part."""


@pytest.fixture(scope="module")
def numbers(served: Any) -> dict[str, int]:
    """Pages of a kind."""
    with Library(served.folder) as library:
        sql = (
            "SELECT max(pages.id) FROM pages JOIN visits ON visits.page = pages.id"
            " WHERE type = ? AND nugget AND depth > 1"
        )
        return {
            name: library.connection.execute(sql, (kind,)).fetchone()[0]
            for name, kind in (("NUGGET", "text/html"), ("PDF", "application/pdf"))
        }


@pytest.fixture(scope="module")
def troubles() -> list[str]:
    return []


@pytest.fixture(scope="module")
def tab(browser: Any, served: Any, troubles: list[str]) -> Iterator[Any]:
    """A tab of a browser that is signed in; what it complains of is kept in `troubles`."""
    page = browser.new_page()
    page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"{served.url}/?token={served.app.state.desk.token}")
    yield page
    page.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_and_can_be_read_by_everybody(
    tab: Any, served: Any, numbers: dict[str, int], troubles: list[str], path: str
) -> None:
    """No script fails, nothing is refused, nothing overflows a phone, and axe-core finds nothing serious in light or
    dark."""
    page = next((path.replace(name, str(number)) for name, number in numbers.items() if name in path), path)
    troubles.clear()
    answer = tab.goto(f"{served.url}{page}")
    assert answer.status in (200, 404)
    assert tab.title() and tab.locator("h1").count() == 1
    assert len(answer.body()) < 200_000
    for width, scheme in ((1280, "light"), (380, "dark"))[: 2 if path.partition("?")[0] in BOTH else 1]:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)
        wider = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"{path} is {wider} px wider than {width}"
        found = Axe().run(tab, options={"resultTypes": ["violations"]})
        serious = [one for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
        assert not serious, [(one["id"], [node["target"] for node in one["nodes"]][:5]) for one in serious]
    assert [said for said in troubles if "404" not in said] == []


def test_search_narrows_by_a_facet_and_widens_again(tab: Any, served: Any) -> None:
    """Facets are links; the query says what they did."""
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(f"{served.url}/search?q=owl")
    before = tab.locator(".told").inner_text()
    assert tab.locator("mark").count()
    tab.locator(".facets a", has_text="pdf").click()
    assert tab.locator("#query").input_value() == "owl type:pdf"
    assert tab.locator(".told").inner_text() != before
    assert {text.split("\n")[0] for text in tab.locator(".hits .row span:first-child").all_inner_texts()} == {"PDF"}
    tab.locator(".facets a.chosen").click()
    assert tab.locator("#query").input_value() == "owl"


def test_the_search_field_is_a_key_away(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/crawls")
    tab.keyboard.press("/")
    tab.keyboard.type("comets")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search?q=comets")
    assert tab.locator(".hits li").count()


def test_a_collection_is_filtered_and_sorted(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/collection?name=Owls and birds of prey")
    merits = [float(text) for text in tab.locator(".ranked .meter .figure").all_inner_texts()]
    assert merits == sorted(merits, reverse=True) and len(merits) > 3
    with tab.expect_navigation():
        tab.locator("select[name=sort]").select_option("title")
    titles = [text.lower() for text in tab.locator(".ranked h2").all_inner_texts()]
    assert titles == sorted(titles)
    with tab.expect_navigation():
        tab.locator("select[name=host]").select_option(index=1)
    hosts = {text.split("/")[2] for text in tab.locator(".ranked .where").all_inner_texts()}
    assert len(hosts) == 1


def test_a_page_tells_its_path_and_its_neighbours(tab: Any, served: Any, numbers: dict[str, int]) -> None:
    """From the seed on, each step with its score; links lead to pages that link back."""
    tab.goto(f"{served.url}/pages/{numbers['NUGGET']}")
    path = tab.locator("ol.path")
    assert path.locator("li").count() >= 2
    signs = path.locator(".sign").all_inner_texts()
    assert path.get_attribute("data-picture") == "-".join(signs)
    assert path.locator("li.here .score").inner_text()
    why = tab.locator("section", has=tab.locator("#why"))
    assert "Because of " in why.inner_text() and "worth" not in why.inner_text()
    tab.wait_for_selector("details[open] [data-done] li")  # a small crawl's strategy tells unasked
    assert "linked from" in why.inner_text()
    tab.locator(".card", has_text="To here").locator("a").first.click()
    tab.wait_for_load_state()
    here = tab.locator(".card", has_text="From here").locator("a").evaluate_all("links => links.map(a => a.href)")
    with Library(served.folder) as library:
        sql = "SELECT id FROM pages WHERE url = (SELECT url FROM pages WHERE id = ?)"
        captures = {row[0] for row in library.connection.execute(sql, (numbers["NUGGET"],))}
    assert captures & {int(link.rsplit("/", 1)[1]) for link in here if "/pages/" in link}


def test_the_stored_copy_is_shown_and_shut_in(tab: Any, served: Any, numbers: dict[str, int]) -> None:
    tab.goto(f"{served.url}/pages/{numbers['NUGGET']}")
    frame = tab.locator("iframe")
    assert frame.get_attribute("sandbox") == ""
    frame.scroll_into_view_if_needed()
    assert tab.frame_locator("iframe").locator("body").inner_text(timeout=5000)
    copy = served.get(f"/copy/{numbers['NUGGET']}")
    assert copy.headers["content-security-policy"].startswith("sandbox;")
    pdf = served.get(f"/copy/{numbers['PDF']}")
    assert pdf.headers["content-disposition"].startswith("attachment") and pdf.body.startswith("%PDF")


def test_a_map_opens_a_community(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/maps/4")
    tab.locator("svg.map a.community").nth(1).click()
    assert tab.locator("article.community:visible").count() == 1
    tab.goto(f"{served.url}/maps/4/html")
    assert tab.locator("svg.map").count() == 1


def test_reports_are_shown_under_their_own_policy(tab: Any, served: Any, troubles: list[str]) -> None:
    """Style and script that stand in them are allowed by their hashes; they have no origin and no cookie."""
    troubles.clear()
    answer = tab.goto(f"{served.url}/evaluation/report?name=small")
    policy = answer.headers["content-security-policy"]
    assert "sha256-" in policy and "sandbox allow-scripts" in policy and "allow-same-origin" not in policy
    assert tab.evaluate("self.origin") == "null"
    tab.locator("table.sortable thead button").first.click()
    assert tab.locator("[aria-sort]").count()
    assert troubles == []


def test_a_harvest_is_filtered(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/harvests/3")
    with tab.expect_navigation():
        tab.locator("select[name=status]").select_option("missing")
    assert set(tab.locator("ol.hits .badge-state").all_inner_texts()) == {"missing"}


def test_why_an_unknown_address_is_not_held(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/page?url=http://no.example/")
    tab.wait_for_selector("text=No crawl of this library has met it.")


def test_an_export_is_a_download(tab: Any, served: Any) -> None:
    tab.goto(f"{served.url}/collection?name=Birds")
    tab.locator(".export select").select_option("ris")
    with tab.expect_download() as download:
        tab.locator(".export button").click()
    assert download.value.suggested_filename == "Birds.ris"
    assert "TY  -" in Path(download.value.path()).read_text()


def test_without_a_script_everything_is_there(browser: Any, served: Any) -> None:
    """Pages are made on the server; a browser without JavaScript reads and leafs as well."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served.url}/search?q=owl")
    page.locator(".hits h2 a").first.click()
    page.get_by_role("link", name="Show").click()
    assert page.locator("li, p").count()
    context.close()
