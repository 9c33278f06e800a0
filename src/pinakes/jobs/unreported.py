"""What a crawl that had ended when it was killed still lacks: its map, its collections, or the tale of its papers."""

from __future__ import annotations

from typing import Literal

from pinakes.library.collections import load_collections
from pinakes.library.library import Crawl, Library

Lacking = Literal["", "map", "collections", "papers"]


def lacking(library: Library, crawl: Crawl) -> Lacking:
    """What the end of its job would have made of a crawl, and is not there; empty while it goes on."""
    if crawl.unfinished:
        return ""
    if crawl.job == "panorama" and not (library.folder / "reports" / f"{map_name(crawl.id)}.html").exists():
        return "map"
    if crawl.job == "collect" and not any(
        one.crawl == crawl.id and one.built >= (crawl.ended or 0.0) for one in load_collections(library.connection)
    ):
        return "collections"
    if crawl.job == "harvest":
        sql = "SELECT count(*) FROM harvest_papers WHERE crawl = ?"
        return "" if library.connection.execute(sql, (crawl.id,)).fetchone()[0] else "papers"
    return ""


def map_name(crawl: int) -> str:
    """How the files of a panorama's report are called, without their endings."""
    return f"panorama-{crawl:04d}"
