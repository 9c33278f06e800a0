"""Dublin Core: a page in the fifteen elements (services' `oai_dc`), and a file of such records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from pinakes.formats.bibliography import family_first
from pinakes.formats.item import Item

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
_OPEN = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
)


def record(item: Item) -> str:
    """One `oai_dc:dc` element. The date is the paper's or the page's own, never the day it was fetched."""
    language = f" xml:lang={quoteattr(item.language)}" if item.language else ""
    elements = [
        f"<dc:title{language}>{escape(item.name)}</dc:title>",
        *(_element("creator", family_first(name)) for name in item.authors),
        *(_element("subject", topic) for topic in item.topics),
        f"<dc:description{language}>{escape(item.description)}</dc:description>" if item.description else "",
        _element("publisher", "" if item.work else item.host),
        _element("source", item.venue),
        _element("date", item.date),
        _element("type", "Text"),
        _element("type", "article" if item.work else "webPage" if item.type == "text/html" else "document"),
        _element("format", item.type),
        _element("identifier", item.url),
        _element("identifier", f"https://doi.org/{item.doi}" if item.doi else ""),
        _element("language", item.language),
    ]
    return f"{_OPEN}{''.join(elements)}</oai_dc:dc>"


def dublin_core(items: Iterable[Item]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n'
    for item in items:
        yield f"{record(item)}\n"
    yield "</records>\n"


def _element(name: str, value: str) -> str:
    return f"<dc:{name}>{escape(value)}</dc:{name}>" if value else ""
