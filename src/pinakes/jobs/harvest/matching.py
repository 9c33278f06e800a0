"""Which of the documents that a crawl brought home are wanted papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pinakes.core.page import Link, Page
from pinakes.formats import postscript
from pinakes.formats.postscript import PostscriptError
from pinakes.jobs.harvest.forms import PAPER
from pinakes.jobs.harvest.identify import Identifier, Match
from pinakes.jobs.harvest.whereabouts import BOTH, HOMEPAGE, PLACES, Grounds, Whereabouts
from pinakes.library.harvests import Copy
from pinakes.library.library import Library
from pinakes.text.titles import Work

PDF = "application/pdf"
PACKED = ("application/gzip", "application/x-gzip", "application/postscript", "application/octet-stream")
_ENDS = (".ps", ".eps", ".gz", ".z", ".pdf")


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a crawl."""

    url: str
    page: int
    type: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Matched:
    """What the documents of a crawl are."""

    copies: Mapping[str, tuple[Copy, ...]]
    """Paper's id -> documents that are it, the best first."""
    documents: int
    publications: int
    """Documents that look like academic publications, wanted or not (003 fig. 13)."""
    unreadable: Mapping[str, str]
    """Address -> `scanned`, `encrypted`, `damaged`, `PostScript without Ghostscript`."""
    seen: frozenset[str]
    """Addresses of all documents, wanted or not."""


def match(
    library: Library,
    crawl: int,
    wanted: Iterable[Work],
    grounds: Grounds,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> Matched:
    """Identify every document of a crawl."""
    identifier, whereabouts = Identifier(wanted), Whereabouts(library, crawl, grounds)
    found: dict[str, list[Copy]] = {}
    unreadable: dict[str, str] = {}
    listed = list(documents(library, crawl))
    publications = 0
    known: dict[int, tuple[Match | None, bool, str]] = {}
    for number, document in enumerate(listed):
        watch(number, len(listed))
        original = _original(library, document.page)
        if original not in known:
            known[original] = _identified(library, document, identifier)
        hit, publication, trouble = known[original]
        publications += publication
        if trouble:
            unreadable[document.url] = trouble
        if hit is not None:
            place = whereabouts.place(document.url)
            copy = Copy(document.url, hit.status, place, hit.confidence, hit.evidence, document.page, hit.form)
            found.setdefault(hit.work.id, []).append(copy)
    watch(len(listed), len(listed))
    copies = {paper: tuple(sorted(some, key=_best_first)) for paper, some in found.items()}
    return Matched(copies, len(listed), publications, unreadable, frozenset(one.url for one in listed))


def documents(library: Library, crawl: int) -> Iterator[Document]:
    """The documents a crawl brought home, each address once, in the order of their coming."""
    rows = library.connection.execute(
        "SELECT visits.final, visits.page, pages.type, visits.outcome FROM visits"
        " JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? ORDER BY visits.id",
        (crawl,),
    )
    seen: set[str] = set()
    for url, page, kind, outcome in rows:
        path = url.partition("?")[0].lower()
        if url not in seen and (kind == PDF or (kind in PACKED and path.endswith(_ENDS))):
            seen.add(url)
            yield Document(url, page, kind, outcome)


def _identified(library: Library, document: Document, identifier: Identifier) -> tuple[Match | None, bool, str]:
    page, trouble = _read(library, document)
    if trouble or not page.text.strip():
        return None, False, trouble or "scanned"
    return identifier.identify(page), identifier.is_publication(page), ""


def _read(library: Library, document: Document) -> tuple[Page, str]:
    """A document's page, PostScript turned into PDF; and what is wrong with it."""
    link = Link(document.url)
    if document.outcome == "encrypted":
        return Page(link, document.url), "encrypted"
    page = library.shelf.page(document.page, link)
    if page.type == PDF:
        return page, {"": "", "duplicate": ""}.get(page.error, page.error)
    data = postscript.unpacked(library.shelf.content(document.page))
    if not postscript.is_postscript(data):
        return page, "not a document"
    try:
        data = postscript.to_pdf(data)
    except PostscriptError as error:
        known = {"no-ghostscript": "PostScript without Ghostscript", "too-slow": "too slow to read"}
        return page, known.get(str(error), "damaged")
    converted = library.reader.read(link, document.url, 200, {"content-type": PDF}, data, page.fetched_at)
    return replace(converted, type=PDF), converted.error


def _original(library: Library, page: int) -> int:
    """The capture that holds a page's bytes: the same file at two addresses is read once."""
    row = library.connection.execute("SELECT original FROM pages WHERE id = ?", (page,)).fetchone()
    return int(row[0]) if row and row[0] is not None else page


def _best_first(copy: Copy) -> tuple[bool, bool, int, float, str]:
    place = HOMEPAGE if copy.place == BOTH else copy.place
    return copy.status != "found", copy.form != PAPER, PLACES.index(place), -copy.confidence, copy.url
