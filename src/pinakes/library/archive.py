"""The WARC files of a library: appended to member by member, and cut back to what was committed on opening."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.core.page import Member
from pinakes.formats import warc, warc_reader

SEGMENT_BYTES = 1 << 30
NAME = re.compile(r"pinakes-\d{8}-\d{5}\.warc\.gz")


class Place(NamedTuple):
    """Where a member stands."""

    segment: int
    offset: int
    length: int


class Archive:
    """A folder of WARC segments. Only the last one is written to.

    The catalogue is the truth: `segments` maps a segment's number to its name and its committed length. Bytes past
    that were written by a crawl that died before its commit. They and files never named are put aside, not deleted:
    should the catalogue be an old copy, they are all there is. A file of another library is not touched at all.
    """

    def __init__(self, folder: Path, segments: dict[int, tuple[str, int]], *, library: str, write: bool) -> None:
        """`library` is the library's own mark, which stands at the head of each of its files."""
        self.folder, self._library = folder, library
        self.names = {number: name for number, (name, _) in segments.items()}
        self._file: BinaryIO | None = None
        self._offset = 0
        self._readers: dict[int, BinaryIO] = {}
        self._full: list[tuple[int, str, int]] = []
        if write:
            self._cut_back(segments)
            if segments:
                self._resume(max(segments))

    def append(self, member: Member) -> Place:
        if self._file is None or self._offset >= SEGMENT_BYTES:
            self._start()
        assert self._file is not None
        place = Place(max(self.names), self._offset, len(member.data))
        self._file.write(member.data)
        self._offset += len(member.data)
        return place

    def flush(self) -> list[tuple[int, str, int]]:
        """Bring everything appended to the disk; answers number, name and length of the open segment, and of those that
        became full meanwhile."""
        if self._file is None:
            return []
        self._file.flush()
        os.fdatasync(self._file.fileno())
        number = max(self.names)
        full, self._full = self._full, []
        return [*full, (number, self.names[number], self._offset)]

    def read(self, place: Place) -> warc_reader.Record:
        if self._file is not None and place.segment == max(self.names):
            self._file.flush()
        file = self._readers.get(place.segment)
        if file is None:
            file = self._readers[place.segment] = (self.folder / self.names[place.segment]).open("rb")
        record = warc_reader.read_at(file, place.offset, place.length)
        if isinstance(record, warc_reader.WarcDamage):
            name = self.folder / self.names[place.segment]
            raise PinakesError(
                f"{name} is damaged at byte {record.offset} ({record.reason}); restore it from a backup."
            )
        return record

    def bytes_at(self, place: Place) -> bytes:
        """A member as it stands in the file, compressed."""
        if self._file is not None and place.segment == max(self.names):
            self._file.flush()
        with (self.folder / self.names[place.segment]).open("rb") as file:
            file.seek(place.offset)
            return file.read(place.length)

    def local(self, name: str) -> Path:
        """A segment as a file."""
        return self.folder / name

    def close(self) -> None:
        for file in [*self._readers.values(), *([self._file] if self._file else [])]:
            file.close()
        self._readers.clear()
        self._file = None

    def _start(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fdatasync(self._file.fileno())
            self._file.close()
            self._full.append((max(self.names), self.names[max(self.names)], self._offset))
        number = max(self.names, default=0) + 1
        name = f"pinakes-{time.strftime('%Y%m%d', time.gmtime())}-{number:05d}.warc.gz"
        self._file = (self.folder / name).open("wb", buffering=1 << 20)
        self.names[number] = name
        info = warc.warcinfo(name, {"isPartOf": self._library})
        self._file.write(info.data)
        self._offset = len(info.data)

    def _resume(self, number: int) -> None:
        path = self.folder / self.names[number]
        self._file = path.open("ab", buffering=1 << 20)
        self._offset = path.stat().st_size

    def _cut_back(self, segments: dict[int, tuple[str, int]]) -> None:
        for name, committed in segments.values():
            path = self.folder / name
            size = path.stat().st_size if path.exists() else 0
            if size < committed:
                raise PinakesError(
                    f"{path} holds {size} bytes but the catalogue counts on {committed}; restore it from a backup."
                )
            self._check_mark(path)
            if size > committed:
                self._put_aside(path, committed)
        known = {name for name, _ in segments.values()}
        for path in self.folder.iterdir():
            if NAME.fullmatch(path.name) and path.name not in known:
                self._put_aside(path, 0)

    def _check_mark(self, path: Path) -> None:
        first = next(warc_reader.records(path), None)
        if not isinstance(first, warc_reader.Record) or f"isPartOf: {self._library}".encode() not in first.block:
            raise PinakesError(f"{path} does not belong to this library's catalogue; restore both from one backup.")

    def _put_aside(self, path: Path, committed: int) -> None:
        aside = self.folder.parent / "aside"
        aside.mkdir(exist_ok=True)
        target = aside / f"{path.name}.from-{committed}.{time.time_ns()}"
        if not committed:
            path.rename(target)
            return
        with path.open("rb") as file, target.open("wb") as out:
            file.seek(committed)
            shutil.copyfileobj(file, out, 1 << 20)
        os.truncate(path, committed)
