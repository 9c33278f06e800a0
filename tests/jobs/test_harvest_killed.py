"""A live harvest killed while it looks for homepages, and again while it crawls: resume ends it, and loses nothing."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pinakes.cli import main
from pinakes.testing.answer import Answer, of_error
from pinakes.testing.server import serve

sys.path.insert(0, str(Path(__file__).parent))
from harvest_web import page, paper, said, said_json

TITLES = {
    "Anna Berg": "Wooden Shelves in Small Libraries",
    "Tom Holm": "Metal Ladders in Small Libraries",
    "Ida Lund": "Broken Lamps in Small Libraries",
    "Eve Ford": "Hidden Doors in Small Libraries",
    "Jon Dale": "Moving Chairs in Small Libraries",
}
NAMES = tuple(TITLES)
PAPERS = {name: paper(title, name) for name, title in TITLES.items()}


class People:
    """Everybody's homepage with two pages and a paper, and a search engine that finds it. Everything takes a while."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, host: str, path: str) -> Answer:
        self.asked[f"{host}{path}"] += 1
        if host == "search.example":
            query = parse_qs(urlsplit(path).query)["q"][0]
            name = next(name for name in NAMES if query.startswith(name))
            urls = [f"http://{_slug(name)}.example/", *(f"https://dl.acm.org/doi/{n}" for n in range(9))]
            return said_json({"results": [{"url": url, "title": name, "content": ""} for url in urls]})
        name = next((name for name in NAMES if host == f"{_slug(name)}.example"), "")
        if name and path == "/":
            return page(name, '<a href="papers.html">Publications</a> I am a professor.')
        if name and path == "/papers.html":
            return page("Papers", f'<a href="paper.pdf">{TITLES[name]}</a>')._replace(delay=0.1)
        if name and path == "/paper.pdf":
            return said(PAPERS[name], "application/pdf", delay=0.2)
        return of_error(404)


def _slug(name: str) -> str:
    return name.lower().replace(" ", "")


def _count(library: Path, table: str) -> int:
    try:
        with sqlite3.connect(f"file:{library / 'catalogue.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.Error:
        return 0


def _killed(command: list[str], library: Path, table: str, rows: int) -> None:
    """Run a command, and kill it as soon as the library has so many rows."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + 120.0
        while _count(library, table) < rows and child.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        assert child.poll() is None, f"it ended before it could be killed: {child.stdout and child.stdout.read()!r}"
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()


def test_killed_twice_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = tmp_path / "library"
    (tmp_path / "pinakes.toml").write_text('contact = "test@pinakes.example"\n[search.mine]\nkind = "searxng"\n'
                                           'url = "http://search.example"\n')  # fmt: skip
    metadata = tmp_path / "papers.jsonl"
    metadata.write_text(
        "\n".join(json.dumps({"title": TITLES[name], "authors": [name], "year": 2001}) for name in NAMES)
    )
    people = People()
    with serve(people) as served:
        live = ["--config", str(tmp_path / "pinakes.toml"), "--resolve", f"*=127.0.0.1:{served.port}", "--delay", "0"]
        pinakes = [sys.executable, "-m", "pinakes"]
        command = [*pinakes, "harvest", "--metadata", str(metadata), "--into", str(library), "--processes", "1",
                   "--in-flight", "2", *live]  # fmt: skip
        _killed(command, library, "harvest_people", 2)
        looked = _count(library, "harvest_people")
        assert 2 <= looked < len(NAMES) and _count(library, "visits") == 0
        _killed([*pinakes, "resume", str(library)], library, "visits", 6)
        assert _count(library, "harvest_people") == len(NAMES)
        with pytest.raises(SystemExit) as ended:
            main(["resume", str(library), "--json"])
        result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert ended.value.code == 0
    assert {paper["title"]: paper["status"] for paper in result["papers"]} == dict.fromkeys(TITLES.values(), "found")
    assert len(result["homepages"]) == len(NAMES) and result["recall"]["recall_missing"] == 1.0
    # Whoever was remembered was not searched for again; of documents, only what was not committed was fetched again.
    searches = [count for url, count in people.asked.items() if url.startswith("search.example")]
    assert len(searches) == 2 * len(NAMES) and searches.count(1) >= 2 * looked
    documents = [count for url, count in people.asked.items() if url.endswith("/paper.pdf")]
    assert len(documents) == len(NAMES) and max(documents) <= 2
    assert result["outcomes"] == {"ok": 3 * len(NAMES)}
