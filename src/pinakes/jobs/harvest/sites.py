"""Whose room an address stands in: the part of the web that one homepage rules.

A homepage has a host of its own (`annaberg.org`, `aberg.github.io`), or a room on a shared one: a `~user` directory, a
directory below `people`, `users` and the like, or on a host that is called so (`homepages.uni.example/berg/`), or a
directory named after the person. Publishers, libraries and directories of people are no homepages at all (003 table 1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pinakes.text.names import PersonName, folded

if TYPE_CHECKING:
    from tldextract import TLDExtract

_ROOM_NAMES = (
    "people person persons users user home homes staff faculty members member personal profs professors students "
    "alumni team sites site view u"
)
_ROOMS = frozenset(_ROOM_NAMES.split())
_HOST_NAMES = (
    "people homepages homepage home homes users user staff staffweb faculty members personal personalpages perso "
    "personal-pages pages www-users wwwuser userpages webhome profs students"
)
_SHARED = frozenset(_HOST_NAMES.split())
"""First names of hosts on which everybody has a directory."""
_PUBLISHER_HOSTS = """
    acm.org ieee.org springer.com springerlink.com sciencedirect.com elsevier.com wiley.com tandfonline.com sagepub.com
    oup.com cambridge.org mdpi.com frontiersin.org plos.org nature.com sciencemag.org science.org hindawi.com
    worldscientific.com jstor.org emerald.com aip.org aps.org iop.org siam.org usenix.org aaai.org ijcai.org jair.org
    jmlr.org mlr.press nips.cc neurips.cc openreview.net aclanthology.org aclweb.org vldb.org dagstuhl.de lipics.org
    arxiv.org biorxiv.org medrxiv.org ssrn.com hal.science archives-ouvertes.fr eprint.iacr.org zenodo.org figshare.com
    osf.io dblp.org dblp.uni-trier.de semanticscholar.org researchgate.net academia.edu citeseerx.ist.psu.edu
    scholar.google.com scholar.archive.org core.ac.uk base-search.net worldcat.org crossref.org doi.org orcid.org
    publons.com scopus.com webofscience.com mendeley.com paperswithcode.com connectedpapers.com openalex.org
    genealogy.math.ndsu.nodak.edu wikipedia.org wikidata.org wikimedia.org archive.org google.com bing.com amazon.com
    goodreads.com youtube.com vimeo.com slideshare.net speakerdeck.com linkedin.com twitter.com x.com facebook.com
    instagram.com reddit.com stackoverflow.com stackexchange.com github.com gitlab.com bitbucket.org medium.com
    crunchbase.com ratemyprofessors.com easychair.org hotcrp.com meetup.com imdb.com
    iospress.nl
"""
_PUBLISHERS = frozenset(_PUBLISHER_HOSTS.split())
_HOSTING = frozenset(("sites.google.com",))
"""Hosts of homepages on a domain that is otherwise none."""
_LIBRARY_TITLE = re.compile(
    r"\b(digital library|publisher|proceedings of|table of contents|ieee xplore|acm dl|abstracts? and full ?text|"
    r"journal of|search results|library catalogu?e)\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\.(pdf|ps|eps|dvi|gz|bz2|zip|tar|tgz|docx?|pptx?|xlsx?|odt|odp|txt|bib|tex|xml|json|csv|jpe?g|png|gif|svg|mp[34])$",
    re.IGNORECASE,
)


def domain_of(url: str, private: bool = False) -> str:
    """The registered domain of an address: `inf.uni.ac.uk` is in `uni.ac.uk`. With `private`, hosts that give rooms to
    strangers (`github.io`) divide what lies below them, as registries do."""
    host = urlsplit(url).hostname or ""
    known = _extractor(private)(host)
    return known.top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


@cache
def _extractor(private: bool) -> TLDExtract:
    from tldextract import TLDExtract  # slow to load, and seldom needed

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=private)


def is_neighbour(url: str, other: str) -> bool:
    """True for two rooms in one domain (003 table 1); one that lets rooms to everybody says nothing."""
    if any((urlsplit(one).hostname or "") in _HOSTING for one in (url, other)) or site_of(url) == site_of(other):
        return False
    return bool(domain_of(url, True)) and domain_of(url, True) == domain_of(other, True)


def site_of(url: str, name: PersonName | None = None) -> str:
    """The room an address stands in, as the address of its front door; where nothing else tells, a directory that is
    called after the person of that name."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    origin = f"{parts.scheme}://{parts.netloc}/"
    for at, segment in enumerate(segments[:4]):
        if unquote(segment).startswith("~") and len(segment) > 1:
            return origin + "/".join(segments[: at + 1]) + "/"
        rooms = len(segments) > at + 1 and not _is_file(segments[at + 1])
        if rooms and segment.lower() in _ROOMS:
            return origin + "/".join(segments[: at + 2]) + "/"
    host = (parts.hostname or "").split(".")
    if host[0] in _SHARED and len(host) > 2 and segments and not _is_file(segments[0]):
        return origin + segments[0] + "/"
    if name is not None and not any(_named(label, name) for label in host[:-1]):
        for at, segment in enumerate(segments[:4]):
            if not _is_file(segment) and _named(segment, name):
                return origin + "/".join(segments[: at + 1]) + "/"
    return origin


def is_front_door(url: str, name: PersonName | None = None) -> bool:
    """True for the first page of a room: its directory, or an index page in it."""
    rest = f"{url.split('?', 1)[0]}/".removeprefix(site_of(url, name)).rstrip("/")
    return not rest or bool(re.fullmatch(r"(index|home|default|welcome|main|about)(\.\w{2,5})?/?", rest, re.IGNORECASE))


def why_no_homepage(url: str, title: str) -> str:
    """Table 1's false positives: the rule that removes an address, or nothing."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    labels = host.split(".")
    if host not in _HOSTING and any(".".join(labels[at:]) in _PUBLISHERS for at in range(len(labels))):
        return "publisher or library"
    if _DOCUMENT.search(parts.path):
        return "not a page"
    return "publisher or library" if _LIBRARY_TITLE.search(title) else ""


def address_names(url: str, name: PersonName) -> bool:
    """True when the room's own address is made of the person's name: `aberg`, `anna-berg`, `bergan`, `~berg`."""
    parts = urlsplit(site_of(url, name))
    labels = (parts.hostname or "").split(".")[:-1] or [parts.hostname or ""]
    last = [segment for segment in parts.path.split("/") if segment][-1:]
    pieces = [*last] if last else labels
    return any(_named(piece, name) for piece in pieces)


def _named(piece: str, name: PersonName) -> bool:
    return _made_of(re.sub(r"[^a-z]", "", folded(unquote(piece))), name)


def _made_of(piece: str, name: PersonName) -> bool:
    surname, given = name.joined, name.given
    if len(piece) < 4 or not given or len(surname) < 2:
        return False
    if piece == surname or (len(surname) >= 5 and surname in piece):
        return True
    return any(_joined(piece, first, surname) for first in _spellings(given))


def _joined(piece: str, first: str, surname: str) -> bool:
    """The piece is a beginning of the first name and one of the surname, in either order, long enough to tell."""
    for cut in range(len(piece) + 1):
        for a, b in ((piece[:cut], piece[cut:]), (piece[cut:], piece[:cut])):
            # `a` is of the first name, `b` of the surname; a letter of a middle name may stand between them.
            if first.startswith(a) and a and (surname.startswith(b) or surname.startswith(b[1:])):
                enough = min(4, len(surname))
                if len(b) >= enough and len(piece) >= 5:
                    return True
                if len(a) >= 4 and len(b) >= 1 and surname.startswith(b) and len(a) == len(first):
                    return True
    return False


def _spellings(given: Sequence[str]) -> list[str]:
    return ["".join(given), given[0]] if len(given) > 1 else [given[0]]


def _is_file(segment: str) -> bool:
    return "." in segment
