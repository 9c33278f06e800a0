"""Searching a library: what is asked for is found, what asked to be left out is not, no question is an error."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.core.page import Brief, Fetched, Link, Verdict
from pinakes.core.roles import Progress
from pinakes.formats.document import Reader
from pinakes.formats.warc import exchange
from pinakes.jobs.search import SearchResult, search
from pinakes.library.collections import Collection, Entry, save_collections
from pinakes.library.fulltext import FullText
from pinakes.library.library import Library
from pinakes.library.passages import passage
from pinakes.library.query import Piece, read_query
from pinakes.library.recipe import Recipe
from pinakes.library.rolling import roll
from pinakes.strategies.breadth_first import BreadthFirst

RECIPE = Recipe(job="crawl", strategy="breadth-first", judge="cosine", web="demo")


class Shelves:
    """A library that pages are put into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reader = Reader()
        with Library(folder, write=True, create=True) as library:
            library.begin(RECIPE)
            library.connection.commit()

    def put(
        self, *pages: tuple[str, str], head: str = "", topic: str = "", error: str = "", score: float = 0.5
    ) -> None:
        with Library(self.folder, write=True) as library:
            ledger = library.ledger(1)
            for n, (url, body) in enumerate(pages):
                title, _, text = body.partition("|")
                data = (
                    f"<html lang=en><head><title>{title}</title>{head}</head><body><p>{text}</p></body></html>".encode()
                )
                page = self.reader.read(Link(url), url, 200, {"content-type": "text/html; charset=utf-8"}, data, 1.7e9)
                answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
                record, digest = exchange(url, b"GET / HTTP/1.1\r\n\r\n", answer, data, 1.7e9 + n)
                page = replace(page, error=error)
                verdict = Verdict(score, topic, {topic: score}, bool(topic))
                ledger.deliver(Fetched(page, record, digest, answer), page, verdict, None)
            ledger.commit(Progress(pages=1), BreadthFirst(Brief()))

    def found(self, query: str) -> list[str]:
        return [hit.url for hit in self.search(query).hits]

    def search(self, query: str) -> SearchResult:
        return search(self.folder, query, 100)


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path / "library")


OWL = ("http://owls.example.org/tawny", "Tawny owl|The tawny owl calls at night from the old oak.")
LARK = ("http://www.example.org/lark", "Skylark|At dawn the lark sings; by night it sleeps near an owl called Otto.")
CAFE = ("http://café.example/", "Cafés|Les cafés de la gare. 日本語の文書。")


def test_words_and_phrases(shelves: Shelves) -> None:
    """All words must occur, in any form; a phrase must stand as it is; titles weigh more."""
    shelves.put(OWL, LARK, CAFE)
    assert shelves.found("owls night") == [OWL[0], LARK[0]]
    assert shelves.found('"at night"') == [OWL[0]]
    assert shelves.found('"night at"') == []
    assert shelves.found("owl -lark") == [OWL[0]]
    assert set(shelves.found("skylark OR tawny")) == {OWL[0], LARK[0]}
    assert shelves.found("intitle:owl") == [OWL[0]]
    assert shelves.found("cafe gare") == shelves.found("CAFÉS") == [CAFE[0]]
    assert shelves.found("日本") == [CAFE[0]] and shelves.found("本日") == []


def test_fields_and_facets(shelves: Shelves) -> None:
    """A site stands for all below it, a topic for its whole name or words of it; facets count everything found."""
    shelves.put(OWL, topic="Birds of the night")
    shelves.put(LARK, topic="Birds of the night", score=0.9)
    shelves.put(CAFE)
    assert set(shelves.found("site:example.org")) == {OWL[0], LARK[0]}
    assert shelves.found("night site:owls.example.org") == [OWL[0]]
    assert shelves.found("night -site:www.example.org") == [OWL[0]]
    assert set(shelves.found('topic:"birds of the night"')) == set(shelves.found("topic:birds")) == {OWL[0], LARK[0]}
    assert shelves.found("topic:night") == [LARK[0], OWL[0]]  # no words: by merit
    assert shelves.found("type:pdf") == []
    assert len(shelves.found("type:html")) == len(shelves.found("type:text/html")) == 3
    result = shelves.search("night")
    assert result.facets["topic"] == (("Birds of the night", 2),)
    assert set(result.facets["site"]) == {("owls.example.org", 1), ("www.example.org", 1)}
    assert result.facets["language"] == (("en", 2),) == tuple(shelves.search("night lang:en").facets["language"])


def test_what_asks_to_be_left_out_is(shelves: Shelves) -> None:
    """`noindex` pages and duplicates are not found; `nosnippet` pages without a line of theirs."""
    shelves.put(("http://a.example/", "One|zebra"), head='<meta name="robots" content="noindex">')
    shelves.put(("http://b.example/", "Two|zebra too"), error="duplicate")
    shelves.put(("http://c.example/", "Three|zebra three"), head='<meta name="robots" content="nosnippet">')
    shelves.put(("http://d.example/", "Four|zebra four"))
    assert {hit.url: hit.snippet for hit in shelves.search("zebra").hits} == {
        "http://c.example/": "",
        "http://d.example/": "zebra four",
    }


def test_a_page_stands_once_as_last_captured(shelves: Shelves) -> None:
    """Another capture of an address takes the place of the one before, and may take the page out."""
    shelves.put(("http://a.example/", "Old|the words of yesterday"))
    assert shelves.found("yesterday") == ["http://a.example/"]
    shelves.put(("http://a.example/", "New|the words of today"))
    assert shelves.found("yesterday") == [] and shelves.found("words") == ["http://a.example/"]
    shelves.put(("http://a.example/", "Gone|the words of tomorrow"), head='<meta name="robots" content="noindex">')
    assert shelves.found("words") == []


def test_only_what_is_new_is_indexed(shelves: Shelves) -> None:
    """And nothing when nothing is."""
    shelves.put(OWL, LARK)
    assert [shelves.search("owl").indexed for _ in range(2)] == [2, 0]
    shelves.put(CAFE)
    assert shelves.search("owl").indexed == 1


def test_a_collection_gives_its_pages_their_topic(shelves: Shelves) -> None:
    """And takes it from those it no longer holds."""
    shelves.put(OWL, LARK)
    assert shelves.found("topic:singers") == []
    for built, (url, _) in enumerate((OWL, LARK), 1):
        with Library(shelves.folder, write=True) as library:
            entries = (Entry(url, 0.9, "title"),)
            save_collections(library.connection, [Collection("Singers", built=float(built), entries=entries)])
        assert shelves.found("topic:singers") == [url]


def test_an_index_of_another_time_or_library_is_made_anew(shelves: Shelves, tmp_path: Path) -> None:
    """So is one that cannot be read."""
    shelves.put(OWL, LARK)
    assert len(shelves.found("owl")) == 2
    other = Shelves(tmp_path / "other")
    other.put(CAFE)
    (shelves.folder / "index").rename(tmp_path / "other" / "index2")
    assert other.found("cafe") == [CAFE[0]]
    index = FullText(other.folder).folder
    for path in index.iterdir():
        path.unlink()
    (tmp_path / "other" / "index2" / index.name).rename(tmp_path / "moved")
    for path in (tmp_path / "moved").iterdir():
        path.rename(index / path.name)
    assert other.found("owl") == [] and other.found("cafe") == [CAFE[0]]
    (index / "meta.json").write_text("{")
    assert other.found("cafe") == [CAFE[0]]


def test_a_roll_that_died_goes_on(shelves: Shelves, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was committed is not done again."""
    monkeypatch.setattr("pinakes.library.rolling.COMMIT_PAGES", 2)
    shelves.put(OWL, LARK, CAFE)

    class DiedError(Exception):
        pass

    def die(done: int, total: int) -> None:
        raise DiedError

    with pytest.raises(DiedError):
        roll(shelves.folder, FullText(shelves.folder), die)
    assert shelves.search("owl").indexed == 1
    assert len(shelves.found("type:html")) == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_library_that_cannot_be_written_is_searched_as_it_is(shelves: Shelves) -> None:
    """Its index stays as it was."""
    shelves.put(OWL)
    assert shelves.found("owl")
    for path in (shelves.folder / "index", shelves.folder):
        path.chmod(0o500)
    try:
        assert shelves.found("owl") == [OWL[0]]
    finally:
        for path in (shelves.folder, shelves.folder / "index"):
            path.chmod(0o700)


def test_nothing_holds_it_all(shelves: Shelves) -> None:
    """Then what holds some of it is shown, and said to be that."""
    shelves.put(OWL, LARK)
    result = shelves.search("tawny lark")
    assert result.relaxed and {hit.url for hit in result.hits} == {OWL[0], LARK[0]}
    assert not shelves.search("tawny owl").relaxed


def test_hostile_pages_are_only_text(shelves: Shelves) -> None:
    """Controls and turns of direction do not reach whoever reads; a title of a megabyte is cut."""
    evil = "<script>alert(1)</script>\u202egnp.exe\u0007"
    shelves.put(("http://e.example/", f"{'long ' * 200_000}|zebra {evil.replace('<', '&lt;')} zebra"))
    (hit,) = shelves.search("zebra").hits
    assert len(hit.title) <= 200 and "\u202e" not in hit.snippet and "\u0007" not in hit.snippet
    assert [hit.snippet[begin:end] for begin, end in hit.marks] == ["zebra", "zebra"]


def test_a_question_taken_apart() -> None:
    """Whatever is typed means something."""
    asked = read_query('owls “at night” -"day time" site:Example.org -type:pdf title:tawny foo:bar "open end')
    assert asked.wanted == (
        (Piece("owls"),), (Piece("at night"),), (Piece("tawny", True),), (Piece("foo bar"),), (Piece("open end"),),
    )  # fmt: skip
    assert asked.unwanted == (Piece("day time"),)
    assert asked.only == {"site": ("example.org",)} and asked.never == {"type": ("pdf",)}
    assert read_query("OR a OR").wanted == ((Piece("a"),),)
    assert len(read_query("word " * 10_000).wanted) <= 40


@pytest.fixture(scope="module")
def open_index(tmp_path_factory: pytest.TempPathFactory) -> FullText:
    shelves = Shelves(tmp_path_factory.mktemp("any") / "library")
    shelves.put(OWL, LARK)
    fulltext = FullText(shelves.folder)
    roll(shelves.folder, fulltext)
    return fulltext


@given(
    st.text(st.sampled_from('owl"-:* ()[]{}^~/\\+&|!?<>ORANDNOT*\x00\u202e日sitetopictype'), max_size=60) | st.text()
)
@settings(deadline=None, max_examples=150)
def test_no_question_is_an_error(open_index: FullText, query: str) -> None:
    """Whatever is typed."""
    found = open_index.search(read_query(query))
    assert 0 <= found.total <= 2
    passage("The owl at night. " * 20, [open_index.analyzer.analyze(query)], open_index.analyzer.analyze)


def test_the_passage_with_most_of_it(open_index: FullText) -> None:
    """Where the phrase stands, not where its words do; whole words, marked where they are."""
    cut = open_index.analyzer.analyze
    text = "At first, nothing. " * 30 + "Éclairs are eaten at night, in libraries. " + "And then nothing. " * 30
    best = passage(text, [cut("at night"), cut("eclair"), cut("library")], cut)
    assert [best.text[begin:end] for begin, end in best.marks] == ["Éclairs", "at night", "libraries"]
    assert best.text.startswith("…") and best.text.endswith("…") and len(best.text) < 250
    assert passage("short", [], cut) == ("short", ())
