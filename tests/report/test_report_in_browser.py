"""The report of an evaluation in a real browser: seen, pressed, sorted, printed, on a phone, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pypdfium2 import PdfDocument

from pinakes.report.evaluation import render


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, typical: dict[str, Any]) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(typical), encoding="utf-8")
    return path.as_uri()


class Opened:
    """A page, with all that went wrong in it and all it asked for."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(offline=True, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)


@pytest.fixture
def page(browser: Any, report: str) -> Iterator[Any]:
    """The report on a desktop; nothing may go wrong, nothing may be asked of a network."""
    opened = Opened(browser, report, viewport={"width": 1280, "height": 900})
    yield opened.page
    opened.context.close()
    assert opened.troubles == [] and all(url.startswith(("file:", "blob:")) for url in opened.requests)


def test_curves_are_seen(page: Any) -> None:
    """A chart a measure; the best strategies' lines have a size, the others are hidden."""
    charts = page.locator("#curves figure.lines")
    assert charts.count() == 7
    lines = charts.first.locator(".series:not(.off) .line")
    assert lines.count() == 7
    box = lines.last.bounding_box()
    assert box["width"] > 300 and box["height"] > 50
    assert page.locator("#compared .bars li").first.is_visible()


def test_the_legend_shows_and_hides(page: Any) -> None:
    """In every chart at once, by mouse and by keyboard."""
    button = page.get_by_role("button", name="evidence", exact=False).first
    number = button.get_attribute("data-series")
    lines = page.locator(f'#curves .series[data-series="{number}"]')
    assert lines.first.is_visible() and button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert all(not lines.nth(at).is_visible() for at in range(lines.count()))
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true" and lines.last.is_visible()
    page.get_by_role("button", name="All", exact=True).click()
    assert page.locator("#curves .series.off").count() == 0
    page.get_by_role("button", name="None", exact=True).click()
    assert page.locator("#curves .series:not(.off)").count() == 0


def test_charts_tell_their_values(page: Any, typical: dict[str, Any]) -> None:
    """Where the mouse points, and by arrow keys."""
    svg = page.locator("#curves figure.lines .plot > svg").first
    svg.scroll_into_view_if_needed()
    svg.focus()
    page.keyboard.press("ArrowLeft")
    tip = page.locator(".tip")
    curve = typical["curves"]["recall"]["strategies"]["evidence"]
    assert f"{curve['mean'][-1]:.3f} ± {curve['stderr'][-1]:.3f}" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.count() == 0
    svg.hover()
    assert "evidence" in tip.inner_text()


def test_tables_sort(page: Any, typical: dict[str, Any]) -> None:
    """Down at first for numbers, then up; the state is told to screen readers."""
    table = page.get_by_role("table", name="Against the known relevant pages")
    head = table.locator("thead th").nth(1)
    column = table.locator("tbody td:nth-child(2)")
    values = [strategy["auc"] for strategy in typical["strategies"].values()]
    for press, reverse in (("descending", True), ("ascending", False)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == press
        shown = [float(cell.split()[0]) for cell in column.all_inner_texts()]
        assert shown == pytest.approx(sorted(values, reverse=reverse), abs=0.0006)
    table.locator("thead th").first.get_by_role("button").click()
    assert table.locator("tbody th").all_inner_texts() == sorted(typical["strategies"])


def test_matrices_change_what_they_show(page: Any, typical: dict[str, Any]) -> None:
    """The topics by another measure, the tests at another point."""
    topics = page.locator("#topics")
    topics.locator("select").select_option(label="Average rank")
    value = typical["strategies"]["oracle"]["per_topic"]["topic-0"]["average_rank"]
    assert topics.locator("tbody td").first.inner_text() == f"{value:.0f}"
    tests = page.locator("#tests [data-matrix]")
    tests.locator("select").select_option(label="Average rank at 100 pages")
    test = next(t for t in typical["tests"] if (t["measure"], t["at"]) == ("average_rank", 100))
    cell = tests.locator('[data-cell="0,1"]')
    assert f"n = {test['n']}" in cell.get_attribute("title")
    assert cell.get_attribute("class") == "win"  # the lower average rank is the better


def test_p_values_of_any_pair(page: Any) -> None:
    """The line is drawn anew for the pair that is chosen."""
    along = page.locator("[data-pairs]")
    line = along.locator(".series .line")
    before = line.get_attribute("d")
    along.locator("select").nth(1).select_option(label="cutoff")
    along.locator("svg").focus()
    page.keyboard.press("ArrowLeft")
    assert "cutoff against breadth-first" in along.locator(".tip").inner_text()
    assert line.get_attribute("d") not in ("", before)
    assert "cutoff against breadth-first" in line.locator("..").locator("title").text_content()


def test_curves_can_be_downloaded(page: Any, tmp_path: Path, typical: dict[str, Any]) -> None:
    """As a drawing that stands alone, with its legend, and as numbers."""
    figure = page.locator("#curves figure.lines").first
    with page.expect_download() as download:
        figure.get_by_role("button", name="Download Recall as SVG").click()
    download.value.save_as(tmp_path / "a.svg")
    drawing = ElementTree.parse(tmp_path / "a.svg").getroot()
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "evidence" in texts and "cutoff" not in texts
    lines = [path for path in drawing.iter("{http://www.w3.org/2000/svg}path") if path.get("class") == "line"]
    assert lines and all(path.get("stroke", "").startswith("rgb") for path in lines)
    with page.expect_download() as download:
        figure.get_by_role("button", name="Download Recall as CSV").click()
    download.value.save_as(tmp_path / "a.csv")
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines()]
    assert rows[0][:3] == ["pages", "oracle", "oracle stderr"] and float(rows[-1][0]) == typical["pages"]
    assert float(rows[-1][1]) == pytest.approx(
        typical["curves"]["recall"]["strategies"]["oracle"]["mean"][-1], abs=1e-5
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(browser: Any, report: str, scheme: str) -> None:
    """390 pixels wide: the page fits, its text is not tiny, wide tables scroll in their own frame."""
    opened = Opened(browser, report, viewport={"width": 390, "height": 844}, is_mobile=True, color_scheme=scheme)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('#strategies .scroll').scrollWidth") > 330
    text = page.locator("#curves .axes text").first
    assert text.bounding_box()["height"] >= 9
    assert page.evaluate(CONTRAST) >= 4.5
    opened.context.close()
    assert opened.troubles == []


CONTRAST = """() => {
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = light(getComputedStyle(document.querySelector("figure.chart")).backgroundColor);
  const ratio = (c) => { const one = light(c); return (Math.max(one, back) + 0.05) / (Math.min(one, back) + 0.05); };
  const seen = [...document.querySelectorAll("figcaption strong, figcaption p, .bars .value, td.number")];
  return Math.min(...seen.map((e) => ratio(getComputedStyle(e).color)));
}"""


def test_print(browser: Any, report: str) -> None:
    """Nothing is cut off at the edge of the paper; controls are gone; the page breaks into sheets."""
    opened = Opened(browser, report, viewport={"width": 703, "height": 1000})  # A4 less its margins
    page = opened.page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    wide = (
        "[...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > innerWidth + 1).length"
    )
    assert page.evaluate(wide) == 0
    assert not page.locator(".tools button").first.is_visible() and not page.locator("nav").is_visible()
    assert page.locator("#curves figure.lines .line").first.is_visible()
    with PdfDocument(page.pdf(prefer_css_page_size=True)) as sheets:
        assert 4 <= len(sheets) <= 14
    opened.context.close()


def test_it_is_whole_without_its_script(browser: Any, report: str) -> None:
    """Curves, bars, tables and tests are there; what needs the script is not offered."""
    opened = Opened(browser, report, java_script_enabled=False)
    page = opened.page
    assert page.locator("#curves .series:not(.off) .line").first.is_visible()
    assert page.locator("#tests td.win").first.is_visible()
    assert not page.locator(".tools button").first.is_visible() and not page.locator(".pick").is_visible()
    opened.context.close()


def test_every_control_has_a_name(page: Any) -> None:
    """Buttons, selects, drawings and tables, for screen readers."""
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, select, svg[role=img], table")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label"))).length""")
    assert nameless == 0
    assert page.locator("h1").count() == 1 and page.locator("main section > h2").count() >= 7
