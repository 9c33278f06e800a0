"""Scholarly sources as search engines, on recorded answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.services.search.scholarly import SOURCES, scholarly_source

TITLE = "Effect of native oxide layers on copper thin-film tensile properties: A reactive molecular dynamics study"
HOSTS = {
    "semantic-scholar": "api.semanticscholar.org",
    "openalex": "api.openalex.org",
    "crossref": "api.crossref.org",
    "arxiv": "export.arxiv.org",
}
URLS = {name: f"http://{host}" for name, host in HOSTS.items()}


class Section:
    """A section of pinakes.toml that puts a service on the loopback."""

    def __init__(self, url: str, key: str = "") -> None:
        self.url, self._key = url, key

    def key(self) -> str:
        return self._key


def ask(loopback: Any, name: str, title: str, body: bytes, status: int = 200, kind: str = "application/json") -> Any:
    """What a source finds for a title when it gets that answer, and what it was asked."""

    async def use(bench: Any) -> Any:
        source = scholarly_source(name, Section(URLS[name]), bench.services)
        return list(await source.search(title, 10, True)), bench.queries()[0]

    return loopback.run([loopback.Said(body, status, kind)], use)


def body_of(file: Path, host: str, nth: int = 0) -> bytes:
    said = [one for one in json.loads(file.read_text())["interactions"] if host in one["request"]["url"]]
    return str(said[nth]["response"]["body"]).encode()


@pytest.mark.parametrize(
    ("name", "expected", "parameter"),
    [
        ("semantic-scholar", "https://doi.org/10.1063/1.4938384", "query"),
        ("openalex", "https://doi.org/10.1063/1.4938384", "filter"),
        ("crossref", "https://doi.org/10.1063/1.4938384", "query.bibliographic"),
    ],
)
def test_a_title_is_found(loopback: Any, recordings: Path, name: str, expected: str, parameter: str) -> None:
    """By its recorded answer, with the address that leads to the paper."""
    body = body_of(recordings / "semantic-scholar" / "mixed_title_search.json", HOSTS[name])
    hits, asked = ask(loopback, name, TITLE, body)
    assert expected in [hit.url for hit in hits] and "copper thin-film" in asked[parameter]
    assert all(hit.title.lower().startswith("effect of native oxide") for hit in hits)


def test_another_paper_is_not_the_one(loopback: Any, recordings: Path) -> None:
    """Crossref answers with whatever is alike; what has another title is left out."""
    body = body_of(recordings / "crossref" / "works_query.json", HOSTS["crossref"])
    hits, _ = ask(loopback, "crossref", TITLE, body)
    assert hits == []


def test_no_match_is_no_error(loopback: Any, recordings: Path) -> None:
    """Semantic Scholar says it with 404, and now and then with an empty list."""
    file = recordings / "semantic-scholar" / "mixed_bad_titles.json"
    hits, _ = ask(loopback, "semantic-scholar", "askldjrq3rjaw938h", body_of(file, HOSTS["semantic-scholar"]), 404)
    assert hits == []
    hits, _ = ask(loopback, "semantic-scholar", TITLE, b'{"data": []}')
    assert hits == []


def test_arxiv_is_asked_for_the_phrase(loopback: Any, recordings: Path) -> None:
    body = (recordings / "arxiv" / "api_search_2020.xml").read_bytes()
    title = "A Multitask Deep Learning Approach for User Depression Detection on Sina Weibo"
    hits, asked = ask(loopback, "arxiv", title + "!", body, kind="application/atom+xml")
    assert [hit.url for hit in hits] == ["http://arxiv.org/abs/2008.11708v1"]
    assert asked["search_query"] == f'ti:"{title}"'
    empty = body_of(recordings / "arxiv" / "empty.json", HOSTS["arxiv"])
    assert ask(loopback, "arxiv", title, empty, kind="application/atom+xml")[0] == []


def test_keys_go_where_they_belong(loopback: Any) -> None:
    async def use(bench: Any) -> Any:
        for name in ("semantic-scholar", "openalex"):
            source = scholarly_source(name, Section(URLS[name], "secret"), bench.services)
            await source.search(TITLE)
        return bench.wired.asked, bench.queries()

    asked, queries = loopback.run(lambda asked: loopback.said({"data": [], "results": []}), use)
    assert asked[0].headers.get("x-api-key") == "secret" and queries[1]["api_key"] == "secret"


def test_unknown_sources_are_told(loopback: Any) -> None:
    async def use(bench: Any) -> Any:
        with pytest.raises(PinakesError, match=", ".join(SOURCES)):
            scholarly_source("scholar", None, bench.services)

    loopback.run([loopback.Said()], use)
