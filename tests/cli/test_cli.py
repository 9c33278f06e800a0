"""The command line as a person meets it: results, reasons, and one clear sentence for bad input."""

from __future__ import annotations

import fcntl
import json
import os
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
from pinakes.cli import COMMANDS, main
from pinakes.jobs.crawl import crawl as crawl_job
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.watching import steer
from pinakes.library.library import Library

FRONT = "http://www.pinakes.example/"
DOCS = Path(__file__).resolve().parents[2] / "docs" / "manual"


class Ran:
    """A command run in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> None:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        self.code = ended.value.code
        self.out, self.err = capsys.readouterr()

    @property
    def json(self) -> Any:
        return json.loads(self.out.splitlines()[-1])


def crawl(into: Path, *more: str | Path) -> list[str | Path]:
    return ["crawl", "--web", "demo", "--topic", "owls", "--seed", FRONT, "--into", into, "--pages", "40", *more]


def visited(library: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(library / "catalogue.db") as connection:
        return list(connection.execute("SELECT url, outcome FROM visits ORDER BY id"))


def test_help_imports_nothing_heavy() -> None:
    """`pinakes --help` answers at once because commands are imported when used."""
    code = (
        "import sys; from pinakes.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'turbohtml', 'rich', 'msgspec', 'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("raised", ["KeyboardInterrupt()", "RuntimeError('of a class') from KeyboardInterrupt()"])
def test_ctrl_c_while_the_command_line_loads_says_nothing(raised: str) -> None:
    """Exit 130 and no traceback, also where Python wraps it."""
    code = (
        "import runpy, sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'click': raise {raised}\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "runpy.run_module('pinakes', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_crawl_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Why it stopped, what it found, and the same as JSON."""
    ran = Ran(capsys, *crawl(tmp_path / "library", "--json"))
    assert ran.code == 0
    assert "Stopped: budget." in ran.out
    assert ran.json["pages"] == 40 and ran.json["stopped"] == "budget"
    assert ran.json["harvest_rate"] == ran.json["nuggets"] / 40 > 0
    assert sum(ran.json["outcomes"].values()) == len(visited(tmp_path / "library"))
    assert Path(ran.json["library"]) == tmp_path / "library"


def test_a_crawl_without_a_page_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a single page is no success; a page from an earlier run is. Collections say the same."""
    gone = ("--topic", "owls", "--seed", f"{FRONT}gone.html", "--strategy", "best-first")
    ran = Ran(capsys, "crawl", "--web", "demo", *gone, "--into", tmp_path / "none", "--json")
    assert ran.code == 1 and ran.json["outcomes"] == {"not-found": 1}
    assert "No page could be fetched: There is no such page." in ran.out
    assert Ran(capsys, "status", tmp_path / "none").code == 0
    ran = Ran(capsys, *crawl(tmp_path / "one", "--depth", "0", "--strategy", "best-first"))
    assert ran.code == 0 and "\n1 page in " in ran.out
    assert "one: 1 page of 1 host, " in Ran(capsys, "status", tmp_path / "one").out
    assert Ran(capsys, "resume", tmp_path / "one", "--pages", "5").code == 0
    (tmp_path / "topics.toml").write_text(
        f'seeds = ["{FRONT}gone.html"]\n[strategy]\nname = "best-first"\n[[topic]]\nname = "owls"\n'
    )
    ran = Ran(capsys, "collect", tmp_path / "topics.toml", "--web", "demo", "--into", tmp_path / "collected", "--json")
    assert ran.code == 1 and "or put others into the topics file." in ran.out and ran.json["pages"] == 0


@pytest.mark.parametrize("strategy", ["best-first", "breadth-first"])
def test_two_crawls_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str], strategy: str) -> None:
    """The same pages in the same order, into two libraries."""
    for name in "one", "two":
        Ran(capsys, *crawl(tmp_path / name, "--strategy", strategy))
    assert visited(tmp_path / "one") == visited(tmp_path / "two") != []


def test_a_finished_crawl_goes_on_with_a_larger_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And ends as one that had that budget from the beginning."""
    Ran(capsys, *crawl(tmp_path / "short", "--pages", "15"))
    assert "is finished" in Ran(capsys, "resume", tmp_path / "short").err
    assert Ran(capsys, "resume", tmp_path / "short", "--pages", "40").code == 0
    Ran(capsys, *crawl(tmp_path / "long"))
    assert visited(tmp_path / "short") == visited(tmp_path / "long")


def test_ctrl_c_is_resumable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 130, what was found is kept, and resume ends as a crawl that was left alone."""
    library, here = tmp_path / "library", str(Path(__file__).parent)
    arguments = crawl(library, "--pages", "5000", "--strategy", "slow_strategy:Slow")
    child = subprocess.Popen(
        [sys.executable, "-m", "pinakes", *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([here, *sys.path])},
    )
    wait_for_pages(library)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Stopped: interrupted." in out and "pinakes resume" in out
    assert "pinakes resume" in Ran(capsys, *crawl(library)).err
    monkeypatch.syspath_prepend(here)
    assert Ran(capsys, "resume", library).code == 0
    Ran(capsys, *crawl(tmp_path / "whole", "--pages", "5000", "--strategy", "breadth-first"))
    assert visited(library) == visited(tmp_path / "whole")


def wait_for_pages(library: Path) -> None:
    """Until a running crawl has committed something."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.05)
        if (library / "catalogue.db").exists() and visited(library):
            return
    pytest.fail("the crawl did not begin")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_full_disk_loses_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence; with more room the crawl goes on and ends as any other."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        arguments = crawl(disk / "library", "--pages", "5000", "--strategy", "breadth-first")
        full = Ran(capsys, *arguments)
        assert full.code == 1 and "The disk is full" in full.err
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        again = Ran(capsys, "resume", disk / "library")
        if "no crawl" in again.err:
            again = Ran(capsys, *arguments)
        assert again.code == 0, again.err
        Ran(capsys, *crawl(tmp_path / "whole", "--pages", "5000", "--strategy", "breadth-first"))
        assert visited(disk / "library") == visited(tmp_path / "whole")
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_status_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The library tells its state, the path of a page, and why another was not fetched."""
    library = tmp_path / "library"
    Ran(capsys, *crawl(library))
    status = Ran(capsys, "status", library, "--json")
    assert "40 pages" in status.out and "owls" in status.out
    assert status.json["crawls"][0]["stopped"] == "budget" and status.json["crawls"][0]["pages"] == 40
    last = [url for url, outcome in visited(library) if outcome == "ok"][-1]
    path = Ran(capsys, "why", library, last, "--json")
    steps = path.json["path"]
    assert steps[0]["depth"] == 0 and steps[-1]["url"] == last
    assert [step["depth"] for step in steps] == list(range(len(steps)))
    start = "a page that a search or back-links led to" if path.json["looked_up"] else "a seed"
    assert f"from {start}, in crawl 1" in path.out and path.json["looked_up"] == (steps[0]["url"] != FRONT)
    assert "Because: linked from" in path.out and " × " not in path.out and "price" not in path.out.splitlines()[2]
    assert "score" in path.out and path.json["features"]
    numbers = Ran(capsys, "why", library, last, "--numbers").out
    assert " × " in numbers and "distance" in numbers and "price" in numbers
    assert "It is a seed, in crawl 1" in Ran(capsys, "why", library, FRONT).out
    assert "No crawl of this library has met it" in Ran(capsys, "why", library, "http://nowhere.example/").out
    with sqlite3.connect(library / "catalogue.db") as connection:
        waiting = connection.execute("SELECT url FROM frontier_waiting LIMIT 1").fetchone()[0]
    assert "It waits at price" in Ran(capsys, "why", library, waiting).out


def test_a_web_is_built_from_a_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And crawled like any other: the pages of the first crawl, in the same order."""
    library, web = tmp_path / "library", tmp_path / "web.warc.gz"
    Ran(capsys, *crawl(library))
    assert Ran(capsys, "web", "build", library, web).code == 0
    assert Ran(capsys, "web", "info", web, "--json").json["pages"] == 40
    again = Ran(capsys, *crawl(tmp_path / "again", "--web", web))
    assert again.code == 0
    pages = [url for url, outcome in visited(library) if outcome == "ok"]
    assert [url for url, outcome in visited(tmp_path / "again") if outcome == "ok"][:40] == pages
    assert "exists already" in Ran(capsys, "web", "build", library, web).err


def test_a_built_web_keeps_the_rules_of_its_hosts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What robots.txt forbade is forbidden there too, not missing."""
    library, web = tmp_path / "library", tmp_path / "web.warc.gz"
    everything = ("--strategy", "breadth-first", "--pages", "5000")
    first = Ran(capsys, *crawl(library, *everything, "--json")).json["outcomes"]
    Ran(capsys, "web", "build", library, web)
    again = Ran(capsys, *crawl(tmp_path / "again", "--web", web, *everything, "--json")).json["outcomes"]
    assert again == first and first["robots"] == 3


def test_strategies_are_listed_with_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    """Paper, parameters and defaults."""
    listed = Ran(capsys, "strategies", "--json")
    assert listed.json["best-first"]["parameters"]["batch"] == 1
    assert "Menczer" in listed.out


def a_newer_library(folder: Path) -> Path:
    with pytest.raises(SystemExit):
        main([str(argument) for argument in crawl(folder / "newer", "--pages", "2")])
    with sqlite3.connect(folder / "newer" / "catalogue.db") as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
    return folder / "newer"


def a_broken_library(folder: Path) -> Path:
    (folder / "broken").mkdir()
    (folder / "broken" / "catalogue.db").write_bytes(b"this is no database" * 1000)
    return folder / "broken"


def a_full_folder(folder: Path) -> Path:
    (folder / "full").mkdir()
    (folder / "full" / "letter.txt").write_text("dear reader")
    return folder / "full"


def an_empty_file(folder: Path) -> Path:
    (folder / "empty.html").write_text("<html><body></body></html>")
    return folder / "empty.html"


def a_text_file(folder: Path) -> Path:
    (folder / "text.warc.gz").write_text("not a WARC at all\n" * 100)
    return folder / "text.warc.gz"


def a_blank_file(folder: Path) -> Path:
    (folder / "empty.jsonl").write_text("")
    return folder / "empty.jsonl"


def a_library(folder: Path) -> Path:
    pinakes.crawl(topic="owls", web="demo", seeds=[FRONT], into=folder / "library", pages=2)
    return folder / "library"


def test_seeds_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One a line, with blank lines and remarks, beside seeds that are typed; also for a topics file."""
    (tmp_path / "seeds.txt").write_text(f"\ufeff# where owls are\n\n{FRONT}  # the front\n{FRONT}gone.html#top\n")
    file = f"@{tmp_path / 'seeds.txt'}"
    ran = Ran(capsys, "crawl", "--web", "demo", "--seed", file, "--seed", f"{FRONT}typed.html", "--depth", "0",
              "--strategy", "breadth-first", "--into", tmp_path / "library")  # fmt: skip
    assert ran.code == 0
    assert [url for url, _ in visited(tmp_path / "library")] == [FRONT, f"{FRONT}gone.html", f"{FRONT}typed.html"]
    (tmp_path / "outline.txt").write_text("Owls\n")
    made = tmp_path / "made.toml"
    assert Ran(capsys, "topics", "import", tmp_path / "outline.txt", "--out", made, "--seed", file).code == 0
    assert f"{FRONT}gone.html" in made.read_text()


BAD = {
    "nothing to look for": (lambda at: ["crawl", "--web", "demo", "--into", at / "l"], "--topic"),
    "no library named": (lambda at: ["crawl", "--web", "demo", "--topic", "x"], "--into"),
    "a bad seed": (lambda at: crawl(at / "l", "--seed", "ftp://x.example/"), "ftp://x.example/"),
    "a bad example": (lambda at: crawl(at / "l", "--example", "http://nowhere.example/"), "nowhere.example"),
    "an unknown strategy": (lambda at: crawl(at / "l", "--strategy", "worst-first"), "best-first"),
    "an unknown parameter": (lambda at: crawl(at / "l", "--set", "speed=9"), "speed"),
    "a parameter of the wrong kind": (lambda at: crawl(at / "l", "--set", "batch=many"), "batch"),
    "a batch of nothing": (lambda at: crawl(at / "l", "--set", "batch=0", "--strategy", "best-first"), "batch=0"),
    "a limit below one": (lambda at: crawl(at / "l", "--set", "limit=-5"), "limit=-5"),
    "a threshold that is no number": (lambda at: crawl(at / "l", "--set", "threshold=abc"), "threshold"),
    "a threshold out of reach": (lambda at: crawl(at / "l", "--set", "threshold=7"), "threshold"),
    "a pause that is no number": (lambda at: crawl(at / "l", "--delay", "nan"), "--delay"),
    "a misspelt strategy": (lambda at: crawl(at / "l", "--strategy", "bestfirst"), "did you mean best-first?"),
    "a misspelt command": (lambda at: ["crwal"], "did you mean crawl?"),
    "an example without words": (lambda at: crawl(at / "l", "--example", an_empty_file(at)), "no words"),
    "a parameter without a value": (lambda at: crawl(at / "l", "--set", "batch"), "NAME=VALUE"),
    "a bad number": (lambda at: crawl(at / "l", "--pages", "0"), "'--pages': 0 will not do; give 1 or more."),
    "a number out of bounds": (lambda at: ["search", at, "x", "--limit", "1001"], "give from 0 to 1000"),
    "a misspelt parameter": (lambda at: crawl(at / "l", "--set", "treshold=0.2"), "did you mean threshold?"),
    "a contact that is no address": (
        lambda at: ["crawl", "--topic", "x", "--seed", FRONT, "--into", at / "l", "--contact", "notmail"],
        "notmail is not a mail address",
    ),
    "a missing example": (lambda at: crawl(at / "l", "--example", at / "gone.html"), "check its name"),
    "missing topics": (lambda at: ["collect", at / "gone.toml", "--web", "demo", "--into", at / "l"], "check its name"),
    "a missing paper": (
        lambda at: ["panorama", at / "gone.pdf", "--into", at / "l", "--web", "demo"],
        "check its name",
    ),
    "a list of no papers": (
        lambda at: ["harvest", "--metadata", a_blank_file(at), "--web", "demo", "--into", at / "l"],
        "names no papers (the file is empty)",
    ),
    "papers where none were harvested": (
        lambda at: ["export", a_library(at), "--papers", "--format", "bibtex"],
        "pinakes harvest --metadata",
    ),
    "a missing web": (lambda at: crawl(at / "l", "--web", at / "gone.warc.gz"), "gone.warc.gz"),
    "an empty folder as a web": (lambda at: crawl(at / "l", "--web", at), str),
    "no WARC at all": (lambda at: crawl(at / "l", "--web", a_text_file(at)), "text.warc.gz"),
    "a newer library": (lambda at: crawl(a_newer_library(at)), "newer Pinakes"),
    "a broken library": (lambda at: ["status", a_broken_library(at)], "broken"),
    "a folder of something else": (lambda at: crawl(a_full_folder(at)), "full"),
    "a file as a library": (lambda at: crawl(a_text_file(at)), "is a file"),
    "a library that is not there": (lambda at: ["status", at / "gone"], "gone"),
    "an address that is none": (lambda at: ["why", a_newer_library(at), "hello"], "hello"),
    "workers of no cluster": (lambda at: crawl(at / "l", "--workers", "2"), "no --on RAY is given"),
    "a missing list of seeds": (lambda at: crawl(at / "l", "--seed", f"@{at}/gone.txt"), "there is no such file"),
    "a list of no seeds": (lambda at: crawl(at / "l", "--seed", f"@{a_blank_file(at)}"), "lists nothing"),
    "a list that is none": (lambda at: crawl(at / "l", "--seed", "@"), "names no file"),
    "a list with no address": (lambda at: crawl(at / "l", "--seed", f"@{a_text_file(at)}"), "--seed not a WARC at all"),
    "an empty list of places": (lambda at: crawl(at / "l", "--allow", f"@{a_blank_file(at)}"), "lists nothing"),
    "a type both wanted and ignored": (
        lambda at: crawl(at / "l", "--type", "pdf", "--ignore-type", ".PDF"),
        "--type pdf wants what --ignore-type pdf refuses",
    ),
    "a type wanted from anywhere and ignored": (
        lambda at: crawl(at / "l", "--elsewhere", "ps", "--ignore-type", "ps"),
        "--elsewhere ps wants",
    ),
    "sitemaps for agents": (
        lambda at: crawl(at / "l", "--sitemaps", "--strategy", "infospiders"),
        "--sitemaps does nothing with infospiders",
    ),
    "sitemaps for context graphs": (
        lambda at: crawl(at / "l", "--sitemaps", "--strategy", "context-graph"),
        "--sitemaps does nothing with context-graph",
    ),
    "an unknown command": (lambda at: ["fly"], "fly"),
    "an unknown option": (lambda at: ["crawl", "--fly"], "--fly"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, naming what is wrong; exit 1; never a traceback."""
    arguments, named = BAD[name]
    prepared = arguments(tmp_path)
    capsys.readouterr()
    ran = Ran(capsys, *prepared)
    assert ran.code == 1
    assert len(ran.err.splitlines()) == 1 and ran.err.startswith("pinakes: ") and "Traceback" not in ran.err
    assert (str(tmp_path) if named is str else named) in ran.err


@pytest.mark.parametrize("given", [["--into", "LIB"], ["--into=LIB"], []])
def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before the crawl itself can say so; with a library there, `resume` takes it up."""

    def interrupted(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    library = tmp_path / "library"
    given = [word.replace("LIB", str(library)) for word in given]
    monkeypatch.setattr("pinakes.cli.LazyGroup.get_command", interrupted)
    ran = Ran(capsys, "crawl", *given)
    assert ran.code == 130 and "Give the same command again" in ran.err
    library.mkdir()
    (library / "catalogue.db").touch()
    ran = Ran(capsys, "crawl", *given)
    assert ran.code == 130 and "Traceback" not in ran.err
    assert ("pinakes resume " + str(library) in ran.err) == bool(given)


def test_a_paused_crawl_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the words of the browser, while it is paused and when it is asked to stop."""
    library, said = tmp_path / "library", list[tuple[str, str]]()

    def look(**wish: bool) -> None:
        with Library(library) as opened:
            steer(opened, 1, **wish)
        told = Ran(capsys, "status", library, "--json")
        said.append((told.json["crawls"][0]["state"], told.out.splitlines()[3].split(";")[0].strip()))

    def watch(progress: object) -> None:
        if not said:
            look()
            look(pause=True)
            look(pause=False, stop=True)

    crawl_job(CrawlOptions(into=library, topic="owls", seeds=(FRONT,), web="demo", pages=5), watch=watch)
    assert said == [(state, state) for state in ("running", "paused", "stopping")]


def test_search_says_how_to_see_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ran(capsys, *crawl(tmp_path / "library"))
    some = Ran(capsys, "search", tmp_path / "library", "owl", "--limit", "2")
    total = int(some.out.split()[0])
    assert f"{total - 2} more: --offset 2 shows the next, --limit N more at once." in some.out
    assert "more:" not in Ran(capsys, "search", tmp_path / "library", "owl", "--limit", "1000").out
    nothing = Ran(capsys, "export", tmp_path / "library", "--format", "csv", "--since", "2099-01-01")
    assert nothing.code == 0 and "nothing that is new since 2099-01-01" in nothing.err


def test_a_topic_that_nothing_is_about_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Ran(capsys, *crawl(tmp_path / "library", "--topic", "lattice chromodynamics", "--pages", "5")).out
    assert "Nothing that was found is about the topic: no page scored" in said
    topics = tmp_path / "topics.toml"
    comets = ["http://www.nightsky.example/comets/halley.html", "http://www.nightsky.example/comets/tails.html"]
    topics.write_text(f'seeds = ["{FRONT}"]\npages = 1\n[[topic]]\nname = "Comets"\nexamples = {json.dumps(comets)}\n')
    said = Ran(capsys, "collect", topics, "--web", "demo", "--into", tmp_path / "other").out
    assert "Nothing that was found is about Comets;" in said


def test_a_truncated_web_serves_what_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says where it is damaged."""
    whole = demo.path("web.warc.gz").read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(whole[: len(whole) * 2 // 3])
    info = Ran(capsys, "web", "info", tmp_path / "cut.warc.gz", "--json")
    assert info.code == 0 and info.json["pages"] > 50 and info.json["damage"]
    ran = Ran(capsys, *crawl(tmp_path / "library", "--web", tmp_path / "cut.warc.gz", "--pages", "5"))
    assert ran.code == 0 and "is damaged" in ran.err


def test_time_is_counted_anew_by_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl whose time was up goes on."""
    library = tmp_path / "library"
    assert "Stopped: time." in Ran(capsys, *crawl(library, "--time", "0")).out
    with sqlite3.connect(library / "catalogue.db") as connection:
        connection.execute("UPDATE crawls SET stopped = 'time'")
    recipe = next((library / "recipes").iterdir())
    recipe.write_text(recipe.read_text().replace('"seconds":0.0', '"seconds":60.0'))
    assert Ran(capsys, "resume", library, "--json").json["pages"] == 40


def test_another_web_under_the_same_name_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl does not go on where its pages are not."""
    web, library = tmp_path / "web.warc.gz", tmp_path / "library"
    whole = demo.path("web.warc.gz").read_bytes()
    web.write_bytes(whole)
    Ran(capsys, *crawl(library, "--web", web, "--pages", "5"))
    web.write_bytes(whole[: len(whole) // 2])
    before = visited(library)
    assert "is not the web" in Ran(capsys, "resume", library, "--pages", "20").err
    web.write_bytes(whole)
    assert visited(library) == before
    assert Ran(capsys, "resume", library, "--pages", "20").code == 0


def test_a_smaller_budget_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to take back."""
    Ran(capsys, *crawl(tmp_path / "library"))
    assert "40 pages are there already" in Ran(capsys, "resume", tmp_path / "library", "--pages", "5").err


def test_a_library_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One process writes at a time; reading goes on."""
    library = tmp_path / "library"
    Ran(capsys, *crawl(library, "--pages", "3"))
    with (library / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "is in use" in Ran(capsys, *crawl(library)).err
        assert "is in use" in Ran(capsys, "resume", library, "--pages", "9").err
        assert Ran(capsys, "status", library).code == 0


def test_a_library_without_write_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, and nothing is touched. Permissions do not bind root, a read-only disk does."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    root = os.geteuid() == 0
    if root and subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", locked], check=False).returncode:
        pytest.skip("a read-only disk cannot be mounted here")
    try:
        ran = Ran(capsys, *crawl(locked / "library"))
    finally:
        if root:
            subprocess.run(["umount", "-l", locked], check=True)
    assert ran.code == 1 and str(locked) in ran.err and len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_in_the_manual(name: str) -> None:
    """A page for each command, and each of its options on it."""
    from importlib import import_module

    import click

    command = import_module(COMMANDS[name][0]).command
    text = (DOCS / f"{name}.md").read_text()
    commands = command.commands.values() if isinstance(command, click.Group) else [command]
    options = {
        option
        for each in commands
        for parameter in each.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    missing = {option for option in options if f"`{option}" not in text}
    assert not missing


def test_search_finds_what_a_crawl_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words, fields and what is not wanted, on the command line; the same as JSON."""
    Ran(capsys, *crawl(tmp_path / "library"))
    ran = Ran(capsys, "search", tmp_path / "library", "owls", "-hawk", "site:aviary.example", "--limit", "3", "--json")
    assert ran.code == 0 and "pages for owls -hawk site:aviary.example" in ran.out
    assert ran.json["total"] >= len(ran.json["hits"]) == 3
    assert all("aviary.example" in hit["url"] and hit["snippet"] for hit in ran.json["hits"])
    assert {"topic", "site", "type", "language"} == set(ran.json["facets"])
    assert "No page for zzzz" in Ran(capsys, "search", tmp_path / "library", "zzzz").out
    assert "is not a Pinakes library" in Ran(capsys, "search", tmp_path, "owls").err


def test_export_writes_what_a_crawl_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To a file, told as JSON; a format that does not exist is named."""
    Ran(capsys, *crawl(tmp_path / "library"))
    ran = Ran(capsys, "export", tmp_path / "library", "--format", "jsonl", "--output", tmp_path / "out.jsonl", "--json")
    assert ran.code == 0 and ran.json["pages"] == len((tmp_path / "out.jsonl").read_text().splitlines()) > 30
    assert "bibtex" in Ran(capsys, "export", tmp_path / "library", "--format", "endnote").err
    assert "--output" in Ran(capsys, "export", tmp_path / "library", "--format", "warc").err


@pytest.mark.parametrize("arguments", [["strategies"], ["strategies", "--json"], ["--help"], ["crawl", "--help"]])
def test_a_reader_that_goes_away_is_no_failure(arguments: list[str]) -> None:
    """`pinakes … | head` ends quietly once `head` has enough."""
    gone, out = os.pipe()
    os.close(gone)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pinakes", *arguments], stdout=out, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(out)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_crawl_needs_no_standard_streams(tmp_path: Path) -> None:
    """The files it opens first do not get their numbers, with which an event loop aborts."""
    crawl = ["crawl", "--web", "demo", "--topic", "owls", "--seed", "http://www.pinakes.example/", "--pages", "3"]
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-m", "pinakes", *crawl]
    done = subprocess.run([*closed, "--into", str(tmp_path / "library")], check=False)
    assert done.returncode == 0
