"""Collecting on the live web: a search engine of the configuration, its hits, and a crawl, over a real loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pinakes.cli import main
from pinakes.testing.recording import a, html

SITE = "http://birds.example"
OWLS = [f"{SITE}/owl{n}" for n in range(9)]
LOOMS = [f"{SITE}/loom{n}" for n in range(9)]
CONFIG = """
contact = "me@example.org"
[search.mine]
kind = "searxng"
url = "http://search.example/"
"""
TOPICS = f"""
seeds = ["{SITE}/"]
pages = 25
[[topic]]
name = "Owls"
[[topic]]
name = "Looms"
[[topic]]
name = "Nothing at all"
"""


def page(path: str) -> str | None:
    if path == "/":
        return html("Front", *(a(url, url.rsplit("/", 1)[1]) for url in OWLS + LOOMS))
    name = path.strip("/")
    if f"{SITE}{path}" in OWLS:
        return html(f"Owl {name}", "An owl hunts voles by night. " * 3, " ".join(f"owl {name}w{n}" for n in range(40)))
    if f"{SITE}{path}" in LOOMS:
        return html(f"Loom {name}", "A loom has a warp. " * 3, " ".join(f"loom {name}w{n}" for n in range(40)))
    return None


class Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if self.headers["Host"].startswith("search.example"):
            query = parse_qs(url.query)["q"][0]
            self.asked.append(query)
            hits = {"Owls": OWLS, "Looms": LOOMS}.get(query, [])
            self.say(200, "application/json", json.dumps({"results": [{"url": hit, "title": "t"} for hit in hits]}))
        else:
            body = page(url.path)
            self.say(200 if body else 404, "text/html", body or "")

    def say(self, status: int, kind: str, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[tuple[int, list[str]]]:
    kind = type("Served", (Handler,), {"asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port, kind.asked  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()


def test_topics_are_searched_for_and_collected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first seven hits make a centroid, a topic without hits is dropped, and hits are found by the crawl."""
    (tmp_path / "pinakes.toml").write_text(CONFIG)
    (tmp_path / "topics.toml").write_text(TOPICS)
    with serving() as (port, asked), pytest.raises(SystemExit) as ended:
        main(["collect", str(tmp_path / "topics.toml"), "--into", str(tmp_path / "library"), "--delay", "0", "--json",
              "--config", str(tmp_path / "pinakes.toml"), "--allow-private", "--resolve", f"*=127.0.0.1:{port}",
              "--strategy", "cutoff", "--processes", "1"])  # fmt: skip
    out, err = capsys.readouterr()
    assert ended.value.code == 0, err
    found = json.loads(out.splitlines()[-1])
    assert sorted(asked) == ["Looms", "Nothing at all", "Owls"]
    assert "'Nothing at all' is dropped" in found["dropped"][0]
    assert found["centroids"]["Owls"]["pages"] == OWLS[:7] and found["setup"] == {"pages": 14, "searches": 3}
    assert found["seeds"] == [f"{SITE}/"]
    owls = [entry["url"] for entry in found["collections"]["Owls"]]
    assert set(OWLS) == set(owls), "search hits are finds like any other"
