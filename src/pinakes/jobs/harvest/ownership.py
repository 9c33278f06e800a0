"""Whose homepage is this? What a page says for and against its being a given author's own.

003 §3.2 goes by the page's title alone and is fooled by namesakes and by co-authors whose pages name the author. Here
a page also speaks by the name at its head, by its address, and by the author's own papers and co-authors on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.core.counting import count_of
from pinakes.core.page import Page
from pinakes.jobs.harvest.sites import address_names, is_front_door
from pinakes.text.names import Agreement, PersonName, name_words

HEAD = 40
"""Words at the beginning of a page in which its owner introduces himself."""
MOST_CHARACTERS = 400_000
WORK = 1.5
"""What one of the author's papers on a site counts; two are as good as twenty."""
NEIGHBOUR = 1.5
"""What a co-author's homepage in the same domain counts: as much as a paper, for a namesake seldom has either."""
LEAST = 4.0
"""Evidence that makes a site somebody's own: for instance the name in the title of its front door."""

LISTING, LINKED = 150, 5
"""Words of a page that is called a list of papers and really is one; or that links to so many papers."""
_PAPER = re.compile(
    r"\.(pdf|ps|ps\.gz)$|//(www\.)?(arxiv\.org|(dx\.)?doi\.org|dl\.acm\.org|ieeexplore\.ieee\.org|link\.springer\.com|"
    r"openreview\.net|aclanthology\.org|eprint\.iacr\.org|proceedings\.mlr\.press)/",
    re.IGNORECASE,
)
PAPERS = re.compile(r"publi[ck]a|pubblicaz|papers|\bpubs?\b|bibliograph|schriften|论文|論文|业绩|業績", re.IGNORECASE)
"""What lists of papers are called."""
_ACADEMIC = re.compile(
    r"publi[ck]ation|pubblicazion|publicacion|\bpapers?\b|\bresearch|\brecherche|forschung|\bricerc|investigaci|universi|"
    r"professor|\bph\.? ?d\b|doctora|\bthesis\b|proceedings|\bjournal\b|arxiv|laborator|\binstitut|lecturer|scientist|"
    r"computer science|大学|研究|论文|論文|학교|연구|университет|исследован",
    re.IGNORECASE,
)
_HOME_TITLE = re.compile(
    r"home[ -]?page|\bweb(?:[ -]?(?:site|page)s?)?\b|\bresearch|publication|\bpapers\b", re.IGNORECASE
)
"""Table 1's words of homepages."""
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_HOME_TEXT = re.compile(
    r"\b(my (research|work|publications|papers|interests|students|cv|name is|advisor|phd)|i am an?\b|i'm an?\b|i work|"
    r"about me|curriculum vitae|home ?page|selected publications|research interests)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Author:
    """A person of the metadata, and what the metadata says of them."""

    name: str
    titles: tuple[str, ...]
    """Titles of their papers, normalised to words."""
    coauthors: tuple[str, ...]
    venues: tuple[str, ...]
    affiliations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ownership:
    """The evidence that a page is an author's own."""

    title: Agreement
    head: Agreement
    address: bool
    front: bool
    personal: bool
    """The page speaks of itself as a person does."""
    works: int
    """How many of the author's papers it names."""
    coauthors: int
    affiliation: bool
    academic: bool
    """The page speaks of research."""
    listing: bool
    """It is a list of papers, and long enough that one of the author's should be in it."""
    priority: str
    """Table 1's: `high` when the title has the name and a word of homepages, `medium` with such a word, else `low`."""
    neighbour: bool = False
    """The homepage of a co-author is in the same domain (table 1)."""

    @property
    def score(self) -> float:
        """How much the page speaks for being the author's; their papers are counted for the whole site."""
        named = 3.0 * (self.title == Agreement.FULL) + 2.0 * (self.head == Agreement.FULL)
        if not named and not self.address:
            return 0.0  # a page that neither names nor is named after the author is not theirs, whatever it lists
        known = 0.5 * min(self.coauthors, 2) + 1.0 * self.affiliation + NEIGHBOUR * self.neighbour
        return named + 2.0 * self.address + 1.0 * self.front + 0.5 * self.personal + known

    @property
    def acquainted(self) -> bool:
        """True when the page knows something of the author that a namesake's would not."""
        return bool(self.works or self.coauthors or self.affiliation or self.neighbour)

    @property
    def introduces(self) -> bool:
        """True when the page itself says whose it is."""
        return self.address or Agreement.FULL in (self.title, self.head)

    def in_words(self) -> str:
        """The evidence, for a person to read."""
        said = [
            "the name is in the title" if self.title == Agreement.FULL else "",
            "the name is at the head of the page" if self.head == Agreement.FULL else "",
            "the address is made of the name" if self.address else "",
            "it is a front door" if self.front else "",
            "it speaks as a person" if self.personal else "",
            f"it names {self.works} of the author's papers" if self.works else "",
            f"it names {count_of(self.coauthors, 'co-author')}" if self.coauthors else "",
            "it names the affiliation" if self.affiliation else "",
            "a co-author's homepage is in the same domain" if self.neighbour else "",
        ]
        return "; ".join(filter(None, said)) or "nothing speaks for it"


class PageWords:
    """A page as many authors are compared with it: its words are folded once."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # `Anna Berg's Homepage` names Anna Berg.
        self.title = name_words(_POSSESSIVE.sub("", page.title))
        self.text = name_words(_POSSESSIVE.sub("", page.text[:MOST_CHARACTERS]))
        self.known = frozenset(self.text)
        self.running = f" {' '.join(self.text)} "
        self.homely = bool(_HOME_TITLE.search(page.title))
        self.personal = bool(_HOME_TEXT.search(page.text[:20_000]))
        self.academic = bool(_ACADEMIC.search(page.text[:MOST_CHARACTERS]))
        last = page.url.split("?", 1)[0].rstrip("/").rpartition("/")[2]
        papers = {link.url for link in page.links if _PAPER.search(link.url)}
        named = bool(PAPERS.search(f"{page.title} {last}"))
        self.listing = len(self.text) >= LISTING and (named or len(papers) >= LINKED)

    def says(self, words: str) -> bool:
        """True when a run of at least three words stands on the page."""
        return words.count(" ") >= 2 and f" {words} " in self.running

    def names(self, name: PersonName) -> Agreement:
        return name.named_in(self.text) if self.known.issuperset(name.surname) else Agreement.NONE


def ownership(author: Author, page: PageWords) -> Ownership:
    """Weigh a page as the homepage of an author."""
    name = PersonName.read(author.name)
    in_title = name.named_in(page.title)
    others = [PersonName.read(other) for other in author.coauthors[:20]]
    return Ownership(
        title=in_title,
        head=name.named_in(page.text[:HEAD]),
        address=address_names(page.page.url, name),
        front=is_front_door(page.page.url, name),
        personal=page.personal,
        works=sum(page.says(title) for title in author.titles),
        coauthors=sum(page.names(other) == Agreement.FULL for other in others),
        affiliation=any(page.says(same_words(place)) for place in author.affiliations),
        academic=page.academic,
        listing=page.listing,
        priority="high" if page.homely and in_title == Agreement.FULL else "medium" if page.homely else "low",
    )


def same_words(title: str) -> str:
    """A title as it is looked for in a page's words."""
    return " ".join(name_words(title))


def authors_of(papers: Sequence[tuple[str, Sequence[str], str]]) -> list[Author]:
    """The distinct authors of papers given as (title, authors, venue), in the order of first meeting."""
    titles: dict[str, dict[str, None]] = {}
    others: dict[str, dict[str, None]] = {}
    venues: dict[str, dict[str, None]] = {}
    for title, names, venue in papers:
        for name in names:
            titles.setdefault(name, {})[same_words(title)] = None
            others.setdefault(name, {}).update(dict.fromkeys(other for other in names if other != name))
            venues.setdefault(name, {})[venue] = None
    return [
        Author(name, tuple(titles[name]), tuple(others[name]), tuple(filter(None, venues[name]))) for name in titles
    ]
