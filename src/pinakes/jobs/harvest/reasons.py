"""Why a wanted paper was not found: what the pages of the crawl say of it, and what became of their links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pinakes.core.page import Link, Page
from pinakes.jobs.harvest.matching import Matched
from pinakes.jobs.harvest.wanted import Record
from pinakes.library.library import Library
from pinakes.text.titles import title_words
from pinakes.text.words import Words
from pinakes.web.outcomes import OUTCOMES
from pinakes.web.scope import DOCUMENT_TYPES, extension

AFTER = 60
"""Words after a title among which its links stand: authors, venue, then `[pdf]`."""
LINES, SHORT = 3, 12
"""So many lines below a title may still be its own, if they are as short as `[pdf] [slides]` or a list of authors."""
BEFORE = 6
TITLE = 3
"""A link of so many words is a title of its own, unless it calls itself a file."""
_LABEL_WORDS = (
    "pdf ps postscript gz paper papers preprint reprint eprint draft version manuscript download fulltext copy "
    "article report technical extended full print here slides file kb mb"
)
_LABELS = frozenset(_LABEL_WORDS.split())
_WALL = re.compile(r"\b(?:log-?in|sign-?in|log-?on|shibboleth|sso|saml|openid|wayf|idp|auth|cas)\b", re.IGNORECASE)
"""Addresses that a document which wants a name and a password is redirected to."""
_LOGIN = frozenset({"forbidden", "challenge"})
_ROBOTS = frozenset({"robots"})
"""A robots.txt that cannot be had forbids everything, too; but what it says then is that the host is dead."""
_NEVER = frozenset({"scope", "trap", "known", "postponed"})
_ORDER = (
    "HTML served as PDF", "behind login", "robots", "encrypted", "scanned", "unreadable", "another document",
    "link dead", "not fetched", "link leads elsewhere",
)  # fmt: skip
"""Of several links to a paper, the one that came closest is the reason."""
_FAILED = frozenset(_ORDER[:6]) | {"link dead"}
"""What became of a link that is the paper's own."""
VERSION = "another version"


class Reason(NamedTuple):
    """Why a paper was not found, in a word or two, and the sentence behind it."""

    why: str
    detail: str


class Came(NamedTuple):
    """What became of an address."""

    outcome: str
    type: str
    final: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A page that names a paper, and the links it gives it."""

    page: str
    links: tuple[Link, ...]


class Reasons:
    """Answers for one crawl; its pages are read once."""

    def __init__(
        self,
        library: Library,
        crawl: int,
        records: Sequence[Record],
        homepages: Mapping[str, str],
        failures: Mapping[str, str],
        matched: Matched,
    ) -> None:
        self._homepages, self._failures, self._matched = homepages, failures, matched
        self._came = dict(_visits(library, crawl))
        rows = library.connection.execute("SELECT url, why FROM drops WHERE crawl = ?", (crawl,))
        self._dropped: dict[str, str] = dict(rows)
        final = {url: came.final for url, came in self._came.items()}
        self._copies = _Copies(matched, final)
        self._mentions = mentions(library, crawl, records, self._copies)

    def why(self, record: Record) -> Reason:
        """Why a record was not found."""
        told = [reason for mention in self._mentions.get(record.id, ()) for reason in self._links(mention, record)]
        reason = min(told, key=lambda reason: _ORDER.index(reason.why)) if told else self._no_link(record)
        versions = self._matched.copies.get(record.id, ())
        if not versions:
            return reason
        only = f"all that was found: {versions[0].form or 'another form'}, {versions[0].url}"
        return Reason(reason.why, f"{reason.detail}; {only}") if reason.why in _FAILED else Reason(VERSION, only)

    def _no_link(self, record: Record) -> Reason:
        homes = {name: self._homepages[name] for name in record.authors if name in self._homepages}
        if not homes:
            said = "; ".join(f"{name}: {self._failures.get(name, 'not looked for')}" for name in record.authors)
            return Reason("no homepage", said or "no authors are known")
        dead = [self._dead(url) for url in homes.values()]
        if all(dead):
            return next(reason for reason in dead if reason is not None)
        named = [mention.page for mention in self._mentions.get(record.id, ())]
        if named:
            return Reason("no link", f"{named[0]} names it without a link to it")
        return Reason("no link", f"no page of {', '.join(homes.values())} names it")

    def _dead(self, url: str) -> Reason | None:
        came = self._came.get(url)
        if came is None:
            return Reason("not fetched", f"{url} was not reached before the crawl ended")
        if came.outcome in ("ok", "duplicate", "known", "unchanged"):
            return None
        why = "robots" if came.outcome in _ROBOTS else "behind login" if came.outcome in _LOGIN else "homepage dead"
        return Reason(why, f"{url}: {_said(came.outcome)}")

    def _links(self, mention: Mention, record: Record) -> Iterator[Reason]:
        for link in mention.links:
            if self._copies.of(link) == record.id:
                continue  # it leads to slides or the like
            came = self._came.get(link.url)
            where = f"{link.url}, linked from {mention.page}"
            if came is None:
                dropped = self._dropped.get(link.url, "")
                elsewhere = dropped.startswith(("scope", "trap"))
                yield Reason("link leads elsewhere" if elsewhere else "not fetched", where)
            elif came.outcome in _NEVER:
                yield Reason("link leads elsewhere", where)
            elif came.outcome in _LOGIN | _ROBOTS:
                yield Reason("robots" if came.outcome in _ROBOTS else "behind login", f"{where}: {_said(came.outcome)}")
            elif came.final in self._matched.unreadable or link.url in self._matched.unreadable:
                trouble = self._matched.unreadable.get(came.final) or self._matched.unreadable[link.url]
                yield Reason(trouble if trouble in _ORDER else "unreadable", f"{where}: {trouble}")
            elif came.outcome not in ("ok", "duplicate", "unchanged"):
                yield Reason(
                    "encrypted" if came.outcome == "encrypted" else "link dead", f"{where}: {_said(came.outcome)}"
                )
            elif came.type == "text/html":
                if extension(link.url) in DOCUMENT_TYPES:
                    wall = came.final != link.url and _WALL.search(came.final)
                    yield (
                        Reason("behind login", f"{where}: {came.final}")
                        if wall
                        else Reason("HTML served as PDF", where)
                    )
            elif came.final in self._matched.seen:
                yield Reason("another document", f"{where}, is not it")


class _Copies:
    """Which paper a link leads to, as far as its document was identified."""

    def __init__(self, matched: Matched, final: Mapping[str, str]) -> None:
        self._final = final
        self._paper = {copy.url: paper for paper, some in matched.copies.items() for copy in some}

    def of(self, link: Link) -> str:
        """The id of a paper, or nothing."""
        return self._paper.get(self._final.get(link.url, link.url), "")


def mentions(library: Library, crawl: int, records: Sequence[Record], copies: _Copies) -> dict[str, list[Mention]]:
    """The pages of a crawl that name papers, by the papers' ids. The papers that were found show where a page has its
    links: behind the titles, as most do, or before them."""
    words = Words()
    titles: dict[str, list[tuple[Record, list[str]]]] = {}
    for record in records:
        stems = list(words.stems(record.title))
        while stems and not stems[0]:
            stems.pop(0)
        if sum(map(bool, stems)) >= 2:
            # Looked up by its rarest-looking word: the longest.
            titles.setdefault(max(stems, key=len), []).append((record, stems))
    found: dict[str, list[Mention]] = {}
    for page in _pages(library, crawl):
        standing = [
            (record, at, len(stems))
            for rare in titles.keys() & page.terms.keys()
            for record, stems in titles[rare]
            if (at := _standing(stems, page.words)) >= 0
        ]
        if not standing:
            continue
        led = [(link, copies.of(link)) for link in page.links]
        before = _links_first(standing, led)
        for record, at, size in standing:
            # A link to a document that is another paper is that one's, however near it stands.
            free = [link for link, paper in led if paper in ("", record.id)]
            beside = tuple(_beside(page, free, at, size, record.title, before))
            found.setdefault(record.id, []).append(Mention(page.url, beside))
    return found


def _links_first(standing: Iterable[tuple[Record, int, int]], led: Sequence[tuple[Link, str]]) -> bool:
    """True for a page that has the links of a paper before its title, as tables of proceedings do."""
    sides = []
    for record, at, _ in standing:
        own = [link.at - at for link, paper in led if paper == record.id]
        if own:
            sides.append(min(own, key=abs) < 0)
    return 2 * sum(sides) > len(sides)


def _pages(library: Library, crawl: int) -> Iterator[Page]:
    rows = library.connection.execute(
        "SELECT DISTINCT visits.page FROM visits JOIN pages ON pages.id = visits.page"
        " WHERE visits.crawl = ? AND pages.type = 'text/html'",
        (crawl,),
    )
    for (number,) in rows.fetchall():
        yield library.shelf.page(number)


def _standing(stems: Sequence[str], words: Sequence[str]) -> int:
    """Where in a page's words a title stands, or -1."""
    first = stems[0]
    at = -1
    while True:
        try:
            at = words.index(first, at + 1)
        except ValueError:
            return -1
        if list(words[at : at + len(stems)]) == list(stems):
            return at


def _beside(page: Page, free: Sequence[Link], at: int, size: int, title: str, before: bool) -> Iterable[Link]:
    """The links that belong to a title: those on it, else the next of those that are `free` and lead to a document or
    call themselves one; on a page that has them `before` titles, the last before it."""
    whole = "".join(title_words(title))
    on = [
        link
        for link in page.links
        if at - 1 <= link.at < at + size and len(link.anchor.split()) >= min(3, size) and _alike(link.anchor, whole)
    ]
    if on:
        return {link.url: link for link in on}.values()
    last = min(at + size + AFTER, _own_end(page, at + size))
    near = [link for link in free if at - BEFORE <= link.at <= last and _likely(link)]
    ahead = sorted((link for link in near if link.at < at), key=lambda link: -link.at)
    behind = sorted((link for link in near if link.at >= at), key=lambda link: link.at)
    chosen = ahead or behind if before else behind + ahead
    return {link.url: link for link in chosen if abs(link.at - chosen[0].at) <= BEFORE}.values()


def _own_end(page: Page, after: int) -> int:
    """The word with which the entry ends that a title is part of: its line, and short lines below."""
    words, end, below = Words(), 0, 0
    for line in page.text.split("\n"):
        size = sum(1 for _ in words.stems(line))
        if end >= after:
            below += 1
            if below > LINES or size > SHORT:
                return end
        end += size
    return end


def _alike(anchor: str, whole: str) -> bool:
    said = "".join(title_words(anchor))
    return bool(said) and (said in whole or whole in said)


def _likely(link: Link) -> bool:
    said = link.anchor.strip(" []()").lower()
    if extension(link.url) in DOCUMENT_TYPES:
        # `Dust and Its Enemies` under a title is the next paper's; `pdf, 2 MB` or `extended version` is this one's.
        words = title_words(said)
        return len(words) < TITLE or not _LABELS.isdisjoint(words)
    return said in ("pdf", "ps", "paper", "postscript", "full text", "preprint")


def _visits(library: Library, crawl: int) -> Iterator[tuple[str, Came]]:
    rows = library.connection.execute(
        "SELECT visits.url, visits.final, visits.outcome, pages.type, visits.link FROM visits"
        " LEFT JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? ORDER BY visits.id",
        (crawl,),
    )
    for url, final, outcome, kind, _ in rows:
        came = Came(outcome, kind or "", final)
        yield final, came
        yield url, came


def _said(outcome: str) -> str:
    return OUTCOMES.get(outcome, outcome).rstrip(".").lower()
