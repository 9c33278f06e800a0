"""A response to a `Page`: what kind of document it is, and what it says."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping

from pinakes.core.page import Link, Page, distance_below, in_utf8
from pinakes.formats import html
from pinakes.formats.charset import decode, decoded
from pinakes.formats.directives import directives
from pinakes.formats.pdf import PdfReader
from pinakes.formats.url import canonical
from pinakes.text.language import Languages
from pinakes.text.numbered import NumberedWords
from pinakes.text.words import Words

PARSER_VERSION = 4
"""Changes whenever the same bytes may give another `Page`; part of the key of caches."""

HTML = "text/html"
PDF = "application/pdf"
PLAIN = "text/plain"

_MOST_TEXT = 1_000_000
_MOST_INFLATED = 32 << 20
_LONGEST_HEADER = 500
_HEAD = 1024
_UNSAID = frozenset(
    {"", "application/octet-stream", "application/x-unknown", "unknown/unknown", "*/*", "binary/octet-stream"}
)
_HTML_TYPES = frozenset({HTML, "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_READ_AS_TEXT = frozenset({PLAIN, "text/markdown", "text/x-markdown"})
_MAGIC = (
    (b"%PDF-", PDF),
    (b"%!PS", "application/postscript"),
    (b"\x1f\x8b", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x89PNG\r\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x7fELF", "application/octet-stream"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
)
_html_start = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]{0,500}+>\s*+)?(?:<!--.{0,900}?-->\s*+)*+<(?:!doctype\s++html|(?:html|head|body|title|meta|"
    rb"link|base|script|style|iframe|frameset|h[1-6]|div|table|center|font|ul|ol|dl|pre|img|form|a|b|i|p|br|hr)[\s/>])",
    re.IGNORECASE | re.DOTALL,
).match
_binary = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]").search
_link_header = re.compile(r"<([^<>]{1,4000})>([^,<]{0,500})").findall
_canonical_rel = re.compile(r";\s*rel\s*=\s*\"?[^\";]*\bcanonical\b", re.IGNORECASE).search


class Reader:
    """Reads responses of every kind. Holds the memories of its parts and the process that reads PDFs, so keep one a
    process and close it; not for several threads at once."""

    def __init__(
        self, html_bytes: int = html.MOST_CHARACTERS, first_bytes: int | None = None, plain: bool = False
    ) -> None:
        """With `plain` nothing of Pinakes that is compiled is used; what comes out is the same."""
        self._html_bytes = html_bytes
        """How much of an HTML page or plain text is read."""
        self._first_bytes = first_bytes
        """With this, of every response only so much counts, as with crawlers that cut pages off (004)."""
        self._plain = plain
        self.words = Words(plain=plain)
        self._languages = Languages()
        self._pdfs = PdfReader()

    def read(
        self, link: Link, url: str, status: int, headers: Mapping[str, str], body: bytes, fetched_at: float
    ) -> Page:
        """The page that came home for `link` from the address `url`; `headers` by their names in lower case. Never
        raises: `error` is `error_of` the status or, for a PDF that cannot be read, the name `PdfText` gives it."""
        content_type = headers.get("content-type", "")
        etag, modified = headers.get("etag", "")[:_LONGEST_HEADER], headers.get("last-modified", "")[:_LONGEST_HEADER]
        if error := error_of(status):
            declared = _media_type(content_type)
            return Page(link, url, status, declared, error=error, etag=etag, modified=modified, fetched_at=fetched_at)
        if self._first_bytes is not None:
            body = body[: self._first_bytes]
        kind = sniffed(content_type, body)
        if kind == "application/gzip" and (inner := _inflated(body)):
            inside = sniffed("", inner)
            if inside in (HTML, PDF, PLAIN):
                kind, body = inside, inner
        parsed, error = self._parsed(kind, link, url, content_type, body)
        told, hint = parsed.told, parsed.language or headers.get("content-language", "")
        words, terms = told.words, told.terms
        if parsed.title:
            terms = terms.and_also(filter(None, self.words.stems(parsed.title)))
            words = NumberedWords(words.numbers, terms)
        stopped = 0.0 if hint or not words else told.stopped / len(words)
        return Page(
            link,
            url,
            status,
            kind,
            parsed.title,
            in_utf8(parsed.data),
            words,
            terms,
            _refreshed(parsed.links, headers.get("refresh", ""), link, url) if kind == HTML else parsed.links,
            error,
            self._languages.of(parsed.text, hint, stopped),
            parsed.canonical or _canonical_of(headers.get("link", ""), url),
            directives(parsed.robots, headers.get("x-robots-tag", ""), fetched_at),
            etag,
            modified,
            fetched_at,
            told.fingerprint,
        )

    def close(self) -> None:
        self._pdfs.close()

    def _parsed(self, kind: str, link: Link, url: str, content_type: str, body: bytes) -> tuple[html.Parsed, str]:
        title = text = error = ""
        if kind == HTML:
            text, data = decoded(body[: self._html_bytes], content_type)
            depth, distance = link.depth, distance_below(link)
            return html.parse(text, url, self.words, depth, distance, plain=self._plain, data=data), ""
        if kind == PDF:
            title, text, _, error = self._pdfs.read(body)
            error = "" if error == "no-text" else error  # scanned pages: all is there that can be
        elif kind in _READ_AS_TEXT:
            text = decode(body[: self._html_bytes], content_type, markup=False)[:_MOST_TEXT]
        data = text.encode("utf-8", "replace")
        return html.Parsed(title, text, self.words.told(text, data=data), data), error


def error_of(status: int) -> str:
    """What a status means to a crawl; empty for success."""
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return "bad-redirect"
    if status in (404, 410):
        return "not-found"
    if status in (401, 403, 407, 451):
        return "forbidden"
    return "client-error" if 400 <= status < 500 else "server-error"


def sniffed(content_type: str, body: bytes) -> str:
    """The media type of a body: what its first bytes show where that is certain, else what the header says."""
    declared = _media_type(content_type)
    head = body[:_HEAD]
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if declared == PDF and b"%PDF-" in head:
        return PDF
    if declared in _HTML_TYPES:
        return HTML
    if _html_start(head) and (
        declared in _UNSAID or declared == PDF or declared.startswith(("image/", "audio/", "video/"))
    ):
        return HTML
    if declared in ("application/xml", "text/xml") and b"http://www.w3.org/1999/xhtml" in head:
        return HTML
    if declared in _UNSAID or declared in _READ_AS_TEXT or declared == PDF:
        if not body:
            return declared
        utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
        if _binary(head) and not utf16:
            return declared if declared == PDF else "application/octet-stream"
        return declared if declared in _READ_AS_TEXT or declared == PDF else PLAIN
    return declared


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].partition(",")[0].strip().lower()[:100]


def _inflated(body: bytes) -> bytes:
    """What a gzip file holds, as far as it can be read and within bounds."""
    try:
        return zlib.decompressobj(31).decompress(body, _MOST_INFLATED)
    except zlib.error:
        return b""


def _refreshed(links: tuple[Link, ...], header: str, link: Link, url: str) -> tuple[Link, ...]:
    """The links with where a Refresh header leads, which does what the element of that name does."""
    target = canonical(html.refresh(header[:_LONGEST_HEADER]), url) if header else ""
    if not target or target == url or any(target == one.url for one in links):
        return links
    return (*links, Link(target, rel="refresh", parent=url, depth=link.depth + 1, distance=distance_below(link)))


def _canonical_of(header: str, url: str) -> str:
    """The canonical address that a Link header names, the only way for documents that are not HTML."""
    if "canonical" in header:
        for target, parameters in _link_header(header[:8_000]):
            if _canonical_rel(parameters):
                return canonical(target, url)
    return ""
