"""GROBID, which a user runs and names by its address: a PDF goes there, TEI comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from xml.etree.ElementTree import Element

import aiohttp

from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import year_in
from pinakes.formats.paper import Paper, Reference
from pinakes.formats.url import canonical
from pinakes.services.errors import ServiceError
from pinakes.services.xml import XmlError, parse

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
    timeout = aiohttp.ClientTimeout(total=seconds)
    async with aiohttp.ClientSession(timeout=timeout, headers={"Accept": "application/xml"}) as session:
        for attempt in range(TRIES):
            status, body = await _posted(session, address, pdf)
            if status != 503:
                break
            if attempt < TRIES - 1:
                await sleep(_BUSY * (attempt + 1))
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


async def _posted(session: aiohttp.ClientSession, address: str, pdf: bytes) -> tuple[int, bytes]:
    form = aiohttp.FormData()
    form.add_field("input", pdf, filename="paper.pdf", content_type="application/pdf")
    for name, value in {"consolidateHeader": "0", "consolidateCitations": "0", "includeRawCitations": "1"}.items():
        form.add_field(name, value)
    try:
        async with session.post(address, data=form, allow_redirects=False) as answer:
            body = bytearray()
            async for chunk in answer.content.iter_chunked(1 << 16):
                body += chunk
                if len(body) > _LIMIT:
                    raise _error("too-large", f"sent an answer larger than {_LIMIT >> 20} MB")
            return answer.status, bytes(body)
    except TimeoutError:
        raise _error("timeout", "did not answer in time") from None
    except aiohttp.ClientError as error:
        raise _error("connection", f"could not be reached at {address} ({type(error).__name__})") from None


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
