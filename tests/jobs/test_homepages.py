"""Whose homepage is it: sites, ownership, and the homepage database on a small web."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from pinakes.core.page import Fetched, Link, Page
from pinakes.core.roles import Hit
from pinakes.jobs.harvest.corrections import read_known, write_candidates
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
        ("http://homepages.inf.example.ac.uk/berg/papers.html", "http://homepages.inf.example.ac.uk/berg/"),
        ("https://people.org/berg/", "https://people.org/"),
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


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.example.edu/annaberg/pubs/x.html", "http://www.example.edu/annaberg/"),
        ("http://www.example.edu/cs/berg", "http://www.example.edu/cs/berg/"),
        ("http://annaberg.org/berg/x.html", "http://annaberg.org/"),
        ("http://www.example.edu/carldale/", "http://www.example.edu/"),
    ],
)
def test_a_room_may_be_called_after_its_owner(url: str, site: str) -> None:
    name = PersonName.read("Anna Berg")
    assert site_of(url, name) == site and is_front_door(site, name)


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

    def __init__(self, pages: Mapping[str, tuple[str, str]] = PAGES) -> None:
        self._pages = pages

    async def fetch(self, link: Link) -> Fetched:
        if link.url not in self._pages:
            return Fetched(Page(link, link.url, error="not-found"))
        title, text = self._pages[link.url]
        return Fetched(Page(link, link.url, 200, "text/html", title, text))

    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        words = query.lower().split()[:2]
        return [
            Hit(url, title)
            for url, (title, text) in self._pages.items()
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
    assert rules["Carl Dale", "https://aberg.example.org/"] == "co-author's page: it speaks for Anna Berg"
    assert rules["Anna Berg", "https://aberg.example.org/"].startswith("kept: the name is in the title")
    # The jazz singer is no author, and whoever speaks at the workshop has no homepage there.
    assert homepages.failures["Eve Ford"] == "only a namesake's page"
    assert rules["Eve Ford", "https://eveford.example.com/"].endswith("nothing on it speaks of research")


def test_a_co_authors_page_is_a_failure_with_a_name_and_stays_one(tmp_path: Path) -> None:
    """Carl Dale has no page but hers; the table, handed back, says so again."""
    authors = authors_of([("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL")])
    web = SmallWeb()
    refused = {"Carl Dale": {"https://tuna.example.org/"}}
    first = asyncio.run(find_homepages(authors, web, web, refused=refused))
    assert first.failures == {"Carl Dale": "only co-authors' pages (Anna Berg)"}
    write_candidates(tmp_path / "homes.csv", first.candidates, first.failures)
    said = read_known(tmp_path / "homes.csv").of(author.name for author in authors)
    for search in (web, None):
        again = asyncio.run(
            find_homepages(authors, search, web, known=said.homepages, refused=said.refused, rows=said.rows)
        )
        assert again.failures == first.failures and again.found == first.found
        assert set(again.candidates) == set(first.candidates)


def test_a_co_authors_domain_tells_namesakes_apart() -> None:
    """Table 1: of two pages that say the same of themselves, the one beside a co-author's homepage is chosen; rooms on
    a host that lets them to everybody are no neighbours."""
    text = "Anna Berg. I am a professor at an institute."
    dale = {"https://www.cs.uni.example/~dale/": ("Carl Dale", "Carl Dale. My research.")}
    berg = {
        "https://a-berg.example/": ("Anna Berg", text),
        "https://phys.uni.example/~berg/": ("Anna Berg", text),
        "https://aberg.github.io/": ("Anna Berg", text),
    }
    authors = authors_of([("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL")])
    web = SmallWeb({**dale, **berg})
    found = asyncio.run(find_homepages(authors, web, web))
    assert found.found["Anna Berg"] == "https://phys.uni.example/~berg/"
    rules = {one.url: one.rule for one in found.candidates if one.name == "Anna Berg"}
    assert "a co-author's homepage is in the same domain" in rules["https://phys.uni.example/~berg/"]
    elsewhere = {"https://cdale.github.io/": ("Carl Dale", "Carl Dale. My research.")}
    web = SmallWeb({**elsewhere, **berg})
    found = asyncio.run(find_homepages(authors, web, web))
    assert not any("same domain" in one.rule for one in found.candidates)
    # A site that knows nothing of the author but whose domain is a co-author's is no namesake's.
    singer = {"https://www.uni.example/~berg/": ("Anna Berg", "Anna Berg. Concerts and records.")}
    found = asyncio.run(find_homepages(authors, web := SmallWeb({**dale, **singer}), web))
    assert found.found["Anna Berg"] == "https://www.uni.example/~berg/"
    found = asyncio.run(find_homepages(authors, web := SmallWeb({**elsewhere, **singer}), web))
    assert "Anna Berg" not in found.found


@pytest.mark.parametrize(
    ("title", "priority"),
    [
        ("Anna Berg's Home Page", "high"),
        ("Publications of Anna Berg", "high"),
        ("Anna Berg | research", "high"),
        ("Web site of a lab", "medium"),
        ("Papers", "medium"),
        ("Anna Berg", "low"),
        ("Anna Webber and Anna Berg", "low"),
    ],
)
def test_priorities_are_table_1s(title: str, priority: str) -> None:
    url = "https://aberg.example.org/"
    evidence = ownership(authors_of([("Owls", ("Anna Berg",), "")])[0], PageWords(Page(Link(url), url, title=title)))
    assert evidence.priority == priority


LIST = " ".join(f"Anna Berg and Tom Holm. Owls of county {n}, their nests and their ways of life." for n in range(20))


@pytest.mark.parametrize(
    ("papers", "kept"),
    [(LIST, False), (f"{LIST} Deep owls at night.", True), (f"{LIST} With Carl Dale.", True), ("Soon.", True)],
    ids=["other papers", "the paper", "the co-author", "no list"],
)
def test_a_namesake_has_other_papers(papers: str, kept: bool) -> None:
    """The front door says nothing of papers; the list it links to does."""
    door, listed = "https://aberg.example.org/", "https://aberg.example.org/publications.html"
    pages = {
        door: Page(Link(door), door, 200, "text/html", "Anna Berg", "Anna Berg. I am a professor of owls.",
                   links=(Link(listed, "Publications"),)),
        listed: Page(Link(listed), listed, 200, "text/html", "Publications", papers),
    }  # fmt: skip

    class Web:
        ordered = True

        async def fetch(self, link: Link) -> Fetched:
            return Fetched(pages.get(link.url) or Page(link, link.url, error="not-found"))

        async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
            return [Hit(door, "Anna Berg")]

        async def close(self) -> None: ...

    authors = authors_of([("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL")])[:1]
    found = asyncio.run(find_homepages(authors, Web(), Web()))
    assert found.found == ({"Anna Berg": door} if kept else {})
    assert kept or found.failures == {"Anna Berg": "only a namesake's page"}


def test_what_directories_list_is_believed_while_it_lives() -> None:
    """A dead one is searched for; where nothing else is found it is kept, so that it can be told as dead."""
    listed = {
        "Anna Berg": ("https://gone.example.org/", "dblp"),
        "Carl Dale": ("https://tuna.example.org/", "ORCID"),
        "Gus Hall": ("https://gone.example.org/~hall/", "ORCID"),
    }
    authors = authors_of(
        [("Deep owls at night", ("Anna Berg", "Carl Dale"), "OWL"), ("Fish", ("Gus Hall", "Eve Ford"), "OWL")]
    )
    web = SmallWeb()
    homepages = asyncio.run(find_homepages(authors, web, web, listed=listed))
    assert homepages.found == {
        "Anna Berg": "https://aberg.example.org/",
        "Carl Dale": "https://tuna.example.org/",
        "Gus Hall": "https://gone.example.org/~hall/",
    }
    rules = {(c.name, c.url): c.rule for c in homepages.candidates}
    assert rules["Carl Dale", "https://tuna.example.org/"] == "kept: ORCID has it"
    assert rules["Anna Berg", "https://gone.example.org/"] == "dblp has it, but it cannot be read"
    assert rules["Gus Hall", "https://gone.example.org/~hall/"] == "kept: ORCID has it, but it cannot be read"


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
