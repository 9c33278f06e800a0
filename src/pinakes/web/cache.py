"""Where the indexes of frozen webs are kept, and by what name.

A web is known by its content: the digest of its files. So an index is found again wherever the files have moved, and
is never wrong about files that changed. Digests are remembered by path, size and time, so that opening a web reads
none of it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import xxhash

from pinakes.core.errors import PinakesError

_MANIFEST = "manifest.json"
"""What a cached folder must hold: the size of every file."""


class WebError(PinakesError):
    """A web that cannot be opened: one sentence with what is wrong and the fix."""


def cache_folder() -> Path:
    """`PINAKES_CACHE`, else the user's cache folder by the XDG rules."""
    given = os.environ.get("PINAKES_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "pinakes"


def files_of(path: Path) -> tuple[Path, ...]:
    """The WARC files that make up a web: the file itself, or those in a folder and below, by name."""
    if path.is_file():
        return (path,)
    if not path.exists():
        raise WebError(f"There is no web at {path}; give a WARC file, or a folder that holds some.")
    found = (file for file in path.rglob("*.warc*") if file.name.endswith((".warc", ".warc.gz")) and file.is_file())
    files = tuple(sorted(found))
    if not files:
        raise WebError(f"The folder {path} holds no .warc or .warc.gz files; give one that does, or a WARC file.")
    return files


def digest_of(files: Sequence[Path]) -> str:
    """The digest of the files' content, in order."""
    whole = xxhash.xxh3_128()
    for file in files:
        whole.update(_file_digest(file).encode())
    return whole.hexdigest()


def _file_digest(path: Path) -> str:
    memory = cache_folder() / "digests" / xxhash.xxh3_64_hexdigest(os.fsencode(path.resolve()))
    try:
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            seen = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
            with suppress(OSError, ValueError):
                *known, digest = json.loads(memory.read_text())
                if known == seen:
                    return str(digest)
            content = xxhash.xxh3_128()
            while chunk := file.read(1 << 20):
                content.update(chunk)
    except OSError as problem:
        raise WebError(f"{path} cannot be read ({problem.strerror}); check the path and its permissions.") from None
    with suppress(OSError):  # only a memory: without it the file is read again next time
        _replace(memory, json.dumps([*seen, content.hexdigest()]))
    return str(content.hexdigest())


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)


@contextmanager
def building(name: str) -> Iterator[tuple[Path, Path]]:
    """A temporary folder, and the cached folder `name` that it becomes when the block ends well.

    Two processes may build at once: the first to finish wins and the other's work, which is the same, is dropped.
    """
    final = _place(name)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=final.parent))
    except OSError as problem:
        raise WebError(
            f"The cache folder {final.parent} cannot be written ({problem.strerror}); set PINAKES_CACHE to another."
        ) from None
    try:
        yield folder, final
        (folder / _MANIFEST).write_text(json.dumps(_sizes(folder)))
        try:
            folder.rename(final)
        except OSError:
            if not final.exists():
                raise
    except OSError as problem:
        raise WebError(
            f"The index cannot be written in {final.parent} ({problem.strerror}); make room, or set PINAKES_CACHE."
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def found(name: str) -> Path | None:
    """The cached folder `name` if it is whole; one that lost something, as in a power cut, is removed."""
    folder = _place(name)
    if not folder.exists():
        return None
    with suppress(OSError, ValueError):
        if json.loads((folder / _MANIFEST).read_text()) == _sizes(folder):
            return folder
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _sizes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_size for file in sorted(folder.iterdir()) if file.name != _MANIFEST}


def _place(name: str) -> Path:
    return cache_folder() / "webs" / name
