"""Whose homepage is it: sites, ownership, and the homepage database on a small web."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Hit
from pinakes.jobs.harvest.homepages import Homepages, find_homepages
from pinakes.jobs.harvest.ownership import PageWords, authors_of, ownership
from pinakes.jobs.harvest.sites import address_names, is_front_door, site_of, why_no_homepage
from pinakes.text.names import PersonName


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://aberg.example.org/papers/x.html", "https://aberg.example.org/"),
        ("http://cs.example.edu/~berg/pub/list.html", "http://cs.example.edu/~berg/"),
        ("http://cs.example.edu/dept/people/berg/cv.html", "http://cs.example.edu/dept/people/berg/"),
        ("http://cs.example.edu/people/list.html", "http://cs.example.edu/"),
        ("https://sites.google.com/view/annaberg/home", "https://sites.google.com/view/annaberg/"),
    ],
)
def test_the_room_an_address_stands_in(url: str, site: str) -> None:
    assert site_of(url) == site
    assert is_front_door(site)
    assert is_front_door(f"{site}index.html")


def test_publishers_and_documents_are_no_homepages() -> None:
    assert why_no_homepage("https://dl.acm.org/profile/1", "Anna Berg") == "publisher or library"
    assert why_no_homepage("https://berg.example.org/cv.pdf", "") == "not a page"
    assert why_no_homepage("https://example.org/x", "Proceedings of the Tenth Workshop") == "publisher or library"
    assert not why_no_homepage("https://sites.google.com/view/annaberg", "Anna Berg")


@pytest.mark.parametrize(
    ("url", "made"),
    [
        ("https://aberg.github.io/", True),
        ("https://annaberg.org/x.html", True),
        ("http://cs.example.edu/~abergst/", True),
        ("http://cs.example.edu/~akbergstrom/", True),
        ("https://www.bergstrom.dk/", True),
        ("https://xyz.github.io/", False),
        ("https://arneb.org/", False),
        ("https://bergen.example.org/", False),
    ],
)
def test_an_address_made_of_a_name(url: str, made: bool) -> None:
    name = PersonName.read(
        "Anna Bergstrom" if "bergst" in url or url.endswith(("arneb.org/", "xyz.github.io/")) else "Anna Berg"
    )
    assert address_names(url, name) == made


PAGES = {
    "https://aberg.example.org/": ("Anna Berg", "Anna Berg. I am a professor. Papers with Carl Dale."),
    "https://aberg.example.org/papers.html": ("Papers", "Deep owls at night, by Anna Berg and Carl Dale"),
    "https://tuna.example.org/": ("home", "Carl Dale. My research is about fish. Deep owls at night."),
    "https://conf.example.org/": ("The Owl Workshop", "Welcome to the workshop"),
    "https://conf.example.org/speakers.html": ("Speakers", "Eve Ford, invited speaker. I am a keynote."),
    "https://eveford.example.com/": ("Eve Ford, jazz singer", "Concerts and records."),
}


class SmallWeb:
    """Pages whose words are looked through."""

    ordered = True

    async def fetch(self, link: Link) -> Fetched:
        if link.url not in PAGES:
            return Fetched(Page(link, link.url, error="not-found"))
        title, text = PAGES[link.url]
        return Fetched(Page(link, link.url, 200, "text/html", title, text))

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        words = query.lower().split()[:2]
        return [
            Hit(url, title)
            for url, (title, text) in PAGES.items()
            if all(w in f"{title} {text}".lower() for w in words)
        ]

    async def close(self) -> None: ...


def found(known: dict[str, str] | None = None) -> Homepages:
    authors = authors_of(
        [("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL"), ("Fish", ("Gus Hall", "Eve Ford"), "OWL")]
    )
    web = SmallWeb()
    return asyncio.run(find_homepages(authors, web, web, known=known))


def test_homepages_are_found_and_everything_else_is_dropped_with_its_rule() -> None:
    homepages = found()
    assert homepages.found["Anna Berg"] == "https://aberg.example.org/"
    assert homepages.found["Carl Dale"] == "https://tuna.example.org/"
    assert homepages.failures["Gus Hall"] == "no search result"
    rules = {(c.name, c.url): c.rule for c in homepages.candidates}
    assert rules["Carl Dale", "https://aberg.example.org/"].startswith("co-author's or namesake's page")
    assert rules["Anna Berg", "https://aberg.example.org/"].startswith("kept: the name is in the title")
    assert "conf.example.org" not in homepages.found.get("Eve Ford", "")


def test_a_known_homepage_is_believed() -> None:
    homepages = found({"Gus Hall": "https://gus.example.org/"})
    assert homepages.found["Gus Hall"] == "https://gus.example.org/"
    assert "Gus Hall" not in homepages.failures


def test_evidence_in_words() -> None:
    title, text = PAGES["https://aberg.example.org/"]
    url = "https://aberg.example.org/"
    author = authors_of([("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL")])[0]
    evidence = ownership(author, PageWords(Page(Link(url), url, 200, "text/html", title, text)))
    assert evidence.coauthors == 1 and evidence.works == 0 and evidence.front and evidence.address
    assert "the address is made of the name" in evidence.in_words()
