"""A frozen web answers as it was recorded."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from pinakes.core.page import Fetched, Link, Member
from pinakes.formats.warc_reader import Record, read
from pinakes.testing.recording import AT, a, html, recorded
from pinakes.web.frozen import FrozenWeb, WebError


@pytest.fixture(scope="module")
def toy(toy_warc: Path) -> FrozenWeb:
    return FrozenWeb(toy_warc)


def fetch(web: FrozenWeb, url: str, **extra: object) -> Fetched:
    return asyncio.run(web.fetch(Link(url, **extra)))  # type: ignore[arg-type]


def test_a_page_comes_parsed_as_recorded(toy: FrozenWeb) -> None:
    """Title, text, terms, links and headers, at the time it was recorded."""
    fetched = fetch(toy, "http://w.example/a", depth=2, anchor="birds")
    page = fetched.page
    assert (page.status, page.error, page.title, page.type) == (200, "", "Birds", "text/html")
    assert page.link.anchor == "birds"
    assert (page.fetched_at, page.etag) == (AT, '"1"')
    assert "The blue heron wades." in page.text
    assert page.terms["heron"] == 1
    assert page.terms["bird"] == 1
    assert page.words.index("heron") == page.words.index("blue") + 1
    assert [link.url[-4:] for link in page.links][:2] == ["le/b", "/old"]
    assert {(link.parent, link.depth) for link in page.links} == {("http://w.example/a", 3)}


def test_the_indexed_page_is_the_page_parsed_anew(toy_warc: Path, toy: FrozenWeb) -> None:
    """Going through the index loses nothing: every field of every page is what the parser gives."""
    anew = FrozenWeb(toy_warc, records=False, first_bytes=1 << 20)
    for url in toy.pages():
        link = Link(url, depth=3, topic="t")
        assert asyncio.run(toy.fetch(link)).page == asyncio.run(anew.fetch(link)).page


def test_redirects_come_back_unfollowed(toy: FrozenWeb) -> None:
    """One hop each, canonical; a redirect that leads nowhere is an error; a loop is the engine's to see."""
    assert fetch(toy, "http://w.example/old").hop == "http://w.example/older?x=1"
    assert fetch(toy, "http://w.example/older?x=1").hop == "http://w.example/b"
    assert fetch(toy, "http://w.example/loop").hop == "http://w.example/loop"
    assert fetch(toy, "http://w.example/lost").page.error == "bad-redirect"
    assert fetch(toy, "http://w.example/old").page.status == 301


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("nowhere", 404, "not-found"),
        ("gone", 410, "not-found"),
        ("secret", 403, "forbidden"),
        ("teapot", 418, "client-error"),
        ("broken", 503, "server-error"),
        ("private/x", 0, "robots"),
        ("private/unheld", 0, "robots"),
    ],
)
def test_failures_have_names(toy: FrozenWeb, path: str, status: int, error: str) -> None:
    """Each failure is named by its status, and has no links."""
    fetched = fetch(toy, f"http://w.example/{path}")
    assert (fetched.page.status, fetched.page.error, fetched.page.links) == (status, error, ())
    assert bool(fetched.record) == (path in ("gone", "secret", "teapot", "broken"))


def test_robots_are_obeyed_as_recorded(toy_warc: Path) -> None:
    """robots.txt itself is served; https follows the host's http rules."""
    web = FrozenWeb(toy_warc, records=False)
    assert fetch(web, "http://w.example/robots.txt").page.error == ""
    assert fetch(web, "https://w.example/private/y").page.error == "robots"
    assert "http://w.example/robots.txt" not in set(web.pages())


def test_of_several_captures_the_last_good_one_counts(toy: FrozenWeb) -> None:
    """Not the first, and not the later failure."""
    page = fetch(toy, "http://w.example/changed").page
    assert (page.title, page.fetched_at) == ("Later", AT + 100)


def test_a_revisit_gives_the_original_payload_at_its_own_time(toy: FrozenWeb) -> None:
    """Whatever head the revisit kept."""
    fetched = fetch(toy, "http://w.example/again")
    assert (fetched.page.status, fetched.page.text.strip(), fetched.page.fetched_at) == (200, "copied words", AT + 60)
    assert fetched.digest == fetch(toy, "http://w.example/copy").digest


def test_addresses_are_matched_by_canonical_form(toy: FrozenWeb) -> None:
    """However they are written, there or here."""
    assert fetch(toy, "http://w.example/~user/").page.title == "User"
    assert fetch(toy, "HTTP://w.EXAMPLE:80/%7Euser/#top").page.url == "http://w.example/~user/"


def test_fetching_makes_fresh_members_of_the_recorded_bytes(toy: FrozenWeb) -> None:
    """Request, response and metadata; head and body byte for byte."""
    fetched = fetch(toy, "http://w.example/b", parent="http://w.example/a")
    asked, answer, about = (read(member.data) for member in fetched.record if member.url.endswith("/b"))
    assert isinstance(asked, Record)
    assert isinstance(answer, Record)
    assert isinstance(about, Record)
    assert asked.block == b"GET /b HTTP/1.1\r\nHost: w.example\r\n\r\n"
    assert answer.block.startswith(fetched.head + b"<html>")
    assert answer.headers["warc-payload-digest"] == fetched.digest
    assert answer.at == AT
    assert b"via: http://w.example/a" in about.block


def test_without_records_nothing_is_read_from_the_file(toy_warc: Path) -> None:
    """Evaluations need no bytes."""
    fetched = fetch(FrozenWeb(toy_warc, records=False), "http://w.example/b")
    assert (fetched.record, fetched.digest, fetched.page.title) == ((), "", "Herons and egrets")


def test_only_the_first_bytes_are_parsed_when_asked(toy_warc: Path) -> None:
    """The rest of the page does not exist then, but the record is whole."""
    fetched = fetch(FrozenWeb(toy_warc, first_bytes=80), "http://w.example/a")
    assert fetched.page.title == "Birds"
    assert fetched.page.links == ()
    assert [member.kind for member in fetched.record if member.url.endswith("/a")] == [
        "request",
        "response",
        "metadata",
    ]


def test_the_rules_of_a_host_are_recorded_once_with_its_first_page(toy_warc: Path) -> None:
    """So that a web built of what was fetched has them too."""
    web = FrozenWeb(toy_warc)
    first, second = fetch(web, "http://w.example/b"), fetch(web, "http://w.example/a")
    assert [m.kind for m in first.record if m.url.endswith("/robots.txt")] == ["request", "response"]
    assert not any(m.url.endswith("/robots.txt") for m in second.record)


def test_back_links_are_true_and_see_through_redirects(toy: FrozenWeb) -> None:
    """`/old` leads to `/b` by two redirects, so whoever links it links `/b`; each page once, never itself."""
    assert asyncio.run(toy.backlinks("http://w.example/b")) == ["http://w.example/a", "http://w.example/private/x"]
    assert asyncio.run(toy.backlinks("http://w.example/old", 1)) == ["http://w.example/a"]
    assert asyncio.run(toy.backlinks("http://w.example/a")) == []
    assert asyncio.run(toy.backlinks("http://w.example/nowhere")) == []
    assert toy.outlinks("http://w.example/a") == ["http://w.example/b"]


def test_what_is_held_and_where_it_leads(toy: FrozenWeb) -> None:
    """Redirects are resolved; failures are not held."""
    assert toy.holds("http://w.example/old")
    assert not toy.holds("http://w.example/gone")
    assert toy.resolve("http://w.example/old#x") == "http://w.example/b"
    assert toy.resolve("http://w.example/loop") == ""
    assert list(toy.pages())[:2] == ["http://w.example/a", "http://w.example/b"]


def test_document_frequencies_count_pages(toy: FrozenWeb) -> None:
    """By stem; the empty one counts all."""
    found = toy.document_frequencies()
    assert (found["heron"], found[""]) == (2, len(list(toy.pages())))


def test_info_counts_everything(toy: FrozenWeb, toy_warc: Path) -> None:
    """Records, pages, failures, links, types, dates."""
    info = toy.info()
    assert info.records == {"warcinfo": 1, "response": 17, "revisit": 1}
    assert (info.pages, info.redirects, info.hosts) == (7, 3, 1)
    assert info.errors == {"bad-redirect": 1, "not-found": 1, "forbidden": 1, "client-error": 1, "server-error": 1}
    assert (info.links_inside, info.links_outside) == (3, 2)
    assert info.types == {"text/html": 7}
    assert (info.first, info.last, info.damage) == (AT, AT + 100, ())
    assert info.files == (str(toy_warc),)
    assert info.size == toy_warc.stat().st_size


def test_a_folder_of_files_is_one_web(tmp_path: Path) -> None:
    """Plain and compressed, below it too; links lead from file to file."""
    (tmp_path / "archive").mkdir()
    first, second = recorded("http://x.example/", html("One", a("/two"))), recorded("http://x.example/two", html("Two"))
    (tmp_path / "archive" / "1.warc.gz").write_bytes(first.data)
    (tmp_path / "2.warc").write_bytes(gzip.decompress(second.data))
    web = FrozenWeb(tmp_path)
    assert fetch(web, "http://x.example/two").page.title == "Two"
    assert asyncio.run(web.backlinks("http://x.example/two")) == ["http://x.example/"]
    assert len(web.info().files) == 2


def test_a_resource_record_is_a_page(tmp_path: Path) -> None:
    """It has no HTTP head; its own type counts."""
    block = b"plain words here"
    head = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x.example/t\r\nContent-Type: text/plain\r\n"
    data = head.encode() + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"
    (tmp_path / "x.warc").write_bytes(data)
    page = fetch(FrozenWeb(tmp_path / "x.warc"), "http://x.example/t").page
    assert (page.status, page.type, page.text.strip()) == (200, "text/plain", "plain words here")


def test_a_truncated_web_serves_what_it_has(tmp_path: Path, toy_members: list[Member]) -> None:
    """The damage stands in its information."""
    path = tmp_path / "cut.warc.gz"
    path.write_bytes(b"".join(member.data for member in toy_members)[: sum(len(m.data) for m in toy_members[:3]) + 20])
    web = FrozenWeb(path)
    assert list(web.pages()) == ["http://w.example/a", "http://w.example/b"]
    assert len(web.info().damage) == 1
    assert "truncated" in web.info().damage[0]


def test_bad_webs_are_refused_in_one_sentence(tmp_path: Path, toy_members: list[Member]) -> None:
    """What is wrong and the fix, for each way to be wrong."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.warc.gz").write_text("this is not a WARC file")
    (tmp_path / "none.warc.gz").write_bytes(b"")
    (tmp_path / "only.warc.gz").write_bytes(toy_members[0].data)
    joined = b"".join(gzip.decompress(member.data) for member in toy_members)
    (tmp_path / "joined.warc.gz").write_bytes(gzip.compress(joined))
    cut = toy_members[1].data
    (tmp_path / "cut.warc.gz").write_bytes(cut[: len(cut) // 2])
    for name, said in {
        "missing.warc.gz": "There is no web at",
        "empty": "holds no .warc",
        "text.warc.gz": "cannot be read as a web",
        "none.warc.gz": "holds no response records",
        "only.warc.gz": "holds no response records",
        "joined.warc.gz": "warcio recompress",
        "cut.warc.gz": "truncated",
    }.items():
        with pytest.raises(WebError, match=said) as caught:
            FrozenWeb(tmp_path / name)
        assert "\n" not in str(caught.value)
        assert str(caught.value).endswith(".")
