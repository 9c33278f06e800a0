"""The records every part of Pinakes passes round: links, pages, verdicts and what a crawl may learn from.

All are frozen and complete: what a paper saved for a page is a field here, and there is no bag of extras.
`Link` is a named tuple because a page has a hundred of them and they are made on the per-page path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

LOWEST = -1e15
"""The price of links that go when nothing else waits; no strategy gives one as low."""


class Link(NamedTuple):
    """An address to fetch, and everything known about how it was met."""

    url: str
    anchor: str = ""
    """The text of the link itself."""
    before: str = ""
    """The words on the parent just before the anchor."""
    after: str = ""
    """The words on the parent just after the anchor."""
    at: int = 0
    """Offset of the anchor's first word in the parent's `words`."""
    tag: str = ""
    """DOM path of the link on its parent, such as `html/body/ul/li/a`."""
    rel: str = ""
    parent: str = ""
    """Address of the page the link was first met on; empty for a seed."""
    depth: int = 0
    """Links followed from a seed; 0 for a seed."""
    distance: int = 0
    """The parent's distance from its nearest nugget ancestor (000 eq. 2); set by the engine. Until then it is what it
    will be if the parent is no nugget, which most are not."""
    priority: float = 0.0
    """The price the strategy gives; higher is fetched sooner."""
    topic: str = ""
    via: tuple[str, ...] = ()
    """Addresses that redirected here, oldest first."""

    # A page's links are priced and placed one by one, so this is worth being quicker than `_replace`.

    def priced(self, price: float) -> Link:
        """The same link at another price."""
        url, anchor, before, after, at, tag, rel, parent, depth, distance, _, topic, via = self
        return filled((url, anchor, before, after, at, tag, rel, parent, depth, distance, price, topic, via))

    def placed(self, distance: int) -> Link:
        """The same link with another distance."""
        url, anchor, before, after, at, tag, rel, parent, depth, _, price, topic, via = self
        return filled((url, anchor, before, after, at, tag, rel, parent, depth, distance, price, topic, via))

    @property
    def origin(self) -> str:
        """The address the strategy priced, before redirects led elsewhere."""
        return self.via[0] if self.via else self.url


filled = partial(tuple.__new__, Link)
"""A link of all its fields in their order, at a third of the usual price."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came home for one link: a page's content, or the name of what went wrong."""

    link: Link
    url: str
    """The final address, after redirects."""
    status: int = 0
    type: str = ""
    """Media type without parameters, as sniffed: `text/html`, `application/pdf`."""
    title: str = ""
    text: str = ""
    words: Sequence[str] = ()
    """The text's words in order, stemmed; empty strings stand where stop words were."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """How often each stem occurs, stop words left out; title words included."""
    links: tuple[Link, ...] = ()
    error: str = ""
    """Empty when all is well, else the outcome's name: `not-found`, `timeout`, `robots`, `duplicate`, …"""
    language: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()
    """Directives of meta robots and X-Robots-Tag that apply to us: `noindex`, `nofollow`, …"""
    etag: str = ""
    modified: str = ""
    fetched_at: float = 0.0
    """Seconds since 1970, UTC."""
    fingerprint: int = 0
    """64-bit similarity hash of the text; 0 when the page has too few words to have one."""
    revisit: bool = False
    """Delivered again from the library because the strategy asked, without a request."""

    @property
    def outcome(self) -> str:
        return self.error or "ok"

    @property
    def readable(self) -> bool:
        """True when the content arrived, be it a duplicate's."""
        return self.error in ("", "duplicate")


class _Text:
    """The place of a page's text, which may be put there in UTF-8 and is then decoded when somebody reads it. Few
    crawls ever do, and every page goes from process to process."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, page: Page | None, kind: type[Page] | None = None) -> Any:
        if page is None:
            return self
        text: str | bytes | memoryview = self.slot.__get__(page)
        if not isinstance(text, str):
            text = str(text, "utf-8", "replace")
            self.slot.__set__(page, text)
        return text

    def __set__(self, page: Page, text: str | bytes | memoryview) -> None:
        self.slot.__set__(page, text)


_text = _Text(Page.__dict__["text"])
setattr(Page, "text", _text)  # noqa: B010  to a type checker it stays what it is


def in_utf8(text: bytes | memoryview) -> str:
    """A text for a page to hold as it is, until somebody reads it."""
    return cast("str", text)


def utf8_of(page: Page) -> bytes | memoryview:
    """A page's text in UTF-8, which costs nothing where nobody has read it yet."""
    text: str | bytes | memoryview = _text.slot.__get__(page)
    return text.encode("utf-8", "replace") if isinstance(text, str) else text


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's opinion of a page."""

    score: float = 0.0
    """In [0, 1]."""
    topic: str = ""
    """The topic with the highest score."""
    scores: Mapping[str, float] = field(default_factory=dict)
    nugget: bool = False
    """True when the score reaches the judge's threshold."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is wanted, in words."""

    name: str
    description: str = ""
    parent: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} {self.description}".strip()


@dataclass(frozen=True, slots=True)
class Brief:
    """What a strategy or judge may learn from before the crawl; built by the job and kept in the recipe."""

    topics: tuple[Topic, ...] = ()
    examples: Mapping[str, tuple[Page, ...]] = field(default_factory=dict)
    """Example pages of each topic, by the topic's name."""
    negatives: tuple[Page, ...] = ()
    background: Mapping[str, int] = field(default_factory=dict)
    """Document frequencies of a reference corpus, by stem; the empty stem counts its documents."""
    layers: tuple[tuple[Page, ...], ...] = ()
    """Pages 1, 2, … links before an example, from back-links (001)."""
    pages: int = 0
    """The crawl's budget; 0 when there is none."""
    random_state: int = 0


class Member(NamedTuple):
    """One finished gzip member of a WARC file."""

    kind: str
    """`request`, `response`, `revisit` or `metadata`."""
    url: str
    data: bytes


class Filed(NamedTuple):
    """Where the members of an exchange stand in a library's archive already."""

    segment: int
    offset: int
    length: int
    original: int | None = None
    """The library's number of the capture whose payload this one repeats."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a web answered to one request."""

    page: Page
    record: tuple[Member, ...] = ()
    """WARC members of the exchange, made where the page was fetched."""
    digest: str = ""
    """`sha1:…` of the payload, as the response member states it."""
    head: bytes = b""
    """The response's status line and headers, from which a revisit record is made."""
    hop: str = ""
    """Set when the answer redirects: the canonical address to go on with. The page is then not final."""
    retry_at: float = 0.0
    """Set when the request should be tried again, not sooner than this."""
    host_delay: float | None = None
    """Seconds the host is to be left alone for at least; 0 when it was not asked at all and need not rest, None for
    the usual delay."""
    filed: Filed | None = None
    """Set when whoever fetched the page has filed it."""


def distance_of(page: Page, verdict: Verdict) -> int:
    """A page's distance from its nearest nugget ancestor (000 eq. 2); a seed is a pseudo-nugget."""
    return 0 if verdict.nugget else distance_below(page.link)


def distance_below(link: Link) -> int:
    """The distance of a link's page if it is no nugget."""
    return link.distance + 1 if link.depth else 0


def host_of(url: str) -> str:
    """The host of a canonical address, with its port where that is not the scheme's own."""
    return url.split("/", 3)[2] if "//" in url else ""
