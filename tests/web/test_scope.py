"""The scope of a crawl: places, file types, patterns and limits."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Link, Page, Verdict
from pinakes.formats.url import canonical
from pinakes.web.border import Border
from pinakes.web.patterns import LONGEST, pattern
from pinakes.web.scope import DOCUMENT_TYPES, IGNORED_TYPES, PAPER_IGNORED, WORDS, Scope, extension
from pinakes.web.traps import Traps


def rule(scope: Scope, url: str, depth: int = 1) -> str:
    assert canonical(url) == url, "the engine hands over canonical addresses"
    link = Link(url, depth=depth)
    assert not scope.rule(link) or scope.rule(link) in WORDS
    assert bool(scope.rule(link)) == (scope(link) == "scope")
    return scope.rule(link)


def test_the_lists_of_the_paper() -> None:
    """003 tables 2 and 3: one host allowed, two of its pages and eight file types ignored, papers from anywhere."""
    scope = Scope(
        allow=["http://clgiles.ist.psu.edu"],
        ignore=["http://clgiles.ist.psu.edu/picture.html", "http://clgiles.ist.psu.edu/courses.html"],
        ignore_types=PAPER_IGNORED,
        elsewhere=DOCUMENT_TYPES,
    )
    giles = "http://clgiles.ist.psu.edu/"
    assert rule(scope, giles) == rule(scope, giles + "papers.html") == ""
    assert rule(scope, giles + "picture.html") == rule(scope, giles + "courses.html") == "ignore"
    assert rule(scope, giles + "giles.jpg") == "type"
    assert rule(scope, "http://www.psu.edu/") == "allow"
    assert rule(scope, "http://elsewhere.example/paper.pdf") == rule(scope, "http://else.example/a.ps.gz") == ""


@pytest.mark.parametrize(
    ("place", "inside", "outside"),
    [
        (
            "psu.edu",
            ["http://psu.edu/", "https://www.ist.psu.edu/x", "http://psu.edu:8080/"],
            ["http://apsu.edu/", "http://psu.edu.example/", "http://a.example/psu.edu"],
        ),
        ("*.psu.edu", ["http://www.psu.edu/"], ["http://other.edu/"]),
        ("http://www.psu.edu", ["http://www.psu.edu/x", "https://www.psu.edu/"], ["http://a.www.psu.edu/"]),
        ("HTTP://WWW.PSU.EDU:80/", ["http://www.psu.edu/x"], ["http://psu.edu/"]),
        ("psu.edu:8080", ["http://psu.edu:8080/x"], ["http://psu.edu/x"]),
        (
            "psu.edu/~giles",
            [
                "http://psu.edu/~giles",
                "https://psu.edu/~giles/",
                "http://psu.edu/~giles/a/b?c=d",
                "http://psu.edu/~giles?x",
            ],
            ["http://psu.edu/~gilesx", "http://psu.edu/~gile", "http://psu.edu/", "http://www.psu.edu/~giles/"],
        ),
        ("psu.edu/%7egiles/", ["http://psu.edu/~giles/x"], ["http://psu.edu/giles/"]),
        (
            "http://a.example/b?page=1",
            ["http://a.example/b?page=1"],
            ["http://a.example/b?page=2", "http://a.example/b"],
        ),
        ("bücher.example", ["http://xn--bcher-kva.example/"], ["http://bucher.example/"]),
    ],
)
def test_what_lies_in_a_place(place: str, inside: list[str], outside: list[str]) -> None:
    """A bare name is a domain with all under it, an address is a host or what lies below its path."""
    allowing, ignoring = Scope(allow=[place]), Scope(ignore=[place])
    assert {rule(allowing, url) for url in inside} == {""} and {rule(ignoring, url) for url in inside} == {"ignore"}
    assert {rule(allowing, url) for url in outside} == {"allow"} and {rule(ignoring, url) for url in outside} == {""}


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://a.example/x.PDF", "pdf"),
        ("http://a.example/x.ps.gz", "ps"),
        ("http://a.example/x.tar.gz", "tar"),
        ("http://a.example/x.gz", "gz"),
        ("http://a.example/1.jpg.htm", "htm"),
        ("http://a.example/v1.2/paper", ""),
        ("http://a.example/wiki/File:Owl.jpg", ""),
        ("http://a.example/get?file=x.zip", ""),
        ("http://a.zip/", ""),
        ("http://a.example/.htaccess", ""),
        ("http://a.example/some.sentence-long", ""),
    ],
)
def test_the_type_of_a_file(url: str, kind: str) -> None:
    """The ending of the last part of the path; of a squeezed file, what is inside."""
    assert extension(url) == kind


def test_file_types() -> None:
    """Pictures, media, archives and programs are ignored unless wished for; a list of types leaves pages in."""
    plain, papers = Scope(), Scope(types=[".PDF", "zip"])
    for kind in ("gif", "mp4", "zip", "tar.gz", "exe", "css"):
        assert rule(plain, f"http://a.example/x.{kind}") == "type"
    for kind in ("pdf", "html", "php", "ps.gz", "txt", "xml"):
        assert rule(plain, f"http://a.example/x.{kind}") == ""
    assert set(PAPER_IGNORED) < set(IGNORED_TYPES) and not set(DOCUMENT_TYPES) & set(IGNORED_TYPES)
    assert {rule(papers, f"http://a.example/x{kind}") for kind in ("", "/", ".pdf", ".zip", ".html")} == {""}
    assert rule(papers, "http://a.example/x.doc") == rule(papers, "http://a.example/x.gif") == "type"


def test_depth_schemes_and_patterns() -> None:
    """Each rule has its name."""
    scope = Scope(depth=2, schemes=["https"], match=[r"/papers/", r"\.pdf$"], reject=[r"/old/"])
    assert rule(scope, "https://a.example/papers/x", depth=2) == rule(scope, "https://a.example/x.pdf") == ""
    assert rule(scope, "https://a.example/papers/x", depth=3) == "depth"
    assert rule(scope, "http://a.example/papers/x") == "scheme"
    assert rule(scope, "https://a.example/x") == rule(scope, "https://a.example/papers/old/x") == "pattern"
    assert rule(scope, "https://a.example/papers/" + "x" * LONGEST) == "pattern"


@pytest.mark.parametrize(
    "text",
    [
        r"(a+)+$",
        r"(a|aa)*b",
        r"(?:x*)*",
        r"((a)|b){2,}",
        r".*.*.*.*x",
        r"(.)\1",
        "^" + "a?" * 30 + "$",
        "(a|a)" * 30,
        r"(?P<q>a)(?P=q)",
    ],
)
def test_patterns_that_could_take_long_are_refused(text: str) -> None:
    """With a sentence that says what to leave out."""
    with pytest.raises(PinakesError, match="could take very long"):
        pattern(text)


@pytest.mark.parametrize(
    "text", [r"/~[^/]+/", r"^https?://[^/]+/(?:pub|papers)/.*\.pdf$", r"[*+(]{2}", r"(\d{4})", r"\(a*\)+", "(a|b)?"]
)
def test_ordinary_patterns_are_taken(text: str) -> None:
    """Repeats, choices, classes, counts and escaped characters, one beside the other."""
    assert pattern(text).pattern == text


@pytest.mark.parametrize("text", [r".*a.*c", "^.*a.*b.*c$", r"[^/]*x[^/]*y", "(a|b)?" * 4 + ".*c"])
def test_the_worst_address_is_done_with_soon(text: str) -> None:
    """Whatever is let through takes at most a moment on the longest address there can be."""
    url = "http://a.example/" + "ab" * ((LONGEST - 17) // 2)
    begun = time.process_time()
    Scope(match=[text]).rule(Link(url))
    assert time.process_time() - begun < 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"allow": "psu.edu"}, "list of strings"),
        ({"allow": ["http://"]}, "makes no sense"),
        ({"ignore": ["mailto:a@b"]}, "makes no sense"),
        ({"match": ["("]}, "no regular expression"),
        ({"depth": "deep"}, "whole number"),
        ({"per_host": -1}, "whole number"),
        ({"schemes": ["ftp"]}, "cannot be crawled"),
        ({"colour": 1}, "no rule 'colour'"),
        ({"types": [1]}, "list of strings"),
    ],
)
def test_what_makes_no_sense_is_named(given: dict[str, object], said: str) -> None:
    """In one sentence."""
    with pytest.raises(PinakesError, match=said):
        Scope.read(given)


def test_rules_survive_as_plain_data() -> None:
    """A recipe keeps them, and options may be text with hyphens."""
    scope = Scope.read({"allow": ("psu.edu",), "ignore-types": [".JPG"], "per-host": "5", "depth": 3, "reject": ["x"]})
    assert (scope.ignore_types, scope.per_host) == (("jpg",), 5)
    assert Scope.read(scope.plain()) == scope
    assert all(isinstance(value, (list, int, type(None))) for value in scope.plain().values())


def test_links_a_site_does_not_answer_for() -> None:
    """Those of users and paid ones are not followed; `nofollow` is a hint for rankings, and following is a setting."""
    marked = {rel: Link("http://b.example/", depth=1, rel=rel) for rel in ("nofollow", "nofollow ugc", "sponsored", "")}
    assert [Scope().rule(one) for one in marked.values()] == ["", "rel", "rel", ""]
    assert {Scope(ignore_rel=()).rule(one) for one in marked.values()} == {""}
    assert [Scope(ignore_rel=["nofollow"]).rule(one) for one in marked.values()] == ["rel", "rel", "", ""]
    border = Border()
    ugc, plain = marked["nofollow ugc"], marked[""]
    assert border(ugc) == "scope:rel" and border(plain) == ""
    assert border.hop(ugc._replace(via=("http://c.example/",))) == ""
    assert Border(Scope(allow=["a.example"], papers=True)).offered(
        [Link("http://b.example/x", parent="http://a.example/", anchor=anchor) for anchor in ("about", "PDF", "about")]
    ) == ["scope:allow", "", "scope:allow"], "what its anchor says may differ from link to link"


def test_a_border_counts_pages_by_host() -> None:
    """When a host has given what it may, no more of its links are let in or fetched; others are."""
    border = Border(Scope(per_host=2, ignore=["bad.example"]), Traps(today=0.0))
    link = Link("http://a.example/x", depth=1, parent="http://s.example/")
    for name, error in (("1", ""), ("2", "timeout"), ("3", "")):
        assert border(link) == border.hop(link) == border.claim(link) == ""
        border.visit(Page(Link(f"http://a.example/{name}"), f"http://a.example/{name}", 200, error=error), Verdict())
    assert border(link) == border.hop(link) == border.claim(link) == "scope:per_host"
    assert border(Link("http://b.example/", depth=1)) == ""
    assert border(Link("http://bad.example/", depth=1)) == "scope:ignore"
    assert border(Link("http://b.example/a/b/a/b/", depth=1)) == "trap:repeating"
    again = Border(border.scope, Traps(today=0.0))
    again.restore(border.state())
    assert again.state() == border.state() and again(link) == "scope:per_host"


PIECES = st.lists(st.sampled_from([*"ab/.:?&=;%~-_", "~u", "a.gz", "..", "//", "%7e", "2004", "www."]), max_size=20)


@given(PIECES)
def test_any_address_gets_an_answer(pieces: list[str]) -> None:
    """And what lies in a place does so by one and the same rule for allowing and ignoring."""
    url = canonical("http://a.example/" + "".join(pieces))
    if not url:
        return
    places = ["b.example", "a.example/a", "http://a.example/~u/"]
    inside = Scope(ignore=places, ignore_types=()).rule(Link(url)) == "ignore"
    assert (Scope(allow=places, ignore_types=()).rule(Link(url)) == "") == inside
    assert Scope(ignore=["a.example"], ignore_types=()).rule(Link(url)) == "ignore"
