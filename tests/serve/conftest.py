"""A library that every job wrote to, and applications that serve copies of it over real sockets."""

from __future__ import annotations

import http.client
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
import uvicorn

from pinakes.jobs.collect import CollectOptions, collect
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import entrants_of
from pinakes.jobs.harvest.job import HarvestOptions, harvest
from pinakes.jobs.panorama.job import PanoramaOptions, panorama
from pinakes.library.fulltext import FullText
from pinakes.report.panorama import write_panorama
from pinakes.serve.app import create_app
from pinakes.serve.keeper import keep_up

TOKEN = "a-token-for-the-tests-only"


@pytest.fixture(scope="session")
def full_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawled, collected, harvested, mapped and evaluated on the demo web. Not to be written to."""
    folder = tmp_path_factory.mktemp("served") / "birds & <strings>"
    seeds = ("http://www.pinakes.example/",)
    crawl(CrawlOptions(folder, topic="owls and other birds of prey", seeds=seeds, web="demo", pages=30))
    collect(CollectOptions(Path("demo:topics.toml"), folder, web="demo", pages=90, new=True))
    harvest(HarvestOptions(("demo:venue.jsonl",), folder, web="demo", new=True))
    mapped = panorama(PanoramaOptions(("demo:paper.pdf",), folder, web="demo", pages=50, k=3, new=True))
    write_panorama(folder, mapped)
    entrants = entrants_of("best-first,breadth-first")
    out = folder / "reports" / "small"
    evaluate(EvaluateOptions(out, entrants, "demo:topics.jsonl", "demo", 15, measures=(), processes=1))
    keep_up(folder, FullText(folder))
    return folder


@pytest.fixture
def own_library(full_library: Path, tmp_path: Path) -> Path:
    """A copy to write to."""
    folder = tmp_path / "library"
    shutil.copytree(full_library, folder)
    return folder


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Served:
    """An application that listens."""

    folder: Path
    port: int
    app: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        desk = self.app.state.desk
        return f"{desk.cookie}={desk.session}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """A request as written: headers by name, underscores for hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        found = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
        connection.close()
        return found

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, **values: str) -> Answer:
        """A form of our own pages, sent as a browser with the token sends it."""
        form = urlencode({"form_token": self.app.state.desk.form_token, **values}).encode()
        return self.ask(
            "POST",
            path,
            form,
            Cookie=self.cookie,
            Origin=self.url,
            Content_Type="application/x-www-form-urlencoded",
        )


@contextmanager
def listening(folder: Path, **options: Any) -> Iterator[Served]:
    """Serve a library until the block ends."""
    app = create_app(folder, TOKEN, **{"keep": False, "job_options": ["--web", "demo"], **options})
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    try:
        yield Served(folder, listener.getsockname()[1], app)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@pytest.fixture(scope="module")
def served(full_library: Path) -> Iterator[Served]:
    """The full library, for tests that only read."""
    with listening(full_library) as found:
        yield found


@pytest.fixture
def serve() -> Callable[..., Any]:
    return listening


@pytest.fixture(scope="session")
def listen() -> Callable[..., Any]:
    return listening


@pytest.fixture
def token() -> str:
    return TOKEN
