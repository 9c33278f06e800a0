"""Exports: a library, or a part of it, in the formats of other programs. Streamed, so that its size does not matter."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.formats.citations import bibtex, csl_json, ris
from pinakes.formats.dublin_core import dublin_core
from pinakes.formats.feeds_out import atom, rss
from pinakes.formats.item import Item
from pinakes.formats.tables_out import jsonl, parquet, table
from pinakes.jobs.export_warc import write_wacz, write_warc
from pinakes.library.items import Items
from pinakes.library.library import Library

TEXTS: dict[str, Callable[[Iterable[Item]], Iterator[str]]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl-json": csl_json,
    "dublin-core": dublin_core,
    "csv": table,
    "jsonl": jsonl,
}
FEEDS = ("rss", "atom")
FILES = ("parquet", "warc", "wacz")
FORMATS = (*TEXTS, *FEEDS, *FILES)
ENDINGS = {
    "bibtex": "bib", "ris": "ris", "csl-json": "json", "dublin-core": "xml", "csv": "csv", "jsonl": "jsonl",
    "rss": "rss", "atom": "atom", "parquet": "parquet", "warc": "warc.gz", "wacz": "wacz",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportOptions:
    library: Path
    format: str
    output: Path | None = None
    """Without one, texts go to standard output."""
    collection: str = ""
    """Only this collection, best pages first."""
    since: str = ""
    """Only pages captured on that day or later, YYYY-MM-DD; a time may follow after `T`."""
    papers: bool = False
    """Only the papers that harvests found, each once."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    library: str
    format: str
    output: str
    pages: int
    """How many were written."""


def export(options: ExportOptions) -> ExportResult:
    if options.format not in FORMATS:
        raise PinakesError(f"There is no format {options.format}; choose one of {', '.join(FORMATS)}.")
    if options.format in FILES and options.output is None:
        raise PinakesError(f"{options.format} cannot go to the screen; name a file after --output.")
    since = moment(options.since) if options.since else 0.0
    with Library(options.library) as library:
        items = Items(library)
        collection = items.named(options.collection) if options.collection else ""
        count = _Count(chosen(items, collection, since, options.papers))
        if options.format in TEXTS or options.format in FEEDS:
            with _opened(options.output) as file:
                for piece in texts(library, count, options.format, collection):
                    file.write(piece.encode("utf-8", "replace"))
        else:
            assert options.output is not None
            with _unfinished(options.output) as path:
                if options.format == "parquet":
                    parquet(count, path)
                else:
                    write = write_warc if options.format == "warc" else write_wacz
                    write(library, count, path, f"Pinakes {__version__}")
        return ExportResult(str(options.library), options.format, str(options.output or "-"), count.pages)


def chosen(items: Items, collection: str, since: float, papers: bool) -> Iterator[Item]:
    """What is to be exported."""
    if papers and collection:
        raise PinakesError("Papers that harvests found are in no collection; leave out --papers or --collection.")
    if papers and not items.harvested:
        raise PinakesError(
            "No harvest has found papers for this library; find some with `pinakes harvest --metadata FILE --into "
            "LIBRARY`, or leave out --papers for its pages."
        )
    return items.papers(since) if papers else items.of(collection, since) if collection else items.all(since)


def texts(library: Library, items: Iterable[Item], name: str, collection: str = "") -> Iterator[str]:
    """The pieces of an export that is text."""
    if name in TEXTS:
        return TEXTS[name](items)
    title = collection or library.folder.resolve().name
    mark = library.connection.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()[0]
    urn = uuid.uuid5(uuid.NAMESPACE_URL, f"{mark}/{collection}").urn
    return (rss if name == "rss" else atom)(items, title, time.time(), urn)


def moment(text: str) -> float:
    """Seconds since 1970 of a day or a time, UTC where it does not say."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise PinakesError(f"{text} is not a date; write it like 2026-03-31 or 2026-03-31T12:00:00Z.") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


class _Count:
    """Items, counted as they go by."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items, self.pages = items, 0

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            self.pages += 1
            yield item


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with _unfinished(output) as path, path.open("wb", buffering=1 << 20) as file:
        yield file


@contextmanager
def _unfinished(output: Path) -> Iterator[Path]:
    """A file that takes its name only when it is whole."""
    if output.is_dir():
        raise PinakesError(f"{output} is a folder; name a file after --output.")
    path = output.with_name(f"{output.name}.unfinished")
    try:
        yield path
        path.replace(output)
    finally:
        path.unlink(missing_ok=True)
