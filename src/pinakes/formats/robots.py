"""robots.txt (RFC 9309): which addresses of a host a crawler may ask for."""

from __future__ import annotations

import re

from protego import Protego

AGENT = "pinakes"
"""The product token sites address us by."""
_LIMIT = 500 << 10  # RFC 9309 §2.5: at least 500 KiB must be read
_VERSIONED = re.compile(r"^([ \t]*user-agent[ \t]*:[ \t]*[A-Za-z_-]+)/\S*", re.IGNORECASE | re.MULTILINE)


class Robots:
    """The rules of one robots.txt, read without ever failing: what is not understood forbids nothing."""

    __slots__ = ("_rules",)

    def __init__(self, body: bytes) -> None:
        text = body[:_LIMIT].decode("utf-8-sig", "replace")
        # `User-agent: name/1.0` is a common slip; the product token is the name alone.
        self._rules = Protego.parse(_VERSIONED.sub(r"\1", text))

    def allows(self, url: str, agent: str = AGENT) -> bool:
        return bool(self._rules.can_fetch(url, agent))

    def delay(self, agent: str = AGENT) -> float:
        """Seconds of Crawl-delay; 0 when none is asked for."""
        return float(self._rules.crawl_delay(agent) or 0.0)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self._rules.sitemaps)
