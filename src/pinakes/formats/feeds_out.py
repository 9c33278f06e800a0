"""RSS 2.0 and Atom (RFC 4287): a library's pages for feed readers. `urn` names the feed, wherever it may be put."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from email.utils import formatdate
from xml.sax.saxutils import escape, quoteattr

from pinakes.formats.item import Item, stamp


def rss(items: Iterable[Item], title: str, at: float, urn: str) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
        f"<title>{escape(title)}</title><link>{escape(urn)}</link>"
        f"<description>{escape(title)}, as collected by Pinakes</description>"
        f"<lastBuildDate>{formatdate(at, usegmt=True)}</lastBuildDate><generator>Pinakes</generator>\n"
    )
    for item in items:
        topics = "".join(f"<category>{escape(topic)}</category>" for topic in item.topics)
        about = f"<description>{escape(escape(item.description))}</description>" if item.description else ""
        yield (
            f"<item><title>{escape(item.name)}</title><link>{escape(item.url)}</link>"
            f'<guid isPermaLink="true">{escape(item.url)}</guid>'
            f"<pubDate>{formatdate(item.fetched_at, usegmt=True)}</pubDate>{topics}{about}</item>\n"
        )
    yield "</channel></rss>\n"


def atom(items: Iterable[Item], title: str, at: float, urn: str) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{escape(urn)}</id><title>{escape(title)}</title><updated>{stamp(at)}</updated>"
        "<author><name>Pinakes</name></author><generator>Pinakes</generator>\n"
    )
    for item in items:
        topics = "".join(f"<category term={quoteattr(topic)}/>" for topic in item.topics)
        about = f"<summary>{escape(item.description)}</summary>" if item.description else ""
        language = f" xml:lang={quoteattr(item.language)}" if item.language else ""
        yield (
            f"<entry{language}><id>{escape(item.url)}</id><title>{escape(item.name)}</title>"
            f"<link href={quoteattr(item.url)}/><updated>{item.fetched}</updated>{topics}{about}</entry>\n"
        )
    yield "</feed>\n"
