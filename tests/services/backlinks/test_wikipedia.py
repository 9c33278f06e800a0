"""Back-links by Wikipedia. Only its answers about its own articles are on record; those about the web's pages
(exturlusage) are constructed from its documentation and named so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pinakes.services.backlinks.wikipedia import Wikipedia
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration

WIKI = "http://en.wikipedia.org"
OURS = ("format", "maxlag", "blnamespace", "blfilterredir")
"""Parameters we add to what was recorded."""


def constructed(*rows: tuple[str, str], further: dict[str, Any] | None = None) -> dict[str, Any]:
    """An answer of exturlusage: titles and the addresses their articles cite."""
    listed = [{"pageid": 1, "ns": 0, "title": title, "url": url} for title, url in rows]
    return {**({"continue": further} if further else {"batchcomplete": True}), "query": {"exturlusage": listed}}


def linking(loopback: Any, script: Any, url: str, n: int = 10, calls: int = 50) -> tuple[list[str], Any]:
    async def use(bench: Any) -> Any:
        return list(await Wikipedia(bench.client(WIKI), Ration(calls)).backlinks(url, n)), bench

    return loopback.run(script, use)


def test_articles_that_link_to_an_article(loopback: Any, recordings: Path) -> None:
    """The recorded answer, whose continuation leads to rows that were not recorded."""
    recorded = loopback.replay(recordings / "wikipedia" / "backlinks_continue.json", ignoring=OURS)

    def say(asked: Any) -> Any:
        return recorded(asked) if "blcontinue" not in asked.target else loopback.said({"batchcomplete": True})

    found, bench = linking(loopback, say, f"{WIKI}/wiki/Douglas_Adams")
    assert found == [f"{WIKI}/wiki/The_Ashes"]
    first, second = bench.queries()
    assert (first["list"], first["bltitle"], first["maxlag"]) == ("backlinks", "Douglas Adams", "5")
    assert second == {**first, "blcontinue": "0|2062757", "continue": "-||"}


def test_a_long_recorded_answer(loopback: Any, recordings: Path) -> None:
    """Five hundred rows among much else are read, and no more are asked for when they are enough."""
    names = ("action", "cllimit", "clshow", "imlimit", "lllimit", "pclimit", "prop", "list", "pvipdays", "pilicense")
    script = loopback.replay(
        recordings / "wikipedia" / "backlinks_and_more.json",
        ignoring=(*OURS, *names, "titles", "pageids", "formatversion", "bllimit", "redirects", "inprop"),
    )
    found, bench = linking(loopback, script, f"{WIKI}/wiki/Douglas_Adams", n=20)
    assert len(set(found)) == 20
    assert all(url.startswith(f"{WIKI}/wiki/") and " " not in url for url in found)
    assert len(bench.wired.asked) == 1


def test_articles_that_cite_a_page(loopback: Any) -> None:
    """Constructed. The wiki also finds addresses that merely begin alike; http or https, with or without a last slash
    and with a fragment it is the same page."""
    rows = [
        ("Owl", "https://owls.example/barn"),
        ("Barn owl", "http://owls.example/barn/"),
        ("Tyto (genus)", "//owls.example/barn#top"),
        ("Barn", "https://owls.example/barns"),
        ("Who's there?", "https://owls.example/barn"),
        ("Owl", "https://owls.example/barn"),
        ("Broken", "::"),
    ]
    found, bench = linking(loopback, [loopback.said(constructed(*rows))], "https://owls.example/barn")
    assert found == [f"{WIKI}/wiki/{name}" for name in ("Owl", "Barn_owl", "Tyto_(genus)", "Who%27s_there%3F")]
    (query,) = bench.queries()
    assert query == {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "maxlag": "5",
        "list": "exturlusage",
        "euquery": "owls.example/barn",
        "eulimit": "500",
        "eunamespace": "0",
        "euprop": "title|url",
    }


def test_an_empty_page_is_not_the_end(loopback: Any) -> None:
    """Constructed. Rows are filtered after they are counted, so a page can be empty; `continue` tells the end."""
    page = "http://owls.example/"
    script = [
        loopback.said(constructed(further={"eucontinue": "10", "continue": "-||"})),
        loopback.said(constructed(("A", page), further={"eucontinue": 20, "continue": "-||"})),
        loopback.said(constructed(("B", page))),
    ]
    found, bench = linking(loopback, script, page)
    assert found == [f"{WIKI}/wiki/A", f"{WIKI}/wiki/B"]
    assert [query.get("eucontinue") for query in bench.queries()] == [None, "10", "20"]


def test_paging_ends(loopback: Any) -> None:
    """Constructed. After a few pages, when the same continuation comes twice, when there are enough, or when the
    ration is used up."""
    page = "http://owls.example/"
    number = iter(range(1000))

    def endless(asked: Any) -> Any:
        n = next(number)
        return loopback.said(constructed((f"T{n}", page), further={"eucontinue": str(n)}))

    assert len(linking(loopback, endless, page)[0]) == 5
    assert len(linking(loopback, endless, page, n=2)[0]) == 2
    found, bench = linking(loopback, endless, page, calls=3)
    assert (len(found), len(bench.wired.asked)) == (3, 3)
    stuck = loopback.said(constructed(("A", page), further={"eucontinue": "1"}))
    assert len(linking(loopback, [stuck], page)[1].wired.asked) == 2


def test_a_lagging_wiki_is_asked_again(loopback: Any) -> None:
    """Constructed. The error comes with status 200, and its Retry-After counts."""
    lag = {"error": {"code": "maxlag", "info": "Waiting for a database: 6 seconds lagged.", "lag": 6}}
    script = [loopback.said(lag, 200, "Retry-After: 5"), loopback.said(constructed(("A", "http://owls.example/")))]
    found, bench = linking(loopback, script, "http://owls.example/")
    assert found == [f"{WIKI}/wiki/A"]
    assert bench.clock.slept[0] == pytest.approx(5)
    with pytest.raises(ServiceError, match="maxlag") as raised:
        linking(loopback, script[:1], "http://owls.example/")
    assert raised.value.outcome == "rate-limited"


def test_an_error_in_a_good_answer_is_an_error(loopback: Any) -> None:
    """Constructed. It is not tried again."""
    bad = loopback.said({"error": {"code": "badquery", "info": "Invalid query."}})
    asked: list[Any] = []

    def say(request: Any) -> Any:
        asked.append(request)
        return bad

    with pytest.raises(ServiceError, match="Example answered badquery, “Invalid query”") as raised:
        linking(loopback, say, "http://owls.example/")
    assert (raised.value.outcome, len(asked)) == ("client-error", 1)


def test_what_was_found_before_a_failure_counts(loopback: Any) -> None:
    """Constructed. The second page of rows cannot be had; those of the first are answered."""
    page = "http://owls.example/"
    script = [loopback.said(constructed(("A", page), further={"eucontinue": "1"})), loopback.said({}, 500)]
    assert linking(loopback, script, page)[0] == [f"{WIKI}/wiki/A"]
