"""The one canonical form of a web address.

Two addresses are the same page to Pinakes exactly when their canonical forms are equal. The form is WHATWG's, less
fragment and credentials, with percent-escapes normalised; the query keeps its order, for order can matter.
A page has a hundred links and most are plain, so what is visibly canonical already skips the full parser, in C
(`_url.c`) where that could be compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import ada_url

_REVISION = 1
try:
    from pinakes.formats import _url
except ImportError:  # it was not compiled
    QUICK = None
else:  # or it was, of another state of these files
    QUICK = _url.joined if _url.REVISION == _REVISION else None

LONGEST = 2000
"""Addresses longer than this lead nowhere: they are traps or data."""

_LONGEST_INPUT = 4 * LONGEST

# What the full parser would leave as it is. An escape is plain when it is upper-case and does not stand for an
# unreserved character. Dot segments are looked for apart: all start with "/.", or are the first segment.
_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_RUN = r"[A-Za-z0-9_~!$&()*+,;=:@./-]*+"
_REST = rf"{_RUN}(?:{_ESCAPE}{_RUN})*+(?:\?{_RUN}(?:{_ESCAPE}{_RUN})*+)?"
_plain_absolute = re.compile(rf"https?://(?!\S*xn--)(?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*/(?!/){_REST}").fullmatch
# A colon before the first slash might end a scheme. The group is what leads up: "../../", "/" or nothing.
_plain_relative = re.compile(rf"((?:\.\./)*+|/)(?![.?/])(?![^/?]*:){_REST}").fullmatch

_escape = re.compile(r"%([0-9A-Fa-f]{2})")
_stray_percent = re.compile(r"%(?![0-9A-Fa-f]{2})").search
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonical(url: str, base: str = "") -> str:
    """The canonical form of `url`, taken relative to `base`; the empty string when it leads nowhere on the web."""
    if base:
        return Base(base).join(url)
    if len(url) <= LONGEST and "/." not in url and _plain_absolute(url):
        return url
    return _parsed(url, "")


class Base:
    """An address that others are relative to: `join` is `canonical` with the base taken apart once."""

    __slots__ = ("_folders", "url")

    def __init__(self, url: str) -> None:
        self.url = canonical(url)
        self._folders: list[str] = []
        """The folder of the base, its parent, and so on up to the root; each ends with a slash."""
        if self.url:
            folder = self.url.partition("?")[0].rpartition("/")[0]
            while folder.count("/") > 2:
                self._folders.append(folder + "/")
                folder = folder.rpartition("/")[0]
            self._folders.append(folder + "/")

    def join(self, url: str) -> str:
        if QUICK is not None and (found := QUICK(self._folders, url)) is not None:
            return found
        return self.joined(url)

    def join_all(self, urls: Iterable[str]) -> list[str]:
        """`join` of each."""
        if QUICK is None:
            return [self.joined(url) for url in urls]
        quick, folders = QUICK, self._folders
        return [self.joined(url) if (found := quick(folders, url)) is None else found for url in urls]

    def joined(self, url: str) -> str:
        """`join` in Python alone."""
        if "#" in url:
            url = url.partition("#")[0]
        if not url:
            return self.url
        if len(url) <= LONGEST and (folders := self._folders):
            if plain := _plain_relative(url):
                up = plain.end(1)
                if "/." not in url[up:]:
                    if not up:
                        return _bounded(folders[0] + url)
                    if up == 1:
                        return _bounded(folders[-1] + url[1:])
                    return _bounded(folders[min(up // 3, len(folders) - 1)] + url[up:])
            elif "/." not in url and _plain_absolute(url):
                return url
        return _parsed(url, self.url)


def _bounded(url: str) -> str:
    return url if len(url) <= LONGEST else ""


def _parsed(url: str, base: str) -> str:
    url = url.partition("#")[0]
    if len(url) > _LONGEST_INPUT:
        return ""
    try:
        url = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:
        return ""
    if not url.startswith(("http://", "https://")):
        return ""
    scheme, _, rest = url.partition("://")
    host, slash, rest = rest.partition("/")
    host = host.rpartition("@")[2]
    name, colon, port = host.partition(":") if not host.startswith("[") else (host, "", "")
    if name.endswith("."):
        name = name.rstrip(".")
        # Without its dots a name may read as a number, that is, as another host.
        return _parsed(f"{scheme}://{name}{colon}{port}/{rest}", "") if name else ""
    if "%" in rest and not _stray_percent(rest):  # near a stray per cent sign decoding could make a new escape
        rest = _escape.sub(_normal_escape, rest)
    return _bounded(f"{scheme}://{host}{slash}{rest}")


def _normal_escape(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()
