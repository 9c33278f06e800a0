"""How far a crawl may go: the places, kinds of files and depth that its links may have (003 §3.3, tables 2 and 3).

A place is a domain with everything under it (`psu.edu`), a host (`http://clgiles.ist.psu.edu`) or what lies below a
path, such as a user's directory (`psu.edu/~giles`). Whether it is reached by http or https makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Link, host_of
from pinakes.formats.url import canonical
from pinakes.web.patterns import LONGEST, pattern

PAPER_IGNORED = ("jpg", "bmp", "gif", "png", "jpeg", "mpg", "mpeg", "avi")
"""The file types of 003 table 2."""
_PICTURES = "jpg jpeg jpe gif png bmp tif tiff webp avif heic ico svg psd xbm xpm pbm pgm ppm raw"
_MEDIA = (
    "mpg mpeg mpe avi mov qt mp4 m4v mkv webm wmv flv swf mp3 m4a ogg ogv oga wav au aif aiff ra ram wma mid midi flac"
)
_ARCHIVES = "zip tar tgz tbz gz z bz2 xz 7z rar lha lzh arj sit hqx cab iso img jar war whl"
_PROGRAMS = "exe msi dll so o obj class pyc bin dmg pkg deb rpm apk bat"
_FURNITURE = "css js mjs map woff woff2 ttf otf eot"
IGNORED_TYPES = tuple(" ".join((_PICTURES, _MEDIA, _ARCHIVES, _PROGRAMS, _FURNITURE)).split())
"""What is ignored unless one says otherwise: nothing in it can be read as a page or a document."""
DOCUMENT_TYPES = ("pdf", "ps", "eps", "dvi", "djvu", "doc", "docx", "odt", "rtf", "tex")
IGNORED_RELS = ("ugc", "sponsored")
"""Links that a site does not answer for: written by its users, or paid for. `nofollow` alone is a hint for rankings."""
_SQUEEZED = frozenset({"gz", "z", "bz2", "xz"})
_document_address = re.compile(r"//arxiv\.org/pdf/|/pdf\?|[?&/=.]pdf(?:\Z|[/&])", re.IGNORECASE).search
_paper_anchor = re.compile(
    r"\W*(?:pdf|postscript|ps|paper|full ?(?:text|paper|version)|preprint|pre-print|eprint|e-print|arxiv|"
    r"author'?s? (?:copy|version)|open access|technical report|tech ?report|download(?: pdf)?)\W*",
    re.IGNORECASE,
).fullmatch
_extension = re.compile(r"[^/:]\.([A-Za-z0-9]{1,5})(?:\.([A-Za-z0-9]{1,5}))?\Z").search


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules. Everything may be given as a person writes it; what makes no sense is named with the fix."""

    allow: Sequence[str] = ()
    """Places to stay in; without any, the whole web."""
    ignore: Sequence[str] = ()
    """Places to keep out of, also inside those allowed."""
    elsewhere: Sequence[str] = ()
    """File types that are wanted from anywhere: 003 takes papers from outside its places too."""
    papers: bool = False
    """Also follow, from inside the places, links that look as if they led to a paper, and the papers behind them."""
    types: Sequence[str] = ()
    """When given, only files of these types are wanted, and pages, which have no type or an HTML one."""
    ignore_types: Sequence[str] = IGNORED_TYPES
    match: Sequence[str] = ()
    """Regular expressions one of which must be found in the address."""
    reject: Sequence[str] = ()
    """Regular expressions none of which may be found in the address."""
    ignore_rel: Sequence[str] = IGNORED_RELS
    """Words of a link's `rel` that keep it from being followed."""
    schemes: Sequence[str] = ("http", "https")
    depth: int | None = None
    """Links followed from a seed, at most."""
    per_host: int | None = None
    """Pages of one host, at most; counted by `Border`, for a rule keeps no count."""
    _allowed: _Places = field(init=False, repr=False, compare=False)
    _ignored: _Places = field(init=False, repr=False, compare=False)
    _wanted: frozenset[str] = field(init=False, repr=False, compare=False)
    _unwanted: frozenset[str] = field(init=False, repr=False, compare=False)
    _disowned: frozenset[str] = field(init=False, repr=False, compare=False)
    _match: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _reject: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in (
            "allow",
            "ignore",
            "elsewhere",
            "types",
            "ignore_types",
            "match",
            "reject",
            "ignore_rel",
            "schemes",
        ):
            self._set(name, _strings(name, getattr(self, name)))
        for name in ("elsewhere", "types", "ignore_types"):
            self._set(name, tuple(kind.strip().lstrip(".").lower() for kind in getattr(self, name)))
        for name in ("depth", "per_host"):
            self._set(name, _number(name, getattr(self, name)))
        for scheme in self.schemes:
            if scheme not in ("http", "https"):
                raise PinakesError(f"The scope's scheme {scheme} cannot be crawled; use http, https or both.")
        self._set("_allowed", _Places(self.allow))
        self._set("_ignored", _Places(self.ignore))
        self._set("_wanted", frozenset((*self.types, *self.elsewhere, *_PAGES)) if self.types else frozenset())
        self._set("_unwanted", frozenset(self.ignore_types) - {*self.types, *self.elsewhere})
        self._set("_disowned", frozenset(word.strip().lower() for word in self.ignore_rel))
        self._set("_match", tuple(map(pattern, self.match)))
        self._set("_reject", tuple(map(pattern, self.reject)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __call__(self, link: Link) -> str:
        """`scope` when a rule refuses the link, else the empty string: what the engine asks."""
        return "scope" if self.rule(link) else ""

    def rule(self, link: Link) -> str:
        """The rule that refuses a link: `scheme`, `depth`, `rel`, `type`, `ignore`, `allow` or `pattern`."""
        url = link.url
        if url.partition("://")[0] not in self.schemes:
            return "scheme"
        if self.depth is not None and link.depth > self.depth:
            return "depth"
        if link.rel and self._marked(link):
            return "rel"
        kind = extension(url)
        if kind and (kind in self._unwanted or (self._wanted and kind not in self._wanted)):
            return "type"
        if self.ignore and self._ignored.hold(url):
            return "ignore"
        if self.allow and kind not in self.elsewhere and not self._allowed.hold(url) and not self._paper(link):
            return "allow"
        if self._match or self._reject:
            if len(url) > LONGEST or (self._match and not any(one.search(url) for one in self._match)):
                return "pattern"
            for one in self._reject:
                if one.search(url):
                    return "pattern"
        return ""

    def varies(self, link: Link) -> bool:
        """True when what is said of a link may depend on more than its address."""
        return self.depth is not None or self.papers or (bool(link.rel) and self._marked(link))

    def holds(self, url: str) -> bool:
        """True when an address lies in one of the allowed places."""
        return bool(self._allowed.hold(url))

    def _marked(self, link: Link) -> bool:
        return not self._disowned.isdisjoint(link.rel.split())

    def _paper(self, link: Link) -> bool:
        """True for a link that looks like one to a paper; one that only its anchor calls so counts inside."""
        if not self.papers:
            return False
        if _document_address(link.url):
            return True
        called = _paper_anchor(link.anchor.strip())
        return bool(called) and bool(link.parent) and bool(self._allowed.hold(link.parent))

    def plain(self) -> dict[str, Any]:
        """The rules as plain data, for a recipe."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Scope:
        """The rules from plain data: a recipe, a table of TOML, or options; hyphens count as underscores."""
        given = {name.replace("-", "_"): value for name, value in data.items()}
        known = [one.name for one in fields(cls) if one.init]
        for name in given:
            if name not in known:
                raise PinakesError(f"A scope has no rule '{name}'; it has {', '.join(known)}.")
        return cls(**given)


WORDS = {
    "scheme": "only addresses of the wanted schemes, http and https, are followed",
    "depth": "it is more links from a seed than are followed",
    "rel": "it was met only as a link that its site does not answer for: of users (ugc) or paid for (sponsored)",
    "type": "files of its type are not wanted",
    "ignore": "it lies in a place that is ignored",
    "allow": "it lies in none of the allowed places",
    "pattern": f"it matches a rejected pattern or none of the wanted ones, or has more than {LONGEST} characters",
    "per_host": "its host has given the pages it may",
}
"""The rules in words."""

_PAGES = ("html", "htm", "xhtml", "shtml", "php", "php3", "asp", "aspx", "jsp", "cgi", "pl", "do", "cfm")


def extension(url: str) -> str:
    """The file type an address ends in, lower case; of a squeezed file (`paper.ps.gz`) the one inside.

    A page about a file (`/wiki/File:Owl.jpg`) has none, nor has a bare host.
    """
    path = url.partition("?")[0]
    start = path.rfind("/") + 1
    if start < 9 or path.find(".", start) < 0 or ":" in path[start:]:
        return ""
    found = _extension(path, start)
    if found is None:
        return ""
    first, second = found[1].lower(), (found[2] or "").lower()
    return first if not second or second in _SQUEEZED else second


class _Places:
    """A set of places: asked in time that depends on the address alone, however many there are."""

    __slots__ = ("_domains", "_hosts", "_paths", "_with_paths")

    def __init__(self, given: Iterable[str]) -> None:
        self._domains, self._hosts, self._paths = dict[str, str](), dict[str, str](), dict[str, str]()
        for text in given:
            written = text.strip().removeprefix("*.")
            address = canonical(written if "://" in written else f"http://{written}")
            if not address or "@" in written.partition("://")[2 if "://" in written else 0].partition("/")[0]:
                raise PinakesError(
                    f"The place {text} makes no sense; write a domain (example.org), a host (http://www.example.org) "
                    "or the beginning of an address (example.org/~user)."
                )
            host, path = host_of(address), "/" + address.split("/", 3)[3].rstrip("/")
            if path != "/":
                self._paths[host + path] = text
            elif "://" in written or ":" in host:
                self._hosts[host] = text
            else:
                self._domains[host] = text
        self._with_paths = {place.partition("/")[0] for place in self._paths}

    def hold(self, url: str) -> str:
        """The place, as it was written, that an address lies in; empty when it lies in none."""
        place = url.partition("://")[2]
        host = place.partition("/")[0]
        if host in self._hosts:
            return self._hosts[host]
        if self._domains:
            name = host.partition(":")[0]
            while name:
                if name in self._domains:
                    return self._domains[name]
                name = name.partition(".")[2]
        if host in self._with_paths:
            # A rule may name a query, so that is tried first; then the path, its folder, and so on up.
            while place:
                if place in self._paths:
                    return self._paths[place]
                place = place[: max(place.rfind("/"), place.rfind("?"), 0)]
        return ""


def _strings(name: str, given: Any) -> tuple[str, ...]:
    listed = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(one, str) for one in listed):
        raise PinakesError(f"The scope's {name} is a list of strings, such as {name} = ['…', '…'].")
    return listed


def _number(name: str, given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not str(given).isdecimal():
        raise PinakesError(f"The scope's {name} is a whole number, not {given}.")
    return int(given)
