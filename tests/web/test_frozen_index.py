"""The index of a frozen web: built once, by many or one, cached by content, never half."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pinakes.core.page import Link
from pinakes.testing.recording import a, html, recorded
from pinakes.web import build as building
from pinakes.web import cache
from pinakes.web.frozen import FrozenWeb
from pinakes.web.parsing import Task
from pinakes.web.survey import survey
from pinakes.web.workers import parse_all


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINAKES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ring(path: Path, pages: int) -> Path:
    """A web of pages that each link to the next two."""
    bodies = [
        html(f"Page {i}", f"word{i} common {'heron ' * (i % 5)}", a(f"/{(i + 1) % pages}"), a(f"/{(i + 2) % pages}"))
        for i in range(pages)
    ]
    members = [recorded(f"http://r.example/{i}", body) for i, body in enumerate(bodies)]
    path.write_bytes(b"".join(member.data for member in members))
    return path


def test_workers_and_one_process_build_the_same_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, file by file."""
    path = ring(tmp_path / "ring.warc.gz", 100)
    folders = []
    for workers in (1, 2):
        monkeypatch.setenv("PINAKES_CACHE", str(tmp_path / f"cache{workers}"))
        folders.append(FrozenWeb(path, workers=workers).folder)
    one, two = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders)
    assert one == two
    assert asyncio.run(FrozenWeb(path).backlinks("http://r.example/0")) == [
        "http://r.example/98",
        "http://r.example/99",
    ]


def test_an_index_is_built_once_and_found_by_content(tmp_path: Path, own_cache: Path) -> None:
    """A copy elsewhere needs no building; a changed file does."""
    path = ring(tmp_path / "ring.warc.gz", 3)
    told: list[str] = []
    web = FrozenWeb(path, watch=lambda stage, done, total: told.append(stage))
    assert set(told) == {"survey", "parse"}
    moved = Path(shutil.copy(path, tmp_path / "moved.warc.gz"))
    told.clear()
    assert FrozenWeb(moved, watch=lambda stage, done, total: told.append(stage)).folder == web.folder
    assert told == []
    ring(path, 4)
    assert len(list(FrozenWeb(path).pages())) == 4


def test_a_known_file_is_not_read_again(tmp_path: Path, own_cache: Path) -> None:
    """Its digest is remembered until size or time change."""
    path = ring(tmp_path / "ring.warc.gz", 3)
    digest = cache.digest_of([path])
    memory = next((own_cache / "digests").iterdir())
    memory.write_text(memory.read_text().replace(memory.read_text()[-34:-2], "f" * 32))
    assert cache.digest_of([path]) != digest  # the memory was believed
    os.utime(path, ns=(1, 1))
    assert cache.digest_of([path]) == digest


def test_a_failed_build_leaves_nothing(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No half index is ever found; the next opening builds a whole one."""
    path = ring(tmp_path / "ring.warc.gz", 3)
    with monkeypatch.context() as broken:
        broken.setattr(building, "_invert", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            FrozenWeb(path)
    assert list((own_cache / "webs").iterdir()) == []
    assert len(list(FrozenWeb(path).pages())) == 3


def test_two_processes_may_build_at_once(tmp_path: Path, own_cache: Path) -> None:
    """Whoever is second drops its work, and both serve."""
    path = ring(tmp_path / "ring.warc.gz", 40)
    code = "import sys; from pinakes.web.frozen import FrozenWeb; print(FrozenWeb(sys.argv[1], workers=1).info().pages)"
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [process.communicate(timeout=60)[0] for process in both] == ["40\n", "40\n"]
    assert len(list((own_cache / "webs").iterdir())) == 1


def test_an_unwritable_cache_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with the fix."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PINAKES_CACHE", str(tmp_path / "file"))
    with pytest.raises(cache.WebError, match="set PINAKES_CACHE"):
        FrozenWeb(ring(tmp_path / "ring.warc.gz", 3))


def test_a_page_that_kills_its_worker_costs_that_page_only(tmp_path: Path) -> None:
    """The chunk is done again page by page; the killer comes back as unreadable and the order holds."""
    path = ring(tmp_path / "ring.warc.gz", 6)
    found = survey([path]).captures.values()
    tasks = [Task(page.file, page.offset, page.length, page.url, page.at) for page in found]
    tasks[2] = tasks[2]._replace(file=99)  # no such file: the worker ends with an IndexError
    parsed = list(parse_all([path], [tasks[:3], tasks[3:]], workers=2))
    assert [title for part in parsed for title in part.titles] == ["Page 0", "Page 1", "", "Page 3", "Page 4", "Page 5"]


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """PINAKES_CACHE, then XDG_CACHE_HOME when absolute, then the home folder's."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert cache.cache_folder() == Path(os.environ["PINAKES_CACHE"])
    monkeypatch.delenv("PINAKES_CACHE")
    assert cache.cache_folder() == Path("/x/cache/pinakes")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.cache_folder() == Path.home() / ".cache" / "pinakes"


def test_an_index_that_lost_something_is_built_again(tmp_path: Path, own_cache: Path) -> None:
    """As after a power cut: an empty file is noticed."""
    path = ring(tmp_path / "ring.warc.gz", 3)
    web = FrozenWeb(path)
    (web.folder / "strings").write_bytes(b"")
    assert asyncio.run(FrozenWeb(path).fetch(Link("http://r.example/1"))).page.title == "Page 1"


@pytest.mark.shared
def test_the_beginning_of_a_real_web_is_a_web(shared: Path, tmp_path: Path) -> None:
    """Doubly escaped addresses are found, links lead on, and the cut is named; opening again is quick."""
    path = tmp_path / "schools.warc.gz"
    with (shared / "webs" / "schools" / "web.warc.gz").open("rb") as whole:
        path.write_bytes(whole.read(4_000_000))
    web = FrozenWeb(path)
    assert web.info().pages > 200
    assert ["truncated" in sentence for sentence in web.info().damage] == [True]
    escaped = [url for url in web.pages() if "%25" in url]
    assert any(asyncio.run(web.backlinks(url)) for url in escaped)
    fetched = asyncio.run(web.fetch(Link(escaped[0])))
    assert (fetched.page.error, len(fetched.record)) == ("", 3)
    title = fetched.page.title
    assert fetched.page.url in [hit.url for hit in asyncio.run(web.search(title, 10, phrase=True))]
    started = time.perf_counter()
    FrozenWeb(path)
    assert time.perf_counter() - started < 1


@pytest.mark.shared
def test_a_common_crawl_capture_is_a_web_of_one_page(shared: Path) -> None:
    """As crawled in 2024."""
    web = FrozenWeb(shared / "recordings" / "warc" / "whirlwind.warc.gz")
    page = asyncio.run(web.fetch(Link("https://an.wikipedia.org/wiki/Escopete"))).page
    assert page.title.startswith("Escopete")
    assert len(page.links) > 50
    assert list(web.pages()) == [page.url]
