"""HTML to title, text, words and links.

A link to the page itself is no link. An address met several times counts once, where it was met first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.core.page import Link, filled
from pinakes.formats.url import Base, canonical
from pinakes.formats.walk import LONGEST_ANCHOR, Found, Note, walked
from pinakes.text.numbered import NumberedWords
from pinakes.text.words import Told, Words

MOST_CHARACTERS = 2_000_000
MOST_LINKS = 5_000
MOST_TEXT = 1_000_000

_LONGEST_TITLE = 1_000
_LONGEST_ATTRIBUTE = 8_000
_MOST_ASIDES = 20
_refresh = re.compile(r"\s*+[\d.]++[;,\s]++(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s][^\"']*)", re.IGNORECASE).match


class Parsed(NamedTuple):
    """What an HTML page says."""

    title: str
    text: str
    told: Told
    """The text as words."""
    data: bytes
    """The text in UTF-8."""
    links: tuple[Link, ...] = ()
    canonical: str = ""
    robots: tuple[str, ...] = ()
    """The contents of its `<meta name=robots>` and `<meta name=pinakes>` elements."""
    language: str = ""
    """Its `lang` attribute."""

    @property
    def words(self) -> NumberedWords:
        return self.told.words


def parse(
    html: str,
    url: str,
    words: Words,
    depth: int = 0,
    distance: int = 0,
    *,
    most_characters: int = MOST_CHARACTERS,
    most_links: int = MOST_LINKS,
    most_text: int = MOST_TEXT,
    plain: bool = False,
    data: bytes | None = None,
) -> Parsed:
    """Read a page found at the canonical address `url`, `depth` links from a seed, whose links are to have this
    `distance`; `data` is the page in UTF-8, where that is at hand. Never raises. With `plain` the walk is not the
    compiled one; what comes out is the same."""
    if len(html) > most_characters:
        html, data = html[:most_characters], None
    text, met, notes, spelled = walked(html, most_links, most_text, plain, data)
    head = _Head(notes)
    own = canonical(url)
    base = Base(canonical(head.base, own) or own)
    found, anchors = _distinct(met, base, own)
    told = words.told(text, [link[4] for link in found.values()], spelled)
    depth += 1
    links = [
        filled((to, anchor, before, after, at, path, _relation(rel) if rel else "", url, depth, distance, 0.0, "", ()))
        for (to, (_, _, before, after, _, path, rel, _)), anchor, at in zip(
            found.items(), anchors.values(), told.offsets, strict=True
        )
    ]
    seen = {"", own, *found}
    for href, path, rel in head.asides[:_MOST_ASIDES]:
        if (to := base.join(href)) not in seen:
            seen.add(to)
            links.append(Link(to, tag=path, rel=rel, parent=url, depth=depth, distance=distance))
    return Parsed(
        head.title,
        text,
        told,
        spelled,
        tuple(links[:most_links]),
        canonical(head.canonical, base.url) if head.canonical else "",
        tuple(head.robots),
        head.language,
    )


class _Head:
    """What a page tells about itself, outside its text."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self.title = self.base = self.canonical = self.language = ""
        self.robots: list[str] = []
        self.asides: list[tuple[str, str, str]] = []
        """Links outside the text: address, path, rel."""
        for tag, attributes, path, text in notes:
            said = attributes.get
            match tag:
                case "title":
                    self.title = self.title or _folded(text, _LONGEST_TITLE)
                case "html":
                    self.language = (said("lang") or said("xml:lang") or "")[:_LONGEST_TITLE]
                case "base":
                    self.base = self.base or said("href", "")[:_LONGEST_ATTRIBUTE]
                case "link":
                    href = said("href")
                    if href and "canonical" in _folded(said("rel", ""), 100).lower().split():
                        self.canonical = self.canonical or href
                        self.asides.append((href, path, "canonical"))
                case "meta":
                    content = said("content", "")[:_LONGEST_ATTRIBUTE]
                    if said("name", "").strip().lower() in ("robots", "pinakes"):
                        self.robots.append(content)
                    elif said("http-equiv", "").strip().lower() == "refresh" and (target := refresh(content)):
                        self.asides.append((target, path, "refresh"))


def refresh(content: str) -> str:
    """Where a refresh leads, as it is written there; empty when only to the page itself."""
    found = _refresh(content)
    return found[1] if found else ""


def _distinct(met: Sequence[Found], base: Base, own: str) -> tuple[dict[str, Found], dict[str, str]]:
    """The links and their anchors by address, in order; those that lead nowhere or to the page itself left out."""
    distinct: dict[str, Found] = {}
    anchors: dict[str, str] = {}
    for link, url in zip(met, base.join_all([link[0] for link in met]), strict=True):
        if not url or url == own:
            continue
        anchor = link[1] or (_folded(link[7], LONGEST_ANCHOR) if link[7] else "")
        if url not in distinct:
            distinct[url] = link
            anchors[url] = anchor
        elif anchor and not anchors[url]:
            anchors[url] = anchor
    return distinct, anchors


def _relation(rel: str) -> str:
    return _folded(rel, 100).lower()


def _folded(text: str, longest: int) -> str:
    return " ".join(text[: 2 * longest].split())[:longest] if text else ""
