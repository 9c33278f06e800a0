"""Many who ask for the same cost as much as one; nobody is shown what is no longer true."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from pinakes.library.library import Library
from pinakes.serve import answers
from pinakes.serve.answers import Answers
from pinakes.serve.desk import Desk

TOKEN = "a-token-for-the-tests-only"


class Counting:
    """An application that tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        await asyncio.sleep(0.01)
        path = scope["path"]
        if path == "/breaks":
            raise RuntimeError
        kind: type[Response] = PlainTextResponse if path == "/plain" else HTMLResponse
        await kind(f"{path} {self.asked}", 404 if path == "/missing" else 200)(scope, receive, send)


class Browser:
    def __init__(self, app: Any, desk: Desk) -> None:
        self._app, self._desk = app, desk

    async def get(self, path: str, *, signed_in: bool = False, tag: str = "") -> tuple[int, str, dict[str, str]]:
        headers = [(b"if-none-match", tag.encode())] if tag else []
        if signed_in:
            headers.append((b"cookie", f"{self._desk.cookie}={self._desk.session}".encode()))
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        assert Request(scope).method == "GET"
        await self._app(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], body.decode(), found


@pytest.fixture
def now() -> list[float]:
    return [100.0]


@pytest.fixture
def made(tmp_path: Path, now: list[float]) -> tuple[Browser, Counting, Path]:
    Library(tmp_path / "library", write=True, create=True).close()
    desk, app = Desk(tmp_path / "library", TOKEN), Counting()
    return Browser(Answers(app, desk, lambda: now[0]), desk), app, tmp_path / "library"


def test_many_at_once_are_answered_as_one(made: tuple[Browser, Counting, Path]) -> None:
    browser, app, _ = made

    async def all_of_them() -> set[str]:
        return {body for _, body, _ in await asyncio.gather(*(browser.get("/a") for _ in range(50)))}

    assert asyncio.run(all_of_them()) == {"/a 1"} and app.asked == 1


def test_a_page_is_made_anew_once_something_was_written(made: tuple[Browser, Counting, Path], now: list[float]) -> None:
    browser, _, folder = made
    get: Callable[[], str] = lambda: asyncio.run(browser.get("/a"))[1]  # noqa: E731
    assert get() == "/a 1"
    now[0] += answers.MOMENT / 2
    with Library(folder, write=True) as library, library.connection:
        library.connection.execute("INSERT INTO meta VALUES ('a', 'b')")
    assert get() == "/a 1"
    now[0] += answers.MOMENT
    assert get() == "/a 2"
    now[0] += answers.LONGEST - 0.1
    assert get() == "/a 2"
    now[0] += 0.2
    assert get() == "/a 3"


def test_whoever_may_write_sees_what_is_there_now(made: tuple[Browser, Counting, Path]) -> None:
    browser, _, _ = made
    bodies = [asyncio.run(browser.get("/a", signed_in=True))[1] for _ in range(2)]
    assert bodies == ["/a 1", "/a 2"]
    assert asyncio.run(browser.get("/a"))[1] == "/a 3"


def test_a_browser_that_has_the_page_is_told_so(made: tuple[Browser, Counting, Path]) -> None:
    browser, _, _ = made
    _, body, headers = asyncio.run(browser.get("/a"))
    status, nothing, again = asyncio.run(browser.get("/a", tag=headers["etag"]))
    assert (status, nothing) == (304, "") and again["etag"] == headers["etag"] and "content-length" not in again
    assert asyncio.run(browser.get("/a", tag='"other"'))[1] == body
    assert headers["vary"] == "Cookie, Authorization"


@pytest.mark.parametrize("path", ["/missing", "/plain"])
def test_refusals_and_files_are_not_kept(made: tuple[Browser, Counting, Path], path: str) -> None:
    browser, app, _ = made
    for _ in range(2):
        asyncio.run(browser.get(path))
    assert app.asked == 2


def test_what_breaks_is_tried_again(made: tuple[Browser, Counting, Path]) -> None:
    browser, app, _ = made
    for _ in range(2):
        with pytest.raises(RuntimeError):
            asyncio.run(browser.get("/breaks"))
    assert app.asked == 2


def test_it_does_not_grow_without_end(made: tuple[Browser, Counting, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    browser, _, _ = made
    monkeypatch.setattr(answers, "MOST_BYTES", 100)
    for number in range(50):
        asyncio.run(browser.get(f"/{number:04d}"))
    kept = browser._app
    assert kept._bytes == sum(len(answer.body) for answer in kept._kept.values()) <= 100 and not kept._making


def test_a_library_put_in_anothers_place_is_the_one_that_is_read(tmp_path: Path) -> None:
    """A backup is brought back while the application runs."""
    for name in ("one", "two"):
        with Library(tmp_path / name, write=True, create=True) as library, library.connection:
            library.connection.execute("INSERT INTO meta VALUES ('name', ?)", (name,))
    desk = Desk(tmp_path / "one", TOKEN)

    def name() -> str:
        with desk.library() as library:
            return str(library.connection.execute("SELECT value FROM meta WHERE key = 'name'").fetchone()[0])

    with desk.library() as first, desk.library() as second:
        assert first is not second
    with desk.library() as again:
        assert again in (first, second)
    assert name() == "one"
    shutil.copy(tmp_path / "two" / "catalogue.db", tmp_path / "new")
    (tmp_path / "new").replace(tmp_path / "one" / "catalogue.db")
    assert name() == "two"
    desk.readers.close()
