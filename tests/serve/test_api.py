"""The REST interface: described, and as described."""

from __future__ import annotations

import base64
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pinakes.library.library import Library

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
PATHS = [
    "/api/library", "/api/search", "/api/collections", "/api/collection", "/api/collection/labels",
    "/api/collection/rerank", "/api/pages/{number}", "/api/pages/{number}/text", "/api/page", "/api/crawls",
    "/api/crawls/{number}", "/api/crawls/{number}/steer", "/api/maps", "/api/maps/{number}", "/api/harvests",
    "/api/harvests/{number}", "/api/harvests/{number}/correct", "/api/evaluations", "/api/evaluation", "/api/jobs",
    "/api/jobs/{number}", "/api/jobs/{number}/stop", "/api/jobs/crawl", "/api/jobs/collect", "/api/jobs/panorama",
    "/api/jobs/harvest", "/api/jobs/evaluate", "/api/export", "/api/why",
]  # fmt: skip


@pytest.fixture(scope="module")
def locked(full_library: Path, tmp_path_factory: pytest.TempPathFactory, listen: Callable[..., Any]) -> Iterator[Any]:
    """A library that a job is writing to, so that orders are taken as far as that and no further."""
    folder = tmp_path_factory.mktemp("locked") / "library"
    shutil.copytree(full_library, folder)
    with Library(folder, write=True), listen(folder) as found:
        yield found


@pytest.fixture(scope="module")
def described(locked: Any) -> Any:
    return schemathesis.openapi.from_url(f"{locked.url}/openapi.json")


def test_the_description_names_every_path(described: Any) -> None:
    assert sorted(described.raw_schema["paths"]) == sorted(PATHS)
    assert described.raw_schema["openapi"].startswith("3.1")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
def test_whatever_is_asked_is_answered_as_described(described: Any, locked: Any, path: str, mode: Any) -> None:
    """Random requests, right and wrong: never an error of ours, and every answer as its schema says."""
    examples = 3 if path == "/api/why" else 8
    for operation in (
        described[path][method] for method in described.raw_schema["paths"][path] if method in ("get", "post")
    ):
        if mode is GenerationMode.NEGATIVE and not (operation.definition.raw.keys() & {"parameters", "requestBody"}):
            continue  # nothing is asked there that could be wrong

        @hypothesis.settings(
            max_examples=examples, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck),
            derandomize=True,
        )  # fmt: skip
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            headers = {"Authorization": f"Bearer {locked.app.state.desk.token}"}
            case.call_and_validate(base_url=locked.url, headers=headers, checks=CHECKS, timeout=30)

        ask()


def test_writing_needs_the_token(served: Any) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": served.cookie}):
        answer = served.ask("POST", "/api/collection/labels", b"{}", **headers)
        assert answer.status == (403 if "Cookie" in headers else 401)
        assert json.loads(answer.body)["error"]


def test_what_pages_show_programs_read(served: Any) -> None:
    """The same collection, page and crawl as on the pages."""
    card = next(one for one in _get(served, "/api/collections") if one["pages"])
    part = _get(served, f"/api/collection?name={card['name'].replace(' ', '%20')}&n=2")
    assert part["total"] == card["pages"] and len(part["entries"]) == min(2, card["pages"])
    number = part["entries"][0]["page"]
    page = _get(served, f"/api/pages/{number}")
    assert page["url"] == part["entries"][0]["url"]
    assert {"name": card["name"], "rank": 1, "merit": part["entries"][0]["merit"]} in page["collections"]
    assert page["path"][-1]["url"] == page["url"] and page["path"][0]["depth"] == 0
    assert _get(served, f"/api/pages/{number}/text")["text"]
    crawl = _get(served, "/api/crawls/2")
    assert crawl["state"] == "finished" and crawl["stopped"] == "budget" and crawl["pages"] == 90
    assert _get(served, "/api/library")["pages"] > 90
    assert _get(served, "/api/harvests/3?status=missing&n=1")["papers"][0]["why"]
    assert _get(served, "/api/maps/4")["communities"]
    assert "best-first" in _get(served, "/api/evaluation?name=small")["strategies"]


@pytest.mark.parametrize(
    ("path", "body", "known"),
    [
        ("/api/crawls/2/steer", {"pause": True, "page": 50}, "pause, stop, resume, pages"),
        ("/api/jobs/crawl", {"topic": "owls", "page": 5}, "topic, examples, seeds, pages"),
    ],
)
def test_a_field_that_is_none_is_refused(served: Any, path: str, body: dict[str, Any], known: str) -> None:
    """A misspelt wish is not passed over: it is named, with what there is, and nothing else of it is done."""
    before = _get(served, "/api/crawls/2")
    told = _post(served, path, body, 400)["error"]
    assert told.startswith("There is no field page here") and known in told
    assert _get(served, "/api/crawls/2") == before


def test_a_job_is_ordered_and_followed(own_library: Path, serve: Callable[..., Any]) -> None:
    """An order with mistakes is told all of them; a good one runs to its end."""
    with serve(own_library) as found:
        wrong = _post(found, "/api/jobs/crawl", {"examples": ["/etc/passwd"], "strategy": "no.such:Class"}, 400)
        assert set(wrong["fields"]) == {"examples", "strategy"}
        order = {"topic": "comets", "seeds": ["http://www.pinakes.example/"], "pages": 15}
        job = _post(found, "/api/jobs/crawl", order, 202)
        until = time.monotonic() + 90
        while (told := _get(found, f"/api/jobs/{job['id']}"))["state"] == "running" and time.monotonic() < until:
            time.sleep(0.3)
        assert told["state"] == "done", told["said"]
        assert _get(found, "/api/crawls")[0]["pages"] == 15


@pytest.mark.parametrize(
    ("kind", "order", "field"),
    [
        ("collect", {"file": ("topics.toml", b'[[topic]]\nname = "x"\nexamples = ["/etc/passwd"]\n')}, "file"),
        ("collect", {"file": ("topics.toml", b'[[topic]]\nname = "x"\n[strategy]\nname = "os:path"\n')}, "file"),
        ("collect", {"file": ("topics.toml", b'[[topic]]\nname = "x"\n[judge]\nname = "/etc/passwd"\n')}, "file"),
        ("collect", {"file": ("../../x.py", b"x")}, "file"),
        ("collect", {}, "topics"),
        ("panorama", {"paper": ("paper.exe", b"MZ")}, "paper"),
        ("panorama", {"paper": ("paper.pdf", b"not a pdf")}, "paper"),
        ("panorama", {"paper": ("paper.pdf", b"")}, "paper"),
        ("harvest", {"service": "/etc/passwd"}, "service"),
        ("harvest", {"service": "dblp:../../x"}, "service"),
        ("harvest", {"service": "demo:venue.jsonl"}, "service"),
        ("harvest", {"service": "dblp:WebDB", "years": "lately"}, "years"),
        ("evaluate", {"topics": ("topics.jsonl", b"{}"), "strategies": ["evidence"]}, "topics"),
        ("evaluate", {"strategies": ["os:system"]}, "strategies"),
    ],
)
def test_an_order_takes_no_paths_and_no_code(served: Any, kind: str, order: dict[str, Any], field: str) -> None:
    """Only addresses, services and uploads; every refusal names its field, and nothing is left behind."""
    files = {key: {"name": value[0], "data": base64.b64encode(value[1]).decode()} if isinstance(value, tuple) else value
             for key, value in order.items()}  # fmt: skip
    before = set(served.folder.rglob("*"))
    assert field in _post(served, f"/api/jobs/{kind}", files, 400)["fields"]
    assert {path for path in set(served.folder.rglob("*")) - before if path.parent.name != "index"} <= {
        served.folder / "desk"
    }


def test_metrics_are_prometheus_text(served: Any) -> None:
    answer = served.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.body.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+', line) for line in lines)
    values = dict(line.rsplit(" ", 1) for line in lines)
    assert float(values['pinakes_crawl_pages{crawl="2",job="collect"}']) == 90
    assert float(values["pinakes_pages"]) > 90 and "pinakes_http_request_seconds_sum" in values


def _get(served: Any, path: str) -> Any:
    answer = served.get(path)
    assert answer.status == 200, answer
    return json.loads(answer.body)


def _post(served: Any, path: str, value: Any, status: int) -> Any:
    token = served.app.state.desk.token
    answer = served.ask("POST", path, json.dumps(value).encode(), Authorization=f"Bearer {token}")
    assert answer.status == status, answer
    return json.loads(answer.body)
