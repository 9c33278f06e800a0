"""From the demo's paper to a map: examples, crawl, communities, files; too little to go by; kill -9 and again."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import pinakes
from pinakes import demo
from pinakes.cli import main
from pinakes.jobs.panorama.job import PanoramaOptions, panorama
from pinakes.library.library import Library

PAPER = "demo:paper.pdf"


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[Any, str, Any]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return ended.value.code, out + err, json.loads(out.splitlines()[-1]) if "--json" in arguments else None


def mapped(found: dict[str, Any]) -> Sequence[Any]:
    return [(one["label"], one["pages"], one["examples"], one["hubs"]) for one in found["communities"]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of a whole panorama of the demo's paper."""
    library = tmp_path_factory.mktemp("panorama") / "whole"
    pinakes.panorama(PAPER, into=library, web="demo", pages=150, k=4)
    return library


def test_the_demos_paper_has_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every title is found, the communities share out all pages that are on the map, and all files are written."""
    library = tmp_path / "library"
    code, said, found = run(
        capsys, "panorama", PAPER, "--web", "demo", "--pages", "150", "--into", library, "--json"
    )  # fmt: skip
    assert code == 0 and found["stopped"] == "budget" and found["pages"] == 150
    assert found["titles_found"] == found["titles"] == 15 and found["negatives"] == 2 * found["positives"]
    assert len(found["communities"]) == 5 and "15 of 15 titles found" in said
    for community in found["communities"]:
        assert 1 <= len(community["label"]) <= 5 and community["pages"] >= len(community["examples"]) > 0
        assert set(community["hubs"]) | set(community["authorities"])
    report = Path(found["report"])
    assert report == library / "reports" / "panorama-0001.html" and "<svg" in report.read_text()
    data = json.loads(report.with_suffix(".json").read_text())
    assert sum(len(one["urls"]) for one in data["communities"]) == data["analysed"]
    ElementTree.parse(report.with_suffix(".svg"))
    assert report.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    graph = ElementTree.parse(report.with_suffix(".graphml"))
    nodes = graph.findall(".//{http://graphml.graphdrawing.org/xmlns}node")
    assert len(nodes) == data["analysed"] + 5
    assert (library / "reports" / "panorama-0001-paper-1.pdf").read_bytes() == demo.path("paper.pdf").read_bytes()
    read = json.loads((library / "reports" / "panorama-0001-paper-1.json").read_text())
    assert read["title"] and len(read["references"]) == 14
    assert "listBibl" in (library / "reports" / "panorama-0001-paper-1.tei.xml").read_text()
    with Library(library) as opened:
        assert opened.recipe(opened.crawls()[-1]).parameters["limit"] == 50_000


def test_a_library_with_other_crawls_gives_the_same_map(tmp_path: Path) -> None:
    """Pages that an earlier crawl brought home are on the map like those that are new."""
    library = tmp_path / "library"
    pinakes.crawl(topic="building libraries from the web", web="demo", into=library, pages=120,
                  seeds=["http://www.pinakes.example/", "http://cs.northlake.example/"])  # fmt: skip
    beside = pinakes.panorama(PAPER, into=library, web="demo", pages=100, new=True)
    alone = pinakes.panorama(PAPER, into=tmp_path / "alone", web="demo", pages=100)
    assert beside.map == alone.map
    assert beside.map.analysed + beside.map.dropped <= beside.crawl.pages == 100
    assert f"{beside.map.analysed} of them on the map; left off it: the {beside.map.dropped}" in beside.in_words


def test_the_map_can_be_drawn_anew(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another number of communities, nothing fetched; `auto` says what it weighed."""
    code, _, three = run(capsys, "panorama", "--into", whole, "--k", "3", "--json")
    assert code == 0 and len(three["communities"]) == 3 and three["pages"] == 150
    code, _, plain = run(capsys, "panorama", "--into", whole, "--k", "3", "--plain-hits", "--json")
    assert [one["pages"] for one in plain["communities"]] == [one["pages"] for one in three["communities"]]
    assert [one["hubs"] for one in plain["communities"]] != [one["hubs"] for one in three["communities"]]
    code, _, chosen = run(capsys, "panorama", "--into", whole, "--k", "auto", "--worst", "0", "--json")
    assert code == 0 and len(chosen["clarity"]) > 1
    assert str(len(chosen["communities"])) == max(chosen["clarity"], key=chosen["clarity"].get)


def test_a_killed_panorama_resumes_to_the_same_map(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """kill -9 in the middle of the crawl, `pinakes resume`: the same map, the paper's facts in the report."""
    library = tmp_path / "killed"
    options = ["--web", "demo", "--pages", "150", "--k", "4", "--into", str(library)]
    command = [sys.executable, "-m", "pinakes", "panorama", PAPER, *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if (library / "catalogue.db").exists() and _pages(library) > 20:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (library / "reports" / "panorama-0001.html").unlink(missing_ok=True)
    code, _, found = run(capsys, "resume", library, "--json")
    assert code == 0 and found["pages"] == 150 and found["titles_found"] == 15
    _, _, expected = run(capsys, "panorama", "--into", whole, "--k", "4", "--json")
    assert mapped(found) == mapped(expected)
    text = Path(found["report"]).read_text()
    assert pinakes.paper(PAPER, web="demo").title in text and "15 of 15" in text


def test_a_map_that_was_not_drawn_is_drawn_on_resume(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The crawl had ended, the report was not there yet."""
    report = whole / "reports" / "panorama-0001.html"
    assert "map" not in run(capsys, "status", whole)[1]
    report.unlink(missing_ok=True)
    assert "its map is still to be made, by `pinakes resume" in run(capsys, "status", whole)[1]
    assert pinakes.status(whole).crawls[-1].lacks == "map"
    assert pinakes.resume(whole).pages == 150 and report.exists()
    report.unlink()
    code, _, found = run(capsys, "resume", whole, "--json")
    assert code == 0 and report.exists() and len(found["communities"]) == 4
    code, said, _ = run(capsys, "resume", whole)
    assert code == 1 and "is finished" in said


def test_too_few_references_are_told_and_the_authors_asked(tmp_path: Path) -> None:
    """Two titles, one of which nobody names: the text of the list itself is one more example."""
    titles = tmp_path / "list.txt"
    titles.write_text("A reading list on building libraries from the web\nA title that stands nowhere at all\n")
    result = panorama(PanoramaOptions((str(titles),), tmp_path / "library", web="demo", pages=20, k=2))
    notes = " ".join(result.sources.notes)
    assert "Only 2 references could be read" in notes and "own text is one more" in notes
    assert [bool(asked.urls) for asked in result.sources.asked] == [True, False]
    assert result.sources.positives == 2


def test_several_papers_and_unrelated_ones(tmp_path: Path) -> None:
    """What two papers cite is asked once and counts twice; unrelated papers give the negatives."""
    shared, other = tmp_path / "shared.txt", tmp_path / "other.txt"
    cited = pinakes.paper(PAPER, web="demo").references
    shared.write_text("\n".join(reference.title for reference in cited[:9]))
    other.write_text("Comets\nThe barn owl\n")
    options = PanoramaOptions(
        (PAPER, str(shared)), tmp_path / "library", web="demo", pages=20, k=2, others=(str(other),)
    )  # fmt: skip
    result = panorama(options)
    weights = {asked.query.text: asked.query.weight for asked in result.sources.asked}
    assert len(result.sources.asked) == 15 and weights[cited[0].title] == 2 and weights[cited[-1].title] == 1
    # Two titles are named by too few pages: others make up the number.
    assert "name the unrelated papers or their references; others are added" in result.sources.notes[-1]
    assert result.sources.negatives >= 2 * result.sources.positives


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["demo:paper.pdf", "--k", "0"], "--k 0 is no number of communities"),
        (["demo:paper.pdf", "--k", "few"], "neither a number of communities nor auto"),
        (["demo:paper.pdf", "--query", "editors"], "--query editors is neither authors nor keywords"),
        (["demo:paper.pdf", "--scholarly", "scholar"], "--scholarly scholar is none of semantic-scholar, openalex"),
        (["demo:paper.pdf", "--scholarly", "arxiv"], "leave it out with a recorded one"),
        (["nowhere.pdf"], "nowhere.pdf cannot be read"),
        ([], "which paper"),
        (["demo:paper.pdf", "--evaluate"], "give --out DIR"),
    ],
)
def test_mistakes_are_told(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, _ = run(capsys, "panorama", *arguments, "--web", "demo", "--into", tmp_path / "library")
    assert code == 1 and sentence in said and not (tmp_path / "library").exists()


def test_a_paper_that_cannot_be_read_ends_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is begun: no library is made."""
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(demo.path("paper.pdf").read_bytes()[:4000])
    code, said, _ = run(capsys, "panorama", cut, "--web", "demo", "--into", tmp_path / "library")
    assert code == 1 and "is cut short" in said and len(said.splitlines()) == 1 and not (tmp_path / "library").exists()


def test_papers_are_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the references guide, all judge; a list that is too short is left out; figures and curves are written."""
    cited = [reference.title for reference in pinakes.paper(PAPER, web="demo").references]
    lists = {"odd": cited[::2] + cited[1:4:2], "even": cited[1::2] + cited[0:4:2], "short": cited[:3]}
    files = [tmp_path / f"{name}.txt" for name in lists]
    for file, titles in zip(files, lists.values(), strict=True):
        file.write_text("\n".join(titles))
    out = tmp_path / "out"
    code, said, found = run(
        capsys, "panorama", *files, "--evaluate", "--web", "demo", "--pages", "40", "--out", out, "--json"
    )  # fmt: skip
    assert code == 0 and "short.txt: it has 3 references" in said and len(found["papers"]) == 2
    assert all(one["guiding"] <= one["judging"] for one in found["papers"])
    assert set(found["harvest"]) == {"naive-bayes", "breadth-first"}
    assert all(0 <= rate <= 1 for curve in found["harvest"].values() for rate in curve["mean"])
    assert found["tests"][-1]["n"] == 2 and found["at"][-1] == 40
    assert "Significance" in (out / "report.html").read_text()
    assert json.loads((out / "results.json").read_text())["pages"] == 40


def test_nothing_to_go_by(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    titles = tmp_path / "list.txt"
    titles.write_text("zzyzx qwertz uiop\n")
    code, said, _ = run(capsys, "panorama", titles, "--web", "demo", "--into", tmp_path / "library")
    assert code == 1 and "nowhere to start" in said and len(said.splitlines()) <= 4


def test_a_notebook_shows_the_communities(tmp_path: Path) -> None:
    result = pinakes.panorama(PAPER, into=tmp_path / "library", web="demo", pages=20, k=2)
    assert result.map.communities[0].label[0] in result._repr_html_()
    assert (
        result.map.analysed + result.map.dropped <= 20
        and (tmp_path / "library" / "reports" / "panorama-0001.svg").exists()
    )


def _pages(library: Path) -> int:
    try:
        connection = sqlite3.connect(f"file:{library / 'catalogue.db'}?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM visits").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:
        return 0
