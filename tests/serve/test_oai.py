"""OAI-PMH: the validator's questions, answers by the schema, and whole harvests by other people's programs."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from lxml import etree
from sickle import Sickle
from sickle.oaiexceptions import NoRecordsMatch

from pinakes.core.page import Brief, Fetched, Link, Verdict
from pinakes.core.roles import Progress
from pinakes.formats.document import Reader
from pinakes.formats.item import stamp
from pinakes.formats.warc import exchange
from pinakes.jobs.harvest.asking import ask_service
from pinakes.library.announced import Selection, announced
from pinakes.library.collections import Collection, Entry, save_collections
from pinakes.library.harvests import Copy, Harvested, save_papers
from pinakes.library.items import Items
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.serve.oai import Provider
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.web.http import LiveOptions

BASE = "http://library.example.org/oai"
OAI = "{http://www.openarchives.org/OAI/2.0/}"
DC = "{http://purl.org/dc/elements/1.1/}"
NASTY = '</dc:title><script>alert(1)</script> ]]> &amp; \x00\x08 \ufffe "quoted" \u202eabc ' + "x" * 5000


def fill(library: Library, pages: list[tuple[str, str, str]], *, at: float = 1_700_000_000.0) -> None:
    """Visit addresses that answer with a title and directives."""
    reader = Reader()
    ledger = library.begin(Recipe(job="crawl", strategy="breadth-first", judge="cosine", web="demo"))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    for n, (url, title, robots) in enumerate(pages):
        shown = title.replace("&", "&amp;").replace("<", "&lt;")
        meta = f'<meta name="robots" content="{robots}">'
        body = f"<html lang=en><head><title>{shown}</title>{meta}</head><body>{url} {at}</body></html>".encode()
        page = reader.read(Link(url), url, 200, {"content-type": "text/html; charset=utf-8"}, body, at + n)
        record, digest = exchange(url, b"GET / HTTP/1.1\r\n\r\n", head, body, at + n)
        ledger.deliver(Fetched(page, record, digest, head), page, Verdict(0.5, "birds", {}, False), None)
    ledger.commit(Progress(pages=len(pages)), BreadthFirst(Brief()))


def collect(library: Library, name: str, urls: list[str], *, parent: str = "", built: float = 1.0) -> None:
    entries = tuple(Entry(url, 1.0 - n / 1e6, "?") for n, url in enumerate(urls))
    about = f"All about {name} & <more>"
    save_collections(library.connection, [Collection(name, parent, about, entries=entries, built=built)])


PAGES = [(f"http://a.example/{n}?x=1&y=<2>", f"Page {n}", "") for n in range(130)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("oai") / "birds"
    with Library(folder, write=True, create=True) as library:
        fill(library, [*PAGES, ("http://h.example/", "Hidden", "noindex"), ("http://n.example/", NASTY, "")])
        collect(library, "Vögel & Co", [url for url, _, _ in PAGES[:20]])
        collect(library, "Owls", [PAGES[0][0]], parent="Vögel & Co")
        collect(library, "鳥", [PAGES[1][0]])
    return folder


@pytest.fixture
def library(made: Path, tmp_path: Path) -> Path:
    """Never announced yet."""
    return Path(shutil.copytree(made, tmp_path / "birds", ignore=shutil.ignore_patterns("announced.db*")))


@pytest.fixture(scope="session")
def schema(shared: Path) -> etree.XMLSchema:
    """The protocol's own schema; what stands in other namespaces has schemas of its own, which are not recorded."""
    text = (shared / "recordings" / "oai-pmh" / "schema" / "OAI-PMH.xsd").read_bytes()
    return etree.XMLSchema(etree.fromstring(text))


def ask(library: Path, question: str, clock: float | None = None) -> etree._Element:
    provider = Provider(library, BASE, "keeper@example.org")
    if clock is not None:
        provider = replace(provider, clock=lambda: clock)
    return etree.fromstring(provider.answer(parse_qsl(question, keep_blank_values=True)).encode())


def one_identifier(library: Path) -> str:
    root = ask(library, "verb=ListIdentifiers&metadataPrefix=oai_dc")
    return str(root.findtext(f".//{OAI}identifier"))


ERRORS = [
    ("", "badVerb"),
    ("junk", "badVerb"),
    ("verb=junk", "badVerb"),
    ("verb=Identify&verb=Identify", "badVerb"),
    ("verb=Identify&junk=1", "badArgument"),
    ("verb=ListSets&junk=1", "badArgument"),
    ("verb=ListMetadataFormats&junk=1", "badArgument"),
    ("verb=ListMetadataFormats&identifier=oai:x:1", "idDoesNotExist"),
    ("verb=GetRecord&metadataPrefix=oai_dc", "badArgument"),
    ("verb=GetRecord&identifier=ID", "badArgument"),
    ("verb=GetRecord&identifier=ID&metadataPrefix=marc", "cannotDisseminateFormat"),
    ("verb=GetRecord&identifier=ID&metadataPrefix=oai_dc&junk=1", "badArgument"),
    ('verb=GetRecord&identifier=invalid"id&metadataPrefix=oai_dc', "idDoesNotExist"),
    ("verb=GetRecord&identifier=%00%01<&metadataPrefix=oai_dc", "idDoesNotExist"),
    ("verb=ListIdentifiers&metadataPrefix=oai_dc&until=junk", "badArgument"),
    ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=junk", "badArgument"),
    ("verb=ListIdentifiers&metadataPrefix=oai_dc&from=", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=junk", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&until=2002-02-31", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&until=2002-02-05T25:00:00Z", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&until=2002-02-05T05:00:00.5Z", "badArgument"),
    ("verb=ListRecords", "badArgument"),
    ("verb=ListIdentifiers", "badArgument"),
    ("verb=ListRecords&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListRecords&resumptionToken=%C3%A9", "badResumptionToken"),
    ("verb=ListIdentifiers&resumptionToken=", "badResumptionToken"),
    ("verb=ListSets&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListRecords&resumptionToken=junk&metadataPrefix=oai_dc", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2002-02-05&until=2002-02-06T05:35:00Z", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2003-01-01&until=2002-01-01", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc", "badArgument"),
    ("verb=ListRecords&metadataPrefix=marc", "cannotDisseminateFormat"),
    ("verb=ListRecords&metadataPrefix=oai_dc&until=1990-01-01", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2999-01-01", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&set=nosuch", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&set=a b", "badArgument"),
    ("verb=GetRecord&metadataPrefix=oai_dc&identifier=" + "x" * 5000, "badArgument"),
]


@pytest.mark.parametrize(("question", "code"), ERRORS, ids=[question[:60] for question, _ in ERRORS])
def test_errors(made: Path, schema: etree.XMLSchema, question: str, code: str) -> None:
    """Each by its name, with a sentence, in an answer that is valid; a bad argument is not repeated."""
    root = ask(made, question.replace("ID", one_identifier(made)))
    schema.assertValid(root)
    error = root.find(f"{OAI}error")
    assert error is not None and error.get("code") == code and len(error.text or "") > 10
    if code in ("badVerb", "badArgument"):
        assert not root.find(f"{OAI}request").attrib


def test_identify(made: Path, schema: etree.XMLSchema) -> None:
    root = ask(made, "verb=Identify")
    schema.assertValid(root)
    told = {one.tag.removeprefix(OAI): one.text for one in root.find(f"{OAI}Identify")}
    assert told["baseURL"] == BASE and told["adminEmail"] == "keeper@example.org" and told["repositoryName"] == "birds"
    assert told["deletedRecord"] == "persistent" and told["granularity"] == "YYYY-MM-DDThh:mm:ssZ"
    assert root.findtext(".//{*}repositoryIdentifier") == "library.example.org"
    assert root.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation", "").startswith(
        "http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
    )


def test_the_repository_is_called_the_same_wherever_it_stands(library: Path) -> None:
    """Identifiers outlive a change of address; without a domain or a contact of its own it makes up what is honest."""
    plain = etree.fromstring(Provider(library, "http://127.0.0.1:8000/oai").answer([("verb", "Identify")]).encode())
    domain = plain.findtext(".//{*}repositoryIdentifier")
    assert domain.endswith(".pinakes.invalid") and plain.findtext(f".//{OAI}adminEmail") == f"admin@{domain}"
    assert ask(library, "verb=Identify").findtext(".//{*}repositoryIdentifier") == domain


def test_records_and_sets(library: Path, schema: etree.XMLSchema) -> None:
    """Collections are sets, one under another; a record says which it is in; titles are text whatever they hold."""
    root = ask(library, "verb=ListSets")
    schema.assertValid(root)
    sets = {one.findtext(f"{OAI}setName"): one.findtext(f"{OAI}setSpec") for one in root.iter(f"{OAI}set")}
    assert sets["Vögel & Co"] == "vogel-co" and sets["Owls"] == "vogel-co:owls" and sets["鳥"].startswith("set-")
    assert "All about Vögel & Co & <more>" in {one.text for one in root.iter(f"{DC}description")}
    root = ask(library, "verb=ListRecords&metadataPrefix=oai_dc&set=vogel-co")
    schema.assertValid(root)
    records = root.findall(f".//{OAI}record")
    assert len(records) == 20 and root.find(f".//{OAI}resumptionToken") is None
    headers = {one.findtext(f".//{DC}identifier"): one.find(f"{OAI}header") for one in records}
    assert {spec.text for spec in headers[PAGES[0][0]].findall(f"{OAI}setSpec")} == {"vogel-co", "vogel-co:owls"}
    below = ask(library, "verb=ListIdentifiers&metadataPrefix=oai_dc&set=vogel-co:owls")
    assert len(below.findall(f".//{OAI}header")) == 1
    whole = ask(library, "verb=ListRecords&metadataPrefix=oai_dc")
    assert len(whole.findall(f".//{OAI}record")) == 100
    token = whole.findtext(f".//{OAI}resumptionToken")
    rest = ask(library, f"verb=ListRecords&resumptionToken={token}")
    schema.assertValid(rest)
    titles = [one.text for one in rest.iter(f"{DC}title")]
    assert len(titles) == 31 and rest.find(f".//{OAI}resumptionToken").text is None  # the chain ends with an empty one
    nasty = next(title for title in titles if "alert" in title)
    assert nasty.startswith("</dc:title><script>alert(1)</script> ]]> &") and len(nasty) <= 2000
    assert not [one for one in rest.iter(f"{DC}title") if "Hidden" in (one.text or "")]


def test_dates_are_inclusive_and_formats_known(made: Path) -> None:
    identifier = one_identifier(made)
    root = ask(made, f"verb=GetRecord&metadataPrefix=oai_dc&identifier={identifier}")
    date = root.findtext(f".//{OAI}datestamp")
    assert (
        ask(made, f"verb=ListMetadataFormats&identifier={identifier}").findtext(f".//{OAI}metadataPrefix") == "oai_dc"
    )
    for span in (f"from={date}&until={date}", f"from={date[:10]}&until={date[:10]}"):
        found = ask(made, f"verb=ListIdentifiers&metadataPrefix=oai_dc&{span}")
        assert identifier in {one.text for one in found.iter(f"{OAI}identifier")}


def test_tokens(library: Path) -> None:
    """May be used twice, belong to one verb, expire, and cannot be forged."""
    whole = ask(library, "verb=ListRecords&metadataPrefix=oai_dc", clock=1_800_000_000.0)
    element = whole.find(f".//{OAI}resumptionToken")
    assert element.get("cursor") == "0" and element.get("completeListSize") == "131"
    assert element.get("expirationDate") == stamp(1_800_000_000.0 + 86_400)
    again = [
        [one.text for one in ask(library, f"verb=ListRecords&resumptionToken={element.text}").iter(f"{DC}title")]
        for _ in range(2)
    ]
    assert again[0] == again[1] and len(again[0]) == 31
    for question, clock in (
        (f"verb=ListIdentifiers&resumptionToken={element.text}", None),
        (f"verb=ListRecords&resumptionToken={element.text}", 1_800_000_000.0 + 86_402),
        (f"verb=ListRecords&resumptionToken={element.text[:-4]}AAAA", None),
        (f"verb=ListRecords&resumptionToken={element.text[:10]}", None),
    ):
        assert ask(library, question, clock).find(f"{OAI}error").get("code") == "badResumptionToken"


def test_changes_are_dated_and_deletions_kept(library: Path, schema: etree.XMLSchema) -> None:
    """Only what changed gets a new date; a page that no longer wants to be shown stays as deleted, in its sets; one
    that a harvest knows gets its authors."""
    before = _stamps(library)
    with announced(library) as records:  # as if all that had been long ago
        records._connection.execute("UPDATE records SET stamp = 1000")
        records._connection.commit()
    changed, gone, paper = PAGES[30][0], PAGES[0][0], PAGES[40][0]
    with Library(library, write=True) as opened:
        fill(opened, [(changed, "Renamed", ""), (gone, "Page 0", "noindex"), (PAGES[50][0], "Page 50", "")])
        copy = Copy(paper, "found", "homepage", 0.9, "title")
        save_papers(
            opened.connection, 2, [Harvested("p", "A paper", ("Ada Beispiel",), 1999, "V", "found", copies=(copy,))]
        )
    recent = ask(library, "verb=ListRecords&metadataPrefix=oai_dc&from=2000-01-01")
    schema.assertValid(recent)
    headers = {one.findtext(f".//{DC}title"): one for one in recent.iter(f"{OAI}record")}
    assert set(headers) == {"Renamed", "A paper", None}
    assert headers["A paper"].findtext(f".//{DC}creator") == "Beispiel, Ada"
    deleted = headers[None].find(f"{OAI}header")
    assert deleted.get("status") == "deleted" and "vogel-co" in {one.text for one in deleted.findall(f"{OAI}setSpec")}
    assert set(_stamps(library)) == set(before)
    question = f"verb=GetRecord&metadataPrefix=oai_dc&identifier={deleted.findtext(f'{OAI}identifier')}"
    assert ask(library, question).find(f".//{OAI}metadata") is None
    with Library(library, write=True) as opened:
        collect(opened, "Owls", [], parent="Vögel & Co", built=2.0)
        collect(opened, "Hawks", [changed], built=3.0)
        fill(opened, [(gone, "Back", "")])
    assert ask(library, question).findtext(f".//{DC}title") == "Back"
    moved = ask(library, "verb=ListIdentifiers&metadataPrefix=oai_dc&set=hawks")
    assert len(moved.findall(f".//{OAI}header")) == 1


def _stamps(library: Path) -> dict[str, str]:
    root = ask(library, "verb=ListIdentifiers&metadataPrefix=oai_dc")
    return {one.findtext(f"{OAI}identifier"): one.findtext(f"{OAI}datestamp") for one in root.iter(f"{OAI}header")}


def test_a_catalogue_from_a_backup(library: Path, made: Path) -> None:
    """What it no longer has is told as deleted."""
    ask(library, "verb=Identify")
    backup = shutil.copytree(library, library.parent / "backup")
    with Library(library, write=True) as opened:
        fill(opened, [("http://late.example/", "Late", "")])
    assert len(_stamps(library)) == 132
    shutil.copy(library / "announced.db", backup / "announced.db")
    root = ask(Path(backup), "verb=ListIdentifiers&metadataPrefix=oai_dc")
    assert [one.get("status") for one in root.iter(f"{OAI}header") if one.get("status")] == ["deleted"]


def test_an_empty_library(tmp_path: Path, schema: etree.XMLSchema) -> None:
    Library(tmp_path / "empty", write=True, create=True).close()
    schema.assertValid(ask(tmp_path / "empty", "verb=Identify"))
    asked = {
        "verb=ListSets": "noSetHierarchy",
        "verb=ListRecords&metadataPrefix=oai_dc": "noRecordsMatch",
        "verb=ListRecords&metadataPrefix=oai_dc&set=x": "noSetHierarchy",
    }
    for question, code in asked.items():
        assert ask(tmp_path / "empty", question).find(f"{OAI}error").get("code") == code


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_harvest_by_sickle(library: Path, method: str, serve: Any) -> None:
    with serve(library) as at:
        address = f"{at.url}/oai"
        harvester = Sickle(address, http_method=method)
        assert harvester.Identify().baseURL == address
        assert harvester.Identify().repositoryName == "birds"
        assert {one.setSpec for one in harvester.ListSets()} >= {"vogel-co", "vogel-co:owls"}
        records = list(harvester.ListRecords(metadataPrefix="oai_dc"))
        assert len({one.header.identifier for one in records}) == 131
        assert {PAGES[5][0]} < {one.metadata["identifier"][0] for one in records}
        with pytest.raises(NoRecordsMatch):
            harvester.ListRecords(metadataPrefix="oai_dc", until="1990-01-01")


def test_ten_thousand_records_while_they_change(tmp_path: Path, serve: Any) -> None:
    """A harvest through tokens misses nothing that is there all the time, and ends with what was changed under it."""
    pages = [(f"http://a.example/{n}", f"Page {n}", "") for n in range(10_000)]
    with Library(tmp_path / "large", write=True, create=True) as library:
        fill(library, pages)
        with announced(tmp_path / "large") as records:
            assert records.roll(600.0)
            # As if announced over time, so that the records have dates of their own.
            records._connection.execute("UPDATE records SET stamp = 1500000000 + id / 7")
            records._connection.commit()
        held: dict[str, str | None] = {}
        with serve(tmp_path / "large") as at:
            address = f"{at.url}/oai"
            for n, header in enumerate(Sickle(address).ListIdentifiers(metadataPrefix="oai_dc")):
                held[header.identifier] = "deleted" if header.deleted else header.datestamp
                if n % 2500 == 1200:  # some already told, some not yet
                    fill(
                        library,
                        [
                            (pages[n - 1000][0], f"Renamed {n}", ""),
                            (pages[n + 1000][0], f"Renamed {n}", ""),
                            (pages[n - 900][0], "", "noindex"),
                            (pages[n + 1001][0], "", "noindex"),
                            (f"http://new.example/{n}", "New", ""),
                        ],
                        at=1_700_000_000.0 + n,
                    )
            now = {one.identifier: one for one in Sickle(address).ListIdentifiers(metadataPrefix="oai_dc")}
    assert len(now) == 10_004 and sum(one.deleted for one in now.values()) == 8
    assert held == {key: "deleted" if one.deleted else one.datestamp for key, one in now.items()}


def test_our_own_reader_of_holdings(library: Path, serve: Any) -> None:
    """What `harvest --holdings` reads of another Pinakes."""
    with serve(library) as at:
        works = asyncio.run(
            ask_service(f"{at.url}/oai", LiveOptions(contact="me@example.org", allow_private=True), None)
        )
    assert len(works) == 131 and works[3].title == "Page 3" and works[3].url == PAGES[3][0]


def test_over_http_behind_a_proxy(library: Path, serve: Any) -> None:
    """The address given out is the readers'; whatever is sent gets an answer of the protocol, with its type."""
    base = "https://library.example.org/birds"
    with serve(library, base_url=base, contact="keeper@example.org") as at:
        for path in ("/oai", "/birds/oai"):
            answer = at.ask("GET", f"{path}?verb=Identify", Host="library.example.org")
            assert (
                answer.headers["content-type"] == "text/xml; charset=utf-8" and f"<baseURL>{base}/oai<" in answer.body
            )
        assert "keeper@example.org" in answer.body
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        assert "<Identify>" in at.ask("POST", "/oai", b"verb=Identify", **form).body
        for body in (b"\xff\x00&verb", b"a=1&" * 1000, b"verb=Identify&verb=ListSets"):
            answer = at.ask("POST", "/oai", body, **form)
            assert answer.status == 200 and 'code="badVerb"' in answer.body


@pytest.mark.parametrize("spec", ["", "all"])
def test_the_end_of_a_long_list_costs_as_much_as_its_beginning(tmp_path: Path, spec: str) -> None:
    """However many records there are, of one date or of many, and whatever part of them a set holds."""
    (tmp_path / "index").mkdir()
    with announced(tmp_path) as records:
        connection = records._connection
        n = 20_000
        stamps = [max(1, at - n // 2) for at in range(n)]
        rows = [(at + 1, f"k{at}", f"http://a.example/{at}", stamp, 0, b"") for at, stamp in enumerate(stamps)]
        connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO members VALUES (?, 'all')", [(at + 1,) for at in range(n)])
        steps = [0]

        def step() -> int:
            steps[0] += 1
            return 0

        costs, place, listed = [], (0, 0), 0
        connection.set_progress_handler(step, 10)
        while found := records.some(Selection(set=spec), place, 500):
            place, listed = (found[-1].stamp, found[-1].id), listed + len(found)
            costs.append(steps[0])
            steps[0] = 0
        assert listed == records.count(Selection(set=spec)) == n
        assert max(costs) < 2 * min(costs)


def test_of_a_large_library_only_the_records_asked_for_are_read(library: Path) -> None:
    with Library(library) as opened:
        asked: list[str] = []
        opened.connection.set_trace_callback(asked.append)
        item = Items(opened, [PAGES[0][0]]).at(PAGES[0][0])
        opened.connection.set_trace_callback(None)
        plans = [row[3] for sql in asked for row in opened.connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert item is not None and set(item.topics) == {"Owls", "Vögel & Co"}
    assert not [step for step in plans if step.startswith("SCAN")], plans
    assert any("entries_url" in step for step in plans) and any("harvest_copies_url" in step for step in plans)
