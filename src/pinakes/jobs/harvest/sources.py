"""Where metadata and holdings come from: a file of any kind, another library, or a service by name.

papers.jsonl  papers.csv  papers.bib  papers.ris  papers.json  dblp.xml.gz  2020.sdp.xml  demo:venue.jsonl
dblp:WebDB  openalex:S4306420609  crossref:1076-9757  acl:2020.sdp
https://repository.example.org/oai  zotero:users/12345  LIBRARY/
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.formats.acl import read_acl
from pinakes.formats.bibliography import MOST_BYTES, Bibliography, Person, Work, decoded
from pinakes.formats.bibtex import read_bibtex
from pinakes.formats.csv_works import read_csv_works
from pinakes.formats.dblp import Dblp, DblpError, read_dblp
from pinakes.formats.json_works import read_json_works
from pinakes.formats.ris import read_ris
from pinakes.jobs.harvest.asking import ask_service, is_service
from pinakes.jobs.harvest.wanted import Record, of_venue
from pinakes.jobs.paper import paper_path
from pinakes.jobs.webs import Tell, quietly
from pinakes.library.harvests import load_papers
from pinakes.library.library import Library
from pinakes.services.xml import XmlError, parse
from pinakes.web.http import LiveOptions

LEAST_DUMP = 100_000
"""Records a file that calls itself the dump of dblp must have; the real one has millions."""
_READERS: Mapping[str, Callable[[bytes], Bibliography]] = {
    ".jsonl": read_json_works,
    ".ndjson": read_json_works,
    ".json": read_json_works,
    ".csl": read_json_works,
    ".csv": read_csv_works,
    ".tsv": read_csv_works,
    ".bib": read_bibtex,
    ".bibtex": read_bibtex,
    ".ris": read_ris,
}
_TITLED = ("application/pdf", "application/postscript", "text/html")


class Use(NamedTuple):
    """What a source is for, and what to say of one that is wrong."""

    option: str
    service: str
    """Services that are fit for it."""
    library: str = ""
    may_be_empty: bool = False


METADATA = Use("--metadata", "a service such as dblp:WebDB")
HOLDINGS = Use(
    "--holdings", "a repository's OAI-PMH address, zotero:users/ID or another service", ", a library's folder", True
)


class Found(NamedTuple):
    """What a source said."""

    records: tuple[Record, ...]
    people: Mapping[str, Person] = {}
    """Author -> what the source knows of them."""


async def read_source(
    name: str,
    web: str,
    live: LiveOptions | None = None,
    venue: str = "",
    years: tuple[int, int] | None = None,
    tell: Tell = quietly,
    use: Use = METADATA,
) -> Found:
    """The records a source names: a file, a library, or a service."""
    if not is_service(name) or Path(name).expanduser().exists():
        return read_file(name, web, venue, tell, use)
    if live is None:
        raise PinakesError(f"{name} is a service on the live web; with --web {web} give a file instead.")
    found = Found(records_of(await ask_service(name, live, years, use.service)))
    if use.may_be_empty and not found.records:
        tell(f"{name} names no papers: nothing is held there.")
    return found


def read_file(name: str, web: str, venue: str = "", tell: Tell = quietly, use: Use = METADATA) -> Found:
    """The records of a file, or the titles of a library; what in it could not be read is told."""
    path = _path(name, web, use)
    if path.is_dir():
        return Found(tuple(_of_library(path)))
    kinds = [suffix.lower() for suffix in path.suffixes[-2:]]
    if kinds and kinds[-1] == ".gz":
        kinds = kinds[:-1]
    kind = kinds[-1] if kinds else ""
    if kind == ".xml":
        return _of_xml(path, venue, tell)
    if kind not in _READERS:
        known = ", ".join([*_READERS, ".xml"])
        raise PinakesError(f"{path} is no list of papers Pinakes knows; it reads {known}, each also as .gz.")
    data = _bytes(path)
    read = _READERS[kind](data)
    if use.may_be_empty and not read.works and _is_sound(data, kind, bool(read.problems)):
        tell(f"{path} names no papers: nothing is held there.")
        return Found(())
    if read.problems and read.works:
        first = read.problems[0]
        more = f" and {len(read.problems) - 1} more" if len(read.problems) > 1 else ""
        tell(f"{path}, line {first.line}: {first.what}{more}.")
    if not read.works:
        why = f" ({read.problems[0].what})" if read.problems else ""
        raise PinakesError(f"{path} names no papers{why}; {use.option} wants a list of papers with titles.")
    return Found(records_of(read.works))


def _is_sound(data: bytes, kind: str, troubled: bool) -> bool:
    """True for a file without works that is what it should be: blank, headings alone, an empty list, or comments. Any
    text at all may stand between the entries of a BibTeX or RIS file; without entries it is something else."""
    said = [line.strip() for line in decoded(data).splitlines() if line.strip()]
    if kind in (".bib", ".bibtex", ".ris"):
        return all(line.startswith("%") for line in said)
    return not said or not troubled


def records_of(works: Iterable[Work]) -> tuple[Record, ...]:
    """A bibliography's works as records."""
    return tuple(
        Record(
            title=work.title,
            authors=work.authors,
            year=work.year,
            venue=work.venue,
            id=work.key,
            booktitle=work.booktitle,
            doi=work.doi,
            urls=(work.url,) if work.url.startswith(("http://", "https://")) else (),
            affiliations=work.affiliations,
            identities=work.identities,
        )
        for work in works
    )


def _path(name: str, web: str, use: Use) -> Path:
    path = paper_path(name, web)
    if not path.exists():
        raise PinakesError(
            f"{name} is neither a file nor a library; give {use.option} a file of papers (.jsonl, .csv, .bib, .ris, "
            f".json, .xml){use.library}, or {use.service}."
        )
    return path


def _bytes(path: Path) -> bytes:
    try:
        with closing(_opened(path)) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PinakesError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MOST_BYTES:
        raise PinakesError(f"{path} is larger than {MOST_BYTES >> 20} MB; give the venue's part of it.")
    return data


def _opened(path: Path) -> BinaryIO:
    file = path.open("rb")
    if file.read(2) == b"\x1f\x8b":
        file.seek(0)
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    file.seek(0)
    return file


def _of_xml(path: Path, venue: str, tell: Tell) -> Found:
    """dblp's XML, be it the whole dump, or the ACL Anthology's."""
    with closing(_opened(path)) as file:
        try:
            head = file.read(4096)
        except (OSError, EOFError, zlib.error) as error:
            raise PinakesError(f"{path} cannot be unpacked: {error}.") from None
    if b"<collection" in head:
        try:
            return Found(records_of(read_acl(parse(_bytes(path))).works))
        except XmlError as error:
            raise PinakesError(f"{path} is not XML that can be read: {error}.") from None
    if b"<html" in head.lower() or not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        raise PinakesError(
            f"{path} is no XML but a web page or something else; dblp.org answers downloads with a page that wants "
            "visitors to prove they are human. Get the dump with a browser."
        )
    found = _dump(path, venue, tell)
    named = path.name.lower().startswith("dblp") and path.name.lower().split(".")[0] in ("dblp", "dblp-latest")
    if found.records < (LEAST_DUMP if named else 1):
        raise PinakesError(
            f"{path} has only {count_of(found.records, 'record')} where dblp has millions: it is not the whole dump. "
            "Get it again, or give an extract a name of its own, such as webdb.xml."
        )
    return Found(records_of(found.works), {name: person for person in found.people for name in person.names})


def _dump(path: Path, venue: str, tell: Tell) -> Dblp:
    def wanted(work: Work) -> bool:
        short = work.key.split("/")[1] if work.key.count("/") >= 2 else ""
        return not venue or short == venue.lower() or of_venue(Record(work.title, venue=work.venue), venue)

    with closing(_opened(path)) as file:
        try:
            return read_dblp(
                file, wanted, lambda n: tell(f"{n:,} records of {path.name} read") if n % 500_000 == 0 else None
            )
        except DblpError as error:
            raise PinakesError(f"{path} cannot be read as dblp's XML: {error}.") from None
        except (OSError, EOFError, zlib.error) as error:
            raise PinakesError(f"{path} is cut short or damaged: {error}; get it again.") from None


def _of_library(folder: Path) -> Iterable[Record]:
    """The papers of another library: those it harvested, and the titles of its documents and pages."""
    with Library(folder) as library:
        marks = ",".join("?" * len(_TITLED))
        rows = library.connection.execute(
            f"SELECT id, title, url FROM pages WHERE type IN ({marks}) AND title != '' AND original IS NULL", _TITLED
        )
        for number, title, url in rows:
            yield Record(title, id=f"page {number}", urls=(url,))
        for paper in load_papers(library.connection):
            if paper.status == "found":
                yield Record(paper.title, paper.authors, paper.year, paper.venue, paper.id)
