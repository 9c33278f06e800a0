"""HTML to title, text, words and links, in one walk over the tree a browser would build.

What is hidden gives neither text nor links: scripts, styles, templates, `<noscript>` and whatever has the attribute
`hidden`. Block elements stand on lines of their own, so that words do not run together; other white space is folded.
A link to the page itself is no link. An address met several times counts once, where it was met first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from time import thread_time
from typing import NamedTuple

from turbohtml import Document, Element, IncrementalParser, Node, Text

from pinakes.core.page import Link
from pinakes.formats.url import Base, canonical
from pinakes.text.words import SILENT, Told, Words, word_start

MOST_CHARACTERS = 2_000_000
MOST_LINKS = 5_000
MOST_TEXT = 1_000_000
LONGEST_ANCHOR = 500
NEARBY = 64
"""Characters of text kept before and after a link: about ten words."""
DEEPEST_PATH = 12

_LONGEST_TITLE = 1_000
_LONGEST_ATTRIBUTE = 8_000
_MOST_ASIDES = 20
# A few hundred open <b> are reopened in every paragraph, so that a tree can be a thousand times the size of its
# page. A tree is therefore grown piece by piece, and given up when it costs many times what an honest one does.
_PIECE = 4096
_SECONDS = 0.4
_MOST_NODES = 300_000

_BLOCK_TAGS = """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup
    option p plaintext pre search section select summary table tbody td textarea tfoot th thead tr ul xmp"""
_BLOCK = 1
"""Stands on lines of its own."""
_NOTED = 2
"""Has an attribute or content to note."""
_CLOSED = 4
"""Has nothing inside that is text."""
_LINK = 8
_KINDS = (
    dict.fromkeys(_BLOCK_TAGS.split(), _BLOCK)
    | dict.fromkeys(("br", "hr"), _BLOCK | _CLOSED)
    | dict.fromkeys(("audio", "canvas", "noembed", "noframes", "noscript", "script", "style"), _CLOSED)
    | dict.fromkeys(("template", "video", "col", "embed", "input", "source", "track", "wbr"), _CLOSED)
    | dict.fromkeys(("area", "base", "frame", "iframe", "img", "link", "meta", "title"), _NOTED | _CLOSED)
    | {"a": _LINK, "html": _BLOCK | _NOTED}
)
_refresh = re.compile(r"\s*+[\d.]++[;,\s]++(?:url\s*+=\s*+)?[\"']?+\s*+([^\"'\s][^\"']*)", re.IGNORECASE).match


class Parsed(NamedTuple):
    """What an HTML page says."""

    title: str = ""
    text: str = ""
    told: Told = SILENT
    """The text as words."""
    links: tuple[Link, ...] = ()
    canonical: str = ""
    robots: tuple[str, ...] = ()
    """The contents of its `<meta name=robots>` and `<meta name=pinakes>` elements."""
    language: str = ""
    """Its `lang` attribute."""

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.told.words)


def parse(
    html: str,
    url: str,
    words: Words,
    depth: int = 0,
    *,
    most_characters: int = MOST_CHARACTERS,
    most_links: int = MOST_LINKS,
    most_text: int = MOST_TEXT,
) -> Parsed:
    """Read a page found at the canonical address `url`, `depth` links from a seed. Never raises."""
    walk = _Walk(most_links, most_text)
    walk.over(_tree(html[:most_characters]))
    text = "".join(walk.out)
    own = canonical(url)
    base = Base(canonical(walk.base, own) or own)
    found = _distinct(walk, text, base, own)

    # Each link cuts the text where it starts, or where a word that spans its start does: so the pieces have the
    # same words as the whole, and a link's place among them is the number of words before its piece.
    cuts, last = [0], 0
    for link in found.values():
        last = word_start(text, link.start, last)
        cuts.append(last)
    cuts.append(len(text))
    told = words.told([text[start:end] for start, end in pairwise(cuts)])

    line = text.replace("\n", " ")
    links = [
        Link(
            to, link.anchor, _before(line, link.start), _after(line, link.end), at, link.path, link.rel, url, depth + 1
        )
        for (to, link), at in zip(found.items(), told.offsets[1:], strict=True)
    ]
    seen = {"", own, *found}
    for href, path, rel in walk.asides[:_MOST_ASIDES]:
        if (to := base.join(href)) not in seen:
            seen.add(to)
            links.append(Link(to, tag=path, rel=rel, parent=url, depth=depth + 1))
    return Parsed(
        walk.title,
        text,
        told,
        tuple(links[:most_links]),
        canonical(walk.canonical, base.url) if walk.canonical else "",
        tuple(walk.robots),
        walk.language,
    )


class _Found:
    """A link as it was met."""

    __slots__ = ("alt", "anchor", "end", "href", "path", "rel", "start")

    def __init__(self, href: str, start: int, path: str, rel: str, alt: str) -> None:
        self.href = href
        self.start = self.end = start
        """Where its anchor starts and ends in the text."""
        self.path = path
        self.rel = rel
        self.alt = alt
        """What stands for the anchor when it has no text."""
        self.anchor = ""


class _Walk:
    """What a walk through a page's tree gathers."""

    def __init__(self, most_links: int, most_text: int) -> None:
        self.most_links = most_links
        self.most_text = most_text
        self.out: list[str] = []
        """The text, in pieces."""
        self.path: list[str] = []
        """Tags of the elements round the present node, outermost first."""
        self.found: list[_Found] = []
        self.asides: list[tuple[str, str, str]] = []
        """Links outside the text: address, path, rel."""
        self.title = self.base = self.canonical = self.language = ""
        self.robots: list[str] = []

    def over(self, document: Document) -> None:  # noqa: PLR0915  one loop, for speed
        """Walk. Most of a page's time is spent here, so what text and links need is kept in local names."""
        out, path, kinds, most_text = self.out, self.path, _KINDS, self.most_text
        length = 0  # of the text so far
        gap = ""  # white space owed before the next text
        nodes = 0
        inside: list[_Found | None] = []  # links round the present node; None for one without address
        link_ended = -1  # length of the text then
        stack: list[Iterator[Node]] = [iter(document)]
        while stack:
            for node in stack[-1]:
                if type(node) is Text:
                    data = node.data
                    folded = data.strip()
                    if not folded:
                        gap = gap or " "
                        continue
                    if "\n" in folded or "  " in folded or "\t" in folded or "\xa0" in folded:
                        folded = " ".join(folded.split())
                    if length + len(folded) >= most_text:
                        folded = folded[: max(most_text - length - 1, 0)].rstrip()
                        if not folded:
                            continue
                    if (gap or data[0].isspace()) and out:
                        out.append(gap or " ")
                        length += 1
                    out.append(folded)
                    length += len(folded)
                    gap = " " if data[-1].isspace() else ""
                elif type(node) is Element:
                    tag = node.tag
                    kind = kinds.get(tag, 0)
                    if kind & _BLOCK:
                        gap = "\n"
                    nodes += 1
                    if nodes > _MOST_NODES:
                        return
                    if node.attr("hidden") is not None:
                        continue
                    path.append(tag)
                    if kind:
                        if kind == _LINK:
                            if link_ended == length:
                                gap = gap or " "  # neighbouring links are words apart
                            inside.append(self.link(node, "href", "", length))
                        elif kind & _NOTED:
                            self.note(tag, node, length, inside)
                        if kind & _CLOSED:
                            path.pop()
                            continue
                    stack.append(iter(node))
                    break
            else:
                stack.pop()
                if path:
                    tag = path.pop()
                    if kinds.get(tag, 0) & _BLOCK:
                        gap = "\n"
                    elif tag == "a":
                        link_ended = length
                        if link := inside.pop():
                            link.end = length

    def note(self, tag: str, node: Element, length: int, inside: Sequence[_Found | None]) -> None:
        match tag:
            case "img":
                if inside and (link := inside[-1]) and not link.alt:
                    link.alt = _folded(node.attr("alt"), LONGEST_ANCHOR)
            case "area":
                self.link(node, "href", "alt", length)
            case "frame" | "iframe":
                self.link(node, "src", "title", length)
            case "html":
                self.language = (node.attr("lang") or node.attr("xml:lang") or "")[:_LONGEST_TITLE]
            case "title":
                if not self.title and node.namespace.value == "html":
                    self.title = _folded(node.text, _LONGEST_TITLE)
            case "base":
                self.base = self.base or (node.attr("href") or "")[:_LONGEST_ATTRIBUTE]
            case "link":
                href = node.attr("href")
                if href and "canonical" in _folded(node.attr("rel"), 100).lower().split():
                    self.canonical = self.canonical or href
                    self.asides.append((href, self.place(), "canonical"))
            case "meta":
                content = (node.attr("content") or "")[:_LONGEST_ATTRIBUTE]
                if (node.attr("name") or "").strip().lower() in ("robots", "pinakes"):
                    self.robots.append(content)
                elif (node.attr("http-equiv") or "").strip().lower() == "refresh" and (found := _refresh(content)):
                    self.asides.append((found[1], self.place(), "refresh"))

    def link(self, node: Element, href: str, alt: str, length: int) -> _Found | None:
        to = node.attr(href)
        if to is None or len(self.found) >= self.most_links:
            return None
        rel = node.attr("rel")
        link = _Found(
            to,
            length,
            self.place(),
            _folded(rel, 100).lower() if rel else "",
            _folded(node.attr(alt), LONGEST_ANCHOR) if alt else "",
        )
        self.found.append(link)
        return link

    def place(self) -> str:
        return "/".join(self.path[-DEEPEST_PATH:])


def _tree(html: str) -> Document:
    parser = IncrementalParser(positions=False)
    if len(html) <= _PIECE:
        parser.feed(html)
        return parser.close()
    start = thread_time()
    for at in range(0, len(html), _PIECE):
        parser.feed(html[at : at + _PIECE])
        if thread_time() - start > _SECONDS:
            break
    return parser.close()


def _distinct(walk: _Walk, text: str, base: Base, own: str) -> dict[str, _Found]:
    """The links by address, in order, each with its anchor; those that lead nowhere or to the page itself left out."""
    distinct: dict[str, _Found] = {}
    join = base.join
    for link in walk.found:
        url = join(link.href)
        if not url or url == own:
            continue
        start = link.start
        if start < link.end:
            if text[start] in " \n":
                link.start = start = start + 1
            anchor = text[start : min(link.end, start + LONGEST_ANCHOR)].rstrip().replace("\n", " ") or link.alt
        else:
            anchor = link.alt
        first = distinct.setdefault(url, link)
        if not first.anchor:
            first.anchor = anchor
    return distinct


def _before(line: str, at: int) -> str:
    start = at - NEARBY
    if start > 0:
        return line[line.find(" ", start, at) + 1 or start : at].rstrip()
    return line[: max(at, 0)].rstrip()


def _after(line: str, at: int) -> str:
    end = at + NEARBY
    if end < len(line):
        cut = line.rfind(" ", at, end)
        return line[at : cut if cut > at else end].lstrip()
    return line[at:].lstrip()


def _folded(text: str | None, longest: int) -> str:
    return " ".join(text[: 2 * longest].split())[:longest] if text else ""
