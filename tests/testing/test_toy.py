"""The toy web: drawn in a few lines, read by the real reader, a web, a search engine and a source of back-links."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from http.client import HTTPConnection
from typing import TypeVar

import pytest

from pinakes.core.page import Link
from pinakes.testing import ToyWeb, serve

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
T = TypeVar("T")


def run(what: Coroutine[object, object, T]) -> T:
    return asyncio.run(what)


def drawn() -> ToyWeb:
    return ToyWeb(
        {
            A: (
                "Birds of the far north sing and birds of the south listen",
                [B, (C, "the south"), ("deep/er", "sing")],
            ),
            B: "Birds eat & <sleep>",
            "http://c.example": ("The north wind sings of owls", [(A, "back"), A], "Wind & owls"),
            "http://raw.example/": b"<title>Raw</title><p>by hand <a href='http://b.example/#part'>b</a>",
        },
        redirects={D: C},
        errors={"http://e.example/": "timeout", "http://f.example/": "robots", "http://g.example/": "server-error"},
    )


def test_text_is_read_as_on_a_crawl() -> None:
    page = drawn().page(B)
    assert (page.url, page.status, page.error) == (B, 200, "")
    assert page.text.strip() == "Birds eat & <sleep>"
    assert set(page.terms) >= {"bird", "eat", "sleep"}
    assert page.links == ()
    assert drawn().page(C).title == "Wind & owls"
    assert drawn().page("http://raw.example/").title == "Raw"


def test_an_anchor_is_linked_where_it_stands_in_the_text() -> None:
    """Its offset and the words round it are those of its place; links without a place follow the text."""
    sing, south, b = drawn().page(A).links
    assert [link.url for link in (sing, south, b)] == [f"{A}deep/er", C, B]
    assert (sing.anchor, south.anchor, b.anchor) == ("sing", "the south", "")
    words = drawn().page(A).words
    assert words[sing.at] == "sing"
    assert words[south.at + 1] == "south"
    assert sing.before.endswith("north")
    assert sing.after.startswith("and birds")
    assert b.at == len(words)
    assert {link.parent for link in (sing, south, b)} == {A}


def test_anchors_match_whole_words_and_do_not_overlap() -> None:
    web = ToyWeb({A: ("singing sing a song of a song", [(B, "sing"), (C, "a song"), (D, "a song"), (A + "x", "song")])})
    page = web.page(A)
    assert page.text.split() == ["singing", "sing", "a", "song", "of", "a", "song", "song"]
    assert [link.url for link in page.links] == [B, C, D, A + "x"]
    assert [link.at for link in page.links] == [1, 2, 5, 7]


def test_fetching_is_a_web() -> None:
    """Pages, redirects, named errors and 404 for the rest, in order and written down."""
    web = drawn()
    assert web.ordered
    link = Link(A, anchor="how", depth=3)
    fetched = run(web.fetch(link))
    assert fetched.page == web.page(A, link)
    assert fetched.page.link is link
    hop = run(web.fetch(Link(D)))
    assert (hop.hop, hop.page.status) == (C, 301)
    for url, error, status in (
        ("http://e.example/", "timeout", 0),
        ("http://f.example/", "robots", 0),
        ("http://g.example/", "server-error", 500),
        ("http://nowhere.example/", "not-found", 404),
    ):
        page = run(web.fetch(Link(url))).page
        assert (page.error, page.status, page.links) == (error, status, ())
    assert web.fetched[:2] == [A, D]
    assert len(web.fetched) == 6
    run(web.close())


def test_records_are_made_when_asked_for() -> None:
    assert run(drawn().fetch(Link(A))).record == ()
    fetched = run(ToyWeb({A: "text"}, records=True).fetch(Link(A)))
    assert [member.kind for member in fetched.record] == ["request", "response"]
    assert fetched.digest.startswith("sha1:")


def test_search_ranks_by_terms_found_then_by_occurrences() -> None:
    web = drawn()
    hits = run(web.search("singing bird"))
    assert [hit.url for hit in hits] == [A, B, C], "both terms, one term once, one term once but drawn later"
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert hits[2].title == "Wind & owls"
    assert [hit.url for hit in run(web.search("singing bird", n=1))] == [A]
    assert run(web.search("nobody wrote this")) == []
    assert run(web.search("")) == []


def test_a_phrase_is_found_word_for_word() -> None:
    web = drawn()
    assert [hit.url for hit in run(web.search("the NORTH wind", phrase=True))] == [C]
    assert [hit.url for hit in run(web.search("Wind, owls", phrase=True))] == [C], "the title counts"
    assert run(web.search("bird of the far", phrase=True)) == []
    assert run(web.search("north and", phrase=True)) == []
    assert run(web.search("", phrase=True)) == []


def test_backlinks_are_the_pages_that_link() -> None:
    web = drawn()
    assert run(web.backlinks(B)) == [A, "http://raw.example/"]
    assert run(web.backlinks("http://b.example", n=1)) == [A]
    assert run(web.backlinks(A)) == [C]
    assert run(web.backlinks(D)) == []


def test_what_cannot_be_had_is_neither_found_nor_counted() -> None:
    web = ToyWeb({A: ("birds", [C]), B: ("birds", [C])}, errors={A: "timeout"}, redirects={B: C})
    assert list(web) == []
    assert run(web.search("birds")) == []
    assert run(web.backlinks(C)) == []


def test_addresses_are_made_canonical_and_bad_ones_refused() -> None:
    assert ToyWeb({"HTTP://A.example": "x"}).page(A).status == 200
    for bad in ("a.example", "mailto:a@b", ""):
        with pytest.raises(ValueError, match=r"http://a\.example/"):
            ToyWeb({bad: "x"})


def test_a_toy_web_can_be_served() -> None:
    web = drawn()
    with serve(web) as served:
        connection = HTTPConnection(*served.address, timeout=10)
        connection.request("GET", "/", headers={"Host": "a.example"})
        assert connection.getresponse().read() == web.answer(A).body
        connection.close()
    assert web.answer("http://e.example/").fault == "stall"
    assert web.answer("http://f.example/").status == 500
    assert web.answer(D).status == 301
