"""GROBID, which a user runs and names by its address: a PDF goes there, TEI comes back."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from xml.etree.ElementTree import Element

from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import year_in
from pinakes.formats.paper import Paper, Reference
from pinakes.formats.url import canonical
from pinakes.services.errors import ServiceError
from pinakes.services.xml import XmlError, parse
from pinakes.web.client import Client, Timeouts, Trouble
from pinakes.web.resolve import Resolver

TRIES = 4
_LIMIT = 32 << 20
_SECONDS = 120.0
_BUSY = 5.0
"""Seconds to wait when all its threads are busy, as its manual asks for full texts."""
_TEI = "{http://www.tei-c.org/ns/1.0}"


async def ask_grobid(
    url: str, pdf: bytes, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep, seconds: float = _SECONDS
) -> Paper:
    """What a GROBID server reads in a PDF. Consolidation is off: it would send what is cited on to others."""
    base = canonical(url).rstrip("/")
    if not base or "?" in base:
        raise PinakesError(f"{url} is not the address of a GROBID server; it looks like http://localhost:8070.")
    address = f"{base}/api/processFulltextDocument"
    # Its address was named by the person running us, and may be this machine's own.
    client = Client(
        {"Accept": "application/xml"},
        Resolver(allow_private=True),
        timeouts=Timeouts(head=seconds, read=seconds, total=seconds),
        allow_private=True,
    )
    try:
        for attempt in range(TRIES):
            status, body = await _posted(client, address, pdf)
            if status != 503:
                break
            if attempt < TRIES - 1:
                await sleep(_BUSY * (attempt + 1))
    finally:
        await client.close()
    if status == 204:
        raise _error("not-found", "found nothing to read in the file; try without --grobid")
    if status == 503:
        raise _error("rate-limited", "is busy; try again later")
    if status != 200:
        raise _error("server-error" if status >= 500 else "bad-response", f"answered {status} at {address}")
    try:
        return from_tei(parse(body))
    except XmlError as error:
        raise _error("bad-response", f"sent XML that cannot be read: {error}") from None


async def _posted(client: Client, address: str, pdf: bytes) -> tuple[int, bytes]:
    mark = secrets.token_hex(16)
    fields = {"consolidateHeader": "0", "consolidateCitations": "0", "includeRawCitations": "1"}
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="input"; filename="paper.pdf"\r\n'
        "Content-Type: application/pdf\r\n\r\n".encode(),
        pdf,
        *(
            f'\r\n--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode()
            for name, value in fields.items()
        ),
        f"\r\n--{mark}--\r\n".encode(),
    ]
    kind = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    answer = await client.post(address, _LIMIT, kind, b"".join(parts))
    if isinstance(answer, Trouble):
        if answer.outcome == "timeout":
            raise _error("timeout", "did not answer in time")
        raise _error("connection", f"could not be reached at {address} ({answer.outcome})")
    if answer.cut:
        raise _error("too-large", f"sent an answer larger than {_LIMIT >> 20} MB")
    return answer.status, answer.body


def _error(outcome: str, what: str) -> ServiceError:
    return ServiceError("GROBID", outcome, f"GROBID {what}.")


def from_tei(root: Element) -> Paper:
    """The paper of a TEI document as GROBID writes it."""
    header = _first(root, "teiHeader")
    source = _first(header, "sourceDesc", "biblStruct")
    analytic = _first(source, "analytic")
    people = [name for author in _all(analytic, "author") if (name := _name(author))]
    places = dict.fromkeys(text for place in _all(analytic, "affiliation") if (text := _place(place)))
    profile = _first(header, "profileDesc")
    listed = _all(_first(root, "text", "back"), "listBibl") if root.tag == f"{_TEI}TEI" else [root]
    entries = [entry for bibliography in listed for entry in bibliography.iter(f"{_TEI}biblStruct")]
    described = _first(header, "fileDesc")
    dates = [date for name in ("publicationStmt", "sourceDesc") for date in _all(_first(described, name), "date")]
    return Paper(
        title=_text(_first(header, "fileDesc", "titleStmt", "title")),
        authors=tuple(people),
        affiliations=tuple(places),
        abstract=_text(_first(profile, "abstract")),
        keywords=tuple(_text(term) for term in _all(_first(profile, "textClass", "keywords"), "term")),
        year=next((year for date in dates if (year := _year(date))), None),
        references=tuple(_reference(entry) for entry in entries),
    )


def _reference(entry: Element) -> Reference:
    analytic, monograph = _first(entry, "analytic"), _first(entry, "monogr")
    titles = [_text(title) for part in (analytic, monograph) for title in _all(part, "title")]
    people = [name for author in entry.iter(f"{_TEI}author") if (name := _name(author))]
    raw = next((_text(note) for note in _all(entry, "note") if note.get("type") == "raw_reference"), "")
    year = next((year for date in _all(monograph, "date") if (year := _year(date))), None)
    return Reference(next(filter(None, titles), ""), tuple(people), year, raw)


def _name(author: Element) -> str:
    person = _first(author, "persName")
    return " ".join(_text(part) for tag in ("forename", "surname") for part in _all(person, tag) if _text(part))


def _place(affiliation: Element) -> str:
    named = [_text(part) for part in _all(affiliation, "orgName")]
    where = [_text(part) for part in _first(affiliation, "address")]
    return ", ".join(filter(None, [*named, *where])) or _text(affiliation)


def _year(date: Element) -> int | None:
    return year_in(date.get("when") or _text(date))


def _first(element: Element, *path: str) -> Element:
    """The first descendant along a path of names; an empty element where there is none."""
    for name in path:
        element = next(iter(_all(element, name)), Element("none"))
    return element


def _all(element: Element, name: str) -> list[Element]:
    return list(_iterated(element, name))


def _iterated(element: Element, name: str) -> Iterator[Element]:
    return (found for found in element.iter(f"{_TEI}{name}") if found is not element)


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
