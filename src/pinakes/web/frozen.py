"""A recorded web: the pages, redirects, failures and robots rules of WARC files, with search and true back-links.

It plays the roles `Web`, `Search` and `Backlinks` offline, without delays, the same every time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pinakes.core.page import Fetched, Link, Member, Page, host_of
from pinakes.core.roles import Hit
from pinakes.formats import http, warc
from pinakes.formats.document import PARSER_VERSION, Reader, error_of
from pinakes.formats.robots import AGENT, Robots
from pinakes.formats.url import canonical
from pinakes.formats.warc_reader import Record, read_at
from pinakes.web.cache import WebError, digest_of, files_of, found
from pinakes.web.index import INDEX_VERSION, NO_ADDRESS, Index, WebInfo
from pinakes.web.parsing import message_of
from pinakes.web.search import Searcher

__all__ = ["FrozenWeb", "WebError", "WebInfo"]


def _cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class FrozenWeb:
    """The web that a WARC file, or the WARC files of a folder, recorded."""

    ordered = True

    def __init__(
        self,
        path: Path | str,
        *,
        records: bool = True,
        first_bytes: int | None = None,
        agent: str = AGENT,
        workers: int | None = None,
        watch: Callable[[str, int, int], None] = lambda stage, done, total: None,
    ) -> None:
        """Open the web, indexing it first when it is new.

        `records`: make WARC members of what is fetched. `first_bytes`: parse no more of a page than this.
        `watch` is told the stage of indexing, how much of it is done, and how much there is.
        """
        self._paths = files_of(Path(path))
        self._records, self._first_bytes, self._agent = records, first_bytes, agent
        self.digest = digest_of(self._paths)
        """What the files say, in a few characters: another digest is another web."""
        name = f"{self.digest}-{PARSER_VERSION}.{INDEX_VERSION}"
        folder = found(name)
        if folder is None:
            from pinakes.web.build import build

            folder = build(self._paths, name, workers=workers or _cores(), watch=watch)
        self.folder = folder
        """Where the index is kept."""
        self._index = Index(self.folder)
        self._reader: Reader | None = None
        self._searcher = Searcher(self._index)
        self._robots: dict[str, Robots | None] = {}
        self._unrecorded: list[str] = []
        """Addresses of robots.txt files consulted since the last fetch."""

    # -- the roles ---------------------------------------------------------------------------------------------

    async def fetch(self, link: Link) -> Fetched:
        fetched = self._fetched(link)
        if not self._unrecorded:
            return fetched
        # Whoever keeps what is fetched keeps the rules it was fetched under, before the first page of a host.
        rules, self._unrecorded = self._unrecorded, []
        return replace(fetched, record=(*(member for url in rules for member in self._exchange(url)), *fetched.record))

    def _fetched(self, link: Link) -> Fetched:
        number = self._number(link.url)
        url = canonical(link.url) or link.url if number is None else self._index.addresses[number]
        if not self._allowed(url):
            return Fetched(Page(link, url, error="robots"))
        if number is None:
            return Fetched(Page(link, url, status=404, error="not-found"))
        status, at = int(self._index.places[number, 3]), float(self._index.dates[number])
        page = Page(link, url, status=status, error=error_of(status), fetched_at=at)
        message = self._message(number) if self._records or self._parsed_anew(number) else None
        hop = self._index.hops.get(number, "")
        if hop:
            page = replace(page, error="")
        elif not page.error:
            page = self._page(number, page, message)
        fetched = Fetched(page, hop=hop)
        return self._with_record(fetched, message) if self._records and message else fetched

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        return self._searcher.search(query, n, phrase)

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        page = self._final(url)
        return [] if page is None else self._named(self._index.inward[page][:n].tolist())

    async def close(self) -> None:
        if self._reader is not None:
            self._reader.close()

    # -- what it holds -----------------------------------------------------------------------------------------

    def pages(self) -> Iterator[str]:
        """The addresses of all pages, in the order of recording."""
        return iter(self._index.addresses[: self._index.pages])

    def holds(self, url: str) -> bool:
        """True when the address, as it is or through redirects, has a page here."""
        return self._final(url) is not None

    def resolve(self, url: str) -> str:
        """The address of the page that `url` leads to, through redirects; empty when to none."""
        page = self._final(url)
        return "" if page is None else self._index.addresses[page]

    def redirects(self) -> dict[str, str]:
        """The addresses that lead to a page of another address, and that address."""
        numbered = [(number, self._index.final[number]) for number in self._index.hops]
        names = self._index.addresses
        return {names[number]: names[final] for number, final in numbered if final != NO_ADDRESS}

    def message(self, url: str) -> http.Message | None:
        """What was recorded for just this address, redirects and failures too; None when nothing was."""
        number = self._number(url)
        return None if number is None else self._message(number)

    def outlinks(self, url: str) -> list[str]:
        """The pages of this web that the page links to, redirects resolved, in the order of its links."""
        page = self._final(url)
        return [] if page is None else self._named(self._index.out[page].tolist())

    def document_frequencies(self) -> Mapping[str, int]:
        """In how many pages each stem occurs; the empty stem counts the pages."""
        sizes = self._index.postings.sizes.tolist()
        return {**dict(zip(self._index.stems, sizes, strict=True)), "": self._index.pages}

    def info(self) -> WebInfo:
        size = sum(file.stat().st_size for file in self._paths)
        return replace(self._index.info, files=tuple(str(file) for file in self._paths), size=size)

    # -- inside ------------------------------------------------------------------------------------------------

    def _number(self, url: str) -> int | None:
        number = self._index.numbers.get(url)
        return self._index.numbers.get(canonical(url)) if number is None else number

    def _final(self, url: str) -> int | None:
        number = self._number(url)
        page = NO_ADDRESS if number is None else int(self._index.final[number])
        return None if page == NO_ADDRESS else page

    def _named(self, pages: Sequence[int]) -> list[str]:
        return [self._index.addresses[page] for page in pages]

    def _parsed_anew(self, number: int) -> bool:
        return self._first_bytes is not None or number >= self._index.pages

    def _message(self, number: int) -> http.Message | None:
        file, offset, length, _ = self._index.places[number].tolist()
        try:
            with self._paths[file].open("rb", buffering=0) as opened:
                record = read_at(opened, offset, length)
        except OSError:
            return None
        return message_of(record) if isinstance(record, Record) else None

    def _page(self, number: int, page: Page, message: http.Message | None) -> Page:
        """The content of a page that was there."""
        if not self._parsed_anew(number):
            return self._index.page(number, page.link, page.status)
        if message is None:
            return replace(page, error="unreadable")
        if self._reader is None:
            self._reader = Reader(first_bytes=self._first_bytes)
        body = http.content(message)
        return self._reader.read(page.link, page.url, page.status, message.headers, body, page.fetched_at)

    def _with_record(self, fetched: Fetched, message: http.Message) -> Fetched:
        page = fetched.page
        said = {"outcome": "redirect" if fetched.hop else page.outcome, "via": page.link.parent}
        asked = _request(page.url)
        members, digest = warc.exchange(page.url, asked, message.head, message.body, page.fetched_at, metadata=said)
        return replace(fetched, record=members, digest=digest, head=message.head)

    def _exchange(self, url: str) -> tuple[Member, ...]:
        number = self._index.numbers[url]
        message = self._message(number)
        if message is None:
            return ()
        at = float(self._index.dates[number])
        return warc.exchange(url, _request(url), message.head, message.body, at)[0]

    def _allowed(self, url: str) -> bool:
        """What the host's recorded robots.txt says; a host without one forbids nothing."""
        scheme, _, rest = url.partition("://")
        host = rest.partition("/")[0]
        site = f"{scheme}://{host}"
        if site not in self._robots:
            other = "http" if scheme == "https" else "https"
            self._robots[site] = self._rules(f"{site}/robots.txt") or self._rules(f"{other}://{host}/robots.txt")
        rules = self._robots[site]
        return rules is None or url == f"{site}/robots.txt" or rules.allows(url, self._agent)

    def _rules(self, url: str) -> Robots | None:
        number = self._index.numbers.get(url)
        if number is None or self._index.places[number, 3] != 200:
            return None
        message = self._message(number)
        if message is None:
            return None
        if self._records:
            self._unrecorded.append(url)
        return Robots(http.content(message))


def _request(url: str) -> bytes:
    return f"GET /{url.split('/', 3)[3]} HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode("utf-8", "replace")
