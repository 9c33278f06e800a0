"""HTML to title, text, words and links, in one pass over the tree a browser would build.

What is hidden gives neither text nor links: scripts, styles, templates, `<noscript>` and whatever has the attribute
`hidden`. Block elements begin a line of their own, so that words do not run together; other white space is folded.
A link to the page itself is no link. An address met several times counts once, where it was met first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from turbohtml.saxparse import SaxHandler, sax_parse

from pinakes.core.page import Link
from pinakes.formats.url import Base, canonical
from pinakes.text.words import Words, word_start

MOST_CHARACTERS = 2_000_000
MOST_LINKS = 5_000
MOST_TEXT = 1_000_000
LONGEST_ANCHOR = 500
LONGEST_TITLE = 1_000
NEARBY = 64
"""Characters of text kept before and after a link: about ten words."""
DEEPEST_PATH = 12

Attributes = tuple[tuple[str, str | None], ...]

_BLOCKS = frozenset(
    """address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol
    optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th thead tr ul xmp
    """.split()  # noqa: SIM905
)
_HIDDEN = frozenset({"script", "style", "noscript", "template", "noframes", "noembed", "audio", "video", "canvas"})
_refresh = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE).match


class Parsed(NamedTuple):
    """What an HTML page says."""

    title: str
    text: str
    words: list[str]
    links: list[Link]
    canonical: str
    robots: tuple[str, ...]
    """The contents of its `<meta name=robots>` elements."""
    language: str
    """Its `lang` attribute."""


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
    """Read a page found at the canonical address `url`, `depth` links from a seed. Never fails."""
    walk = _Walk(most_links, most_text)
    sax_parse(defused(html[:most_characters]), walk)
    text = "".join(walk.out)
    own = canonical(url)
    base = Base(canonical(walk.base, own) or own) if walk.base else Base(own)
    places = _places(walk.found, base, own)
    # Each link's place cuts the text, moved to the start of a word that spans it: the words are those of the whole.
    cuts, last = [0], 0
    for found in places.values():
        if text[found.start : found.start + 1] in _SPACES:
            found.start += 1
        last = word_start(text, max(found.start, last), last)
        cuts.append(last)
    stems, offsets = words.pieces([text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)])
    links = [
        Link(
            to,
            found.anchor or text[found.start : found.end].rstrip()[:LONGEST_ANCHOR] or found.alt,
            _before(text, found.start),
            _after(text, found.end),
            at,
            found.path,
            found.rel,
            url,
            depth + 1,
        )
        for (to, found), at in zip(places.items(), offsets[1:], strict=True)
    ]
    home = canonical(walk.canonical, base.url) if walk.canonical else ""
    return Parsed(_folded(walk.title), text, stems, links, home, tuple(walk.robots), walk.language)


class _Found:
    """A link as it was met."""

    __slots__ = ("alt", "anchor", "end", "href", "path", "rel", "start")

    def __init__(self, href: str, start: int, path: str, rel: str, alt: str = "") -> None:
        self.href = href
        self.start = self.end = start
        self.path = path
        self.rel = rel
        self.alt = alt
        self.anchor = ""
        """Taken from a later link to the same address, when this one has no text."""


_SPACES = frozenset({" ", "\n"})


def _places(found: Sequence[_Found], base: Base, own: str) -> dict[str, _Found]:
    places: dict[str, _Found] = {}
    join = base.join
    for link in found:
        url = join(link.href)
        if not url or url == own:
            continue
        first = places.setdefault(url, link)
    return places


def _before(text: str, at: int) -> str:
    start = at - NEARBY
    if start > 0:
        start = text.find(" ", start, at) + 1 or start
        return text[start:at].rstrip()
    return text[:at].rstrip()
