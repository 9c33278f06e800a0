"""A library in PostgreSQL in the browser: a crawl of many workers, watched and steered."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pinakes.jobs.collect import CollectOptions, collect
from pinakes.jobs.webs import open_frozen
from pinakes.library.desk import library_path
from pinakes.library.fulltext import FullText
from pinakes.library.library import Library
from pinakes.serve.keeper import keep_up
from pinakes.web.serve import serving

SEED = "http://www.pinakes.example/"


def until(true: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What becomes true at last."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.2)
    raise AssertionError(f"it did not come to be in {seconds:.0f} s")


def brought(crawl: Any) -> list[int]:
    """The pages of a crawl, and what each of its workers brought."""
    return [crawl["pages"], *(worker["pages"] for worker in crawl["workers"])]


PAGES = (
    "/", "/search?q=owl", "/search?q=owl+site:www.aviary.example", "/collections", "/crawls", "/crawls/1",
    "/crawls/1/live", "/crawls/1/dropped", "/maps", "/harvests", "/evaluations", "/start", "/start/crawl", "/metrics",
    "/pages/1", "/pages/1/why", "/copy/1", "/page/why?url=http://nowhere.example/", "/oai?verb=Identify",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc", "/export?format=csv", "/export?format=bibtex", "/openapi.json",
    "/api/library", "/api/collections", "/api/crawls", "/api/pages/1", "/api/search?q=owl",
    *(f"/collection?name=Comets&sort={order}" for order in ("merit", "date", "title", "host")),
    "/collection?name=Comets&text=comet&host=www.nightsky.example&language=en",
)  # fmt: skip


def test_every_page_is_there(
    postgres: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Any]
) -> None:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))
    folder = library_path(postgres.create("paged"))
    collect(CollectOptions(Path("demo:topics.toml"), folder, web="demo", pages=40))
    keep_up(folder, FullText(folder))
    with serve(folder) as served:
        answers = {path: served.get(path) for path in PAGES}
        assert {path: answer.status for path, answer in answers.items() if answer.status != 200} == {}
        found = answers["/collection?name=Comets&sort=title"].body
        assert "Comets" in found and "its recipe cannot be read" not in answers["/crawls/1"].body
        assert served.post("/label", collection="Comets", url="http://www.nightsky.example/", good="yes").status < 500


def test_workers_are_seen_at_work_and_the_crawl_is_steered(
    postgres: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Any]
) -> None:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))
    address = postgres.create("served")
    folder = library_path(address)
    Library(folder, write=True, create=True, archive=str(tmp_path / "archive")).close()
    command = [sys.executable, "-m", "pinakes"]
    with serving(open_frozen("demo", records=False), https=False) as web, serve(folder) as served:

        def crawl() -> Any:
            answer = served.get("/api/crawls/1")
            return msgspec.json.decode(answer.body) if answer.status == 200 else {}

        options = [*web.options, "--delay", "0.5", "--contact", "tests@example.org", "--processes", "1"]
        begun = [*command, "crawl", "--into", address, "--topic", "owls and other birds of prey", "--seed", SEED,
                 "--pages", "400", *options]  # fmt: skip
        jobs = [subprocess.Popen(begun, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        try:
            until(lambda: crawl().get("state") == "running")
            jobs.append(subprocess.Popen([*command, "work", address], stdout=subprocess.DEVNULL))
            until(lambda: len(crawl()["workers"]) == 2 and crawl()["pages"] >= 5)
            seen = crawl()
            assert sorted(worker["decides"] for worker in seen["workers"]) == [False, True]
            assert seen["strategy"] == "evidence" and seen["topics"] == ["owls and other birds of prey"]
            states = until(lambda: {host["state"] for host in crawl()["hosts"]} & {"resting", "being asked"})
            assert states and any(host["pause"] for host in crawl()["hosts"])
            shown = served.get("/crawls/1").body
            assert "<h2>Workers</h2>" in shown and "decides and fetches" in shown
            assert served.post("/crawls/1/steer", do="pause").status == 303
            until(lambda: crawl()["state"] == "paused")
            time.sleep(1.5)  # what was under way comes home, and nothing more is asked for by anyone
            paused = brought(crawl())
            time.sleep(2.5)
            assert brought(crawl()) == paused
            served.post("/crawls/1/steer", do="budget", pages="7")
            assert crawl()["budget"] == 7
            served.post("/crawls/1/steer", do="continue")
            until(lambda: crawl()["state"] == "finished")
            assert crawl()["stopped"] == "budget" and crawl()["workers"] == []
        finally:
            for job in jobs:
                job.terminate()
            for job in jobs:
                job.wait(30)
