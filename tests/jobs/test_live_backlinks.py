"""Back-links of a live crawl: whoever is asked, over real HTTP on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.taking_up import resume
from pinakes.library.library import Library
from pinakes.testing import ProceduralWeb, serve
from pinakes.testing.answer import Answer, of_html
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

WEB = ProceduralWeb(pages=3000, hosts=30, links=15, words=120)
TOPIC = WEB.topic(0)
SILENT = {name: {"url": "off"} for name in ("wikipedia", "openalex", "semantic-scholar")}


def options(folder: Path, port: int, services: dict[str, dict[str, str | float]]) -> CrawlOptions:
    live = LiveOptions(
        contact="test@pinakes.example",
        pace=Pace(delay=0.0, patience=0.0, backoff=0.01, tries=2),
        allow_private=True,
        resolve=(f"*=127.0.0.1:{port}",),
        services={**SILENT, **services},
    )
    seeds = WEB.seeds(3)
    return CrawlOptions(
        into=folder, topic=TOPIC.text, examples=seeds, seeds=seeds, strategy="context-graph", live=live, pages=40
    )


def layers(folder: Path) -> list[int]:
    with Library(folder) as library:
        return [len(layer) for layer in library.recipe(library.crawls()[-1]).brief.layers]


def pairs() -> list[tuple[str, str]]:
    """Two pages before each seed, and one before each of those."""
    found = []
    for number, seed in enumerate(WEB.seeds(3)):
        near = WEB.seeds(60)[10 + 2 * number : 12 + 2 * number]
        found += [(url, seed) for url in near]
        found += [(WEB.seeds(60)[40 + number], url) for url in near]
    return found


def test_a_link_file_gives_the_context_graph_and_is_kept_for_the_resume(tmp_path: Path) -> None:
    """The layers come from the file; the crawl asks it for the parents of targets, also when it is taken up again."""
    links = tmp_path / "links.tsv"
    links.write_text("".join(f"{source}\t{target}\n" for source, target in pairs()))
    told: list[str] = []
    with serve(WEB) as server:
        given = options(tmp_path / "library", server.port, {"links": {"url": str(links)}})
        assert crawl(given, tell=told.append).pages == 40
        assert layers(given.into)[:2] == [6, 6]
        assert resume(given.into, pages=60, tell=told.append).pages == 60
    assert sum("No back-links" in sentence for sentence in told) <= 2, "said once a run"


def test_no_source_is_said_and_the_crawl_begins_breadth_first(tmp_path: Path) -> None:
    told: list[str] = []
    with serve(WEB) as server:
        assert crawl(options(tmp_path / "library", server.port, {}), tell=told.append).pages == 40
    assert not any(layers(tmp_path / "library"))
    assert any("no source of back-links" in sentence or "No back-links" in sentence for sentence in told)


def test_the_library_is_asked_first(tmp_path: Path) -> None:
    """What an earlier crawl brought home says who links to the examples, without any service."""
    with serve(WEB) as server:
        given = options(tmp_path / "library", server.port, {})
        crawl(replace(given, strategy="breadth-first", examples=(), pages=120))
        with Library(given.into) as library:
            row = library.connection.execute("SELECT url FROM links GROUP BY url ORDER BY count(*) DESC LIMIT 1")
            popular = row.fetchone()[0]
        crawl(replace(given, examples=(popular,), pages=10))
        assert layers(given.into)[0] > 0


def test_a_wiki_is_asked_who_cites_an_example(tmp_path: Path) -> None:
    """Its articles that cite the page are layer 1, those that link to these are layer 2 (services.wikipedia)."""
    asked: list[str] = []

    def answer(host: str, path: str) -> Answer:
        if host != "wiki.example":
            return WEB.answer(f"http://{host}{path}")
        if not path.startswith("/w/api.php"):
            return of_html(f"<title>{path}</title><p>Articles cite their sources.</p>".encode())
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        asked.append(query["list"])
        rows: list[dict[str, object]] = []
        if query["list"] == "exturlusage":
            rows = [{"title": "Birds of prey", "url": f"http://{query['euquery']}"}]
        elif query["bltitle"] == "Birds of prey":
            rows = [{"title": "Owl"}, {"title": "Falcon"}]
        body = json.dumps({"batchcomplete": True, "query": {query["list"]: rows}}).encode()
        return Answer(headers=(("Content-Type", "application/json"), ("Content-Length", str(len(body)))), body=body)

    with serve(answer) as server:
        given = options(tmp_path / "library", server.port, {"wikipedia": {"url": "http://wiki.example"}})
        example = WEB.seeds(1)
        assert crawl(replace(given, examples=example, pages=5)).pages == 5
    assert layers(given.into)[:2] == [1, 2]
    assert asked[0] == "exturlusage" and "backlinks" in asked


CITED = {"owls": ("hawks", "kites"), "hawks": ("falcons",)}
"""Papers and those that cite them."""


def paper(name: str) -> str:
    return f"http://journal.example/doi/10.1000/{name}"


def openalex(path: str) -> object:
    """A record of a paper by its DOI, and the list of those that cite the paper of a number."""
    asked = urlsplit(path)
    if asked.path != "/works":
        name = asked.path.rpartition("%2F")[2]
        return {"id": f"https://openalex.org/W{len(name)}0{name}", "cited_by_count": len(CITED.get(name, ()))}
    number = parse_qs(asked.query)["filter"][0].removeprefix("cites:W")
    cited = next(name for name in CITED if number == f"{len(name)}0{name}")
    return {
        "results": [{"id": "x", "best_oa_location": {"landing_page_url": paper(name)}} for name in CITED[cited]],
        "meta": {"next_cursor": None},
    }


def semantic_scholar(path: str) -> object:
    """Those that cite a paper, page by page."""
    cited = urlsplit(path).path.removesuffix("/citations").rpartition("/")[2]
    found = [{"paperId": name, "openAccessPdf": {"url": paper(name)}} for name in CITED.get(cited, ())]
    return {"offset": 0, "data": [{"citingPaper": row} for row in found]}


@pytest.mark.parametrize(
    ("service", "address", "said"),
    [
        ("openalex", "http://openalex.example", openalex),
        ("semantic-scholar", "http://s2.example/graph/v1", semantic_scholar),
    ],
)
def test_papers_that_cite_an_example_are_its_layers(
    tmp_path: Path, service: str, address: str, said: Callable[[str], object]
) -> None:
    """The context graph of a paper: whoever cites it, and whoever cites those; the crawl goes on from their pages."""
    asked: list[str] = []

    def answer(host: str, path: str) -> Answer:
        if host == "journal.example":
            name = path.rpartition("/")[2]
            link = f"<a href='{WEB.seeds(1)[0]}'>more of {name}</a>"
            return of_html(f"<title>{name}</title><p>A paper about {name} and their nests. {link}".encode())
        if host != urlsplit(address).hostname:
            return WEB.answer(f"http://{host}{path}")
        asked.append(path)
        body = json.dumps(said(path)).encode()
        return Answer(headers=(("Content-Type", "application/json"), ("Content-Length", str(len(body)))), body=body)

    with serve(answer) as server:
        given = options(tmp_path / "library", server.port, {service: {"url": address}})
        found = crawl(replace(given, topic="owls", examples=(paper("owls"),), seeds=(paper("falcons"),), pages=8))
    assert found.pages == 8 and layers(given.into)[:2] == [2, 1]
    with Library(given.into) as library:
        near, far, *_ = library.recipe(library.crawls()[-1]).brief.layers
    assert {page.url for page in near} == {paper("hawks"), paper("kites")} and far[0].url == paper("falcons")
    assert any("owls" in path for path in asked)


def test_a_link_file_that_is_not_there_stops_the_job_before_anything_is_made(tmp_path: Path) -> None:
    with serve(WEB) as server:
        given = options(tmp_path / "library", server.port, {"links": {"url": str(tmp_path / "none.tsv")}})
        with pytest.raises(PinakesError, match="link file"):
            crawl(given)
    assert not (tmp_path / "library").exists()
