"""Refreshing: what changed, what is gone, what is new near the nuggets, and nothing else."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pinakes.cli import main
from pinakes.cli.refresh import show_refreshed
from pinakes.core.errors import PinakesError
from pinakes.jobs.collect import CollectOptions, collect, collections_of
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.refresh import RefreshOptions, refresh
from pinakes.testing.recording import a, html, recorded, write
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

SITE = "http://owls.example"
OWL = "The barn owl hunts voles at night; owls hear their prey, and owl pellets tell what an owl has eaten."
TOPICS = f"""
seeds = ["{SITE}/"]
[[topic]]
name = "Owls"
examples = ["{SITE}/tawny", "{SITE}/barn"]
[[topic]]
name = "Looms"
examples = ["{SITE}/loom"]
"""


def own(name: str) -> str:
    """Words no other page has, so that nobody is taken for a copy."""
    return " ".join(f"{name}{n} owl" for n in range(30))


def web(*more: tuple[str, str], without: tuple[str, ...] = ()) -> dict[str, str]:
    """Path to page."""
    pages = {
        "/": html("Front", *(a(f"/{name}", name) for name in ("tawny", "barn", "eagle", "snowy", "loom", "tea"))),
        "/tawny": html("Tawny owl", OWL, own("tawny")),
        "/barn": html("Barn owl", OWL, own("barn")),
        "/eagle": html("Eagle owl", OWL, own("eagle")),
        "/snowy": html("Snowy owl", OWL, own("snow")),
        "/loom": html("Loom", "Warp and weft on a loom, shuttles and heddles, cloth and yarn. " * 5),
        "/tea": html("Tea", "A kettle, a pot, a cup and a biscuit. " * 5),
        **dict(more),
    }
    return {path: page for path, page in pages.items() if path not in without}


CHANGES = (
    ("/eagle", html("Eagle owl", OWL, own("eagle"), "It nests again.", a("/scops", "scops owl"))),
    ("/scops", html("Scops owl", OWL, own("scops"))),
)


def frozen(path: Path, pages: dict[str, str]) -> str:
    return str(write(path, [recorded(f"{SITE}{name}", page) for name, page in pages.items()]))


def test_only_what_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page changed, one is gone, one is new; the report has those three, and the collections follow."""
    (tmp_path / "topics.toml").write_text(TOPICS)
    library = tmp_path / "library"
    old = frozen(tmp_path / "old.warc.gz", web())
    collect(CollectOptions(tmp_path / "topics.toml", library, web=old, parameters={"threshold": 0.08}))
    assert {entry.url for entry in collections_of(library)[0].entries} >= {f"{SITE}/eagle", f"{SITE}/snowy"}
    new = frozen(tmp_path / "new.warc.gz", web(*CHANGES, without=("/snowy",)))
    with pytest.raises(SystemExit) as ended:
        main(["refresh", str(library), "--web", new, "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert ended.value.code == 0
    assert [one["url"] for one in told["new"]] == [f"{SITE}/scops"] and told["new"][0]["topic"] == "Owls"
    assert [one["url"] for one in told["changed"]] == [f"{SITE}/eagle"]
    assert [one["url"] for one in told["gone"]] == [f"{SITE}/snowy"]
    report = Path(told["report"])
    rows = list(csv.DictReader(report.with_suffix(".csv").read_text().splitlines()))
    assert [row["kind"] for row in rows] == ["new", "changed", "gone"]
    feed = ElementTree.parse(report.with_suffix(".xml")).getroot()
    assert [item.findtext("link") for item in feed.iter("item")] == [f"{SITE}/scops", f"{SITE}/eagle"]
    assert "Scops owl" in report.read_text() and "Content-Security-Policy" in report.read_text()
    urls = {entry.url for entry in collections_of(library)[0].entries}
    assert f"{SITE}/scops" in urls and f"{SITE}/snowy" not in urls


class Handler(BaseHTTPRequestHandler):
    """Pages with ETags, and 304 for whoever has them already."""

    pages: dict[str, str]
    answered: list[tuple[str, int]]

    def do_GET(self) -> None:
        page = self.pages.get(self.path)
        tag = f'"{hash(page)}"'
        status = 404 if page is None else 304 if self.headers.get("If-None-Match") == tag else 200
        self.answered.append((self.path, status))
        self.send_response(status)
        body = (page or "").encode() if status == 200 else b""
        if page is not None:
            self.send_header("ETag", tag)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(pages: dict[str, str]) -> Iterator[tuple[LiveOptions, type[Handler]]]:
    kind = type("Served", (Handler,), {"pages": pages, "answered": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        live = LiveOptions("me@example.org", pace=Pace(delay=0.0, patience=0.0), allow_private=True,
                           resolve=(f"*=127.0.0.1:{server.server_port}",))  # fmt: skip
        yield live, kind
        server.shutdown()
        thread.join()


def test_the_live_web_is_asked_only_for_what_changed(tmp_path: Path) -> None:
    """Conditional requests: an unchanged page is not sent again, and is counted as it was."""
    library = tmp_path / "library"
    with serving(web()) as (live, kind):
        crawl(CrawlOptions(library, topic=OWL, seeds=(f"{SITE}/",), live=live, parameters={"threshold": 0.3}))
        kind.pages = web(*CHANGES, without=("/snowy",))
        kind.answered.clear()
        result = refresh(RefreshOptions(library, live=live))
    assert [one.url for one in result.of("new")] == [f"{SITE}/scops"]
    assert [one.url for one in result.of("changed")] == [f"{SITE}/eagle"]
    assert [one.url for one in result.of("gone")] == [f"{SITE}/snowy"]
    assert result.unchanged == 2 and not result.troubled
    statuses = dict(kind.answered)
    assert statuses["/tawny"] == statuses["/barn"] == 304 and statuses["/eagle"] == 200
    assert "/tea" not in statuses, "what was no nugget is not asked for again"


def test_a_refresh_that_can_look_at_nothing_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing new is not the same as nothing seen."""
    library = tmp_path / "library"
    with serving(web()) as (live, _):
        crawl(CrawlOptions(library, topic=OWL, seeds=(f"{SITE}/",), live=live, parameters={"threshold": 0.3}))
    away = refresh(
        RefreshOptions(library, live=replace(live, pace=Pace(delay=0.0, patience=0.0, backoff=0.0, tries=1)))
    )
    assert away.troubled and show_refreshed(away, as_json=False) == 1
    assert "No page could be fetched: " in capsys.readouterr().out


def test_a_library_without_nuggets_says_so(tmp_path: Path) -> None:
    old = frozen(tmp_path / "old.warc.gz", web())
    crawl(CrawlOptions(tmp_path / "library", topic="zeppelins", seeds=(f"{SITE}/loom",), web=old))
    with pytest.raises(PinakesError, match="no nuggets"):
        refresh(RefreshOptions(tmp_path / "library"))
