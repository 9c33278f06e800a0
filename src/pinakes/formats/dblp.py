"""The dblp computer science bibliography as XML: the whole dump, streamed, or an extract of it.

The dump writes accents as entities that its DTD defines. They are the entities of HTML, so the DTD is not needed, and
a file that declares entities of its own is refused: nothing is ever expanded. Only the works that are wanted are kept,
whatever the dump's size; a person is kept when a wanted work of theirs stood before, as in the dump. Namesakes have
numbers (`Jens Lehmann 0001`), by which a work and its author's own record are brought together; then they are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from html.entities import html5
from typing import BinaryIO
from xml.etree.ElementTree import Element
from xml.parsers import expat

from pinakes.formats.bibliography import LONGEST, MOST_WORKS, Person, Work, doi_in, year_in

_CHUNK = 1 << 18
_KINDS = frozenset({"article", "inproceedings", "incollection"})
_RECORDS = _KINDS | {"proceedings", "book", "phdthesis", "mastersthesis", "www", "person", "data"}
_KEPT = frozenset(
    ("author", "editor", "title", "year", "booktitle", "journal", "crossref", "ee", "url", "pages", "volume", "note")
)
_DEEPEST = 20
MOST_URLS = 50
_number = re.compile(r"\s+\d{4}$")
_declaration = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml[^>]{0,200}\?>")
_encoding = re.compile(rb"encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_doctype = re.compile(rb"<!DOCTYPE\s")


class DblpError(ValueError):
    """The file is not dblp's XML; a few words say why."""


@dataclass(frozen=True, slots=True)
class Dblp:
    """What a file of dblp holds."""

    works: tuple[Work, ...]
    people: tuple[Person, ...] = ()
    """Authors of the works of whom more than the name is known."""
    records: int = 0
    """All records read, wanted or not."""


def read_dblp(
    file: BinaryIO, wanted: Callable[[Work], bool] = lambda work: True, watch: Callable[[int], None] = lambda n: None
) -> Dblp:
    """Read dblp's XML from beginning to end; `watch` hears how many records have gone by."""
    reader = _Reader(wanted, watch)
    first = file.read(_CHUNK)
    declared = _declaration.match(first)
    if _doctype.search(first[:4096]) is None:
        # An extract may use the entities without naming the DTD; XML wants one named.
        body = first[declared.end() :] if declared else first
        first = b'<!DOCTYPE dblp SYSTEM "dblp.dtd">' + body
    said = _encoding.search(declared[0]) if declared else None
    reader.begin(said[1].decode() if said else None)
    while first:
        reader.feed(first)
        first = file.read(_CHUNK)
    return reader.end()


def person_of(record: Element) -> Person:
    """The person of a `person` element, as dblp's own pages of people have it (`/pid/65/4173.xml`)."""
    # What dblp calls deprecated is a dead address.
    urls = [url for url in record.iter("url") if url.get("type") != "deprecated"]
    notes = [note for note in record.iter("note") if note.get("type") == "affiliation"]
    return _person(
        [" ".join((name.text or "").split()) for name in record.iter("author")],
        [(url.text or "").strip()[:LONGEST] for url in urls],
        " ".join((notes[0].text or "").split())[:LONGEST] if notes else "",
    )


def _person(names: Iterable[str], urls: Iterable[str], affiliation: str) -> Person:
    plain = dict.fromkeys(_number.sub("", name) for name in names)
    real = [url for url in urls if url.startswith(("http://", "https://"))]
    return Person(tuple(plain), tuple(real[:MOST_URLS]), affiliation)


class _Reader:
    def __init__(self, wanted: Callable[[Work], bool], watch: Callable[[int], None]) -> None:
        self._wanted, self._watch = wanted, watch
        self._depth = 0
        self._kind, self._key, self._field, self._element = "", "", "", ""
        self._fields: dict[str, list[str]] = {}
        self._text: list[str] = []
        self._size = 0
        self._works: list[tuple[Work, str]] = []
        self._authors: set[str] = set()
        self._titles: dict[str, str] = {}
        self._people: list[Person] = []
        self.records = 0

    def begin(self, encoding: str | None) -> None:
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.SkippedEntityHandler = self._data, self._skipped
        parser.EntityDeclHandler = self._declared
        self._parser = parser

    def feed(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, False)
        except (expat.ExpatError, LookupError) as error:
            raise DblpError(f"it is not well-formed XML ({error})") from None

    def end(self) -> Dblp:
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise DblpError(f"it breaks off or is not well-formed XML ({error})") from None
        works = [replace(work, booktitle=self._titles.get(parent, work.booktitle)) for work, parent in self._works]
        return Dblp(tuple(works), tuple(self._people), self.records)

    # -- elements ----------------------------------------------------------------------------------------------

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise DblpError("it is nested too deeply")
        if name in _RECORDS and not self._kind:
            self._kind, self._key, self._fields = name, attributes.get("key", ""), {}
        elif self._kind and name in _KEPT and not self._field:
            # What dblp calls deprecated is a dead address; of notes only the present affiliation counts.
            kind = attributes.get("type", "")
            dropped = kind == "deprecated" if name == "url" else name == "note" and kind != "affiliation"
            self._field, self._text, self._size = ("dropped" if dropped else name), [], 0
            self._element = name

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._field and name == self._element:
            self._fields.setdefault(self._field, []).append(" ".join("".join(self._text).split()))
            self._field = ""
        elif self._kind and name == self._kind:
            self._record()
            self._kind = ""

    def _data(self, text: str) -> None:
        if self._field and self._size < LONGEST:
            self._text.append(text)
            self._size += len(text)

    def _skipped(self, name: str, parameter: bool) -> None:
        if not parameter:
            self._data(html5.get(f"{name};", ""))

    def _declared(self, *_: object) -> None:
        raise DblpError("it declares entities of its own")

    def _record(self) -> None:
        self.records += 1
        if self.records % 10_000 == 0:
            self._watch(self.records)
        if self._kind in _KINDS:
            work = self._work()
            if work.title and len(self._works) < MOST_WORKS and self._wanted(work):
                self._works.append((work, self._one("crossref")))
                self._authors.update(self._fields.get("author", ()))
        elif self._kind == "proceedings" and len(self._titles) < MOST_WORKS:
            self._titles[self._key] = self._one("title").rstrip(".")
        elif self._kind in ("www", "person") and self._key.startswith("homepages/"):
            names = [name for name in self._fields.get("author", ()) if name in self._authors]
            person = _person(names, self._fields.get("url", ()), self._one("note"))
            if names and (person.urls or person.affiliation):
                self._people.append(person)

    def _work(self) -> Work:
        links = self._fields.get("ee", [])
        return Work(
            title=self._one("title").removesuffix("."),
            # `Jens Lehmann 0001`: dblp tells namesakes apart by numbers.
            authors=tuple(_number.sub("", name) for name in self._fields.get("author", ())),
            year=year_in(self._one("year")),
            venue=self._one("booktitle") or self._one("journal"),
            kind=self._kind,
            doi=next((doi for link in links if (doi := doi_in(link))), ""),
            url=links[0] if links else "",
            key=self._key,
        )

    def _one(self, name: str) -> str:
        return self._fields.get(name, [""])[0]
