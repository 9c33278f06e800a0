"""Homepages that ORCID and dblp know are used first; open copies that services know are counted apart."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
from pathlib import Path

from pinakes.formats.bibliography import Person
from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.people import listed_people
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.testing.answer import Answer, of_error
from pinakes.testing.server import serve

sys.path.insert(0, str(Path(__file__).parent))
from harvest_web import hurried, page, paper, said, said_json

BERG, LUND = "https://orcid.org/0000-0002-1825-0097", "https://orcid.org/0000-0002-1694-233X"
DBLP = "https://dblp.org/pid/152/3896"
OPEN = "Stable Characteristic Evolution of Generic Three-Dimensional Single-Black-Hole Spacetimes"
PERSON = (
    b'<dblpperson name="Tom Holm"><person key="homepages/152/3896"><author>Tom Holm</author>'
    b'<note type="affiliation">University of Oslo, Norway</note>'
    b"<url>https://scholar.google.com/holm</url><url>http://holm.example/</url></person></dblpperson>"
)


def record(*urls: str, country: str = "") -> Answer:
    listed = [{"url": {"value": url}} for url in urls]
    where = [{"country": {"value": country}}] if country else []
    return said_json({"researcher-urls": {"researcher-url": listed}, "addresses": {"address": where}})


def test_directories_are_asked_once_and_remembered() -> None:
    """A dump's own persons cost nothing; a dblp person without a homepage may have an ORCID with one; what fails is
    told and left alone."""
    answers = {
        ("orcid.example", "/0000-0002-1825-0097/person"): record("https://x.com/berg", "http://berg.example/"),
        ("orcid.example", "/0000-0002-1694-233X/person"): record(country="DK"),
        ("dblp.example", "/pid/152/3896.xml"): said(PERSON, "application/xml"),
    }
    authors = ("Anna Berg", "Ida Lund", "Tom Holm", "Eve Ford", "Jon Dale")
    people = {
        "Anna Berg": Person(("Anna Berg",), (BERG,), "Oslo, Norway"),
        "Eve Ford": Person(("Eve Ford",), ("http://ford.example/",)),
    }
    kept: dict[str, object] = {}
    with serve(lambda host, path: answers.get((host, path), of_error(404))) as served:
        services = {name: {"url": f"http://{name}.example"} for name in ("orcid", "dblp")}
        live = hurried(f"*=127.0.0.1:{served.port}", services=services)
        identities = {"Ida Lund": LUND, "Tom Holm": DBLP, "Jon Dale": "https://orcid.org/0000-0003-1415-9269"}
        found = asyncio.run(listed_people(authors, people, identities, live, remember=kept.__setitem__))
        asked = sum(served.counts().values())
        again = asyncio.run(listed_people(authors, people, identities, live, remembered=kept))
        assert sum(served.counts().values()) == asked == 4
    assert found == again
    assert {name: (one.homepage, one.by, one.affiliation) for name, one in found.items()} == {
        "Anna Berg": ("http://berg.example/", "ORCID", "Oslo, Norway"),
        "Ida Lund": ("", "ORCID", "DK"),
        "Tom Holm": ("http://holm.example/", "dblp", "University of Oslo, Norway"),
        "Eve Ford": ("http://ford.example/", "dblp", ""),
    }
    told: list[str] = []
    off = hurried(services={"orcid": {"url": "off"}, "dblp": {"url": "http://dblp.pinakes.invalid"}})
    found = asyncio.run(listed_people(authors, people, identities, off, tell=told.append))
    assert found.keys() == {"Anna Berg", "Eve Ford"} and len(told) == 1 and "dblp" in told[0]


def test_a_harvest_by_orcid_and_open_access(tmp_path: Path, shared: Path) -> None:
    """One paper lies on a homepage that only ORCID knows, one where Unpaywall (as recorded) says, one nowhere."""
    recordings = shared / "recordings" / "unpaywall"
    oa, closed = ((recordings / f"doi_{name}.json").read_bytes() for name in ("oa", "closed"))

    def answer(host: str, path: str) -> Answer:
        match host, path.partition("?")[0]:
            case "orcid.example", "/0000-0002-1825-0097/person":
                return record("https://www.linkedin.com/in/berg", "http://berg.example/")
            case "orcid.example", "/0000-0002-1694-233X/person":
                return record(country="DK")
            case "unpaywall.example", "/v2/10.1103/physrevlett.80.3915":
                return said(oa, "application/json")
            case "unpaywall.example", _:
                return said(closed, "application/json")
            case "berg.example", "/":
                return page("Anna Berg", '<a href="shelves.pdf">Shelves Without Walls</a>')
            case "berg.example", "/shelves.pdf":
                return said(paper("Shelves Without Walls", "Anna Berg"), "application/pdf")
            case "arxiv.org", "/pdf/gr-qc/9801069":
                return said(paper(OPEN, "Luis Lehner"), "application/pdf")
        return of_error(404)

    metadata = tmp_path / "papers.json"
    berg = {"given": "Anna", "family": "Berg", "ORCID": BERG}
    lund = {"given": "Ida", "family": "Lund", "ORCID": LUND}
    lehner = {"given": "Luis", "family": "Lehner", "affiliation": [{"name": "Penn State, University Park, PA 16802"}]}
    papers = [
        {"title": "Shelves Without Walls", "author": [berg], "issued": {"date-parts": [[1998]]}},
        {"title": OPEN, "author": [lehner], "DOI": "10.1103/PhysRevLett.80.3915", "issued": {"date-parts": [[1998]]}},
        {"title": "Nowhere To Be Found", "author": [lund], "DOI": "10.1000/none", "issued": {"date-parts": [[1999]]}},
    ]
    metadata.write_text(json.dumps(papers))
    with serve(answer) as served:
        services = {
            "orcid": {"url": "http://orcid.example"},
            "unpaywall": {"url": "http://unpaywall.example/v2"},
            "openalex": {"url": "off"},
            "semantic-scholar": {"url": "off"},
        }
        live = hurried(f"*=127.0.0.1:{served.port}", services=services)
        options = HarvestOptions(
            (str(metadata),), tmp_path / "library", search=False, open_access=True, live=live, processes=1
        )
        result = harvest(options)
    assert isinstance(result, HarvestResult)
    found = {paper.title: paper for paper in result.papers}
    assert result.homepages == {"Anna Berg": "http://berg.example/"}
    assert found["Shelves Without Walls"].copies[0].place == "homepage"
    assert [(copy.url, copy.place) for copy in found[OPEN].copies] == [
        ("http://arxiv.org/pdf/gr-qc/9801069", "open access")
    ]
    assert result.places == {"on homepages": 1, "venue site": 0, "both": 0, "open access": 1, "elsewhere": 0}
    assert (found["Nowhere To Be Found"].status, found["Nowhere To Be Found"].why) == ("missing", "no homepage")
    assert result.countries == {"United States": 1, "Denmark": 1}
    with (tmp_path / "library" / "reports" / "homepages.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["name"], row["kept"]) for row in rows] == [("Anna Berg", "yes"), ("Ida Lund", ""), ("Luis Lehner", "")]
    assert rows[0]["rule"] == "kept: ORCID has it" and rows[1]["rule"] == "not looked for"
    assert [(row.without_homepage, row.countries) for row in result.years] == [
        (1, {"United States": 1}),
        (1, {"Denmark": 1}),
    ]
