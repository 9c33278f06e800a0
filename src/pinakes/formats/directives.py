"""What a page asks of robots: `<meta name=robots>` and the header `X-Robots-Tag`.

Directives of all sources add up, so the most restrictive wins. `none` means `noindex` and `nofollow`; what only
permits (`all`, `index`, `follow`) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

AGENTS = frozenset({"pinakes", "robots", "*"})
"""Names that mean us, or everybody."""

_MOST = 50
_LONGEST = 8_000
_PERMISSIONS = frozenset({"all", "index", "follow", ""})
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview"})
_sane = re.compile(r"[a-z][a-z_-]{0,40}(?::[\w-]{1,20})?").fullmatch
# The date holds commas and colons: it ends before the next comma that a directive follows.
_unavailable = re.compile(
    r"unavailable_after\s*+:\s*+([^\n]*?)(?=,\s*+(?:no[a-z]+|all|index|follow|max-[a-z-]+)\s*+(?:[,:\n]|\Z)|\n|\Z)"
)


def directives(metas: Iterable[str], header: str, now: float) -> frozenset[str]:
    """The directives that apply to us at the time `now`, in seconds since 1970.

    `metas` are the contents of meta elements; `header` is the value of X-Robots-Tag, several headers joined by commas
    or, better, by newlines, for a robot's name before a colon holds until the next name or the end of its header.
    """
    found: set[str] = set()
    for content in metas:
        found.update(_parsed(content, now, names=False))
    if header:
        for line in header[:_LONGEST].split("\n"):
            found.update(_parsed(line, now, names=True))
    return frozenset(sorted(found)[:_MOST])


def _parsed(content: str, now: float, names: bool) -> set[str]:
    content = content[:_LONGEST].lower()
    found: set[str] = set()
    ours = True
    for part in _unavailable.sub(lambda date: _after(date[1], now), content).split(","):
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        directive = f"{name}:{value}" if colon else name
        if colon and names and name not in _VALUED:
            ours = name in AGENTS
            directive = value
        if not ours or directive in _PERMISSIONS:
            continue
        if directive == "none":
            found.update(("noindex", "nofollow"))
        elif _sane(directive):
            found.add(directive)
    return found


def _after(date: str, now: float) -> str:
    """`unavailable_after`, and `noindex` too once the date has passed."""
    try:
        then = parsedate_to_datetime(date.strip())
    except (ValueError, TypeError, IndexError):
        try:
            then = datetime.fromisoformat(date.strip())
        except ValueError:
            return "unavailable_after"
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    try:
        passed = then.timestamp() <= now
    except (ValueError, OverflowError):
        passed = False
    return "unavailable_after,noindex" if passed else "unavailable_after"
