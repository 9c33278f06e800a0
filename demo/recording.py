"""Every resource of the demo web, and the WARC file that holds them (written with warcio, not with Pinakes)."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha1
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import calendar_trap
from markup import printable, render, render_print
from pdfs import make
from sources import Paper, Sources
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HTML = "text/html; charset=utf-8"
RECORDED = datetime(2026, 9, 1, tzinfo=UTC)
REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found"}
MIRROR = "lantern:mirror/aviary/"


@dataclass(frozen=True)
class Resource:
    url: str
    status: int
    type: str
    body: bytes
    location: str = ""


def resources(sources: Sources) -> list[Resource]:
    found = []
    for page in sources.pages:
        url, html = sources.url(page.ref), render(page, sources)
        if "latin1" in page.flags:
            found.append(Resource(url, 200, "text/html", html.encode("latin-1")))
            continue
        found.append(Resource(url, 200, HTML, html.encode()))
        if "mirror" in page.flags:
            found.append(Resource(sources.url(mirrored(page.ref)), 200, HTML, html.encode()))
        if "print" in page.flags:
            found.append(Resource(sources.url(printable(page.ref)), 200, HTML, render_print(page, sources).encode()))
    for path, html in calendar_trap.pages().items():
        found.append(Resource(sources.url(f"cal:{path}"), 200, HTML, html.encode()))
    for paper in sources.papers:
        if paper.refs:
            data = make(paper, sources)
            found += [Resource(sources.url(ref), 200, "application/pdf", data) for ref in paper.refs]
    for host in sources.hosts.values():
        if host.robots:
            found.append(Resource(f"{host.url}robots.txt", 200, "text/plain", host.robots.encode()))
    for row in sources.redirects:
        to = sources.url(row["to"])
        body = f'<html><head><title>Moved</title></head><body><a href="{to}">Moved</a></body></html>\n'
        found.append(Resource(sources.url(row["from"]), row["status"], HTML, body.encode(), to))
    seen: set[str] = set()
    for resource in found:
        if resource.url in seen:
            raise SystemExit(f"two resources at {resource.url}")
        seen.add(resource.url)
    return sorted(found, key=lambda resource: resource.url)


def mirrored(ref: str) -> str:
    return MIRROR + ref.partition(":")[2]


def paper_file(sources: Sources, key: str) -> bytes:
    paper: Paper = next(paper for paper in sources.papers if paper.key == key)
    return make(paper, sources)


def toolchain() -> str:
    """What made the bytes; the same sources give the same file only with the same tools."""
    return f"warcio {version('warcio')}; fpdf2 {version('fpdf2')}; zlib {zlib.ZLIB_RUNTIME_VERSION}"


def write_warc(found: list[Resource], file: Path) -> None:
    with file.open("wb") as out:
        writer = WARCWriter(out, gzip=True, warc_version="1.1")
        about = (
            f"software: {toolchain()}\r\nformat: WARC File Format 1.1\r\nrobots: obey\r\n"
            "description: the demonstration web that ships with Pinakes, built by demo/build.py\r\n"
        )
        dated = {"WARC-Date": _stamp(RECORDED), "WARC-Record-ID": _id("warcinfo")}
        info = writer.create_warc_record(
            "", "warcinfo", payload=BytesIO(about.encode()), length=len(about),
            warc_content_type="application/warc-fields",
            warc_headers_dict={**dated, "WARC-Filename": file.name},
        )  # fmt: skip
        writer.write_record(info)
        for seconds, resource in enumerate(found, start=1):
            fetched = RECORDED + timedelta(seconds=seconds)
            headers = [
                ("Date", format_datetime(fetched, usegmt=True)),
                ("Content-Type", resource.type),
                ("Content-Length", str(len(resource.body))),
            ]
            if resource.location:
                headers.append(("Location", resource.location))
            else:
                digest = sha1(resource.body).hexdigest()
                modified = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=int(digest[:4], 16) % 5000)
                headers += [("Last-Modified", format_datetime(modified, usegmt=True)), ("ETag", f'"{digest[:12]}"')]
            status = StatusAndHeaders(f"{resource.status} {REASONS[resource.status]}", headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                resource.url, "response", payload=BytesIO(resource.body), http_headers=status,
                warc_headers_dict={"WARC-Date": _stamp(fetched), "WARC-Record-ID": _id(resource.url)},
            )  # fmt: skip
            writer.write_record(record)


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _id(name: str) -> str:
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, name)}>"
