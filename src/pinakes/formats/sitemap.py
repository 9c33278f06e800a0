"""Sitemaps (sitemaps.org): the pages a site lists itself, as XML, plain text, RSS or Atom, gzipped or not.

Read as a stream without ever failing: what came before a mistake counts. Entities are never expanded, and size,
number, length and nesting are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.parsers import expat

from pinakes.core.page import host_of
from pinakes.formats.encodings import gunzip
from pinakes.formats.url import canonical

LARGEST = 50 << 20
"""Bytes of a sitemap, unpacked."""
MOST = 50_000
"""Addresses in a sitemap."""
_LONGEST = 2048
_DEEPEST = 32
_PIECE = 64 << 10
_PAGES = {"urlset": "url", "rss": "item", "rdf": "item", "feed": "entry"}
"""The element of one page, by the name of the root."""
_DATES = ("lastmod", "updated", "pubdate", "date")
_FIELDS = frozenset({*_DATES, "loc", "priority", "link"})
# A forgotten escape is the commonest mistake. Escaping it also leaves an entity of the file's own making unexpanded.
_stray = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)")
_address_line = re.compile(rb"(?:\xef\xbb\xbf)?\s*https?://", re.IGNORECASE)


class Entry(NamedTuple):
    url: str
    modified: str = ""
    """As the file says, and only a hint."""
    priority: float = 0.5


class Sitemap(NamedTuple):
    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[str, ...] = ()
    """Other sitemaps that an index lists."""
    trouble: str = ""
    """Why there may be more: `too-large`, `entities`, `broken` or, when it is none at all, `not-a-sitemap`."""


def parse(body: bytes, url: str) -> Sitemap:
    """The addresses a sitemap found at `url` lists, in canonical form, in order, without doubles."""
    data = gunzip(body, LARGEST + 1)
    large = "too-large" if len(data) > LARGEST else ""
    data = data[:LARGEST]
    if _address_line.match(data):
        found = _lines(data, url)
    else:
        found = _Xml(url).read(data)
    return found._replace(trouble=large or found.trouble)


def in_scope(page: str, sitemap: str, named: bool) -> bool:
    """True when a sitemap may speak for a page: one of its host at or below its own folder, or any page of a host
    whose robots.txt has `named` the sitemap."""
    if named:
        return True
    folder = sitemap.partition("?")[0].rpartition("/")[0] + "/"
    return host_of(page) == host_of(sitemap) and page.partition("://")[2].startswith(folder.partition("://")[2])


def _lines(data: bytes, url: str) -> Sitemap:
    found: dict[str, Entry] = {}
    for line in data.decode("utf-8-sig", "replace").splitlines():
        address = canonical(line.strip(), url) if 0 < len(line) <= _LONGEST else ""
        if address:
            found.setdefault(address, Entry(address))
            if len(found) >= MOST:
                return Sitemap(tuple(found.values()), (), "too-large")
    return Sitemap(tuple(found.values()))


class _StopError(Exception):
    """The rest is not wanted; the argument says why."""


class _Xml:
    def __init__(self, url: str) -> None:
        self._url = url
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._hrefs: list[str] = []
        self._text: list[str] = []
        self._size = 0
        self._pages: dict[str, Entry] = {}
        self._sitemaps: dict[str, None] = {}

    def read(self, data: bytes) -> Sitemap:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        trouble = ""
        try:
            for piece in _pieces(data.lstrip()):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except _StopError as stop:
            trouble = str(stop)
        except (expat.ExpatError, ValueError, LookupError):  # the latter for encodings nobody knows
            trouble = "broken" if self._pages or self._sitemaps else "not-a-sitemap"
        return Sitemap(tuple(self._pages.values()), tuple(self._sitemaps), trouble)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2].lower()
        if not self._path and local not in _PAGES and local != "sitemapindex":
            raise _StopError("not-a-sitemap")
        if len(self._path) >= _DEEPEST:
            raise _StopError("broken")
        inside = self._path[-1] if self._path else ""
        self._path.append(local)
        self._text.clear()
        self._size = 0
        if inside == "entry" and local == "link" and attributes.get("rel", "alternate") == "alternate":
            self._hrefs.append(attributes.get("href", "")[:_LONGEST])

    def _characters(self, text: str) -> None:
        self._size += len(text)
        if self._size <= _LONGEST:
            self._text.append(text)

    def _end(self, name: str) -> None:
        local = self._path.pop()
        text = "".join(self._text).strip() if self._size <= _LONGEST else ""
        self._text.clear()
        self._size = 0
        root, inside = (self._path[0], self._path[-1]) if self._path else ("", "")
        if local in _FIELDS and inside in ("url", "sitemap", "item", "entry"):
            self._fields.setdefault(local, text)
        elif root == "sitemapindex" and local == "sitemap":
            self._sitemap(self._fields.get("loc") or text)
        elif root and local == _PAGES.get(root):
            self._page()

    def _entity(self, *declared: Any) -> None:
        raise _StopError("entities")

    def _sitemap(self, loc: str) -> None:
        self._fields.clear()
        if address := self._address(loc):
            self._sitemaps[address] = None
            if len(self._sitemaps) >= MOST:
                raise _StopError("too-large")

    def _page(self) -> None:
        fields, self._fields = self._fields, {}
        hrefs, self._hrefs = self._hrefs, []
        modified = next((fields[name] for name in _DATES if name in fields), "")[:64]
        for loc in hrefs or [fields.get("loc") or fields.get("link", "")]:
            if address := self._address(loc):
                self._pages.setdefault(address, Entry(address, modified, _priority(fields.get("priority", ""))))
                if len(self._pages) >= MOST:
                    raise _StopError("too-large")

    def _address(self, loc: str) -> str:
        loc = loc.strip().replace("&amp;", "&")
        return canonical(loc, self._url) if loc else ""


def _pieces(data: bytes) -> Iterator[bytes]:
    """The file bit by bit, cut between elements, with stray ampersands escaped."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield data  # in UTF-16 an ampersand is not a byte
        return
    at = 0
    while at < len(data):
        end = data.rfind(b">", at, at + _PIECE) + 1 or at + _PIECE
        yield _stray.sub(b"&amp;", data[at:end])
        at = end


def _priority(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.5
    return value if 0.0 <= value <= 1.0 else 0.5
