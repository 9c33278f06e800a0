"""Login cookies, off unless a person hands them over for a site.

A file of cookies belongs to one site: a scheme, host and port. Its cookies go to that site and nowhere else, whatever
the file or a redirect says, and cookies that servers set are not kept at all.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical

if TYPE_CHECKING:
    from tldextract import TLDExtract

_LARGEST = 1 << 20
_FIELDS = 7


class _Cookie(NamedTuple):
    path: str
    expires: float
    pair: str


class Cookies:
    """The Cookie header for each address, from files in the Netscape format that browsers and curl export."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        """`files`: the site's address, such as `https://library.example.org`, to its file of cookies."""
        self._sites: dict[str, list[_Cookie]] = {}
        if not files:
            return
        from tldextract import TLDExtract  # slow to load, and seldom needed

        # The list of public suffixes ships with the package; nothing is fetched.
        suffixes = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
        for address, file in files.items():
            site = site_of(canonical(address))
            if not site:
                raise PinakesError(f"The login '{address}' is not a site; write it like https://library.example.org.")
            self._sites[site] = _read(file, site, suffixes)

    def header(self, url: str, now: float | None = None) -> str:
        """What to send with a request for a canonical address; empty when nothing."""
        cookies = self._sites.get(site_of(url)) if self._sites else None
        if not cookies:
            return ""
        path = "/" + url.split("/", 3)[3].partition("?")[0]
        now = time.time() if now is None else now
        return "; ".join(
            cookie.pair
            for cookie in cookies
            if (not cookie.expires or cookie.expires > now) and _under(path, cookie.path)
        )


def site_of(url: str) -> str:
    """Scheme, host and port of a canonical address."""
    return "/".join(url.split("/", 3)[:3])


def _under(path: str, folder: str) -> bool:
    return path == folder or (path.startswith(folder) and (folder.endswith("/") or path[len(folder)] == "/"))


def _read(file: Path, site: str, suffixes: TLDExtract) -> list[_Cookie]:
    try:
        text = file.expanduser().read_bytes()[:_LARGEST].decode("utf-8", "replace")
    except OSError as error:
        raise PinakesError(f"The cookies {file} for {site} cannot be read: {error.strerror}.") from None
    scheme, _, host = site.partition("://")
    host = host.partition(":")[0]
    found = list[_Cookie]()
    for line in text.splitlines():
        fields = line.removeprefix("#HttpOnly_").split("\t")
        if len(fields) != _FIELDS or line.startswith("# "):
            continue
        domain, subdomains, path, secure, expires, name, value = fields
        domain = domain.lstrip(".").lower()
        covers = host == domain or (subdomains.upper() == "TRUE" and host.endswith("." + domain))
        if not covers or not _owned(domain, suffixes) or (secure.upper() == "TRUE" and scheme != "https"):
            continue
        if name and not any(character in name + value for character in "\r\n;\0") and (name + value).isascii():
            found.append(_Cookie(path or "/", float(expires) if expires.isdecimal() else 0.0, f"{name}={value}"))
    if not found:
        raise PinakesError(f"{file} has no cookies for {site}; export them from a browser that is logged in there.")
    return found


def _owned(domain: str, suffixes: TLDExtract) -> bool:
    """False for a public suffix such as `co.uk`, whose cookies would go to everybody below it."""
    parts = suffixes(domain)
    return bool(parts.domain) or not parts.suffix
