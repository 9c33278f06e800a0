"""Figures for Prometheus: what the library holds, how its crawls go, how fast pages are answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinakes.jobs.watching import view_crawls
from pinakes.library.library import in_use
from pinakes.serve.desk import desk_of
from pinakes.serve.runner import runner_of

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
CRAWLS = 10
"""The latest crawls that are told of one by one."""


class Meter:
    """Counts answers and how long they took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers: dict[tuple[str, int], int] = {}
        self.within = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def note(self, method: str, status: int, seconds: float) -> None:
        with self._lock:
            key = (method if method in ("GET", "HEAD", "POST") else "other", status)
            self.answers[key] = self.answers.get(key, 0) + 1
            self.within[next((at for at, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))] += 1
            self.seconds += seconds


class Metered:
    """Middleware that feeds a meter."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app, self._meter = app, meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            self._meter.note(scope["method"], status, time.perf_counter() - began)


def metrics(request: Request) -> Response:
    desk = desk_of(request)
    meter: Meter = request.app.state.meter
    with desk.library() as library:
        held = desk.tally.of(library)
        crawls = view_crawls(library, CRAWLS)
        collections = library.connection.execute("SELECT count(*) FROM collections").fetchone()[0]
        total = library.connection.execute("SELECT count(*) FROM crawls").fetchone()[0]
    lines = [
        *_gauge("pages", "Different addresses the library holds.", [({}, held.pages)]),
        *_gauge("captures", "Captures the library holds.", [({}, held.captures)]),
        *_gauge("hosts", "Hosts of its pages.", [({}, held.hosts)]),
        *_gauge("warc_bytes", "Bytes of WARC.", [({}, held.bytes)]),
        *_gauge("collections", "Collections.", [({}, collections)]),
        *_gauge("crawls", "Crawls ever begun.", [({}, total)]),
        *_gauge("writing", "1 while a job writes to the library.", [({}, int(in_use(desk.folder)))]),
        *_gauge("jobs_running", "Jobs started in the browser that run.",
                [({}, sum(job.state == "running" for job in runner_of(request).jobs()))]),
    ]  # fmt: skip
    for name, about, value in (
        ("crawl_pages", "Pages a crawl fetched.", lambda one: one.pages),
        ("crawl_nuggets", "Nuggets among them.", lambda one: one.nuggets),
        ("crawl_waiting", "Links that wait in its frontier.", lambda one: one.waiting),
        ("crawl_seconds", "How long it ran.", lambda one: one.seconds),
        ("crawl_running", "1 while it runs.", lambda one: int(one.state in ("running", "paused", "stopping"))),
    ):
        lines += _gauge(name, about, [({"crawl": one.id, "job": one.job}, value(one)) for one in crawls])
    outcomes = [({"crawl": one.id, "outcome": name}, n) for one in crawls for name, n, _ in one.outcomes]
    lines += _gauge("crawl_outcomes", "What came of its links, by name.", outcomes)
    lines += _answers(meter)
    return PlainTextResponse("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4; charset=utf-8")


def _answers(meter: Meter) -> Iterable[str]:
    yield "# HELP pinakes_http_requests_total Requests answered."
    yield "# TYPE pinakes_http_requests_total counter"
    for (method, status), number in sorted(meter.answers.items()):
        yield f'pinakes_http_requests_total{{method="{method}",status="{status}"}} {number}'
    yield "# HELP pinakes_http_request_seconds How long answers took."
    yield "# TYPE pinakes_http_request_seconds histogram"
    so_far = 0
    for bound, number in zip((*map(str, BOUNDS), "+Inf"), meter.within, strict=True):
        so_far += number
        yield f'pinakes_http_request_seconds_bucket{{le="{bound}"}} {so_far}'
    yield f"pinakes_http_request_seconds_sum {meter.seconds:.6f}"
    yield f"pinakes_http_request_seconds_count {so_far}"


def _gauge(name: str, about: str, values: Iterable[tuple[Mapping[str, object], float]]) -> Iterable[str]:
    yield f"# HELP pinakes_{name} {about}"
    yield f"# TYPE pinakes_{name} gauge"
    for labels, value in values:
        told = ",".join(f'{key}="{_escaped(str(text))}"' for key, text in labels.items())
        yield f"pinakes_{name}{{{told}}} {value}" if told else f"pinakes_{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


ROUTES = [Route("/metrics", metrics)]
