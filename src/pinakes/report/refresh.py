"""What a refresh found, and nothing else: as a page, as a table, and as a feed to subscribe to."""

from __future__ import annotations

import csv
import io
import re
from email.utils import formatdate
from pathlib import Path
from xml.etree import ElementTree

from pinakes.jobs.evaluation.tables import whole
from pinakes.jobs.refresh import News, RefreshResult
from pinakes.report.collections import safe_cell
from pinakes.report.markup import Html, join, tag
from pinakes.report.page import Section, document, paragraphs

_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
KINDS = {"new": "New", "changed": "Changed", "gone": "Gone"}


def write_refresh(library: Path, result: RefreshResult) -> Path:
    """Write `reports/refresh-NNNN.*`; answers the page."""
    stem = library / "reports" / f"refresh-{result.crawl.crawl:04d}"
    whole(stem.with_suffix(".csv"), as_csv(result).encode())
    whole(stem.with_suffix(".xml"), as_rss(result))
    return whole(stem.with_suffix(".html"), as_html(result).encode("utf-8", "replace"))


def as_csv(result: RefreshResult) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("kind", "url", "title", "score", "topic", "date", "snippet", "found_on"))
    for one in result.news:
        row = (one.kind, one.url, one.title, f"{one.score:.4f}", one.topic, one.date, one.snippet, one.parent)
        writer.writerow([safe_cell(cell) for cell in row])
    return out.getvalue()


def as_rss(result: RefreshResult) -> bytes:
    """RSS 2.0 of the new and changed pages."""
    rss = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(rss, "channel")
    for name, text in (
        ("title", f"What is new in {result.crawl.library.name}"),
        ("link", next((one.url for one in result.news if one.kind != "gone"), "about:blank")),
        ("description", "Pages that are new or have changed since the library was last looked over."),
        ("lastBuildDate", formatdate(usegmt=True)),
    ):
        ElementTree.SubElement(channel, name).text = text
    for one in result.news:
        if one.kind == "gone":
            continue
        item = ElementTree.SubElement(channel, "item")
        told = one.snippet or ("It has changed." if one.kind == "changed" else "")
        for name, text in (("title", one.title), ("link", one.url), ("description", told), ("category", one.topic)):
            if text:
                ElementTree.SubElement(item, name).text = _plain(text)
        guid = ElementTree.SubElement(item, "guid", isPermaLink="false")
        guid.text = _plain(f"{one.kind}:{one.date}:{one.url}")
    made: bytes = ElementTree.tostring(rss, encoding="utf-8", xml_declaration=True)
    return made


def as_html(result: RefreshResult) -> str:
    sections = [
        Section(kind, f"{heading} ({len(result.of(kind))})", _listed(result.of(kind)))
        for kind, heading in KINDS.items()
    ]
    told = ["1 page is as it was." if result.unchanged == 1 else f"{result.unchanged:,} pages are as they were."]
    if result.troubled:
        counted = ", ".join(f"{name} {count:,}" for name, count in result.troubled.items())
        told.append(f"Nothing is known of {sum(result.troubled.values()):,} ({counted}).")
    return document(f"What is new in {result.crawl.library.name}", sections, kind="Refresh", lead=paragraphs(*told))


def _listed(news: list[News]) -> Html:
    if not news:
        return paragraphs("Nothing.")
    return tag("ol", [tag("li", _item(one)) for one in news])


def _item(one: News) -> Html:
    name: Html | str = one.title
    if one.url.startswith(("http://", "https://")):
        name = tag("a", one.title, href=one.url, rel="noreferrer noopener")
    facts = " · ".join(fact for fact in (one.topic, f"{one.score:.2f}" if one.score else "", one.date, one.url) if fact)
    return join((tag("strong", name), tag("br"), tag("small", facts), one.snippet and tag("p", one.snippet)))


def _plain(text: str) -> str:
    """Text without the characters XML cannot hold."""
    return _UNFIT.sub("\ufffd", text)
