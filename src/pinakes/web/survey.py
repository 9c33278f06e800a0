"""A first walk through the files of a web: what was recorded where, and which recording of an address counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pinakes.formats import http
from pinakes.formats.url import canonical
from pinakes.formats.warc_reader import Record, WarcDamage, records

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Capture(NamedTuple):
    """One recording of an address: where its record is, and what it answered."""

    url: str
    file: int
    offset: int
    length: int
    status: int
    at: float
    hop: str = ""
    """Where a redirect leads, in canonical form; empty when it leads nowhere on the web."""

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300


@dataclass(slots=True)
class Survey:
    """What the files of a web hold."""

    captures: dict[str, Capture] = field(default_factory=dict)
    """The recording that counts, by canonical address, in the order of first meeting."""
    kinds: Counter[str] = field(default_factory=Counter)
    damage: list[tuple[str, WarcDamage]] = field(default_factory=list)


class _Revisit(NamedTuple):
    url: str
    at: float
    references: tuple[str, ...]
    """What the original may be known by, the surest first."""


def survey(files: Sequence[Path], progress: Callable[[int, int], None] = lambda done, total: None) -> Survey:
    found = Survey()
    originals: dict[str, Capture] = {}
    revisits: list[_Revisit] = []
    total, before = sum(file.stat().st_size for file in files), 0
    for number, file in enumerate(files):
        for record in records(file):
            if isinstance(record, WarcDamage):
                found.damage.append((file.name, record))
                continue
            found.kinds[record.kind] += 1
            if record.kind == "revisit":
                revisits.append(_revisit(record))
            elif (capture := _capture(record, number)) is not None:
                _keep(found.captures, capture)
                for name in _names(record):
                    originals.setdefault(name, capture)
            progress(before + record.offset + record.length, total)
        before += file.stat().st_size
    for revisit in revisits:
        original = next((originals[name] for name in revisit.references if name in originals), None)
        if original is not None and revisit.url:
            _keep(found.captures, original._replace(url=revisit.url, at=revisit.at))
    return found


def _capture(record: Record, file: int) -> Capture | None:
    if record.kind not in ("response", "resource"):
        return None
    url = canonical(record.url)
    if not url:
        return None
    place = (url, file, record.offset, record.length)
    if record.kind == "resource":
        return Capture(*place, 200, record.at)
    message = http.parse(record.block)
    hop = canonical(message.headers.get("location", ""), url) if message.status in REDIRECTS else ""
    return Capture(*place, message.status, record.at, hop if message.headers.get("location") else "")


def _keep(captures: dict[str, Capture], new: Capture) -> None:
    """Of several recordings the last good one counts; a redirect is better than an error."""
    old = captures.get(new.url)
    if old is None or _rank(new) >= _rank(old):
        captures[new.url] = new


def _rank(capture: Capture) -> tuple[int, float]:
    return (2 if capture.good else 1 if capture.hop else 0, capture.at)


def _names(record: Record) -> tuple[str, ...]:
    date, digest = record.headers.get("warc-date", ""), record.headers.get("warc-payload-digest", "")
    names = (record.id, f"{date} {record.url}", digest)
    return tuple(name for name in names if name.strip())


def _revisit(record: Record) -> _Revisit:
    said = record.headers.get
    when, target = said("warc-refers-to-date", ""), said("warc-refers-to-target-uri", "").strip("<>")
    names = (said("warc-refers-to", ""), f"{when} {target}", said("warc-payload-digest", ""))
    return _Revisit(canonical(record.url), record.at, tuple(name for name in names if name.strip()))
