"""The WARC files of a library that many machines write: each writes files of its own, in a shared folder or an object
store.

A member exists only if the catalogue names its file, offset and length. What a writer wrote and did not commit is cut
off by itself when its transaction fails, and by the next who decides when it died.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pinakes.core.errors import PinakesError
from pinakes.core.page import Member
from pinakes.formats import warc, warc_reader
from pinakes.library.archive import SEGMENT_BYTES, Place

NAME = re.compile(r"pinakes-\d{8}-(\d{5,})-w(\d+)\.warc\.gz")
_OBJECT_BYTES = 64 << 20


class Store(Protocol):
    """Where segments are."""

    def append(self, name: str, offset: int, data: bytes) -> None:
        """Bring bytes to where they last; `offset` is where they begin, and what stood there before goes."""

    def read(self, name: str, offset: int, length: int) -> bytes: ...

    def names(self) -> list[str]: ...

    def size(self, name: str) -> int: ...

    def cut(self, name: str, size: int) -> None:
        """Leave only the first so many bytes; with 0, nothing at all."""

    def local(self, name: str, aside: Path) -> Path:
        """A segment as a file; `aside` is where a copy may be kept."""

    appends: bool
    """Can a file grow after it was written?"""


class FolderStore:
    """A folder that all machines see."""

    appends = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def append(self, name: str, offset: int, data: bytes) -> None:
        path = self._folder / name
        with path.open("r+b" if path.exists() else "wb") as file:
            file.truncate(offset)
            file.seek(offset)
            file.write(data)
            file.flush()
            os.fdatasync(file.fileno())

    def read(self, name: str, offset: int, length: int) -> bytes:
        with (self._folder / name).open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def names(self) -> list[str]:
        return [path.name for path in self._folder.iterdir() if NAME.fullmatch(path.name)]

    def size(self, name: str) -> int:
        path = self._folder / name
        return path.stat().st_size if path.exists() else 0

    def cut(self, name: str, size: int) -> None:
        if size:
            os.truncate(self._folder / name, size)
        else:
            (self._folder / name).unlink(missing_ok=True)

    def local(self, name: str, aside: Path) -> Path:
        return self._folder / name


class ObjectStore:
    """An object store (S3 and its like) through fsspec. Objects do not grow: each commit is one."""

    appends = False

    def __init__(self, address: str) -> None:
        try:
            import fsspec
        except ImportError:
            raise PinakesError(f"{address} needs fsspec; install it with: pip install 'pinakes[s3]'") from None
        try:
            self._files, self._root = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise PinakesError(f"{address} cannot be opened ({error}); pip install 'pinakes[s3]' for S3.") from None

    def append(self, name: str, offset: int, data: bytes) -> None:
        self._files.pipe_file(self._path(name), data)

    def read(self, name: str, offset: int, length: int) -> bytes:
        data: bytes = self._files.cat_file(self._path(name), start=offset, end=offset + length)
        return data

    def names(self) -> list[str]:
        self._files.invalidate_cache()  # others write too
        try:
            found = self._files.ls(self._root, detail=False)
        except FileNotFoundError:
            return []
        return [name for name in (str(path).rpartition("/")[2] for path in found) if NAME.fullmatch(name)]

    def size(self, name: str) -> int:
        try:
            return int(self._files.size(self._path(name)) or 0)
        except FileNotFoundError:
            return 0

    def cut(self, name: str, size: int) -> None:
        if size == 0:
            self._files.rm_file(self._path(name))

    def local(self, name: str, aside: Path) -> Path:
        copy = aside / name
        if not copy.is_file():
            aside.mkdir(parents=True, exist_ok=True)
            self._files.get_file(self._path(name), str(copy.with_suffix(".tmp")))
            copy.with_suffix(".tmp").replace(copy)
        return copy

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


def store_at(place: str) -> Store:
    """A folder, or an address such as `s3://bucket/prefix`."""
    return ObjectStore(place) if "://" in place else FolderStore(Path(place))


class SharedArchive:
    """Implements what `Archive` does, for one of many writers. `allot` gives numbers nobody else has."""

    def __init__(
        self,
        store: Store,
        names: dict[int, str],
        *,
        library: str,
        aside: Path,
        worker: int = 0,
        allot: Callable[[], int] | None = None,
    ) -> None:
        self.names = names
        self._store, self._library, self._aside = store, library, aside
        self._worker, self._allot = worker, allot
        self._number, self._begun = 0, 0
        self._kept = 0, 0
        self._pending = bytearray()
        self._grown: list[tuple[int, str, int]] = []
        self._limit = SEGMENT_BYTES if store.appends else _OBJECT_BYTES

    def append(self, member: Member) -> Place:
        if not self._number or self._begun + len(self._pending) >= self._limit:
            self._start()
        place = Place(self._number, self._begun + len(self._pending), len(member.data))
        self._pending += member.data
        return place

    def flush(self) -> list[tuple[int, str, int]]:
        """Bring everything appended to where it lasts; answers number, name and length of each segment that grew."""
        if self._pending:
            self._write()
            if not self._store.appends:
                self._number = 0
        grown, self._grown = self._grown, []
        return grown

    def keep(self) -> None:
        """What was flushed is committed."""
        self._kept = self._number, self._begun

    def rewind(self) -> None:
        """What was appended since the last commit does not count: it is written over, or dropped when sealed."""
        self._number, self._begun = self._kept
        self._grown = []
        self._pending.clear()

    def read(self, place: Place) -> warc_reader.Record:
        record = warc_reader.read(self.bytes_at(place), place.offset)
        if isinstance(record, warc_reader.WarcDamage):
            raise PinakesError(
                f"{self.names[place.segment]} is damaged at byte {place.offset} ({record.reason}); "
                "restore it from a backup."
            )
        return record

    def bytes_at(self, place: Place) -> bytes:
        """A member as it stands in the file, compressed."""
        if place.segment == self._number and place.offset >= self._begun:
            start = place.offset - self._begun
            return bytes(self._pending[start : start + place.length])
        return self._store.read(self.names[place.segment], place.offset, place.length)

    def seal(self, committed: dict[str, int], alive: Callable[[int], bool]) -> int:
        """Drop what dead writers left behind that the catalogue does not name; answers how many bytes."""
        dropped = 0
        for name in self._store.names():
            found = NAME.fullmatch(name)
            size, known = self._store.size(name), committed.get(name, 0)
            if found and size > known and not alive(int(found[2])):
                self._store.cut(name, known)
                dropped += size - known
        return dropped

    def local(self, name: str) -> Path:
        """A segment as a file."""
        return self._store.local(name, self._aside)

    def close(self) -> None:
        self._pending.clear()

    def _start(self) -> None:
        if self._pending:
            self._write()
        assert self._allot is not None, "a library opened for reading is not written to"
        self._number, self._begun = self._allot(), 0
        name = f"pinakes-{time.strftime('%Y%m%d', time.gmtime())}-{self._number:05d}-w{self._worker}.warc.gz"
        self.names[self._number] = name
        self._pending += warc.warcinfo(name, {"isPartOf": self._library}).data

    def _write(self) -> None:
        name = self.names[self._number]
        self._store.append(name, self._begun, bytes(self._pending))
        self._begun += len(self._pending)
        self._pending.clear()
        self._grown = [one for one in self._grown if one[0] != self._number] + [(self._number, name, self._begun)]
