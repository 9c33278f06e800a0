"""Search engines. Brave's answers are on record; those of SearXNG, Marginalia and Mojeek are constructed from their
documentation and source, and named so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pinakes.config import Search
from pinakes.core.errors import PinakesError
from pinakes.core.roles import Hit
from pinakes.services.errors import ServiceError
from pinakes.services.search.engines import search_engine


def searching(
    loopback: Any, script: Any, settings: Search, query: str = "focused crawling", n: int = 10, phrase: bool = False
) -> tuple[list[Hit], Any]:
    async def use(bench: Any) -> Any:
        engine = search_engine("mine", settings, bench.services)
        return list(await engine.search(query, n, phrase)), bench

    found: tuple[list[Hit], Any] = loopback.run(script, use)
    return found


def constructed_searxng(*urls: str, unresponsive: tuple[str, ...] = ()) -> dict[str, Any]:
    results = [{"url": url, "title": f"About {url}", "content": "snippet", "engines": ["a"]} for url in urls]
    return {"query": "q", "results": results, "unresponsive_engines": [[name, "timeout"] for name in unresponsive]}


SEARXNG = Search("searxng", "http://search.example/searx/")


def test_searxng(loopback: Any, recordings: Path) -> None:
    """The constructed shape: hits in order, each once; quotation marks for a phrase."""
    shape = json.loads((recordings / "searxng" / "CONSTRUCTED_shape.json").read_text())
    hits, bench = searching(loopback, [loopback.said(shape)], SEARXNG, phrase=True)
    assert hits == [Hit("https://example.org/a", "Example A", "snippet", 1, "SearXNG")]
    assert bench.targets[0].startswith("/searx/search?")
    assert bench.queries()[0] == {"q": '"focused crawling"', "format": "json", "pageno": "1"}


def test_searxng_turns_pages_until_there_are_enough(loopback: Any) -> None:
    pages = [constructed_searxng(f"http://a.example/{n}", f"http://b.example/{n}") for n in range(9)]
    hits, bench = searching(loopback, [loopback.said(page) for page in pages], SEARXNG, n=5)
    assert len(hits) == 5 and [query["pageno"] for query in bench.queries()] == ["1", "2", "3"]
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]


def test_searxng_without_json_says_the_fix(loopback: Any) -> None:
    with pytest.raises(ServiceError, match=r"add json to search\.formats"):
        searching(loopback, [loopback.Said(b"no", 403, "text/html")], SEARXNG)


def test_silent_engines_are_a_failure_and_not_no_hits(loopback: Any) -> None:
    with pytest.raises(ServiceError, match="google"):
        searching(loopback, [loopback.said(constructed_searxng(unresponsive=("google",)))], SEARXNG)
    hits, _ = searching(loopback, [loopback.said(constructed_searxng())], SEARXNG)
    assert hits == []


def test_brave(loopback: Any, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded answer; titles and snippets are not kept, and the key goes into a header."""
    monkeypatch.setenv("BRAVE", "secret-token")
    body = loopback.Said((recordings / "brave" / "brave_search.json").read_bytes())
    hits, bench = searching(loopback, [body], Search("brave", "http://brave.example", "BRAVE"), "Laravel", n=7)
    assert len(hits) == 7 and all(hit.url.startswith("http") and not hit.title and not hit.snippet for hit in hits)
    assert "secret-token" not in "".join(bench.targets)
    assert any("secret-token" in str(asked.headers) for asked in bench.wired.asked)
    assert bench.queries()[0]["q"] == "Laravel" and bench.queries()[0]["count"] == "7"


def test_brave_without_hits(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constructed: `web` is absent when there are none."""
    monkeypatch.setenv("BRAVE", "secret-token")
    hits, _ = searching(loopback, [loopback.said({"type": "search"})], Search("brave", "http://brave.example", "BRAVE"))
    assert hits == []


def test_no_error_tells_a_key(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOJEEK", "secret-token")
    answer = loopback.said({"response": {"status": "key secret-token is not valid"}})
    with pytest.raises(ServiceError) as error:
        searching(loopback, [answer], Search("mojeek", "http://mojeek.example", "MOJEEK"))
    assert "secret-token" not in str(error.value) and "Mojeek" in str(error.value)


def test_mojeek(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constructed: the key is a parameter of the address, results count from 1."""
    monkeypatch.setenv("MOJEEK", "secret-token")
    results = [{"url": f"http://a.example/{n}", "title": "t", "desc": "d"} for n in range(10)]
    answer = loopback.said({"response": {"status": "OK", "results": results}})
    hits, bench = searching(loopback, [answer], Search("mojeek", "http://mojeek.example", "MOJEEK"), n=3)
    assert [hit.url for hit in hits] == [f"http://a.example/{n}" for n in range(3)]
    assert bench.queries()[0] == {
        "q": "focused crawling",
        "fmt": "json",
        "t": "10",
        "s": "1",
        "api_key": "secret-token",
    }


def test_marginalia(loopback: Any) -> None:
    """Constructed: the public key unless there is one of one's own."""
    answer = {"license": "CC-BY-NC-SA 4.0", "results": [{"url": "http://a.example/", "title": "t", "description": "d"}]}
    hits, bench = searching(loopback, [loopback.said(answer)], Search("marginalia", "http://marginalia.example"))
    assert hits == [Hit("http://a.example/", "t", "d", 1, "Marginalia")]
    assert any("public" in str(asked.headers) for asked in bench.wired.asked)


def test_any_json_endpoint(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "secret-token")
    settings = Search(
        "json", "http://find.example/api/v2?text={query}&limit={n}&lang=en", "OURS",
        results="data.items", address="link.href", title="name", key_header="Authorization",
    )  # fmt: skip
    items = [
        {"link": {"href": "http://a.example/"}, "name": "A"},
        {"link": 5},
        "rubbish",
        {"link": {"href": "file:///x"}},
    ]
    hits, bench = searching(loopback, [loopback.said({"data": {"items": items}})], settings, n=4)
    assert [(hit.url, hit.title) for hit in hits] == [("http://a.example/", "A")]
    assert bench.targets[0].startswith("/api/v2?") and "secret-token" not in bench.targets[0]
    assert bench.queries()[0] == {"text": "focused crawling", "limit": "4", "lang": "en"}
    with pytest.raises(ServiceError, match=r"no list of results at results = 'data\.items'"):
        searching(loopback, [loopback.said({"data": {}})], settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Search("bing"), "the kinds are searxng, brave"),
        (Search("searxng"), "has no url"),
        (Search("brave"), "needs a key"),
        (Search("mojeek", key_env="NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE, which is not set"),
        (Search("json", "http://find.example/?q=owls"), r"\{query\}"),
    ],
)
def test_a_section_that_cannot_work_says_why(loopback: Any, settings: Search, said: str) -> None:
    with pytest.raises(PinakesError, match=said):
        searching(loopback, [loopback.said({})], settings)
