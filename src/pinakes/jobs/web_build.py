"""A frozen web from any library: everything its crawls were answered, as one WARC file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pinakes.core.errors import PinakesError
from pinakes.library.library import Library

PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Built:
    web: Path
    bytes: int
    pages: int


def build_web(folder: Path, target: Path) -> Built:
    """Write the committed bytes of a library's archive one after the other: WARC files join by being joined."""
    if target.exists():
        raise PinakesError(f"{target} exists already; name a file that does not.")
    if not target.parent.is_dir():
        raise PinakesError(f"The folder {target.parent} is not there; make it, or name a file elsewhere.")
    with Library(folder) as library:
        segments = library.connection.execute("SELECT name, bytes FROM segments ORDER BY id").fetchall()
        pages = library.connection.execute("SELECT count(*) FROM pages").fetchone()[0]
        files = [(library.archive.local(name), size) for name, size in segments]
    if not pages:
        raise PinakesError(f"{folder} holds no pages yet; crawl something into it first.")
    unfinished = target.with_name(target.name + ".tmp")
    try:
        with unfinished.open("wb") as out:
            for path, size in files:
                with path.open("rb") as segment:
                    _copy(segment, out, size)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return Built(target, target.stat().st_size, pages)


def _copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    """Copy just the committed bytes: a crawl may be appending more."""
    while size > 0 and (piece := source.read(min(size, PIECE))):
        out.write(piece)
        size -= len(piece)
