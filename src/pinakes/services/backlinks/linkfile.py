"""Who links here, by a file of links: a cut-out of a web graph, or what another tool exported.

One link a line, source and target: CSV or TSV, with or without a head that names the columns `source` and `target`, or
JSON lines with those two fields; gzipped or not.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BufferedIOBase
from itertools import chain, islice
from pathlib import Path

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.services.backlinks.reverse import Reverse

_LINE = 64 << 10
"""Longer lines are passed over."""
_BATCH = 50_000
_FORMS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".jsonl": "{", ".ndjson": "{"}

Ends = Callable[[str], tuple[str, str]]
"""Source and target of a line; empty where it has none."""


class _Edge(msgspec.Struct):
    source: str
    target: str


class LinkFile:
    """The role `Backlinks` by a file, which is read once, when this is made."""

    name = "the link file"

    def __init__(self, path: Path) -> None:
        self.links = 0
        self.passed_over = 0
        """Lines without two web addresses, a head among them."""
        self._reverse = Reverse[str]()
        try:
            self._read(path)
        except (OSError, EOFError, zlib.error) as error:
            self.close()
            raise PinakesError(f"The link file {path} cannot be read: {error}.") from None
        if not self.links:
            self.close()
            raise PinakesError(f"The link file {path} has no line with two web addresses, a source and its target.")

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        return self._reverse.sources(url, n)

    def close(self) -> None:
        self._reverse.close()

    def _read(self, path: Path) -> None:
        form = _FORMS.get(Path(path.name.removesuffix(".gz")).suffix.lower(), "")
        with path.open("rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with gzip.open(file) if zipped else file as opened:
                edges = self._edges(_lines(opened), form)
                while batch := list(islice(edges, _BATCH)):
                    self._reverse.add(batch)

    def _edges(self, lines: Iterator[str], form: str) -> Iterator[tuple[str, str]]:
        first = next(lines, "")
        ends = _ends(form or _guessed(first), first)
        for line in chain((first,), lines):
            source, target = map(canonical, ends(line))
            if source and target:
                self.links += 1
                yield source, target
            else:
                self.passed_over += 1


def _lines(file: BufferedIOBase) -> Iterator[str]:
    while line := file.readline(_LINE):
        if len(line) < _LINE or line.endswith(b"\n"):
            yield line.decode("utf-8", "replace").strip().lstrip("\ufeff")
            continue
        yield ""
        while (rest := file.readline(_LINE)) and not rest.endswith(b"\n"):
            pass


def _guessed(line: str) -> str:
    return "{" if line.startswith("{") else "\t" if "\t" in line else ","


def _ends(form: str, first: str) -> Ends:
    """How to read a line of a file that begins so."""
    if form == "{":
        return _of_json
    head = [name.strip().lower() for name in _cells(first, form)]
    named = "source" in head and "target" in head
    source, target = (head.index("source"), head.index("target")) if named else (0, 1)

    def of_cells(line: str) -> tuple[str, str]:
        cells = _cells(line, form)
        return (cells[source].strip(), cells[target].strip()) if len(cells) > max(source, target) else ("", "")

    return of_cells


def _of_json(line: str) -> tuple[str, str]:
    try:
        edge = msgspec.json.decode(line, type=_Edge)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return "", ""
    return edge.source, edge.target


def _cells(line: str, delimiter: str) -> list[str]:
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
