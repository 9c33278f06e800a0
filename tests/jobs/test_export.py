"""Exports, read by the readers of others: every title comes through whole, and nothing that should stay behind does."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import bibtexparser
import feedparser
import pyarrow.parquet
import pytest
import rispy
from lxml import etree
from warcio.archiveiterator import ArchiveIterator

import pinakes
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Fetched, Link, Verdict
from pinakes.core.roles import Progress
from pinakes.formats.bibtex import read_bibtex
from pinakes.formats.document import Reader
from pinakes.formats.ris import read_ris
from pinakes.formats.warc import exchange
from pinakes.jobs.export import FORMATS, ExportOptions, export
from pinakes.jobs.export_warc import surt
from pinakes.library.collections import Collection, Entry, save_collections
from pinakes.library.harvests import Copy, Harvested, load_papers, save_papers
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.strategies.breadth_first import BreadthFirst

TITLES = {
    "http://a.example/plain": "Owls of the north",
    "http://b.example/signs?x=1&y=%7B2%7D": 'R&D: 100 % of {braces}, $5, C#_x ~ ^ \\ "quoted" <b>bold</b> ]]>',
    "http://c.example/letters": "Ÿ 日本語 café — “dashes” 🦉",
    "http://d.example/formula": "=HYPERLINK(1)",
    "http://e.example/none": "",
}
"""What strangers call their pages."""
DAY = 86_400.0
FIRST = 1_700_000_000.0
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nLast-Modified: Tue, 31 Mar 2020 10:00:00 GMT\r\n\r\n"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "birds"
    reader = Reader()
    headers = {"content-type": "text/html; charset=utf-8", "last-modified": "Tue, 31 Mar 2020 10:00:00 GMT"}
    with Library(folder, write=True, create=True) as opened:
        ledger = opened.begin(Recipe(job="crawl", strategy="breadth-first", judge="cosine", web="demo"))
        pages = [
            *((url, title, "", "") for url, title in TITLES.items()),
            ("http://hidden.example/", "Hidden", "noindex", ""),
            ("http://private.example/", "Private", "noarchive", ""),
            ("http://twin.example/", "Owls of the north", "", "duplicate"),
        ]
        for n, (url, title, robots, error) in enumerate(pages):
            shown = title.replace("&", "&amp;").replace("<", "&lt;")
            meta = f'<meta name="robots" content="{robots}">' if robots else ""
            body = f"<html lang=en><head><title>{shown}</title>{meta}</head><body>{url}</body></html>".encode()
            at = FIRST + n * DAY
            page = replace(reader.read(Link(url), url, 200, headers, body, at), error=error)
            record, digest = exchange(url, b"GET / HTTP/1.1\r\n\r\n", HEAD, body, at)
            verdict = Verdict(0.5, "birds & <bees>", {}, n < 2)
            ledger.deliver(Fetched(page, record, digest, HEAD), page, verdict, None)
        ledger.commit(Progress(pages=len(pages)), BreadthFirst(Brief()))
        chosen = list(TITLES)[2::-1]
        entries = tuple(Entry(url, 0.9 - n / 10, "?", snippet=f"snippet {n} & <i>") for n, url in enumerate(chosen))
        save_collections(opened.connection, [Collection("Birds & more", entries=entries, built=1.0)])
    return folder


def exported(library: Path, name: str, tmp_path: Path, **more: Any) -> Path:
    path = tmp_path / f"out.{name}"
    export(ExportOptions(library, name, path, **more))
    return path


SHOWN = {**{url: title or url for url, title in TITLES.items()}, "http://private.example/": "Private"}


def test_bibtex(library: Path, tmp_path: Path) -> None:
    """By bibtexparser every entry is whole; by our own reader titles and addresses are as they were."""
    path = exported(library, "bibtex", tmp_path)
    parsed = bibtexparser.parse_string(path.read_text("utf-8"))
    assert not parsed.failed_blocks and len(parsed.entries) == len(SHOWN)
    assert {entry.fields_dict["url"].value for entry in parsed.entries} == set(SHOWN)
    ours = read_bibtex(path.read_bytes())
    assert not ours.problems
    for work in ours.works:
        assert _letters(work.title) == _letters(SHOWN[work.url]) and work.year == 2020


def _letters(text: str) -> str:
    """BibTeX readers put signs their own way."""
    return "".join(filter(str.isalnum, text))


def test_ris(library: Path, tmp_path: Path) -> None:
    path = exported(library, "ris", tmp_path)
    entries = rispy.loads(path.read_text("utf-8"))
    assert {entry["urls"][0]: entry["title"] for entry in entries} == SHOWN
    assert {work.url: work.title for work in read_ris(path.read_bytes()).works} == {
        url: title.strip(" .") for url, title in SHOWN.items()
    }


def test_csl_json(library: Path, tmp_path: Path) -> None:
    entries = json.loads(exported(library, "csl-json", tmp_path).read_text("utf-8"))
    assert {entry["URL"]: entry["title"] for entry in entries} == SHOWN
    assert entries[0]["issued"] == {"date-parts": [[2020, 3, 31]]} and entries[0]["type"] == "webpage"
    assert json.loads(exported(library, "csl-json", tmp_path, since="2100-01-01").read_text()) == []


def test_dublin_core(library: Path, tmp_path: Path) -> None:
    tree = etree.parse(exported(library, "dublin-core", tmp_path))
    dc = "{http://purl.org/dc/elements/1.1/}"
    records = tree.getroot()
    assert {one.findtext(f"{dc}identifier"): one.findtext(f"{dc}title") for one in records} == SHOWN
    assert records[0].findtext(f"{dc}date") == "2020-03-31"
    assert [one.text for one in records[0].findall(f"{dc}subject")] == ["Birds & more", "birds & <bees>"]


def test_tables(library: Path, tmp_path: Path) -> None:
    """The same rows thrice; a spreadsheet finds no formula."""
    with exported(library, "csv", tmp_path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = [json.loads(line) for line in exported(library, "jsonl", tmp_path).read_text("utf-8").splitlines()]
    columns = pyarrow.parquet.read_table(exported(library, "parquet", tmp_path)).to_pylist()
    assert lines == columns and {row["url"]: row["title"] or row["url"] for row in lines} == SHOWN
    assert [row["url"] for row in rows] == [line["url"] for line in lines]
    assert next(row["title"] for row in rows if "formula" in row["url"]) == "'=HYPERLINK(1)"


@pytest.mark.parametrize("name", ["rss", "atom"])
def test_feeds(library: Path, tmp_path: Path, name: str) -> None:
    """Well-formed, and as a feed reader reads them."""
    path = exported(library, name, tmp_path, collection="birds & MORE")
    etree.parse(path)
    feed = feedparser.parse(path.read_bytes())
    assert not feed.bozo and feed.feed.title == "Birds & more"
    assert [entry.link for entry in feed.entries] == [*TITLES][2::-1]
    assert feed.entries[2].title == "Owls of the north" and feed.entries[0].summary.startswith("snippet 0 &")


def test_warc(library: Path, tmp_path: Path) -> None:
    """By warcio: the pages as they were stored, without the one that asked for it."""
    with exported(library, "warc", tmp_path).open("rb") as file:
        stored = {
            record.rec_headers["WARC-Target-URI"]: record.content_stream().read()
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        }
    assert set(stored) == set(TITLES) and b"Owls of the north" in stored["http://a.example/plain"]


def test_wacz(library: Path, tmp_path: Path) -> None:
    """Digests hold, pages are listed, and the index leads to each record."""
    with zipfile.ZipFile(exported(library, "wacz", tmp_path)) as bundle:
        package = json.loads(bundle.read("datapackage.json"))
        for resource in package["resources"]:
            data = bundle.read(resource["path"])
            assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}" and len(data) == resource["bytes"]
        listed = [json.loads(line) for line in bundle.read("pages/pages.jsonl").splitlines()[1:]]
        assert {page["url"] for page in listed} == set(TITLES)
        lines = bundle.read("indexes/index.cdxj").decode().splitlines()
        assert lines == sorted(lines) and len(lines) == len(TITLES)
        archive = bundle.extract("archive/data.warc.gz", tmp_path)
    for line in lines:
        told = json.loads(line.split(" ", 2)[2])
        with Path(archive).open("rb") as file:
            file.seek(int(told["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers["WARC-Target-URI"] == told["url"]


def test_what_is_new_and_what_is_collected(library: Path, tmp_path: Path) -> None:
    """A date takes later captures only, a collection its pages best first, a wrong name or date one sentence."""
    lines = exported(library, "jsonl", tmp_path, since="2023-11-16").read_text().splitlines()
    assert [json.loads(line)["url"] for line in lines] == [*SHOWN][2:]
    lines = exported(library, "jsonl", tmp_path, collection="Birds & more").read_text().splitlines()
    ranked = [json.loads(line) for line in lines]
    assert [(one["rank"], one["merit"]) for one in ranked] == [(1, 0.9), (2, 0.8), (3, 0.7)]
    with pytest.raises(PinakesError, match="no collection fish; the library has: Birds & more"):
        exported(library, "csv", tmp_path, collection="fish")
    with pytest.raises(PinakesError, match="not a date"):
        exported(library, "csv", tmp_path, since="yesterday")
    with pytest.raises(PinakesError, match="name a file"):
        export(ExportOptions(library, "wacz"))
    assert not list(tmp_path.glob("*.unfinished*"))


def test_a_harvested_document_is_cited_as_the_paper_it_is(library: Path, tmp_path: Path) -> None:
    """With authors, year and venue; the page's own day of change says nothing of when the paper came out."""
    folder = tmp_path / "harvested"
    shutil.copytree(library, folder)
    copy = Copy("http://a.example/plain", "found", "homepage", 0.99, "title")
    authors = ("Ada von Beispiel", "Li\x00 Wei", "Plato")
    paper = Harvested(
        "p1",
        "Owls & <how>",
        authors,
        1999,
        "OWL",
        "found",
        doi="10.1234/a_b",
        booktitle="Proc. of Owls",
        copies=(copy,),
    )
    with Library(folder, write=True) as opened:
        save_papers(opened.connection, 1, [paper])
    (work,) = [w for w in read_bibtex(exported(folder, "bibtex", tmp_path).read_bytes()).works if w.doi]
    assert (work.title, work.year, work.booktitle or work.venue, work.doi, work.kind) == (
        "Owls & <how>", 1999, "Proc. of Owls", "10.1234/a_b", "inproceedings",
    )  # fmt: skip
    assert work.authors == ("Ada von Beispiel", "Li Wei", "Plato")
    (entry,) = [e for e in rispy.loads(exported(folder, "ris", tmp_path).read_text("utf-8")) if "doi" in e]
    assert entry["authors"] == ["von Beispiel, Ada", "Wei, Li", "Plato"] and entry["secondary_title"] == "Proc. of Owls"
    (told,) = [e for e in json.loads(exported(folder, "csl-json", tmp_path).read_text("utf-8")) if "DOI" in e]
    assert told["author"][0] == {"family": "von Beispiel", "given": "Ada"} and told["author"][2] == {"literal": "Plato"}
    assert told["type"] == "paper-conference" and told["issued"] == {"date-parts": [[1999]]}
    dc = "{http://purl.org/dc/elements/1.1/}"
    record = etree.parse(exported(folder, "dublin-core", tmp_path)).getroot()[0]
    assert [one.text for one in record.findall(f"{dc}creator")] == ["von Beispiel, Ada", "Wei, Li", "Plato"]
    assert [one.text for one in record.findall(f"{dc}identifier")] == [copy.url, "https://doi.org/10.1234/a_b"]
    assert record.findtext(f"{dc}date") == "1999" and record.findtext(f"{dc}source") == "Proc. of Owls"
    row = json.loads(exported(folder, "jsonl", tmp_path).read_text("utf-8").splitlines()[0])
    assert row["authors"] == ["Ada von Beispiel", "Li Wei", "Plato"] and row["date"] == "1999"


def test_the_papers_alone(library: Path, tmp_path: Path) -> None:
    """Each once, as its best copy; slides are not the paper, and what is missing is not there."""
    folder = tmp_path / "harvested"
    shutil.copytree(library, folder)
    urls = [item["url"] for item in map(json.loads, exported(library, "jsonl", tmp_path).read_text().splitlines())]
    one, two, three = urls[:3]
    papers = [
        Harvested("p1", "Owls", ("Ada Berg",), 1999, "OWL", "found", copies=(
            Copy(two, "found", "homepage", 0.99, "title"), Copy(one, "found", "venue site", 0.9, "title"),
        )),
        Harvested("p2", "Fish", ("Li Wei",), 2000, "OWL", "version", copies=(
            Copy(three, "version", "homepage", 0.4, "title", form="slides"),
        )),
        Harvested("p3", "Birds", ("Plato",), 2001, "OWL", "missing", "no link"),
    ]  # fmt: skip
    with Library(folder, write=True) as opened:
        save_papers(opened.connection, 1, papers)
        save_papers(opened.connection, 2, papers[:2])
        assert load_papers(opened.connection, 1) == papers
    works = read_bibtex(exported(folder, "bibtex", tmp_path, papers=True).read_bytes()).works
    assert [(work.title, work.authors, work.year, work.url) for work in works] == [("Owls", ("Ada Berg",), 1999, two)]
    assert len(read_bibtex(exported(folder, "bibtex", tmp_path).read_bytes()).works) == len(urls)
    with pytest.raises(PinakesError, match="leave out --papers or --collection"):
        exported(folder, "bibtex", tmp_path, papers=True, collection="Birds & more")


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_library(tmp_path: Path, name: str) -> None:
    """Gives an empty export of every kind."""
    Library(tmp_path / "library", write=True, create=True).close()
    assert export(ExportOptions(tmp_path / "library", name, tmp_path / "out")).pages == 0
    assert (tmp_path / "out").exists()


def test_addresses_in_the_order_of_an_index() -> None:
    assert surt("https://www.Example.org:8080/A?b=C") == "org,example:8080)/a?b=c"
    assert surt("http://example.org/") == "org,example)/"


def test_of_a_page_and_its_printable_copy_only_the_page_is_handed_out(tmp_path: Path) -> None:
    """In whatever order they were fetched: in the best pages, in search and in exports."""
    original = "http://www.aviary.example/owls/silent-flight.html"
    printed = "http://www.aviary.example/print/owls/silent-flight.html"
    for number, seeds in enumerate(([printed, original], [original, printed])):
        library = tmp_path / str(number)
        done = pinakes.crawl(topic="owls fly without noise", web="demo", seeds=seeds, into=library, pages=2,
                             strategy="breadth-first")  # fmt: skip
        assert [page.url for page in done.best] == [original]
        assert [hit.url for hit in pinakes.search(library, "owls").hits] == [original]
        pinakes.export(library, format="jsonl", output=tmp_path / "pages.jsonl")
        text = (tmp_path / "pages.jsonl").read_text()
        assert original in text and printed not in text
