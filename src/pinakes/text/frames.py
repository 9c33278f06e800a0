"""A site's frame: what stands on its pages whatever they are about, such as menus, footers and the site's own name.

A line that many pages of one host share, letter by letter, tells nothing about any of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

LEAST_PAGES = 3
LEAST_SHARE = 0.2
"""A line on so many of a host's pages, and so large a share of them, is its frame."""

_parts = re.compile(r"\s+[-|–—·»:/]+\s+").split


class Framed(NamedTuple):
    """A page as it came, and whose it is."""

    host: str
    title: str
    text: str


def without_frames(pages: Sequence[Framed]) -> list[Framed]:
    """The pages without the lines, and the parts of titles, that are their hosts' frames."""
    sizes = Counter(page.host for page in pages)
    lines: Counter[tuple[str, str]] = Counter()
    for page in pages:
        if sizes[page.host] >= LEAST_PAGES:
            lines.update({(page.host, line) for line in [*page.text.split("\n"), *_parts(page.title)]})

    def own(host: str, parts: Sequence[str]) -> str:
        least = max(LEAST_PAGES, LEAST_SHARE * sizes[host])
        return "\n".join(part for part in parts if lines[host, part] < least)

    return [
        Framed(page.host, own(page.host, _parts(page.title)), own(page.host, page.text.split("\n"))) for page in pages
    ]
