"""The walk over the tree a browser would build of a page: its text, its links, and what else it tells.

What is hidden gives neither text nor links: scripts, styles, templates, `<noscript>` and whatever has the attribute
`hidden`. Block elements stand on lines of their own, so that words do not run together; other white space is folded.

Where a C compiler was at hand when Pinakes was installed, `_walk.c` does the same: straight over the page as it came,
where its markup is in such order that no parser would see another tree in it, else over the tree written as markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.entities import html5
from itertools import islice
from time import thread_time
from typing import NamedTuple, TypeAlias

import turbohtml
from turbohtml import Document, Element, IncrementalParser, Node, Text

from pinakes.formats.tags import AREA, BLOCK, CLOSED, FRAME, IMAGE, KINDS, LINK, NOTED

NEARBY = 64
"""Characters of text kept before and after a link: about ten words."""
LONGEST_ANCHOR = 500
DEEPEST_PATH = 12

# A few hundred open <b> are reopened in every paragraph, so that a tree can be a thousand times the size of its
# page. A tree is therefore grown piece by piece, and given up when it costs many times what an honest one does. Pages
# with few tags cannot grow so: they are spared the pieces, which cost as much as half the tree does.
_FEW_TAGS = 3_000
_PIECE = 4096
_SECONDS = 0.4
_MOST_NODES = 300_000
_MOST_MARKUP = 8_000_000

_TOLD = ("content", "href", "http-equiv", "lang", "name", "rel", "xml:lang")


_REVISION = 3
try:
    from pinakes.formats import _walk
except ImportError:  # it was not compiled
    QUICK = None
else:  # or it was, of another state of these files
    QUICK = _walk.REVISION == _REVISION and _walk.Walker(
        KINDS, _TOLD, html5, NEARBY, LONGEST_ANCHOR, DEEPEST_PATH, _MOST_NODES
    )

Found: TypeAlias = tuple[str, str, str, str, int, str, str, str]
"""A link as it was met: address, text, what stands before and after, where in the text it starts, the tags round it,
`rel`, and what stands for its text when it has none."""
Note: TypeAlias = tuple[str, dict[str, str], str, str]
"""An element that tells something: tag, telling attributes, the tags round it, and a title's text."""


class Walked(NamedTuple):
    """What a walk gathered."""

    text: str
    links: list[Found]
    notes: list[Note]
    data: bytes
    """The text in UTF-8."""


def walked(html: str, most_links: int, most_text: int, plain: bool = False, data: bytes | None = None) -> Walked:
    """Walk over a page; `data` is the page in UTF-8, where that is at hand. With `plain` nothing compiled is used; what
    comes out is the same."""
    if QUICK and not plain:
        try:
            if found := QUICK.straight(html.encode() if data is None else data, most_links, most_text):
                return Walked(*found)
        except UnicodeEncodeError:
            pass  # half a surrogate pair
    document, large = _tree(html)
    if QUICK and not plain:
        try:
            if large:
                markup = "".join(islice(document.serialize_iter(), _MOST_MARKUP // 8192)).encode()
            else:
                markup = document.encode("utf-8")
            if found := QUICK.walk(markup, most_links, most_text):
                return Walked(*found)
        except UnicodeEncodeError:
            pass  # half a surrogate pair
    walk = _Walk(most_links, most_text)
    walk.over(document)
    return walk.gathered()


def _tree(html: str) -> tuple[Document, bool]:
    """The tree, and whether it may be much larger than its page."""
    if html.count("<") <= _FEW_TAGS:
        return turbohtml.parse(html, positions=False), False
    parser = IncrementalParser(positions=False)
    start = thread_time()
    for at in range(0, len(html), _PIECE):
        parser.feed(html[at : at + _PIECE])
        if thread_time() - start > _SECONDS:
            break
    return parser.close(), True


class _Met:
    """A link as it is met."""

    __slots__ = ("alt", "end", "href", "path", "rel", "start")

    def __init__(self, href: str, start: int, path: str, rel: str, alt: str) -> None:
        self.href = href
        self.start = self.end = start
        """Where its anchor starts and ends in the text."""
        self.path = path
        self.rel = rel
        self.alt = alt


class _Walk:
    """What a walk through a page's nodes gathers."""

    def __init__(self, most_links: int, most_text: int) -> None:
        self.most_links = most_links
        self.most_text = most_text
        self.out: list[str] = []
        """The text, in pieces."""
        self.path: list[str] = []
        """Tags of the elements round the present node, outermost first."""
        self.met: list[_Met] = []
        self.notes: list[Note] = []

    def over(self, document: Document) -> None:  # noqa: PLR0915  one loop, for speed
        """Walk. Most of a page's time is spent here, so what text and links need is kept in local names."""
        out, path, kinds, most_text = self.out, self.path, KINDS, self.most_text
        length = 0  # of the text so far
        gap = ""  # white space owed before the next text
        nodes = 0
        inside: list[_Met | None] = []  # links round the present node; None for one without address
        link_ended = -1  # length of the text then
        stack: list[Iterator[Node]] = [iter(document)]
        while stack:
            for node in stack[-1]:
                if type(node) is Text:
                    data = node.data
                    folded = " ".join(data.split())
                    if not folded:
                        gap = gap or " "
                        continue
                    if not gap and data[0].isspace():
                        gap = " "
                    if gap and out:
                        if length + 2 > most_text:
                            most_text = 0
                            continue
                        out.append(gap)
                        length += 1
                    if length + len(folded) > most_text:
                        folded = folded[: max(most_text - length, 0)].rstrip()
                        most_text = 0  # full: what follows would stand beside what it does not follow
                    out.append(folded)
                    length += len(folded)
                    gap = " " if data[-1].isspace() else ""
                elif type(node) is Element:
                    tag = node.tag
                    kind = kinds.get(tag, 0)
                    if kind & BLOCK:
                        gap = "\n"
                    nodes += 1
                    if nodes > _MOST_NODES:
                        return
                    if node.attr("hidden") is not None:
                        continue
                    path.append(tag)
                    if kind & LINK:
                        if link_ended == length:
                            gap = gap or " "  # neighbouring links are words apart
                        inside.append(self.link(node, "href", "", length))
                    elif kind & (NOTED | AREA | FRAME | IMAGE):
                        self.note(kind, node, length, inside[-1] if inside else None)
                    if kind & CLOSED:
                        path.pop()
                        continue
                    stack.append(iter(node))
                    break
            else:
                stack.pop()
                if path:
                    kind = kinds.get(path.pop(), 0)
                    if kind & BLOCK:
                        gap = "\n"
                    elif kind & LINK:
                        link_ended = length
                        if link := inside.pop():
                            link.end = length

    def note(self, kind: int, node: Element, length: int, inside: _Met | None) -> None:
        if kind & IMAGE:
            if inside and not inside.alt:
                alt = node.attr("alt") or ""
                inside.alt = alt if alt[: 2 * LONGEST_ANCHOR].strip() else ""
        elif kind & AREA:
            self.link(node, "href", "alt", length)
        elif kind & FRAME:
            self.link(node, "src", "title", length)
        elif node.tag != "title":
            told = {name: value for name in _TOLD if (value := node.attr(name)) is not None}
            self.notes.append((node.tag, told, self.place(), ""))
        elif node.namespace.value == "html":
            self.notes.append(("title", {}, self.place(), node.text))

    def link(self, node: Element, href: str, alt: str, length: int) -> _Met | None:
        to = node.attr(href)
        if to is None or len(self.met) >= self.most_links:
            return None
        link = _Met(to, length, self.place(), node.attr("rel") or "", (node.attr(alt) or "") if alt else "")
        self.met.append(link)
        return link

    def place(self) -> str:
        return "/".join(self.path[-DEEPEST_PATH:])

    def gathered(self) -> Walked:
        text = "".join(self.out)
        line = text.replace("\n", " ")
        links: list[Found] = []
        for link in self.met:
            start, end, anchor = link.start, link.end, ""
            if start < end:
                start += line[start] == " "
                anchor = line[start : min(end, start + LONGEST_ANCHOR)].rstrip()
            before, after = _before(line, start), _after(line, max(start, end))
            links.append((link.href, anchor, before, after, start, link.path, link.rel, link.alt))
        return Walked(text, links, self.notes, text.encode("utf-8", "replace"))


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
