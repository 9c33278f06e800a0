"""Collecting on the demo web: centroids, one crawl, ranked collections; dropped topics, dry runs, adding, resuming."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pinakes
from pinakes import demo
from pinakes.cli import main
from pinakes.core.errors import PinakesError
from pinakes.jobs.collect import CollectOptions, CollectResult, Plan, collect, collections_of, uncollected
from pinakes.judges.registry import make_judge
from pinakes.library.library import Library
from pinakes.web.http import LiveOptions

TRUTH: dict[str, dict[str, Any]] = {
    topic["name"]: topic for topic in map(json.loads, demo.path("topics.jsonl").read_text().splitlines())
}
SMALL = """
seeds = ["http://www.pinakes.example/"]
pages = 60
[[topic]]
name = "Comets"
examples = ["http://www.nightsky.example/comets/halley.html", "http://www.nightsky.example/comets/tails.html"]
[[topic]]
name = "Weaving"
parent = "Crafts"
examples = ["http://www.loomroom.example/weaves/twill.html", "http://www.loomroom.example/looms/floor.html"]
"""


def topics(folder: Path, text: str = SMALL) -> Path:
    path = folder / "topics.toml"
    path.write_text(text)
    return path


def collected(options: CollectOptions) -> CollectResult:
    result = collect(options)
    assert isinstance(result, CollectResult)
    return result


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[Any, str, Any]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return ended.value.code, out + err, json.loads(out.splitlines()[-1]) if "--json" in arguments else None


def test_the_demo_collects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every topic of the demo's hierarchy gets a collection, most of it rightly, written down in four forms."""
    library = tmp_path / "library"
    code, said, found = run(capsys, "collect", "demo:topics.toml", "--web", "demo", "--into", library, "--json")
    assert code == 0 and "8 centroids, of 34 pages" in said and "Comets: comet" in said
    assert found["stopped"] == "budget" and found["pages"] == 250
    assert list(found["collections"]) == list(TRUTH)
    precision = []
    for name, entries in found["collections"].items():
        merits = [entry["merit"] for entry in entries]
        assert entries and merits == sorted(merits, reverse=True) and max(merits) <= 1
        urls = [entry["url"] for entry in entries]
        assert not set(urls) & set(TRUTH[name]["examples"]) and len(set(urls)) == len(urls)
        precision.append(sum(url in TRUTH[name]["relevant"] for url in urls[:10]) / 10)
    assert sum(precision) / len(precision) >= 0.5
    entry = found["collections"]["Comets"][0]
    paths = [entry["path"] for entries in found["collections"].values() for entry in entries]
    assert any(path[0] == "http://www.pinakes.example/" and len(path) > 2 for path in paths)
    assert entry["path"][-1] == entry["url"]
    assert "comet" in entry["snippet"].lower() and entry["language"] == "en" and len(entry["date"]) == 10
    written = sorted(path.name for path in (library / "reports").glob("collections.*"))
    assert written == ["collections.csv", "collections.html", "collections.json", "collections.md"]
    assert [one.name for one in collections_of(library)] == list(TRUTH)


@pytest.mark.parametrize("judge", ["", "centroids"])
def test_the_threshold_is_calibrated_by_the_examples(tmp_path: Path, judge: str) -> None:
    """`threshold=auto` unless told, whichever judge goes by it; the crawl's nuggets are counted by it."""
    options = CollectOptions(
        topics=topics(tmp_path), into=tmp_path / "library", web="demo", judge=judge, strategy="cutoff", pages=5
    )
    crawled = collected(options).crawl
    with Library(options.into or Path()) as library:
        recipe = library.recipe(library.crawls()[-1])
    assert [len(pages) for pages in recipe.brief.examples.values()] == [2, 2]
    calibrated = make_judge(recipe.judge, recipe.brief, {"threshold": "auto"})
    assert crawled.threshold == calibrated.threshold not in (0.35, 0.5, 0.15, 0.08)
    assert recipe.judge == (judge or "contrast")
    assert all(calibrated.judge(page).nugget for pages in recipe.brief.examples.values() for page in pages)
    told = replace(options, into=tmp_path / "other", parameters={"threshold": "0.2"})
    assert collected(told).crawl.threshold == 0.2


def test_a_dry_run_crawls_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, found = run(capsys, "collect", topics(tmp_path), "--web", "demo", "--dry-run", "--json")
    assert code == 0 and "Comets: comet" in said
    assert found["stopped"] == "dry run" and found["setup"] == {"pages": 4, "searches": 0}
    assert "comet" in found["centroids"]["Comets"]["terms"]
    assert not (tmp_path / "library").exists()


def test_topics_without_examples_are_searched_for(tmp_path: Path) -> None:
    """The first hits make the centroid and are no seeds; a topic nobody writes about is dropped and says why."""
    text = 'seeds = ["http://www.pinakes.example/"]\npages = 40\n[[topic]]\nname = "Comets"\n'
    text += '[[topic]]\nname = "zzyzx"\nparent = "qwertz"\n'
    plan = collect(CollectOptions(topics(tmp_path, text), web="demo", dry_run=True))
    assert isinstance(plan, Plan)
    assert [view.name for view in plan.centroids] == ["Comets"] and 4 <= len(plan.centroids[0].pages) <= 7
    assert plan.setup["searches"] == 2 and plan.seeds == ("http://www.pinakes.example/",)
    assert "'zzyzx' is dropped: the search for 'qwertz zzyzx' has 0 hits" in plan.dropped[0]


def test_hits_are_seeds_when_asked_or_when_there_is_nothing_else(tmp_path: Path) -> None:
    alone = collect(CollectOptions(topics(tmp_path, '[[topic]]\nname = "Comets"'), web="demo", dry_run=True))
    assert isinstance(alone, Plan) and len(alone.seeds) == 7
    assert "starts from the search hits" in alone.notes[-1]
    text = 'seeds = ["http://www.pinakes.example/"]\n[[topic]]\nname = "Comets"'
    both = collect(CollectOptions(topics(tmp_path, text), web="demo", dry_run=True, seed_hits=True))
    assert isinstance(both, Plan) and len(both.seeds) == 8


def test_examples_are_the_start_where_no_seeds_are_given(tmp_path: Path) -> None:
    text = SMALL.replace('seeds = ["http://www.pinakes.example/"]', "")
    plan = collect(CollectOptions(topics(tmp_path, text), web="demo", dry_run=True))
    assert isinstance(plan, Plan) and len(plan.seeds) == 4


def test_topics_too_alike_and_examples_that_are_gone(tmp_path: Path) -> None:
    text = """
    [[topic]]
    name = "Sky"
    examples = ["http://www.nightsky.example/comets/halley.html", "http://www.loomroom.example/weaves/twill.html",
                "http://www.aviary.example/owls/tawny-owl.html", "http://www.nightsky.example/none.html"]
    [[topic]]
    name = "Comets"
    examples = ["http://www.nightsky.example/comets/tails.html", "http://www.nightsky.example/comets/oort-cloud.html"]
    [[topic]]
    name = "Weaving"
    examples = ["http://www.loomroom.example/weaves/ikat.html", "http://www.loomroom.example/looms/floor.html"]
    """
    plan = collect(CollectOptions(topics(tmp_path, text), web="demo", dry_run=True))
    assert isinstance(plan, Plan)
    assert any("'Sky' is too broad" in warning for warning in plan.warnings)
    assert any("none.html cannot be read (not-found)" in note for note in plan.notes)


def test_a_live_job_without_a_search_engine_says_the_fix(tmp_path: Path) -> None:
    with pytest.raises(PinakesError, match=r"add \[search.NAME\] to pinakes.toml"):
        options = CollectOptions(topics(tmp_path, '[[topic]]\nname = "Owls"'), tmp_path / "library")
        collect(replace(options, live=LiveOptions("me@example.org")))


def test_collections_respect_their_settings(tmp_path: Path) -> None:
    """Size, pages a host, and link lists below pages of text."""
    options = CollectOptions(topics(tmp_path), tmp_path / "a", web="demo", size=5, per_host=1)
    for one in collected(options).collections:
        hosts = [entry.url.split("/")[2] for entry in one.entries]
        assert len(one.entries) <= 5 and len(set(hosts)) == len(hosts)
    text = SMALL + '[strategy]\nname = "cutoff"\ncutoff = 3\n[collections]\nsize = 4\nexpository = false'
    plain = collected(CollectOptions(topics(tmp_path, text), tmp_path / "b", web="demo"))
    assert all(len(one.entries) <= 4 for one in plain.collections)
    assert all(entry.merit == entry.score for one in plain.collections for entry in one.entries)


def visited(library: Path) -> list[str]:
    with sqlite3.connect(library / "catalogue.db") as connection:
        return [row[0] for row in connection.execute("SELECT final FROM visits WHERE outcome != 'known' ORDER BY id")]


def test_collecting_again_adds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same topics: the crawl goes on. Another topic: another crawl, whose collections take in the old pages."""
    library = tmp_path / "library"
    first = collected(CollectOptions(topics(tmp_path), library, web="demo"))
    again = collected(CollectOptions(topics(tmp_path), library, web="demo"))
    assert (first.crawl.pages, again.crawl.pages, again.continued) == (60, 120, True)
    urls = visited(library)
    assert len(set(urls)) == len(urls)
    text = SMALL.replace("pages = 60", "pages = 10") + '[[topic]]\nname = "Lighthouses"\n'
    other = collected(CollectOptions(topics(tmp_path, text), library, web="demo"))
    assert not other.continued and other.crawl.crawl == 2 and other.crawl.pages == 10
    comets = {one.name: one for one in other.collections}["Comets"]
    assert {entry.crawl for entry in comets.entries} == {1, 2} or {entry.crawl for entry in comets.entries} == {1}
    assert len(comets.entries) >= len(first.collections[0].entries)


def test_killed_collecting_resumes_to_the_same_collections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """kill -9 in the middle of the crawl, `pinakes resume`: the same collections as without."""
    file = topics(tmp_path, SMALL.replace("pages = 60", "pages = 200"))
    whole = collected(CollectOptions(file, tmp_path / "whole", web="demo"))
    library = tmp_path / "killed"
    command = [sys.executable, "-m", "pinakes", "collect", file, "--web", "demo", "--into", library]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if (library / "catalogue.db").exists() and _pages(library) > 20:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    code, said, found = run(capsys, "resume", library, "--json")
    if code == 1:
        assert "is finished" in said  # it was too quick for us; then there is nothing to show
        return
    assert code == 0 and found["pages"] == 200
    assert {name: [entry["url"] for entry in entries] for name, entries in found["collections"].items()} == {
        one.name: [entry.url for entry in one.entries] for one in whole.collections
    }
    assert visited(library) == visited(tmp_path / "whole")


def _pages(library: Path) -> int:
    try:
        with sqlite3.connect(f"file:{library / 'catalogue.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT coalesce(max(pages), 0) FROM crawls").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_an_interrupted_crawl_is_resumed_first(tmp_path: Path) -> None:
    library = tmp_path / "library"
    options = CollectOptions(topics(tmp_path), library, web="demo", seconds=0.0)
    assert collected(options).crawl.stopped == "time"
    with pytest.raises(PinakesError, match="pinakes resume"):
        collect(options)


def _forget_collections(library: Path) -> None:
    with sqlite3.connect(library / "catalogue.db") as catalogue:
        catalogue.execute("DELETE FROM entries")
        catalogue.execute("DELETE FROM collections")


def test_killed_between_the_last_page_and_the_collections(tmp_path: Path) -> None:
    """The crawl has ended, its collections are not there: `resume` makes them, and then there is nothing to do."""
    (tmp_path / "topics.toml").write_text(SMALL)
    result = collect(CollectOptions(tmp_path / "topics.toml", tmp_path / "lib", web="demo"))
    assert isinstance(result, CollectResult)
    assert uncollected(tmp_path / "lib") is None
    _forget_collections(tmp_path / "lib")
    assert pinakes.status(tmp_path / "lib").crawls[-1].lacks == "collections"
    assert pinakes.resume(tmp_path / "lib").pages == result.crawl.pages
    assert pinakes.status(tmp_path / "lib").crawls[-1].lacks == ""
    _forget_collections(tmp_path / "lib")
    again = uncollected(tmp_path / "lib")
    assert again is not None
    assert [(one.name, one.entries) for one in again.collections] == [
        (one.name, one.entries) for one in result.collections
    ]
    assert uncollected(tmp_path / "lib") is None
