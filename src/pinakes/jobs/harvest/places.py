"""Where a harvest may go: round each homepage, round the venue's site, and after likely papers wherever they lie.

The paper kept its crawler inside the authors' domains and lost 29 of the 35 papers it missed to that (003 §4.1). Here
a file of a document's type is fetched wherever it lies, and so is a page that a link calls a paper; what such a page
links to is not followed further, unless it is a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from pinakes.core.errors import PinakesError
from pinakes.jobs.harvest.sites import domain_of, site_of
from pinakes.text.names import PersonName
from pinakes.web.scope import Scope

DOCUMENTS = ("pdf", "ps", "eps", "gz")
"""Types that are fetched from anywhere; `paper.ps.gz` is a `ps`."""
AROUND = ("auto", "directory", "host", "domain")
SHADOWS = ("sci-hub", "scihub", "libgen", "library genesis", "z-lib", "zlibrary", "annas-archive", "bookfi", "booksc")
"""Names of libraries that hold what they may not: nothing is ever fetched from hosts called like them."""


def places_of(homepage: str, around: str = "auto", name: str = "") -> tuple[str, ...]:
    """The part of the web that the homepage of somebody of that name stands for, as places of a scope."""
    parts = urlsplit(homepage)
    host = parts.netloc
    if around == "domain":
        return (domain_of(homepage),)
    room = urlsplit(site_of(homepage, PersonName.read(name)) if around == "auto" else homepage).path
    folder = room[: room.rfind("/") + 1].strip("/")
    twin = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    if around == "host" or not folder:
        return (f"http://{host}", f"http://{twin}")
    return (f"{host}/{folder}", f"{twin}/{folder}")


def harvest_scope(scope: Scope, homepages: Mapping[str, str], venues: Iterable[str], around: str) -> Scope:
    """A person's scope with the places of homepages (by their owners' names) and of venues' sites allowed."""
    if around not in AROUND:
        raise PinakesError(f"--around {around} is none of {', '.join(AROUND)}.")
    allow = [place for name, url in homepages.items() for place in places_of(url, around, name)]
    # A venue's site is a host, or one year's directory of it.
    allow += [place for url in venues for place in places_of(url, "directory")]
    return replace(
        scope,
        allow=tuple(dict.fromkeys([*scope.allow, *allow])),
        elsewhere=tuple(dict.fromkeys([*scope.elsewhere, *DOCUMENTS])),
        papers=True,
        reject=(*scope.reject, *(rf"^https?://[^/]*{name.replace(' ', '')}" for name in SHADOWS)),
    )
