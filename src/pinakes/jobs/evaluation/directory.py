"""Topics from a directory of the web (004 §5.1).

The directory is walked breadth-first. Its leaves, pages without child categories, that have at least five links leading
out of it are topics: the first ten such links are the seeds, and what is said of them, anchors and the text after them,
describes the topic. Seeds are the examples too (004 §4.1), and all pages a leaf lists are known to be relevant.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Link, Page, host_of
from pinakes.formats.url import canonical
from pinakes.jobs.evaluation.cached import patiently
from pinakes.jobs.evaluation.topics import EvaluationTopic, save_topics
from pinakes.jobs.running import run
from pinakes.jobs.webs import Indexing, open_web, quietly
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions

MOST_PAGES = 2000
"""Pages of a directory that are read."""


@dataclass(frozen=True, slots=True)
class DirectoryOptions:
    """What `pinakes topics from-directory` is told."""

    url: str
    out: Path
    web: str = "live"
    topics: int = 100
    """How many leaves become topics, the first in the walk."""
    links: int = 5
    """Links out of the directory that a leaf must have."""
    seeds: int = 10
    most_pages: int = MOST_PAGES
    live: LiveOptions | None = None


@dataclass(frozen=True, slots=True)
class DirectoryTopics:
    """What was found."""

    out: Path
    topics: tuple[EvaluationTopic, ...]
    pages: int
    """Pages of the directory that were read."""
    leaves: int

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li>{escape(topic.name)}: {count_of(len(topic.relevant), 'page')}</li>" for topic in self.topics
        )
        return f"<p>{count_of(len(self.topics), 'topic')} in {escape(str(self.out))}</p><ol>{items}</ol>"


def topics_from_directory(
    options: DirectoryOptions, *, watch: Callable[[str, int, int], None] = quietly, indexing: Indexing = quietly
) -> DirectoryTopics:
    """Walk a directory and write a topics file."""
    if not canonical(options.url):
        raise PinakesError(f"{options.url} is not a web address; write it like http://example.org/directory/.")
    return run(_topics(options, watch, indexing))


async def _topics(
    options: DirectoryOptions, watch: Callable[[str, int, int], None], indexing: Indexing
) -> DirectoryTopics:
    opened = open_web(options.web, live=options.live, indexing=indexing)
    try:
        walk = _Walk(options, lambda link: patiently(opened.web, link))
        await walk.go(watch)
    finally:
        await opened.close()
    resolve = opened.web.resolve if isinstance(opened.web, FrozenWeb) else str
    leaves = walk.leaves()
    found: list[EvaluationTopic] = []
    for leaf in leaves:
        topic = _topic(leaf, walk.outward(leaf), options, resolve)
        if topic is not None and len(found) < options.topics:
            found.append(_distinct(topic, found))
    if not found:
        raise PinakesError(
            f"{options.url} has no leaf with {options.links} links out of it ({len(walk.pages)} pages were read, "
            f"{len(leaves)} of them leaves); try --links lower, or the address of the directory's front page."
        )
    save_topics(found, options.out)
    return DirectoryTopics(options.out, tuple(found), len(walk.pages), len(leaves))


class _Walk:
    """A breadth-first walk of the pages below an address."""

    def __init__(self, options: DirectoryOptions, fetch: Callable[[Link], Any]) -> None:
        self._options, self._fetch = options, fetch
        self._start = canonical(options.url)
        self._place = self._start.rsplit("/", 1)[0] + "/"
        self.pages: dict[str, Page] = {}
        """The directory's pages by address, in the order of the walk."""
        self._depth: dict[str, int] = {}
        """Links from the front page, of every address met."""

    async def go(self, watch: Callable[[str, int, int], None]) -> None:
        queue, self._depth[self._start] = deque([self._start]), 0
        most = self._options.most_pages
        while queue and len(self.pages) < most:
            url = queue.popleft()
            page: Page = (await self._fetch(Link(url))).page
            if not page.readable or page.url in self.pages or not self.inside(page.url):
                if url == self._start:
                    raise PinakesError(f"The directory {url} cannot be read ({page.outcome}).")
                continue
            self._depth.setdefault(page.url, self._depth[url])
            self.pages[page.url] = page
            for link in page.links:
                if self.inside(link.url) and link.url not in self._depth:
                    self._depth[link.url] = self._depth[url] + 1
                    queue.append(link.url)
            watch("directory pages", len(self.pages), min(most, len(self.pages) + len(queue)))

    def inside(self, url: str) -> bool:
        return url.startswith(self._place)

    def leaves(self) -> list[Page]:
        """The pages that lead to no page of the directory further down than they are."""

        def children(page: Page) -> bool:
            own = self._depth[page.url]
            below = (link.url for link in page.links if self.inside(link.url) and link.url != page.url)
            return any(self._depth.get(url, own) > own and self._is_page(url) for url in below)

        return [page for page in self.pages.values() if not children(page)]

    def outward(self, page: Page) -> list[Link]:
        """The page's links out of the directory, each address once, without those every page of it has."""
        found: dict[str, Link] = {}
        for link in page.links:
            if not self.inside(link.url) and link.anchor.strip():
                found.setdefault(link.url, link)
        common = len(self.pages) > 2 and set.intersection(
            *({link.url for link in other.links} for other in self.pages.values())
        )
        return [link for url, link in found.items() if not common or url not in common]

    def _is_page(self, url: str) -> bool:
        """False for what was looked at and is no page of the directory."""
        return url in self.pages or len(self.pages) >= self._options.most_pages


def _topic(
    leaf: Page, links: Sequence[Link], options: DirectoryOptions, resolve: Callable[[str], str]
) -> EvaluationTopic | None:
    """The topic of a leaf; None when it lists too little."""
    there = [link for link in links if resolve(link.url)]
    if len(there) < options.links:
        return None
    seeds = there[: options.seeds]
    path = leaf.url.split("/", 3)[3]
    words = re.sub(r"\.\w{1,5}$|/$", "", path) or host_of(leaf.url)
    name = " ".join(leaf.title.split()) or words.rsplit("/", 1)[-1].replace("_", " ").replace("-", " ")
    urls = tuple(link.url for link in seeds)
    return EvaluationTopic(
        id=re.sub(r"[^\w]+", "-", words).strip("-").lower() or "topic",
        name=name,
        description=" ".join(_said(link, after) for link, after in zip(seeds, [*there[1:], None], strict=False)),
        examples=urls,
        seeds=urls,
        relevant=frozenset(link.url for link in there),
        where=leaf.url,
    )


def _said(link: Link, following: Link | None) -> str:
    """What a directory says of a page: the anchor and the text up to the next one."""
    after = link.after.split()
    following_words = following.anchor.split() if following is not None else []
    for at in range(len(after)):
        # What is kept of the text after a link may end in the middle of the next one's anchor.
        if following_words and after[at : at + len(following_words)] == following_words[: len(after) - at]:
            after = after[:at]
            break
    return " ".join((*link.anchor.split(), *after)).rstrip(".,;:-–— ") + "."


def _distinct(topic: EvaluationTopic, others: Sequence[EvaluationTopic]) -> EvaluationTopic:
    taken = {other.id for other in others}
    if topic.id not in taken:
        return topic
    number = next(n for n in range(2, len(taken) + 3) if f"{topic.id}-{n}" not in taken)
    return replace(topic, id=f"{topic.id}-{number}")
