"""robots.txt (RFC 9309): which addresses of a host a crawler may ask for.

Read as the RFC has it: groups that name us are merged, only rules end a list of user agents, the longest pattern
decides and `Allow` wins a tie. Common slips of the pen are understood where that makes us more obedient.
"""

from __future__ import annotations

import codecs
import math
import re
from typing import NamedTuple

AGENT = "pinakes"
"""The product token sites address us by."""
LIMIT = 500 << 10
"""How much of a file is read (RFC 9309 §2.5)."""
_SITEMAPS = 1000
_FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "user-agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    "allow": "allow",
    **dict.fromkeys(("crawl-delay", "crawl delay", "crawldelay"), "crawl-delay"),
    **dict.fromkeys(("sitemap", "sitemaps", "site-map"), "sitemap"),
}
_line_end = re.compile(r"\r\n?|\n")
_product = re.compile(r"[^\s/*]+")
_escape = re.compile(r"%([0-9A-Fa-f]{2})")
# What is escaped before comparing. `*` and `$` are among it: in an address they mean themselves, and a pattern that
# means them too writes them as escapes.
_odd = re.compile(r"[^A-Za-z0-9._~!&'()+,;=:@/?\[\]%-]+")
_path_of = re.compile(r"[^:/?#]*://[^/?#]*([^#]*)").match
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _Rule(NamedTuple):
    allow: bool
    size: int
    """Octets of the pattern."""
    parts: tuple[str, ...]
    """What stands between the wildcards."""
    whole: bool
    """The pattern ends with `$`: it must match to the end."""

    def matches(self, path: str) -> bool:
        # Taking each part at its first place is enough, so this is linear however many wildcards there are.
        first, *rest = self.parts
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.whole or at == len(path)
        *middle, last = rest
        for part in middle:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return path.endswith(last, at) if self.whole else path.find(last, at) >= 0


class _Rules:
    """The rules that hold for one user agent."""

    __slots__ = ("_patterns", "_plain", "_rules")

    def __init__(self, rules: list[_Rule]) -> None:
        self._rules = sorted(rules, key=lambda rule: (-rule.size, not rule.allow))
        # Most addresses meet no plain pattern at all, which one `startswith` over all of them tells.
        self._plain = tuple({rule.parts[0] for rule in rules if len(rule.parts) == 1})
        self._patterns = [rule for rule in self._rules if len(rule.parts) > 1]

    def allow(self, path: str) -> bool:
        rules = self._rules if path.startswith(self._plain) else self._patterns
        return next((rule.allow for rule in rules if rule.matches(path)), True)


class Robots:
    """The rules of one robots.txt, read without ever failing: what is not understood forbids nothing."""

    __slots__ = ("_chosen", "_delays", "_rules", "sitemaps", "size")

    def __init__(self, body: bytes) -> None:
        self._rules: dict[str, list[_Rule]] = {}
        self._delays: dict[str, float] = {}
        self._chosen: dict[str, _Rules] = {}
        self.size = min(len(body), LIMIT)
        self.sitemaps = self._read(_text(body))
        """Addresses of sitemaps as they stand there, perhaps relative, without doubles."""

    def allows(self, url: str, agent: str = AGENT) -> bool:
        path = _path(url)
        if path == "/robots.txt":
            return True
        name = self._name(agent)
        if name not in self._chosen:
            self._chosen[name] = _Rules(self._rules.get(name, []))
        return self._chosen[name].allow(path)

    def delay(self, agent: str = AGENT) -> float:
        """Seconds of Crawl-delay; 0 when none is asked for."""
        return self._delays.get(self._name(agent), 0.0)

    def _name(self, agent: str) -> str:
        """The group that holds for a user agent: its own wherever there is one, even an empty one."""
        name = agent.lower()
        return name if name in self._rules else "*"

    def _read(self, text: str) -> tuple[str, ...]:
        names: list[str] = []
        ruled = False
        sitemaps: dict[str, None] = {}
        for line in _line_end.split(text):
            field, value = _statement(line)
            if field == "user-agent":
                # Only rules end a list of names: other lines must not interfere (§2.2.4).
                names, ruled = ([] if ruled else names), False
                if name := _agent(value):
                    names.append(name)
                    self._rules.setdefault(name, [])
            elif field in ("allow", "disallow"):
                ruled = True
                if names and value:
                    rule = _rule(field == "allow", value)
                    for name in dict.fromkeys(names):
                        self._rules[name].append(rule)
            elif field == "crawl-delay":
                for name in names:
                    self._delays[name] = max(self._delays.get(name, 0.0), _seconds(value))
            elif field == "sitemap" and value and len(sitemaps) < _SITEMAPS:
                sitemaps[value] = None
        return tuple(sitemaps)


def _text(body: bytes) -> str:
    cut = body[:LIMIT]
    if cut.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = cut.decode("utf-16", "replace")
    else:
        text = cut.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    if len(body) > LIMIT:
        # Half a line could forbid the whole site.
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    return text


def _statement(line: str) -> tuple[str, str]:
    """A line's field, by its proper name, and value; both empty when it says nothing known."""
    line = line.partition("#")[0].strip()
    name, _, value = line.partition(":")
    field = _FIELDS.get(name.strip().lower(), "")
    if not field:
        words = line.split()  # `Disallow /path`: a forgotten colon
        field = _FIELDS.get(words[0].lower(), "") if len(words) == 2 else ""
        return (field, words[1]) if field else ("", "")
    return field, value.strip()


def _agent(value: str) -> str:
    """The product token in lower case; `Name/1.0 (and more)` is a common slip for `Name`."""
    if value == "*" or value.startswith("* "):
        return "*"
    found = _product.match(value.lstrip("*"))
    return found[0].lower() if found else ""


def _rule(allow: bool, pattern: str) -> _Rule:
    whole = pattern.endswith("$")
    parts = tuple(_normal(part) for part in re.split(r"\*+", pattern[:-1] if whole else pattern))
    return _Rule(allow, sum(map(len, parts)) + pattern.count("*") + whole, parts, whole)


def _path(url: str) -> str:
    """Path and query of an address as patterns are compared with."""
    found = _path_of(url)
    path = found[1] if found else url
    return _normal(path if path.startswith("/") else "/" + path)


def _normal(path: str) -> str:
    """One spelling for each octet: unreserved characters stand for themselves, what is odd is escaped (§2.2.2)."""
    if "%" in path:
        path = _escape.sub(_normal_escape, path)
    return _odd.sub(_escaped, path)


def _normal_escape(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in found[0].encode("utf-8", "surrogateescape"))


def _seconds(value: str) -> float:
    try:
        seconds = float(value.replace(",", "."))
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
