"""What a library tells of a page to other programs: the record that every export format is written from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from pinakes.core.page import host_of
from pinakes.formats.bibliography import Work

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SPACES = re.compile(r"\s+")
LONGEST = 2_000
DOCUMENTS = (".pdf", ".ps", ".eps", ".ps.gz", ".txt", ".doc", ".docx", ".odt", ".epub", ".djvu")
"""How files are called whose names say more than the rest of their address."""


@dataclass(frozen=True, slots=True)
class Item:
    """A page, described. Texts are one line without characters that XML forbids."""

    number: int
    """The library's number of the page."""
    url: str
    title: str
    fetched_at: float
    type: str = ""
    """Its media type."""
    language: str = ""
    modified: str = ""
    """The day it was last changed by its own word, YYYY-MM-DD; empty when it does not say."""
    topics: tuple[str, ...] = ()
    merit: float = 0.0
    """The best score a judge gave it, or its merit in the collection that is exported."""
    description: str = ""
    words: int = 0
    collection: str = ""
    rank: int = 0
    """Its place in the collection that is exported; 0 without one."""
    work: Work | None = None
    """The paper it is, of a document that a harvest was for."""

    @property
    def name(self) -> str:
        """The title, or the address of a page that has none."""
        return self.title or self.url

    @property
    def authors(self) -> tuple[str, ...]:
        """Given names first."""
        return self.work.authors if self.work else ()

    @property
    def venue(self) -> str:
        return (self.work.booktitle or self.work.venue) if self.work else ""

    @property
    def doi(self) -> str:
        return self.work.doi if self.work else ""

    @property
    def date(self) -> str:
        """When the paper came out (a year), or the day the page was last changed by its own word; may be empty."""
        return str(self.work.year or "") if self.work else self.modified

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def fetched(self) -> str:
        """When it was fetched: YYYY-MM-DDThh:mm:ssZ."""
        return stamp(self.fetched_at)


def clean(text: str, length: int = LONGEST) -> str:
    """A stranger's text as one line that every format can hold."""
    return _SPACES.sub(" ", _FORBIDDEN.sub("", text[: 4 * length])).strip()[:length]


def title_or_name(title: str, url: str) -> str:
    """A page's title; of a document that has none the name of its file; else nothing."""
    if title.strip():
        return title
    name = unquote(urlsplit(url).path.rpartition("/")[2], errors="replace")
    return name if name.lower().endswith(DOCUMENTS) else ""


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
