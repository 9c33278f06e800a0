"""The stored pages themselves, as one WARC file, or packed as WACZ 1.1.1 for the players of web archives.

Members are copied as they stand in the archive. Of a page that repeats another's payload the payload goes along, once.
Pages that ask not to be stored for others (`noarchive`) stay behind.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from pinakes.formats import warc
from pinakes.formats.item import Item, stamp
from pinakes.library.library import Library

Filed = Callable[[Item, tuple[str, str, int], int, int], None]
"""Hears of each page written: the item, its digest, media type and status, its offset and its length."""


def write_warc(library: Library, items: Iterable[Item], path: Path, by: str, filed: Filed | None = None) -> None:
    written: set[int] = set()
    with path.open("wb", buffering=1 << 20) as out:
        out.write(warc.warcinfo(path.name.removesuffix(".unfinished"), {"software": by}).data)
        for item in items:
            sql = "SELECT original, robots, digest, type, status FROM pages WHERE id = ?"
            original, robots, *facts = library.connection.execute(sql, (item.number,)).fetchone()
            if {"noarchive", "nocache"} & set(robots.split()):
                continue
            for number in (original, item.number):
                if number is None or number in written:
                    continue
                written.add(number)
                data, offset = library.shelf.member(number), out.tell()
                out.write(data)
                if number == item.number and filed is not None:
                    filed(item, (facts[0], facts[1], facts[2]), offset, len(data))


def write_wacz(library: Library, items: Iterable[Item], path: Path, by: str) -> None:
    lines: list[tuple[str, str]] = []
    pages = path.with_name(f"{path.name}.pages")
    data = path.with_name(f"{path.name}.warc")
    try:
        with pages.open("w", encoding="utf-8") as listed:
            listed.write('{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n')

            def filed(item: Item, facts: tuple[str, str, int], offset: int, length: int) -> None:
                digest, kind, status = facts
                when = stamp(item.fetched_at)
                listed.write(
                    json.dumps({"id": str(item.number), "url": item.url, "ts": when, "title": item.name}) + "\n"
                )
                told = {
                    "url": item.url, "mime": kind, "status": str(status), "digest": digest, "length": str(length),
                    "offset": str(offset), "filename": "data.warc.gz",
                }  # fmt: skip
                lines.append((f"{surt(item.url)} {''.join(filter(str.isdigit, when))}", json.dumps(told)))

            write_warc(library, items, data, by, filed)
        index = "".join(f"{key} {told}\n" for key, told in sorted(lines)).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as bundle:
            bundle.write(data, "archive/data.warc.gz")
            bundle.writestr("indexes/index.cdxj", index)
            bundle.write(pages, "pages/pages.jsonl")
            resources = [
                _resource("archive/data.warc.gz", data),
                {"name": "index.cdxj", "path": "indexes/index.cdxj", "hash": _sha(index), "bytes": len(index)},
                _resource("pages/pages.jsonl", pages),
            ]
            package = {"profile": "data-package", "wacz_version": "1.1.1", "software": by, "resources": resources}
            described = json.dumps(package, indent=1).encode()
            bundle.writestr("datapackage.json", described)
            digest = {"path": "datapackage.json", "hash": _sha(described)}
            bundle.writestr("datapackage-digest.json", json.dumps(digest, indent=1))
    finally:
        for scrap in (pages, data):
            scrap.unlink(missing_ok=True)


def surt(url: str) -> str:
    """An address by which an index is sorted: the host from its end, then the path, in small letters."""
    parts = urlsplit(url.lower())
    host = ",".join(reversed((parts.hostname or "").removeprefix("www.").split(".")))
    port = f":{parts.port}" if parts.port else ""
    return f"{host}{port}){parts.path or '/'}{'?' + parts.query if parts.query else ''}"


def _resource(name: str, path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{digest}", "bytes": path.stat().st_size}


def _sha(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
