"""Harvesting on the demo web: the list, homepages, the crawl, what was found and why not, correcting, resuming."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import pinakes
from pinakes import demo
from pinakes.cli import main
from pinakes.core.errors import PinakesError
from pinakes.core.page import Link
from pinakes.jobs.harvest.corrections import read_known
from pinakes.jobs.harvest.places import harvest_scope, places_of
from pinakes.jobs.harvest.sources import read_file
from pinakes.web.scope import Scope

TRUTH: dict[str, Any] = json.loads(demo.path("truth.json").read_text())
VENUE = ("--metadata", "demo:venue.jsonl", "--web", "demo")
SITE = ("--venue-site", "http://www.webshelf.example/")


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[Any, str, Any]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return ended.value.code, out + err, json.loads(out.splitlines()[-1]) if "--json" in arguments else None


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    library = tmp_path_factory.mktemp("harvest") / "library"
    command = [sys.executable, "-m", "pinakes", "harvest", *VENUE, *SITE, "--into", str(library), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return library, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("page", ["README.md", "docs/manual/harvest.md"])
def test_the_command_that_the_docs_show_is_the_one_tried_here(page: str) -> None:
    """So that a reader sees what these tests see: two papers that cannot be found, and why."""
    lines = (Path(__file__).parents[2] / page).read_text().splitlines()
    shown = next(line for line in lines if line.startswith("pinakes harvest "))
    assert shown.split()[2:-1] == [*VENUE, *SITE, "--into"]


def test_every_paper_of_the_demo_that_is_there_is_found(harvested: tuple[Path, dict[str, Any]]) -> None:
    """Each at exactly its addresses, and the two that are nowhere with the true reason."""
    _, result = harvested
    papers = {paper["id"]: paper for paper in result["papers"]}
    assert papers.keys() == TRUTH["papers"].keys()
    for number, truth in TRUTH["papers"].items():
        found = papers[number]
        copies = [copy["url"] for copy in found["copies"] if copy["status"] == "found"]
        assert sorted(copies) == sorted(truth["urls"]), found["title"]
        assert found["status"] == ("found" if truth["urls"] else "missing")
        if truth["reason"]:
            assert found["why"] == truth["reason"]
    missing = [paper for paper in result["papers"] if paper["status"] == "missing"]
    assert len(missing) == 2 and result["recall"]["found"] == 22
    assert result["recall"]["recall_missing"] == pytest.approx(22 / 24)


def test_homepages_and_places(harvested: tuple[Path, dict[str, Any]]) -> None:
    _, result = harvested
    homes = {person["name"]: person["homepage"] for person in TRUTH["people"]}
    assert result["homepages"] and all(homes[one["name"]] == one["url"] for one in result["homepages"])
    assert {one["name"] for one in result["homepages"]} | set(result["without_homepage"]) <= set(homes)
    on = sum(p["on_homepages"] and not p["at_venue_site"] and bool(p["urls"]) for p in TRUTH["papers"].values())
    at = sum(p["at_venue_site"] and not p["on_homepages"] for p in TRUTH["papers"].values())
    both = sum(p["at_venue_site"] and p["on_homepages"] for p in TRUTH["papers"].values())
    assert (result["places"]["on homepages"], result["places"]["venue site"], result["places"]["both"]) == (
        on,
        at,
        both,
    )


def test_reports(harvested: tuple[Path, dict[str, Any]]) -> None:
    library, result = harvested
    page = (library / "reports" / "harvest.html").read_text()
    assert "<script src" not in page and "Union Catalogues Without a Union" in page and "link dead" in page
    with (library / "reports" / "papers.csv").open() as file:
        papers = {row["id"]: row for row in csv.DictReader(file)}
    assert len(papers) == 24
    for number, truth in TRUTH["papers"].items():
        both = truth["on_homepages"] and truth["at_venue_site"]
        place = "both" if both else "homepage" if truth["on_homepages"] else "venue site" if truth["urls"] else ""
        assert papers[number]["place"] == place and papers[number]["form"] == ("paper" if place else "")
    with (library / "reports" / "years.csv").open() as file:
        years = list(csv.DictReader(file))
    assert [row["year"] for row in years] == ["2001", "2002", "2003", "2004", "all"]
    assert int(years[-1]["no homepage"]) == len(result["without_homepage"])
    for place in ("homepage", "venue site", "both"):
        assert sum(int(row[place]) for row in years[:-1]) == int(years[-1][place])
    with (library / "reports" / "homepages.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(row["kept"] == "yes" for row in rows) == len(result["homepages"])
    assert all(row["rule"] for row in rows) and any("co-author" in row["rule"] for row in rows)
    assert {row["name"] for row in rows} == {one["name"] for one in result["homepages"]} | {*result["without_homepage"]}


def test_recall_of_homepages_stands_beside_that_of_all(harvested: tuple[Path, dict[str, Any]]) -> None:
    """Where papers were found and who has no homepage is told year by year, and the years add up."""
    _, result = harvested
    on = sum(paper["on_homepages"] for paper in TRUTH["papers"].values())
    recall, years = result["recall"], result["years"]
    assert recall["recall_homepages"] == pytest.approx(on / 24) and recall["recall_homepages"] < recall["recall_all"]
    assert recall["recall_all"] == recall["recall_missing"] == pytest.approx(22 / 24)
    for place, number in recall["places"].items():
        assert sum(year["places"][place] for year in years) == number
    assert recall["without_homepage"] == len(result["without_homepage"]) > 0
    lost = {
        paper["year"] for paper in result["papers"] for name in paper["authors"] if name in result["without_homepage"]
    }
    assert {year["year"] for year in years if year["without_homepage"]} == lost


def test_recall_of_all_counts_what_is_held(
    harvested: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holdings = tmp_path / "held.bib"
    holdings.write_text("@misc{a, title={Union Catalogues Without a Union}, author={Sorrel, Marek}, year=2001}")
    arguments = ("--years", "2001", "--holdings", holdings, "--into", tmp_path / "library", "--json")
    _, _, result = run(capsys, "harvest", *VENUE, *arguments)
    assert result["recall"]["held"] == 1 and result["recall"]["recall_all"] == result["recall"]["recall_missing"] == 1.0
    assert result["recall"]["without_homepage"] + result["recall"]["with_homepage"] < result["recall"]["authors"]


def test_the_list_with_holdings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two are held, one of them misspelt; a third of the same title by others is not."""
    holdings = tmp_path / "held.bib"
    holdings.write_text(
        "@inproceedings{a, title={Tunneling Through Dull Pages}, author={Fenner, Lucia}, year=2002}\n"
        "@inproceedings{b, title={What Anchor Text Promises}, author={Ilse Marten}, year=2002}\n"
        "@inproceedings{c, title={Spherical Clusters of Web Pages}, author={Other, Ann}, year=2002}\n"
    )
    code, out, result = run(capsys, "harvest", *VENUE, "--holdings", holdings, "--list", "--json")
    held = {paper["title"]: paper["detail"] for paper in result["papers"] if paper["status"] == "held"}
    assert code == 0 and held.keys() == {"Tunnelling Through Dull Pages", "What Anchor Text Promises"}
    assert "spelling" in held["Tunnelling Through Dull Pages"]
    assert sum(year["held"] for year in result["years"]) == 2 and "missing" in out
    assert [year["papers"] for year in result["years"]] == [6, 6, 6, 6]


def test_what_is_nearly_held_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    holdings = tmp_path / "held.bib"
    holdings.write_text(
        "@misc{a, title={Tunnelling Through Bright Pages}, author={Fenner, Lucia}, year=2002}\n"
        "@misc{b, title={What Anchor Text Promises}, author={Other, Ann}, year=2001}\n"
        "@misc{c, title={Damping and Patience: PageRank on 2 Thousand Pages}, author={Anna Lindqvist}, year=2003}\n"
    )
    _, out, result = run(capsys, "harvest", *VENUE, "--holdings", holdings, "--list", "--json")
    near = {paper["title"]: paper["nearest"] for paper in result["papers"] if paper["nearest"]}
    assert near.keys() == {
        "Tunnelling Through Dull Pages",
        "What Anchor Text Promises",
        "Damping and Patience: PageRank on a Thousand Pages",
    }
    assert near["Tunnelling Through Dull Pages"]["title"] == "Tunnelling Through Bright Pages"
    assert near["Tunnelling Through Dull Pages"]["why"].startswith("another title: “dull” and “bright”")
    assert near["What Anchor Text Promises"]["why"] == "the same title, but no author is shared"
    assert "other numbers (none and 2)" in near["Damping and Patience: PageRank on a Thousand Pages"]["why"]
    assert "a holding is near" in out and all(paper["status"] == "missing" for paper in result["papers"])


@pytest.mark.parametrize(
    ("name", "text"),
    [("h.bib", ""), ("h.bib", "% nothing yet\n"), ("h.csv", "Title;Author;Year\n"), ("h.json", "[]"), ("h.jsonl", "")],
)
def test_an_empty_file_of_holdings_means_that_nothing_is_held(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    code, out, result = run(capsys, "harvest", *VENUE, "--holdings", tmp_path / name, "--list", "--json")
    assert code == 0 and "nothing is held there" in out and not any(year["held"] for year in result["years"])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("h.bib", "This is a letter.", "names no papers; --holdings wants"),
        ("h.csv", "what;else\n1;2\n", "no column is called Title"),
        ("h.jsonl", "<html>", "not JSON"),
        ("", "", "a library's folder, or a repository's OAI-PMH address, zotero:users/ID"),
    ],
)
def test_bad_holdings_are_refused_with_what_would_do(
    name: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / (name or "other")).write_text(text)
    code, out, _ = run(capsys, "harvest", *VENUE, "--holdings", tmp_path / (name or "nowhere.bib"), "--list")
    assert code == 1 and said in out


def test_venue_and_years_choose(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, result = run(capsys, "harvest", *VENUE, "--venue", "webshelf", "--years", "2002-2003", "--list", "--json")
    assert {paper["year"] for paper in result["papers"]} == {2002, 2003} and len(result["papers"]) == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--metadata", "demo:venue.jsonl", "--list"), "add --web demo"),
        (("--metadata", "nowhere.bib", "--list"), "neither a file nor a library"),
        ((*VENUE, "--venue", "VLDB", "--list"), "names no papers of VLDB; it has venues such as WebShelf"),
        ((*VENUE, "--years", "soon", "--list"), "write it like 1998-2004"),
        (VENUE, "give --into LIBRARY, or --list"),
        ((*VENUE, "--into", "x", "--homepages", "nowhere.csv"), "cannot be read"),
        ((*VENUE, "--into", "x", "--venue-site", "::"), "is not a web address"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "harvest", *arguments)
    assert code == 1 and said in out and len(out.strip().splitlines()) == 1


def test_corrected_homepages_are_believed(
    harvested: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One is struck out, one is put in the place of nothing; nobody is searched for."""
    library, _ = harvested
    with (library / "reports" / "homepages.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["name"] == "Tomas Ridgeway":
            row["kept"] = "no"
    rows.append({**rows[0], "name": "Ruth Ambleside", "homepage": "http://www.webshelf.example/2002/", "kept": "yes"})
    corrected = tmp_path / "corrected.csv"
    with corrected.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    said = read_known(corrected).of(["Tomas Ridgeway", "Ruth Ambleside"])
    assert "Tomas Ridgeway" in said.refused and "Tomas Ridgeway" not in said.homepages
    arguments = ("--homepages", corrected, "--no-search", "--into", tmp_path / "library", "--json", "--years", "2002")
    _, _, result = run(capsys, "harvest", *VENUE, *arguments)
    homes = {one["name"]: one["url"] for one in result["homepages"]}
    assert homes["Ruth Ambleside"] == "http://www.webshelf.example/2002/" and "Tomas Ridgeway" not in homes
    assert result["searches"] == 0


def test_killed_and_resumed(harvested: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: Any) -> None:
    """Killed while it crawls, it is taken up, matches, and ends as if nothing had been."""
    library = tmp_path / "library"
    command = [sys.executable, "-m", "pinakes", "harvest", *VENUE, *SITE, "--into", str(library)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120.0
    while _visits(library) < 5 and child.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    if child.wait() != -signal.SIGKILL:
        pytest.skip("it had ended before it could be killed")
    with pytest.raises(SystemExit):
        main(["resume", str(library), "--json"])
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {(p["id"], p["status"], tuple(sorted(p["urls"]))) for p in result["papers"]} == {
        (p["id"], p["status"], tuple(sorted(p["urls"]))) for p in harvested[1]["papers"]
    }
    assert result["pages"] == harvested[1]["pages"]


def _visits(library: Path) -> int:
    try:
        with sqlite3.connect(f"file:{library / 'catalogue.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM visits").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_killed_before_its_documents_were_matched(
    harvested: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: Any
) -> None:
    """`status` tells that the report is still to come, and Python makes it as the command line does."""
    library = tmp_path / "library"
    shutil.copytree(harvested[0], library)
    with sqlite3.connect(library / "catalogue.db") as connection:
        connection.execute("DELETE FROM harvest_papers")
        connection.execute("DELETE FROM harvest_copies")
    with pytest.raises(SystemExit):
        main(["status", str(library)])
    assert "its report is still to be made, by `pinakes resume" in capsys.readouterr().out
    assert pinakes.resume(library).pages == harvested[1]["pages"]
    assert pinakes.status(library).crawls[-1].lacks == ""


def test_a_library_is_a_holding(harvested: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    """What one harvest found, the next does not miss."""
    library, _ = harvested
    _, _, result = run(capsys, "harvest", *VENUE, "--holdings", library, "--list", "--json")
    assert sum(paper["status"] == "held" for paper in result["papers"]) == 22


def test_scope_of_homepages() -> None:
    assert places_of("http://cs.uni.example/~berg/index.html") == ("cs.uni.example/~berg", "www.cs.uni.example/~berg")
    assert places_of("https://annaberg.org/about.html") == ("http://annaberg.org", "http://www.annaberg.org")
    assert places_of("https://cs.uni.example/~berg/", "domain") == ("uni.example",)
    assert places_of("https://www.inf.uni.ac.uk/~berg/", "domain") == ("uni.ac.uk",)
    assert places_of("http://uni.example/staff-web/berg/", name="Anna Berg")[0] == "uni.example/staff-web/berg"
    assert places_of("http://annaberg.org/berg/", name="Anna Berg")[0] == "http://annaberg.org"
    scope = harvest_scope(
        Scope(), {"Anna Berg": "http://cs.uni.example/~berg/"}, ["http://shelf.example/2001/"], "auto"
    )
    home = "http://cs.uni.example/~berg/papers.html"

    def refused(url: str, anchor: str = "", parent: str = home) -> str:
        return scope.rule(Link(url, anchor, parent=parent))

    assert not refused("http://cs.uni.example/~berg/pubs/2001.html")
    assert refused("http://cs.uni.example/~holm/") == "allow"
    assert not refused("http://shelf.example/2001/program.html") and refused("http://shelf.example/2002/") == "allow"
    assert not refused("http://far.example/x/paper.pdf") and not refused("http://far.example/paper.ps.gz")
    assert not refused("http://far.example/download?id=7", "[pdf]") and not refused("https://arxiv.org/pdf/2301.00001")
    assert refused("http://far.example/other", "PDF", parent="http://far.example/download?id=7") == "allow"
    assert refused("http://far.example/", "my friend Tom") == "allow"
    assert refused("http://sci-hub.example/paper.pdf") == "pattern"
    assert refused("http://cs.uni.example/~berg/me.jpg") == "type"


def test_a_dump_that_is_too_small_is_refused(tmp_path: Path) -> None:
    record = (
        "<inproceedings key='conf/x/A1'><author>A B</author><title>T.</title><booktitle>X</booktitle></inproceedings>"
    )
    for name in ("dblp.xml", "extract.xml"):
        (tmp_path / name).write_text(f"<dblp>{record}</dblp>")
    with pytest.raises(PinakesError, match="only 1 record where dblp has millions"):
        read_file(str(tmp_path / "dblp.xml"), "live")
    assert read_file(str(tmp_path / "extract.xml"), "live").records[0].title == "T"
    (tmp_path / "dblp.xml.gz").write_bytes(b"<!doctype html><html><title>Making sure you're not a bot!</title>")
    with pytest.raises(PinakesError, match="prove they are human"):
        read_file(str(tmp_path / "dblp.xml.gz"), "live")


def test_killed_while_it_matched(harvested: tuple[Path, dict[str, Any]], tmp_path: Path, capsys: Any) -> None:
    """The crawl is finished and nothing was kept of what it found: resume matches."""
    library = tmp_path / "library"
    shutil.copytree(harvested[0], library)
    with sqlite3.connect(library / "catalogue.db") as connection:
        connection.execute("DELETE FROM harvest_papers")
        connection.execute("DELETE FROM harvest_copies")
    code, _, result = run(capsys, "resume", library, "--json")
    assert code == 0 and result["recall"]["found"] == 22 and result["pages"] == harvested[1]["pages"]
    code, out, _ = run(capsys, "resume", library)
    assert code == 1 and "is finished" in out


def test_a_dead_homepage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    homes = tmp_path / "homes.csv"
    homes.write_text("name,homepage\nMarek Sorrel,http://cs.northlake.example/~garrow/\n")
    arguments = ("--homepages", homes, "--no-search", "--years", "2001", "--into", tmp_path / "library", "--json")
    code, out, result = run(capsys, "harvest", *VENUE, *arguments)
    assert code == 1 and "No page could be fetched: There is no such page." in out
    why = {paper["title"]: paper["why"] for paper in result["papers"]}
    assert why["Union Catalogues Without a Union"] == "homepage dead"
    assert set(why.values()) == {"homepage dead", "no homepage"}
