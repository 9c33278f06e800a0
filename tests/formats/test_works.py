"""Lists of papers in JSON, CSV, dblp's XML and the ACL Anthology's."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pinakes.formats.acl import read_acl
from pinakes.formats.bibliography import Person, orcid_in
from pinakes.formats.csv_works import authors, read_csv_works
from pinakes.formats.dblp import DblpError, read_dblp
from pinakes.formats.json_works import read_json_works
from pinakes.services.xml import parse

LINE = {"id": "p1", "title": "On Shelves", "authors": ["Anna Berg", "Tom Holm"], "year": 2001, "venue": "WebShelf"}


def test_json_lines_and_what_is_wrong_with_them() -> None:
    data = "\n".join([json.dumps(LINE), "{broken", '{"year": 2001}', '["no record"]'])
    read = read_json_works(data.encode())
    assert [(work.title, work.authors, work.year, work.venue, work.key) for work in read.works] == [
        ("On Shelves", ("Anna Berg", "Tom Holm"), 2001, "WebShelf", "p1")
    ]
    assert sorted(problem.line for problem in read.problems) == [2, 3, 4]


@pytest.mark.parametrize(
    "document",
    [
        [{"title": ["On <i>Shelves</i>"], "author": [{"given": "Anna", "family": "Berg"}], "DOI": "10.1/X", "issued":
          {"date-parts": [[2001, 5]]}, "container-title": ["WebShelf"]}],
        {"items": [{"title": "On Shelves", "author": [{"literal": "Berg, Anna"}], "issued": {"raw": "May 2001"},
                    "container-title": "WebShelf", "DOI": "https://doi.org/10.1/x"}]},
        {"message": {"items": [{"title": "On Shelves", "authors": "Anna Berg", "year": "2001", "venue": "WebShelf",
                                "doi": "10.1000/x"}]}},
        [{"data": {"title": "On Shelves", "date": "May 2001", "proceedingsTitle": "WebShelf", "creators": [
            {"creatorType": "author", "firstName": "Anna", "lastName": "Berg"},
            {"creatorType": "editor", "lastName": "Holm"}]}}],
    ],
    ids=["csl", "zotero-csl", "crossref", "zotero"],
)  # fmt: skip
def test_json_of_many_tools(document: object) -> None:
    work = read_json_works(json.dumps(document).encode()).works[0]
    assert (work.title, work.authors, work.year, work.venue) == ("On Shelves", ("Anna Berg",), 2001, "WebShelf")


@pytest.mark.parametrize(
    "authors",
    [
        [{"given": "Anna", "family": "Berg", "ORCID": "http://orcid.org/0000-0002-1825-0097",
          "affiliation": [{"name": "Oslo University, Norway"}]}, {"given": "Tom", "family": "Holm"}],
        [{"author": {"display_name": "Anna Berg", "orcid": "https://orcid.org/0000-0002-1825-0097"},
          "institutions": [{"display_name": "Oslo University", "country_code": "NO"}]},
         {"author": {"display_name": "Tom Holm", "orcid": None}}],
    ],
    ids=["crossref", "openalex"],
)  # fmt: skip
def test_authors_are_known_by_their_orcid(authors: object) -> None:
    work = read_json_works(json.dumps([{"title": "On Shelves", "authors": authors}]).encode()).works[0]
    assert work.authors == ("Anna Berg", "Tom Holm")
    assert work.identities == ("https://orcid.org/0000-0002-1825-0097", "")
    assert work.affiliations[0].startswith("Oslo University") and work.affiliations[1] == ""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("https://orcid.org/0000-0002-1694-233X", True),
        ("0000000218250097", True),
        ("0000-0002-1825-0098", False),
        ("none", False),
    ],
)
def test_an_orcid_has_a_check_digit(text: str, right: bool) -> None:
    assert bool(orcid_in(text)) == right


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Anna Berg; Tom Holm", ["Anna Berg", "Tom Holm"]),
        ("Berg, Anna; Holm, Tom", ["Anna Berg", "Tom Holm"]),
        ("Anna Berg, Tom Holm", ["Anna Berg", "Tom Holm"]),
        ("Anna Berg, Tom Holm and Ida Lund", ["Anna Berg", "Tom Holm", "Ida Lund"]),
        ("Berg, Anna", ["Anna Berg"]),
        ("Berg A, Holm TK", ["A Berg", "TK Holm"]),
        ("Anna BergTom Holm", ["Anna Berg", "Tom Holm"]),
        ("Ronald McDonald", ["Ronald McDonald"]),
        ("Anna Berg|Tom Holm", ["Anna Berg", "Tom Holm"]),
        ("", []),
    ],
)
def test_authors_of_a_cell(cell: str, names: list[str]) -> None:
    assert authors(cell) == names


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_csv_of_any_delimiter_and_encoding(delimiter: str, encoding: str) -> None:
    rows = [["Document Title", "Authors", "Publication Year"], ["Über Regale", "Berg|Holm", "2001"]]
    work = read_csv_works("\r\n".join(map(delimiter.join, rows)).encode(encoding)).works[0]
    assert (work.title, work.authors, work.year) == ("Über Regale", ("Berg", "Holm"), 2001)


def test_csv_without_titles_is_told() -> None:
    read = read_csv_works(b"a,b\n1,2\n")
    assert not read.works and "no column is called Title" in read.problems[0].what


def test_csv_of_publishers(shared: Path) -> None:
    folder = shared / "recordings" / "csv"
    ieee, pubmed, springer = (read_csv_works((folder / f"{name}_csv.csv").read_bytes()).works for name in
                              ("ieee", "pubmed", "springer"))  # fmt: skip
    assert ieee[0].authors == ("Joseph Rottman", "Erran Carmel", "Mary Lacity") and ieee[0].venue == "Computer"
    assert (pubmed[0].authors, pubmed[0].year, pubmed[0].venue) == (("A Smith", "B Walter"), 2021, "Nature")
    assert springer[0].authors == ("Andy Smith", "Tom Weber") and springer[0].doi == "10.1007/11111"


DUMP = b"""<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp>
<inproceedings key="conf/shelf/Berg01"><author>Anna Berg 0002</author><author>Jos&eacute; L\xf6w</author>
<title>On <i>Shelves</i> &amp; Boards.</title><year>2001</year><booktitle>Shelf</booktitle>
<crossref>conf/shelf/2001</crossref><ee>https://doi.org/10.1000/shelf.1</ee></inproceedings>
<proceedings key="conf/shelf/2001"><title>The Shelf Workshop, Oslo.</title><year>2001</year></proceedings>
<article key="journals/x/Y02"><author>Ida Lund</author><title>Other.</title><year>2002</year></article>
<www key="homepages/1"><author>Anna Berg 0002</author><title>Home Page</title>
<url type="deprecated">https://old.example/</url><url>https://orcid.org/0000-0002-1825-0097</url>
<url>https://berg.example/</url><note type="award">Prize</note><note type="affiliation">Oslo, Norway</note></www>
<www key="homepages/3"><author>Anna Berg</author><title>Home Page</title><url>https://namesake.example/</url></www>
<www key="homepages/2"><author>Ida Lund</author><title>Home Page</title><url>https://lund.example/</url></www>
</dblp>"""


def test_dblp_with_entities_crossrefs_and_homepages() -> None:
    read = read_dblp(io.BytesIO(DUMP), lambda work: work.venue == "Shelf")
    assert read.records == 6 and len(read.works) == 1
    work = read.works[0]
    assert work.title == "On Shelves & Boards" and work.authors == ("Anna Berg", "José Löw")
    assert (work.year, work.booktitle, work.doi) == (2001, "The Shelf Workshop, Oslo", "10.1000/shelf.1")
    # The namesake without a number and whoever wrote nothing that is wanted are left out.
    berg = Person(("Anna Berg",), ("https://orcid.org/0000-0002-1825-0097", "https://berg.example/"), "Oslo, Norway")
    assert read.people == (berg,) and berg.orcid == "https://orcid.org/0000-0002-1825-0097"


@pytest.mark.parametrize(
    "body",
    [
        DUMP[:400],
        b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><dblp><article><title>&b;</title></article></dblp>',
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><dblp><article><title>&x;</title></article></dblp>',
        b"<dblp>" + b"<a>" * 1000,
        b"not xml",
    ],
    ids=["cut", "bomb", "file", "deep", "text"],
)
def test_dblp_that_is_damaged_or_hostile_is_refused(body: bytes) -> None:
    with pytest.raises(DblpError):
        read_dblp(io.BytesIO(body))


def test_dblp_as_recorded(shared: Path) -> None:
    """Without its DTD beside it, and an extract that names none."""
    folder = shared / "recordings" / "dblp"
    with (folder / "dump_sample.xml").open("rb") as file:
        read = read_dblp(file)
    assert read.records == 5 and read.works[0].authors == ("Moira C. Norrie", "Michael H. Böhlen")
    assert read.works[0].booktitle.startswith("Conceptual Modeling - ER 2008")
    with (folder / "dump_article.xml").open("rb") as file:
        assert read_dblp(file).works[0].authors[1:] == ("Michael H. Böhlen", "Nicolas Heist", "Jens Lehmann")


def test_acl_anthology(shared: Path) -> None:
    works = read_acl(parse((shared / "recordings" / "acl-anthology" / "2020.sdp.xml").read_bytes())).works
    assert len(works) == 41
    assert works[1].authors == ("Steinn Sigurdsson",) and works[1].year == 2020 and works[1].venue == "sdp"
    assert works[1].url == "https://aclanthology.org/2020.sdp-1.2"
