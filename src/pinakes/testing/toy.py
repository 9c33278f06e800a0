"""A web drawn in a few lines, to test strategies with.

    web = ToyWeb(
        {
            "http://a.example/": ("Birds of the north", ["http://b.example/", ("http://c.example/", "the north")]),
            "http://b.example/": "Nothing about them",
        },
        redirects={"http://c.example/": "http://b.example/"},
        errors={"http://d.example/": "timeout"},
    )
    page = web.page("http://a.example/")

Pages go through the real reader, so their words, terms, links and what stands round a link are those of a crawl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Hit
from pinakes.formats.document import Reader
from pinakes.formats.url import canonical
from pinakes.testing.answer import Answer, of_error, of_html, of_redirect
from pinakes.testing.inprocess import FAULTS, deliver
from pinakes.text.words import Words

ToyLink = str | tuple[str, str]
"""An address, or an address and the anchor's text."""
Drawn = str | bytes | tuple[str, Sequence[ToyLink]] | tuple[str, Sequence[ToyLink], str]
"""A page: its text; its text, links and perhaps title; or the bytes of its HTML or PDF."""

_STATUS = {"not-found": 404, "server-error": 500}
_FAULT = {name: fault for fault, name in FAULTS.items()}
_NOW = 1_000_000_000.0


class _Place(NamedTuple):
    start: int
    end: int
    url: str
    anchor: str


class ToyWeb:
    """The roles `Web`, `Search` and `Backlinks` over a dict of pages; what is not drawn is `not-found`.

    An anchor's text that occurs in the page's text is linked where it stands first; other links follow the text, in
    order. A link without anchor text adds no words. `errors` names outcomes by address: `timeout`, `connection`,
    `not-found`, `server-error`, or any other.
    """

    ordered = True

    def __init__(
        self,
        pages: Mapping[str, Drawn],
        *,
        redirects: Mapping[str, str] | None = None,
        errors: Mapping[str, str] | None = None,
        records: bool = False,
        reader: Reader | None = None,
    ) -> None:
        self._html = {
            _address(url): drawn if isinstance(drawn, bytes) else _draw(drawn) for url, drawn in pages.items()
        }
        self._redirects = {_address(url): _address(to) for url, to in (redirects or {}).items()}
        self._errors = {_address(url): name for url, name in (errors or {}).items()}
        self._records = records
        self._reader = reader or Reader()
        self.fetched: list[str] = []
        """Addresses asked for, in order."""

    # The web

    async def fetch(self, link: Link) -> Fetched:
        self.fetched.append(link.url)
        if name := self._errors.get(link.url):
            return Fetched(Page(link, link.url, status=_STATUS.get(name, 0), error=name, fetched_at=_NOW))
        return deliver(link, self.answer(link.url), self._reader, _NOW, self._records)

    async def close(self) -> None:
        self._reader.close()

    def answer(self, url: str) -> Answer:
        """What a server says, so that a toy web can be served over HTTP too."""
        if name := self._errors.get(url):
            return Answer(0, fault=_FAULT[name]) if name in _FAULT else of_error(_STATUS.get(name, 500))
        if url in self._redirects:
            return of_redirect(self._redirects[url])
        return of_html(self._html[url]) if url in self._html else of_error(404)

    def page(self, url: str, link: Link | None = None) -> Page:
        """A page as it comes home, without redirects and errors; `link` says how it was met."""
        url = _address(url)
        answer = of_html(self._html[url]) if url in self._html else of_error(404)
        return deliver(link or Link(url), answer, self._reader, _NOW, records=False).page

    def __iter__(self) -> Iterator[Page]:
        """Every page that can be had, as drawn."""
        return (self.page(url) for url in self._html if url not in self._errors and url not in self._redirects)

    # What else is known of it

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        """Pages with the most of the query's terms, then with the most of their occurrences, then as drawn."""
        terms = set(filter(None, Words().stems(query)))
        wanted = _spaced(query)
        if not wanted.strip():
            return []
        ranked = []
        for page in self:
            counts = [page.terms.get(term, 0) for term in terms]
            found = wanted in _spaced(f"{page.title}\n{page.text}") if phrase else any(counts)
            if found:
                ranked.append((sum(map(bool, counts)), sum(counts), page))
        ranked.sort(key=lambda entry: entry[:2], reverse=True)
        return [
            Hit(page.url, page.title, page.text[:160], rank, "toy") for rank, (_, _, page) in enumerate(ranked[:n], 1)
        ]

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        url = _address(url)
        return [page.url for page in self if any(link.url == url for link in page.links)][:n]


def _address(url: str) -> str:
    if address := canonical(url):
        return address
    raise ValueError(f"{url!r} is no web address; write one such as http://a.example/")


def _spaced(text: str) -> str:
    words = " ".join(re.findall(r"[^\W_]+", text.casefold()))
    return f" {words} "


def _draw(drawn: str | tuple[str, Sequence[ToyLink]] | tuple[str, Sequence[ToyLink], str]) -> bytes:
    text, links, title = (drawn, (), "") if isinstance(drawn, str) else (*drawn, "")[:3]
    placed: list[_Place] = []
    after: list[str] = []
    for link in links:
        url, anchor = (link, "") if isinstance(link, str) else link
        place = _find(text, url, anchor, placed)
        if place:
            placed.append(place)
        else:
            after.append(f"<p>{_anchor(url, anchor)}</p>")
    parts, at = [], 0
    for start, end, url, anchor in sorted(placed):
        parts += [escape(text[at:start]), _anchor(url, anchor)]
        at = end
    parts.append(escape(text[at:]))
    head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    return f"{head}<body><p>{''.join(parts)}</p>{''.join(after)}</body></html>\n".encode()


def _find(text: str, url: str, anchor: str, placed: Sequence[_Place]) -> _Place | None:
    """Where an anchor stands in the text, as whole words that no other link has taken."""
    for found in re.finditer(rf"(?<!\w){re.escape(anchor)}(?!\w)", text) if anchor else ():
        if all(found.end() <= other.start or found.start() >= other.end for other in placed):
            return _Place(found.start(), found.end(), url, anchor)
    return None


def _anchor(url: str, anchor: str) -> str:
    return f'<a href="{escape(url)}">{escape(anchor)}</a>'
