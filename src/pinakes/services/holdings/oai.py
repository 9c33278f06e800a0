"""What a repository holds, by OAI-PMH: a harvester that survives what real providers do.

Errors come with status 200, 400, 404 or 422; tokens expire or repeat; records are deleted; there may be no record at
all.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

from pinakes.formats.bibliography import LONGEST, Work, doi_in, given_first, year_in
from pinakes.services.client import Service, ServiceClient

OAI = "{http://www.openarchives.org/OAI/2.0/}"
DC = "{http://purl.org/dc/elements/1.1/}"
MOST = 500_000
RESTARTS = 3
"""How often a list is begun anew, at the last date seen, after its token expired."""
_WITH_BODY = (400, 404, 422)


@dataclass(frozen=True, slots=True)
class OaiRecord:
    """One record of a repository."""

    identifier: str
    datestamp: str
    deleted: bool
    work: Work


def oai_service(address: str) -> tuple[Service, str]:
    """The service behind an address, and the set that its query names (`?set=…`)."""
    parts = urlsplit(address)
    asked = dict(parse_qsl(parts.query))
    plain = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    return Service(parts.netloc, plain, gap=1.0), asked.get("set", "")


async def oai_records(client: ServiceClient, *, set_: str = "", since: str = "") -> AsyncIterator[OaiRecord]:
    """All records of a repository or a set, deleted ones too, each identifier once."""
    first = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
    if set_:
        first["set"] = set_
    asked = {**first, "from": since} if since else first
    tokens: set[str] = set()
    seen: set[str] = set()
    last, restarts = since, 0
    while len(seen) < MOST:
        root = await client.xml("", asked, errors=_WITH_BODY)
        if not root.tag.endswith("OAI-PMH"):
            raise client.error("bad-response", "does not speak OAI-PMH; give the address its Identify answers at")
        error = root.find(f"{OAI}error")
        if error is not None:
            code = error.get("code", "")
            if code == "noRecordsMatch":
                return
            if code == "badResumptionToken" and "resumptionToken" in asked and restarts < RESTARTS:
                restarts += 1
                asked = {**first, **({"from": last[:10]} if last else {})}
                continue
            said = " ".join((error.text or "").split())[:200]
            raise client.error("bad-response", f"refused the harvest ({code}: {said or 'no more is said'})")
        for element in root.iter(f"{OAI}record"):
            record = _record(element)
            last = record.datestamp or last
            if record.identifier not in seen or not record.identifier:
                seen.add(record.identifier)
                yield record
        token = _text(root.find(f".//{OAI}resumptionToken"))
        if not token or token in tokens:
            return
        tokens.add(token)
        asked = {"verb": "ListRecords", "resumptionToken": token}


async def oai_works(client: ServiceClient, set_: str = "") -> list[Work]:
    """The works a repository holds."""
    return [record.work async for record in oai_records(client, set_=set_) if not record.deleted and record.work.title]


def _record(element: Element) -> OaiRecord:
    header = element.find(f"{OAI}header")
    identifier = _text(header.find(f"{OAI}identifier")) if header is not None else ""
    datestamp = _text(header.find(f"{OAI}datestamp")) if header is not None else ""
    deleted = header is not None and header.get("status") == "deleted"
    return OaiRecord(identifier, datestamp, deleted, _work(element, identifier))


def _work(element: Element, identifier: str) -> Work:
    def all_of(name: str) -> list[str]:
        return [text for one in element.iter(f"{DC}{name}") if (text := _text(one))]

    links = all_of("identifier")
    return Work(
        title=next(iter(all_of("title")), ""),
        authors=tuple(given_first(name) for name in all_of("creator")),
        year=next((year for date in all_of("date") if (year := year_in(date))), None),
        venue=next(iter(all_of("source")), ""),
        doi=next((doi for link in links if (doi := doi_in(link))), ""),
        url=next((link for link in links if link.startswith("http")), ""),
        key=identifier,
    )


def _text(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split())[:LONGEST] if element is not None else ""
