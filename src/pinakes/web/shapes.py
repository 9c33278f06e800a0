"""What the shape of an address tells: endless paths, dates, session ids, and what it has in common with its siblings.

All of it is looked at once per link and in time linear in the address.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

_digit = re.compile(r"[0-9]").search
_numbers = re.compile(r"[0-9A-Fa-f]{8,}|[0-9]+").sub
_numbers_but_escapes = re.compile(r"(?<!%)(?<!%.)(?:[0-9A-Fa-f]{8,}|[0-9]+)").sub

# Names that mean a session everywhere, and names that do when the value looks drawn by lot.
_SURE = (
    r"phpsessid|jsessionid|aspsessionid[a-z]*|sessionid|session_id|sess_?id|oscsid|zenid|cftoken|cfid|xtcsid|osadminid"
)
_UNSURE = r"sid|s|session|sess|token"
_LOT = r"(?:[0-9]{12,64}|(?=[^&;/?]{0,64}[0-9])(?=[^&;/?]{0,64}[A-Za-z])[A-Za-z0-9_.-]{8,128})"
_may_have_session = re.compile(r"(?i)sess|sid=|[?&;]s=|token=|cfid=|zenid=|/\([SAF]\(").search
_session = re.compile(rf"(?i)(?<=[?&])(?:(?:{_SURE})=[^&]*|(?:{_UNSURE})={_LOT}(?=&|\Z))(?:&|\Z)").sub
_path_session = re.compile(rf"(?i);(?:{_SURE})=[^/?;]*|/\([SAF]\([A-Za-z0-9]{{8,64}}\)\)(?=/)").sub

_MONTH, _DAY = r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12][0-9]|3[01])"
_path_date = re.compile(
    rf"/([0-9]{{4}})(?:/{_MONTH}(?:/{_DAY})?|-{_MONTH}(?:-{_DAY})?)"
    r"(?:/|/index\.[a-z]{2,5}|\.(?:s?html?|php|aspx?|jsp|cgi))?\Z"
).search
_DATE_NAMES = frozenset(["year", "yr", "month", "mon", "day", "date", "week", "ym", "ymd"])
_value_date = re.compile(r"([0-9]{4})(?:[-/._]?[0-9]{1,2}){0,2}").fullmatch


_WIDEST = 8
"""Parts in the longest run that is recognised when it comes again."""


class Date(NamedTuple):
    """The date an address is the page of."""

    year: int
    """0 when only the month or day is told."""
    sure: bool
    """Nothing but a date would be written so; `/2140/3` might be the third page of something numbered 2140."""


def endless(url: str, segments: int, repeats: int) -> str:
    """`deep` or `repeating` when the path goes on like one that never ends, else the empty string."""
    path, _, query = url.partition("?")
    parts = path.split("/")
    if len(parts) > segments + 3 and (parts[-1] or len(parts) > segments + 4):
        return "deep"
    if query and query.count("&") >= repeats - 1 and _often(query.split("&"), repeats):
        return "repeating"
    # Of different parts none repeats; only the scheme's // and a last slash leave empty ones.
    if len(set(parts)) >= len(parts) - (not parts[-1]):
        return ""
    parts = [part for part in parts[3:] if part]
    # Numbers repeat in dates and sections.
    if _often([part for part in parts if not part.isdecimal()], repeats):
        return "repeating"
    return "repeating" if _marches(parts) else ""


def _often(parts: list[str], times: int) -> bool:
    return len(parts) >= times and any(part and count >= times for part, count in Counter(parts).items())


def _marches(parts: list[str]) -> bool:
    """Some run of two or more parts, not all numbers, is followed by itself: a/b/a/b."""
    for width in range(2, min(_WIDEST, len(parts) // 2) + 1):
        agreeing = words = 0
        for part, later in zip(parts, parts[width:], strict=False):
            agreeing, words = (agreeing + 1, words + (not part.isdecimal())) if part == later else (0, 0)
            if agreeing >= width and words:
                return True
    return False


def template(url: str) -> str:
    """The address with its numbers made equal, shared by all that differ in nothing else; empty when it has none."""
    start = url.find("/", 8)
    if _digit(url, start) is None:
        return ""
    rest = url[start:]
    if "%" not in rest:
        return url[:start] + _numbers("0", rest)
    name = _numbers_but_escapes("0", rest)
    return url[:start] + name if name != rest else ""


def date_of(url: str, name: str) -> Date | None:
    """The date that an address of the template `name` tells and is all about; None when it tells none, or more."""
    if "=" not in name and "/0/0" not in name and "/0-0" not in name:
        return None
    path, _, query = url.partition("?")
    if query and "=" in query and (found := _query_date(query)):
        return found
    match = _path_date(path)
    if match is None or _digit(query):
        return None
    month = match[2] or match[4]
    return Date(int(match[1]), sure=bool(match[3] or match[5]) or len(month) == 2)


def _query_date(query: str) -> Date | None:
    year, dated = 0, False
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if not _digit(value):
            continue
        if name.lower() not in _DATE_NAMES:
            return None
        dated = True
        if match := _value_date(value):
            year = int(match[1])
    return Date(year, True) if dated else None


def without_session(url: str) -> str:
    """The address less its session ids; empty when it has none."""
    if ("?" not in url and ";" not in url and "/(" not in url) or _may_have_session(url) is None:
        return ""
    bare, mark, query = url.partition("?")
    bare = _path_session("", bare)
    query = _session("", mark + query)[1:].removesuffix("&") if mark else ""
    bare = f"{bare}?{query}" if query else bare
    return bare if bare != url and bare != url.removesuffix("?") else ""
