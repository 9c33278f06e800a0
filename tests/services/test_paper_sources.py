"""Services for metadata, holdings and open copies, against recorded answers; what is constructed is named so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.services.errors import ServiceError
from pinakes.services.holdings.oai import oai_records, oai_service, oai_works
from pinakes.services.holdings.zotero import zotero_service, zotero_works
from pinakes.services.metadata.acl import acl_papers
from pinakes.services.metadata.crossref import crossref_papers
from pinakes.services.metadata.dblp import PERSON, dblp_papers, dblp_person
from pinakes.services.metadata.openalex import openalex_papers
from pinakes.services.metadata.orcid import orcid_person
from pinakes.services.openaccess import OpenAccess, openalex_copies, scholar_copies, unpaywall_copies
from pinakes.text.titles import Work

XML = "text/xml; charset=utf-8"


def asking(loopback: Any, script: Any, ask: Any, url: str = "http://api.example") -> tuple[Any, Any]:
    async def use(bench: Any) -> Any:
        return await ask(bench.client(url)), bench

    return loopback.run(script, use)  # type: ignore[no-any-return]


def answers(path: Path, loopback: Any) -> list[Any]:
    """The recorded answers of a file, in order."""
    found = []
    for one in json.loads(path.read_text())["interactions"]:
        response = one["response"]
        kind = {name.lower(): value for name, value in response["headers"].items()}.get("content-type", "")
        found.append(loopback.Said(response["body"].encode(), response["status"], kind))
    return found


# -- metadata ------------------------------------------------------------------------------------------------------


def test_dblp_search(loopback: Any, recordings: Path) -> None:
    """Names without their numbers, titles without entities and full stop; a list of 14 of which four are recorded."""
    page = answers(recordings / "dblp" / "search_publ.json", loopback)[0]
    empty = answers(recordings / "dblp" / "search_empty.json", loopback)[0]
    works, bench = asking(loopback, [page, empty], lambda client: dblp_papers(client, "SPECOM"))
    assert works[0].title == "Human Resources Management in Conditions of Operators' Psychophysiological State Changes"
    assert works[0].authors == ("Oleg Basov", "Angelina Basova", "Maksim Nosov")
    assert (works[0].year, works[0].venue, works[0].doi) == (2014, "SPECOM", "10.1007/978-3-319-11581-8_32")
    assert works[0].identities == (f"{PERSON}152/3896", f"{PERSON}152/3864", f"{PERSON}152/3872")
    assert bench.queries()[0]["q"] == "venue:SPECOM:" and bench.queries()[1]["f"] == str(len(works))


def test_dblp_asks_year_by_year(loopback: Any, recordings: Path) -> None:
    empty = answers(recordings / "dblp" / "search_empty.json", loopback)
    works, bench = asking(loopback, empty, lambda client: dblp_papers(client, "WebDB", (1998, 2000)))
    years = [query["q"].removeprefix("venue:WebDB: ") for query in bench.queries()]
    assert works == [] and years == ["year:1998:", "year:1999:", "year:2000:"]


@pytest.mark.parametrize("status", [500, 200])
def test_dblp_behind_its_gate_says_the_way_out(loopback: Any, recordings: Path, status: int) -> None:
    page = answers(recordings / "dblp" / "bot_challenge_excerpt.json", loopback)[0]._replace(status=status)
    with pytest.raises(ServiceError, match=r"prove they are human.*dblp\.xml\.gz"):
        asking(loopback, [page], lambda client: dblp_papers(client, "WebDB"))


def test_openalex(loopback: Any, recordings: Path) -> None:
    """A recorded page of works, which answered another question; then no more."""
    recorded = json.loads((recordings / "openalex" / "works_search_page.json").read_text())
    recorded["meta"]["next_cursor"] = "next"
    pages = [loopback.said(recorded), loopback.said({"results": [], "meta": {"next_cursor": None}})]
    works, bench = asking(loopback, pages, lambda client: openalex_papers(client, "S123", (2020, 2021)))
    assert len(works) == len(recorded["results"])
    first = recorded["results"][0]
    assert works[0].authors == tuple(one["author"]["display_name"] for one in first["authorships"])
    assert len(works[0].affiliations) == len(works[0].authors) and works[0].year == first["publication_year"]
    assert bench.queries()[0]["filter"] == "primary_location.source.id:S123,publication_year:2020-2021"
    assert bench.queries()[1]["cursor"] == "next"


def test_openalex_by_name(loopback: Any) -> None:
    """Constructed."""
    sources = loopback.said({"results": [{"id": "https://openalex.org/S1", "display_name": "Other"},
                                         {"id": "https://openalex.org/S2", "display_name": "WebShelf"}]})  # fmt: skip
    none = loopback.said({"results": [], "meta": {}})
    _, bench = asking(loopback, [sources, none], lambda client: openalex_papers(client, "webshelf"))
    assert bench.queries()[1]["filter"].endswith("source.id:S2")
    with pytest.raises(ServiceError, match="knows no source called nowhere"):
        asking(loopback, [none], lambda client: openalex_papers(client, "nowhere"))


def test_crossref(loopback: Any, recordings: Path) -> None:
    """Recorded pages of a cursor; the list ends with an empty one."""
    pages = answers(recordings / "crossref" / "cursor_pages.json", loopback)[:2]
    end = loopback.said({"status": "ok", "message": {"items": []}})
    works, bench = asking(loopback, [*pages, end], lambda client: crossref_papers(client, "1076-9757", (1998, 2004)))
    items = [item for page in pages for item in json.loads(page.body)["message"]["items"] if item.get("title")]
    assert [work.title for work in works] == [" ".join(item["title"][0].split()) for item in items]
    assert works[0].key == items[0]["DOI"]
    assert bench.queries()[0]["filter"] == "from-pub-date:1998,until-pub-date:2004,issn:1076-9757"
    assert bench.queries()[0]["cursor"] == "*" and len(bench.queries()) == 3


def test_crossref_by_title_keeps_what_fits(loopback: Any, recordings: Path) -> None:
    page = answers(recordings / "crossref" / "cursor_pages.json", loopback)[0]
    works, bench = asking(loopback, [page], lambda client: crossref_papers(client, "Proceedings of Nothing At All"))
    assert works == [] and len(bench.queries()) == 1


def test_acl_anthology(loopback: Any, recordings: Path) -> None:
    body = (recordings / "acl-anthology" / "2020.wosp.xml").read_bytes()
    works, bench = asking(loopback, [loopback.Said(body, 200, "text/plain; charset=utf-8")],
                          lambda client: acl_papers(client, "2020.wosp"))  # fmt: skip
    assert works[0].authors[0] == "Paul Molloy" and works[0].title.startswith("Virtual Citation Proximity (VCP)")
    assert bench.targets == ["/data/xml/2020.wosp.xml"]


def test_a_person_of_dblp(loopback: Any) -> None:
    """Constructed after the documented shape of person pages."""
    body = (
        b'<?xml version="1.0"?><dblpperson name="Anna Berg" pid="152/3896"><person key="homepages/152/3896">'
        b'<author>Anna Berg 0002</author><author>A. Berg</author><note type="affiliation">Oslo, Norway</note>'
        b'<url type="deprecated">http://old.example/</url><url>https://berg.example/</url></person></dblpperson>'
    )
    found, bench = asking(
        loopback, [loopback.Said(body, 200, XML)], lambda client: dblp_person(client, f"{PERSON}152/3896")
    )
    assert (found.names, found.urls) == (("Anna Berg", "A. Berg"), ("https://berg.example/",))
    assert found.affiliation == "Oslo, Norway" and bench.targets == ["/pid/152/3896.xml"]
    gone = loopback.Said(b"<html/>", 404, "text/html")
    assert asking(loopback, [gone], lambda client: dblp_person(client, f"{PERSON}1/1"))[0] is None


def test_a_person_by_orcid(loopback: Any) -> None:
    """Constructed after the documented shape of ORCID's public records."""
    urls = [{"url-name": "Scholar", "url": {"value": "https://scholar.google.com/x"}}, {"url": None},
            {"url-name": "Home", "url": {"value": "https://berg.example/"}}]  # fmt: skip
    record = {
        "name": {},
        "researcher-urls": {"researcher-url": urls},
        "addresses": {"address": [{"country": {"value": "NO"}}]},
    }
    found, bench = asking(
        loopback, [loopback.said(record)], lambda client: orcid_person(client, "https://orcid.org/0000-0002-1825-0097")
    )
    assert found.urls == ("https://scholar.google.com/x", "https://berg.example/") and found.affiliation == "NO"
    assert bench.targets == ["/0000-0002-1825-0097/person"]
    empty = {"researcher-urls": None, "addresses": None}
    assert asking(loopback, [loopback.said(empty)], lambda client: orcid_person(client, "x"))[0].urls == ()


# -- holdings ------------------------------------------------------------------------------------------------------


def test_oai_as_zenodo_answers(loopback: Any, recordings: Path) -> None:
    page, _, none, wrong = answers(recordings / "oai-pmh" / "zenodo" / "list_records.json", loopback)[:4]
    works, bench = asking(loopback, [page, none], oai_works)
    assert works and all(work.title for work in works)
    assert bench.queries()[0] == {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
    assert set(bench.queries()[1]) == {"verb", "resumptionToken"}
    nothing, _ = asking(loopback, [none], oai_works)  # 422 with noRecordsMatch
    assert nothing == []
    with pytest.raises(ServiceError, match=r"refused the harvest \(\w+"):
        asking(loopback, [wrong], oai_works)


def test_oai_deleted_records_and_controls(loopback: Any, recordings: Path) -> None:
    body = (recordings / "oai-pmh" / "samples" / "ListRecords4.xml").read_bytes().replace(b"Sample T", b"Sample\x0b T")

    async def collected(client: Any) -> Any:
        return [record async for record in oai_records(client)]

    records, _ = asking(loopback, [loopback.Said(body, 200, XML)], collected)
    assert [record.deleted for record in records] == [True, False]
    assert records[1].work.title == "Sample Title" and records[1].work.authors[0] == "John Doe"


def page(token: str, *titles: str) -> bytes:
    records = "".join(
        f"<record><header><identifier>oai:x:{title}</identifier><datestamp>2004-01-0{n}</datestamp></header><metadata>"
        f'<dc xmlns="http://purl.org/dc/elements/1.1/"><title>{title}</title></dc></metadata></record>'
        for n, title in enumerate(titles, 1)
    )
    return (
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>{records}'
        f"<resumptionToken>{token}</resumptionToken></ListRecords></OAI-PMH>"
    ).encode()


EXPIRED = (
    b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badResumptionToken">old</error></OAI-PMH>'
)


def test_oai_tokens_that_repeat_or_expire(loopback: Any) -> None:
    """Constructed: a token given twice ends the list; an expired one begins it anew at the last date."""

    def said(body: bytes) -> Any:
        return loopback.Said(body, 200, XML)

    works, bench = asking(loopback, [said(page("t", "A", "B")), said(page("t", "C"))], oai_works)
    assert [work.title for work in works] == ["A", "B", "C"] and len(bench.queries()) == 2
    script = [said(page("t", "A", "B")), said(EXPIRED), said(page("", "B", "C"))]
    works, bench = asking(loopback, script, oai_works)
    assert [work.title for work in works] == ["A", "B", "C"] and bench.queries()[2]["from"] == "2004-01-02"


def test_oai_that_is_a_web_page(loopback: Any, recordings: Path) -> None:
    wrong = answers(recordings / "oai-pmh" / "zenodo" / "identify.json", loopback)[0]
    with pytest.raises(ServiceError, match="sent text/html where XML was expected"):
        asking(loopback, [wrong], oai_works)
    service, chosen = oai_service("https://repository.example.org/oai?set=theses")
    assert (service.url, chosen) == ("https://repository.example.org/oai", "theses")


def test_zotero(loopback: Any, recordings: Path) -> None:
    items = json.loads((recordings / "zotero" / "items_doc.json").read_text())
    works, bench = asking(loopback, [loopback.said(items)], zotero_works)
    assert "Sherlock Holmes in Babylon" in [work.title for work in works]
    assert not any("HowStuffWorks" in work.title for work in works)  # a web page
    assert bench.queries()[0]["start"] == "0" and len(bench.queries()) == 1
    full = [loopback.said(items[1:2] * 100), loopback.said(items[1:2])]
    works, bench = asking(loopback, full, zotero_works)
    assert len(works) == 101 and [query["start"] for query in bench.queries()] == ["0", "100"]
    assert zotero_service("groups/678", "secret").headers["Zotero-API-Key"] == "secret"
    with pytest.raises(PinakesError, match="zotero:users/12345"):
        zotero_service("mine")


# -- open copies ---------------------------------------------------------------------------------------------------


def test_unpaywall(loopback: Any, recordings: Path) -> None:
    folder = recordings / "unpaywall"
    copies, bench = asking(
        loopback, [loopback.Said((folder / "doi_oa.json").read_bytes())],
        lambda client: unpaywall_copies(client, "10.1103/PhysRevLett.80.3915"),
    )  # fmt: skip
    assert copies[0].url == "http://arxiv.org/pdf/gr-qc/9801069" and copies[0].version == "submittedVersion"
    assert len(copies) == 2 and bench.targets == ["/10.1103/PhysRevLett.80.3915"]
    closed = loopback.Said((folder / "doi_closed.json").read_bytes())
    unknown = answers(folder / "doi_not_found_404.json", loopback)[0]
    for answer in (closed, unknown):
        assert asking(loopback, [answer], lambda client: unpaywall_copies(client, "10.1/x"))[0] == []


def test_openalex_copies(loopback: Any, recordings: Path) -> None:
    script = loopback.replay(recordings / "openalex" / "doi_and_title_lookups.json", ignoring=["select"])
    copies, _ = asking(loopback, script, lambda client: openalex_copies(client, "10.1016/j.xgen.2025.100814"),
                       "http://api.openalex.org")  # fmt: skip
    assert copies and all(copy.url.startswith("http") for copy in copies)


def test_scholar_copies_only_of_the_same_paper(loopback: Any) -> None:
    """Constructed from the documented fields: the best match of a title may be another paper."""
    found = {"data": [{"title": "On Shelves", "year": 2001, "authors": [{"name": "Anna Berg"}],
                       "openAccessPdf": {"url": "https://berg.example/shelves.pdf"}}]}  # fmt: skip
    mine, other = Work("On Shelves", ("A. Berg",), 2001), Work("On Shelves", ("Tom Holm",), 2001)
    copies, bench = asking(loopback, [loopback.said(found)], lambda client: scholar_copies(client, mine))
    assert [copy.url for copy in copies] == ["https://berg.example/shelves.pdf"]
    assert bench.queries()[0]["query"] == "On Shelves"
    assert asking(loopback, [loopback.said(found)], lambda client: scholar_copies(client, other))[0] == []


def test_a_service_that_fails_is_not_asked_again(loopback: Any) -> None:
    """Constructed: the others go on."""
    told: list[str] = []
    good = {"openAccessPdf": {"url": "https://berg.example/shelves.pdf"}}

    def script(asked: Any) -> Any:
        return loopback.said({"error": "no"}, 403) if asked.host == "a.example" else loopback.said(good)

    async def use(bench: Any) -> Any:
        both = OpenAccess(bench.client("http://a.example"), None, bench.client("http://b.example"), told.append)
        return [await both.copies(Work("On Shelves"), doi) for doi in ("10.1/x", "10.1/y")], bench

    found, bench = loopback.run(script, use)
    assert [[copy.url for copy in copies] for copies in found] == [["https://berg.example/shelves.pdf"]] * 2
    assert sum(asked.host == "a.example" for asked in bench.wired.asked) == 1 and len(told) == 1
