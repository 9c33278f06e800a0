"""Dublin Core: a page in the fifteen elements (services' `oai_dc`), and a file of such records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from pinakes.formats.item import Item

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
_OPEN = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
)


def record(item: Item) -> str:
    """One `oai_dc:dc` element. The date is the page's own; the day it was fetched is none of its dates."""
    language = f" xml:lang={quoteattr(item.language)}" if item.language else ""
    elements = [
        f"<dc:title{language}>{escape(item.name)}</dc:title>",
        *(_element("subject", topic) for topic in item.topics),
        f"<dc:description{language}>{escape(item.description)}</dc:description>" if item.description else "",
        _element("publisher", item.host),
        _element("date", item.modified),
        _element("type", "Text"),
        _element("type", "webPage" if item.type == "text/html" else "document"),
        _element("format", item.type),
        _element("identifier", item.url),
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
