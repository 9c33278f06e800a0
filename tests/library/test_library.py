"""A library on disk: what goes in comes out, and only what was committed counts."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict
from pinakes.core.roles import Progress
from pinakes.formats.document import Reader
from pinakes.formats.warc import exchange
from pinakes.library.library import Library, in_use
from pinakes.library.recipe import Recipe
from pinakes.library.standing import Standings
from pinakes.strategies.breadth_first import BreadthFirst

RECIPE = Recipe(job="crawl", strategy="breadth-first", judge="cosine", web="demo", brief=Brief(topics=(Topic("x"),)))
STRATEGY = BreadthFirst(Brief())
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
LONG = " ".join(f"word{n} about the river and its {n} bridges" for n in range(40))


def answer(url: str, text: str, *links: str, at: float = 1_700_000_000.0, parent: str = "") -> Fetched:
    """A page as a web would answer it."""
    anchors = "".join(f'<a href="{link}">to {link}</a> ' for link in links)
    body = f"<html><title>{text[:20]}</title><body><p>{text}</p>{anchors}</body></html>".encode()
    reader = Reader()
    link = Link(url, "anchor", parent=parent, depth=1 if parent else 0, priority=0.5)
    page = reader.read(link, url, 200, {"content-type": "text/html; charset=utf-8"}, body, at)
    reader.close()
    record, digest = exchange(url, f"GET {url} HTTP/1.1\r\n\r\n".encode(), HEAD, body, at, metadata={"via": parent})
    return Fetched(page, record, digest, HEAD)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    with Library(tmp_path / "library", write=True, create=True) as opened:
        yield opened


def put(library: Library, *answers: Fetched, commit: bool = True) -> None:
    ledger = library.begin(RECIPE)
    for fetched in answers:
        ledger.deliver(fetched, fetched.page, Verdict(0.7, "x", {"x": 0.7, "y": 0.1}, True), None)
    if commit:
        ledger.commit(Progress(pages=len(answers)), STRATEGY)


def records(library: Library) -> list[tuple[str, str]]:
    library.archive.flush()
    found = []
    for path in sorted((library.folder / "archive").iterdir()):
        with path.open("rb") as file:
            found += [(r.rec_type, r.rec_headers["WARC-Target-URI"]) for r in ArchiveIterator(file)]
    return found


def test_a_stored_page_is_read_back_as_it_was(library: Library) -> None:
    """Text, words, links and all: the archive holds the bytes, the parser does the rest."""
    fetched = answer("http://a.example/", "the owl and the pussycat", "http://b.example/")
    put(library, fetched)
    number = library.shelf.number("http://a.example/")
    assert number is not None
    assert library.shelf.page(number, fetched.page.link) == fetched.page


def test_a_repeated_payload_becomes_a_revisit(library: Library) -> None:
    """Its bytes are stored once, and both addresses read the same."""
    first = answer("http://a.example/", "same")
    body = b"<html><title>same</title><body><p>same</p></body></html>"
    again, digest = exchange("http://b.example/", b"GET / HTTP/1.1\r\n\r\n", HEAD, body, 1_700_000_001.0)
    page = first.page
    second = Fetched(
        Page(
            Link("http://b.example/"),
            "http://b.example/",
            200,
            page.type,
            page.title,
            page.text,
            page.words,
            page.terms,
        ),
        again,
        digest,
        HEAD,
    )
    put(library, first, second)
    kinds = [kind for kind, _ in records(library)]
    assert kinds.count("response") == 1 and kinds.count("revisit") == 1
    number = library.shelf.number("http://b.example/")
    assert number is not None and library.shelf.page(number).text == page.text


def test_the_archive_is_clean(library: Library) -> None:
    """Every record's digests hold under warcio's check."""
    put(library, *(answer(f"http://a.example/{n}", f"page {n} {LONG}", "http://a.example/") for n in range(5)))
    library.archive.flush()
    files = [str(path) for path in (library.folder / "archive").iterdir()]

    class Options:
        verbose, inputs = False, files

    checker = Checker(Options())
    checker.process_all()
    assert checker.exit_value == 0


def test_what_was_not_committed_is_gone(tmp_path: Path) -> None:
    """A crash leaves bytes in the archive that the catalogue does not know; opening cuts them off."""
    folder = tmp_path / "library"
    with Library(folder, write=True, create=True) as library:
        put(library, answer("http://a.example/", "kept"))
        (path,) = (folder / "archive").iterdir()
        size = path.stat().st_size
        put(library, answer("http://b.example/", "lost"), commit=False)
        library.archive.flush()
        assert path.stat().st_size > size
        (folder / "archive" / "pinakes-20260101-00009.warc.gz").write_bytes(b"never named by the catalogue")
    with Library(folder, write=True) as library:
        assert path.stat().st_size == size
        assert library.shelf.number("http://a.example/") and not library.shelf.number("http://b.example/")
        assert [path.name] == [found.name for found in (folder / "archive").iterdir()]
        assert len(list((folder / "aside").iterdir())) == 2, "what is cut off is put aside, not deleted"
        put(library, answer("http://c.example/", "added"))
        assert [url for kind, url in records(library) if kind == "response"] == [
            "http://a.example/",
            "http://c.example/",
        ]


def test_a_shortened_archive_is_named(tmp_path: Path) -> None:
    """Bytes the catalogue counts on must be there."""
    with Library(tmp_path / "library", write=True, create=True) as library:
        put(library, answer("http://a.example/", "kept"))
    (path,) = (tmp_path / "library" / "archive").iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(PinakesError, match="restore it from a backup"):
        Library(tmp_path / "library", write=True)


def test_an_archive_of_another_library_is_not_touched(tmp_path: Path) -> None:
    """A catalogue from elsewhere does not know these files: they are left as they are, and the mistake is named."""
    for name in ("one", "two"):
        with Library(tmp_path / name, write=True, create=True) as library:
            put(library, *(answer(f"http://{name}.example/{n}", f"{name} {n}") for n in range(1 + 3 * (name == "two"))))
    catalogue = (tmp_path / "one" / "catalogue.db").read_bytes()
    (tmp_path / "two" / "catalogue.db").write_bytes(catalogue)
    (path,) = (tmp_path / "two" / "archive").iterdir()
    before = path.read_bytes()
    with pytest.raises(PinakesError, match="does not belong"):
        Library(tmp_path / "two", write=True)
    assert path.read_bytes() == before


def test_every_record_has_the_fields_warc_demands(library: Library) -> None:
    """Of every kind, the four mandatory ones."""
    put(library, answer("http://a.example/", "one"), answer("http://b.example/", "one"))
    library.archive.flush()
    (path,) = (library.folder / "archive").iterdir()
    kinds = set()
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            kinds.add(record.rec_type)
            for name in ("WARC-Record-ID", "Content-Length", "WARC-Date", "WARC-Type"):
                assert record.rec_headers.get_header(name), f"{record.rec_type} lacks {name}"
    assert {"warcinfo", "request", "response", "metadata"} <= kinds


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_a_read_only_library_can_be_read(tmp_path: Path) -> None:
    """Status and why need not write."""
    with Library(tmp_path / "library", write=True, create=True) as library:
        put(library, answer("http://a.example/", "kept"))
    folder = tmp_path / "library"
    if subprocess.run(["mount", "--bind", folder, folder], check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        with Library(folder) as library:
            assert library.shelf.number("http://a.example/")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_near_duplicates_are_found_within_a_crawl(library: Library) -> None:
    """Pages that differ in a word are twins, others are not; only the links a twin lacks are offered."""
    ledger = library.begin(RECIPE)
    first = answer("http://a.example/", LONG, "http://c.example/")
    ledger.deliver(first, first.page, Verdict(), None)
    second = answer("http://b.example/", LONG + " indeed", "http://c.example/", "http://d.example/")
    twin = ledger.twin(second.page, second.digest)
    assert twin is not None and twin.url == "http://a.example/" and not twin.exact
    assert [link.url for link in ledger.lacking(second.page, twin)] == ["http://d.example/"]
    other = answer("http://e.example/", " ".join(f"quite{n} another{n} matter{n}" for n in range(60)))
    assert ledger.twin(other.page, other.digest) is None
    assert library.begin(RECIPE).twin(second.page, second.digest) is None, "another crawl has not seen it"


def test_a_canonical_address_is_believed_only_of_pages_that_are_alike(library: Library) -> None:
    """A printable version with other words round it is a twin; a page that merely names another is not."""
    ledger = library.begin(RECIPE)
    first = answer("http://a.example/", LONG)
    ledger.deliver(first, first.page, Verdict(), None)
    frame = " ".join(f"menu{n} item" for n in range(25))
    printed = answer("http://a.example/print", f"{frame} {LONG}").page
    assert ledger.twin(printed, "") is None, "too much is different for that alone"
    assert ledger.twin(replace(printed, canonical="http://a.example/"), "") is not None
    other = answer("http://a.example/other", " ".join(f"quite{n} another{n} matter{n}" for n in range(60))).page
    assert ledger.twin(replace(other, canonical="http://a.example/"), "") is None


@pytest.mark.parametrize("frame", ["", " ".join(f"menu{n} item" for n in range(25))], ids=["the same", "framed"])
def test_the_canonical_page_wins_though_its_copy_came_first(library: Library, frame: str) -> None:
    """The copy is what is left out of the best pages, however like the two are; a page that is not alike stays."""
    ledger = library.begin(RECIPE)
    other = " ".join(f"quite{n} another{n} matter{n}" for n in range(60))
    for url, text, canonical in (
        ("http://a.example/print", f"{frame} {LONG}", "http://a.example/"),
        ("http://a.example/liar", other, "http://a.example/"),
        ("http://a.example/", LONG, ""),
    ):
        fetched = answer(url, text)
        page = replace(fetched.page, canonical=canonical)
        assert ledger.twin(page, fetched.digest) is None
        ledger.deliver(fetched, page, Verdict(score=0.5, nugget=True), None)
    assert {found.url for found in library.shelf.best(ledger.crawl, 9)} == {
        "http://a.example/",
        "http://a.example/liar",
    }
    standings = Standings(library.connection)
    assert [standings.of(f"http://a.example/{name}").repeats for name in ("print", "liar", "")] == [True, False, False]


def test_exact_copies_are_twins_however_short(library: Library) -> None:
    """By their payload."""
    ledger = library.begin(RECIPE)
    first = answer("http://a.example/", "short")
    ledger.deliver(first, first.page, Verdict(), None)
    copy = Page(Link("http://b.example/"), "http://b.example/", 200)
    twin = ledger.twin(copy, first.digest)
    assert twin is not None and twin.exact
    assert ledger.twin(first.page, first.digest) is None, "a page is not its own twin"


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """A second one is told so; a reader is not kept out."""
    with Library(tmp_path / "library", write=True, create=True):
        assert in_use(tmp_path / "library")
        with pytest.raises(PinakesError, match="in use"):
            Library(tmp_path / "library", write=True)
        with Library(tmp_path / "library") as reader:
            assert reader.crawls() == []
            with pytest.raises(sqlite3.OperationalError):
                reader.connection.execute("DELETE FROM crawls")
    assert not in_use(tmp_path / "library")


def test_the_recipe_comes_back_whole(library: Library) -> None:
    """Brief, examples and all: what made a crawl can make it again."""
    page = answer("http://a.example/", "the owl", "http://b.example/").page
    brief = Brief(topics=(Topic("owls", "birds of the night"),), examples={"owls": (page,)}, pages=7, random_state=3)
    recipe = Recipe(
        "crawl",
        "best-first",
        "cosine",
        "demo",
        {"limit": None},
        {"threshold": 0.2},
        (Link("http://s.example/"),),
        brief,
    )
    ledger = library.begin(recipe)
    ledger.commit(Progress(), STRATEGY)
    assert library.recipe(library.crawls()[0]) == recipe


def test_wishes_reach_a_running_crawl_from_another_process(library: Library) -> None:
    """Though the crawl holds the catalogue's write lock."""
    put(library, answer("http://a.example/", "kept"))
    put(library, answer("http://b.example/", "in the middle"), commit=False)
    with Library(library.folder) as other:
        other.control.wish(1, "pause", True)
    assert library.control.wishes(1, every=0.0) == {"pause": True}


def test_a_library_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """It kept a row a link: reading it changes nothing, writing turns them into lists with the same links."""
    folder = tmp_path / "library"
    Library(folder, write=True, create=True).close()
    rows = [
        (1, 0, "http://a.example/ü", 'an "anchor"', ""),
        (1, 1, "http://b.example/", "", "nofollow"),
        (7, 0, "x", "", ""),
    ]
    with sqlite3.connect(folder / "catalogue.db") as db:
        db.executescript("DROP VIEW links; DROP TABLE link_lists; UPDATE meta SET value = '1' WHERE key = 'version';")
        db.execute(
            "CREATE TABLE links (page INTEGER, n INTEGER, url TEXT, anchor TEXT, rel TEXT, PRIMARY KEY (page, n))"
        )
        db.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?)", rows)
    db.close()
    for write in (False, True, False):
        with Library(folder, write=write) as library:
            assert library.connection.execute("SELECT * FROM links ORDER BY page, n").fetchall() == rows
