"""Exports for a click: the library or a collection in the formats of other programs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.jobs.export import ENDINGS, FILES, FORMATS, ExportOptions, chosen, export, moment, texts
from pinakes.library.items import Items
from pinakes.report.markup import Html, tag
from pinakes.serve.desk import Desk, desk_of

NAMES = {
    "bibtex": "BibTeX", "ris": "RIS", "csl-json": "CSL-JSON", "dublin-core": "Dublin Core", "csv": "CSV",
    "jsonl": "JSON lines", "rss": "RSS", "atom": "Atom", "parquet": "Parquet", "warc": "WARC", "wacz": "WACZ",
}  # fmt: skip
TYPES = {
    "bibtex": "application/x-bibtex", "ris": "application/x-research-info-systems", "csl-json": "application/json",
    "dublin-core": "application/xml", "csv": "text/csv", "jsonl": "application/jsonl", "rss": "application/rss+xml",
    "atom": "application/atom+xml", "parquet": "application/vnd.apache.parquet", "warc": "application/warc",
    "wacz": "application/wacz",
}  # fmt: skip
PIECE = 1 << 16


def buttons(desk: Desk, collection: str = "", papers: bool = False) -> Html:
    """A form that hands out what is shown, in any format, or only what is new."""
    what = "this collection" if collection else "the papers found" if papers else "the library"
    options = [tag("option", NAMES[name], value=name) for name in FORMATS]
    return tag(
        "form",
        collection and tag("input", type="hidden", name="collection", value=collection),
        papers and tag("input", type="hidden", name="papers", value="yes"),
        tag("label", tag("span", f"Export {what} as"), tag("select", options, name="format")),
        tag("label", tag("span", "only pages since"), tag("input", type="date", name="since")),
        tag("button", "Download", type="submit"),
        action=desk.at("/export"),
        class_="filters export",
        aria_label=f"Export {what}",
    )


def exported(request: Request) -> Response:
    asked = request.query_params
    return export_response(
        desk_of(request),
        asked.get("format", ""),
        asked.get("collection", ""),
        asked.get("since", ""),
        papers=bool(asked.get("papers")),
    )


def export_response(desk: Desk, form: str, collection: str, since: str, papers: bool = False) -> Response:
    """Texts are streamed; files of other kinds are made first, for they cannot be."""
    if form not in FORMATS:
        raise PinakesError(f"There is no format {form[:40]}; choose one of {', '.join(FORMATS)}.")
    if since:
        moment(since)
    with desk.library() as library:
        name = Items(library, ()).named(collection) if collection else ""
        if papers:
            chosen(Items(library), name, 0.0, papers)
    safe = "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in name or desk.name).strip("-")[:60]
    headers = {"Content-Disposition": f'attachment; filename="{safe or "library"}.{ENDINGS[form]}"'}
    if form not in FILES:
        pieces = _pieces(desk, form, name, since, papers)
        return StreamingResponse(pieces, media_type=f"{TYPES[form]}; charset=utf-8", headers=headers)
    folder = tempfile.mkdtemp(prefix="pinakes-export-")
    try:
        path = Path(folder) / f"export.{ENDINGS[form]}"
        export(ExportOptions(desk.folder, form, path, name, since, papers))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(path, media_type=TYPES[form], headers=headers, background=gone)


def _pieces(desk: Desk, form: str, collection: str, since: str, papers: bool) -> Iterator[bytes]:
    with desk.library() as library:
        items = chosen(Items(library), collection, moment(since) if since else 0.0, papers)
        held: list[str] = []
        length = 0
        for piece in texts(library, items, form, collection):
            held.append(piece)
            length += len(piece)
            if length >= PIECE:
                yield "".join(held).encode("utf-8", "replace")
                held, length = [], 0
        yield "".join(held).encode("utf-8", "replace")


ROUTES = [Route("/export", exported)]
