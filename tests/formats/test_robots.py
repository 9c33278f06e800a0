"""robots.txt as RFC 9309 has it, and as sites write it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from pinakes.formats.robots import LIMIT, Robots


def verdicts(text: str, *paths: str, agent: str = "pinakes") -> list[bool]:
    robots = Robots(text.encode())
    return [robots.allows(f"http://a.example{path}", agent) for path in paths]


def test_the_longest_match_decides_and_wildcards_count() -> None:
    """Allow beats a shorter disallow; `*` and `$` mean what they mean."""
    robots = Robots(b"User-agent: *\nDisallow: /b\nAllow: /b/c$\nDisallow: /*.pdf$\n")
    allowed = [robots.allows(f"http://a.example{path}") for path in ("/", "/b", "/b/c", "/b/cd", "/x.pdf", "/x.pdf?y")]
    assert allowed == [True, False, True, False, False, True]


def test_our_own_group_is_ours_alone() -> None:
    """The group that names us is used instead of the general one, with a version or without."""
    for name in (b"pinakes", b"Pinakes", b"Pinakes/1.0", b"pinakes (like others)", b"PINAKES*"):
        robots = Robots(
            b"User-agent: *\nDisallow: /\n\nUser-agent: " + name + b"\nDisallow: /private\nCrawl-delay: 7\n"
        )
        assert robots.allows("http://a.example/open")
        assert not robots.allows("http://a.example/private/x")
        assert not robots.allows("http://a.example/open", agent="other")
        assert robots.delay() == 7


def test_a_part_of_our_name_is_not_our_name() -> None:
    """Product tokens are compared whole (§2.2.1)."""
    for name in ("pin", "pinakesbot", "notpinakes", "pinakes-news"):
        assert verdicts(f"User-agent: {name}\nDisallow: /", "/x") == [True]


def test_a_byte_order_mark_does_not_hide_the_first_line() -> None:
    """Files saved by Windows editors are obeyed, be they UTF-8 or UTF-16."""
    text = "User-agent: *\nDisallow: /\n"
    for body in (b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16"), b"\xfe\xff" + text.encode("utf-16-be")):
        assert not Robots(body).allows("http://a.example/")


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        # RFC 9309 §2.2.2, the table of percent-encodings
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", True),
        ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/~joe", "/%7Ejoe", True),
        ("/%7ejoe", "/~joe", True),
        ("/a%2fb", "/a/b", False),
        ("/a%2fb", "/a%2Fb", True),
        ("/a%3cd", "/a%3Cd", True),
        ("/a b", "/a%20b", True),
        # §2.2.3, special characters
        ("/path/foo-%24", "/path/foo-$", True),
        ("/path/foo-$", "/path/foo-$", False),
        ("/path/foo-$", "/path/foo-", True),
        ("/fish*", "/fish.html", True),
        ("/*.php$", "/folder/any.php.file.php", True),
        ("/*.php$", "/any.php?p=1", False),
        ("/a*b*c", "/axxbyyc", True),
        ("/a*b*c", "/acb", False),
        ("/a*a$", "/a", False),
        ("/*", "/anything", True),
        ("*", "/anything", True),
        ("/a**b", "/ab", True),
        ("/fish", "/Fish", False),
        ("/fish/", "/fish", False),
        ("fish", "/fish", False),
        ("/", "/", True),
        ("/x#y", "/x", True),
        ("/?a", "/?ab", True),
        ("/bad%3escape%", "/bad%3escape%", True),
    ],
)
def test_patterns(rule: str, path: str, matches: bool) -> None:
    """What a pattern matches, as octets, after undoing needless escapes."""
    assert verdicts(f"User-agent: *\nDisallow: {rule}", path) == [not matches]


def test_ties_and_empty_rules() -> None:
    """Allow wins a tie; an empty Disallow forbids nothing; without a group nothing is forbidden."""
    assert verdicts("User-agent: *\nDisallow: /x\nAllow: /x", "/x") == [True]
    assert verdicts("User-agent: *\nDisallow:", "/x") == [True]
    assert verdicts("Disallow: /", "/x") == [True]
    assert verdicts("User-agent: other\nDisallow: /", "/x") == [True]
    assert verdicts("User-agent: *\nDisallow: /", "/robots.txt", "/robots.txtx") == [True, False]


def test_groups_that_name_us_are_merged() -> None:
    """Wherever they stand, and with other lines inside them."""
    text = "User-agent: pinakes\nDisallow: /a\nSitemap: x\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n"
    text += "User-agent: Pinakes\nDisallow: /c\n"
    assert verdicts(text, "/a", "/b", "/c", "/d") == [False, False, False, True]


def test_line_ends_and_cases() -> None:
    """CR, LF and CRLF; fields in any case; comments anywhere; a vertical tab is no line end."""
    assert verdicts("USER-AGENT: *\rdisALLOW: /a # b\r\nDisallow: /c\n#Disallow: /d", "/a", "/c", "/d") == [
        False,
        False,
        True,
    ]
    assert verdicts("User-agent: *\nDisallow: /a\x0bAllow: /", "/b") == [True]


def test_only_the_beginning_of_a_huge_file_counts() -> None:
    """And half a line at the cut does not forbid the whole site."""
    filler = "#" * 99 + "\n"
    text = "User-agent: *\nDisallow: /x\n" + filler * (LIMIT // 100) + "Disallow: /tail\n"
    cut = text[: LIMIT - 11] + "Disallow: /only-this\n"
    assert verdicts(text, "/x", "/tail") == [False, True]
    assert verdicts(cut, "/x", "/y") == [False, True]


def test_hostile_patterns_take_linear_time() -> None:
    """Half a megabyte of wildcards against a long address."""
    body = ("User-agent: *\n" + "Disallow: /" + "*a" * 100_000 + "b\n" + "Disallow: /*a*a*a*b$\n" * 10_000)[:LIMIT]
    robots = Robots(body.encode())
    started = time.monotonic()
    assert robots.allows("http://a.example/" + "a" * 2000)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10", 10),
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("-1", 0),
        ("x", 0),
        ("inf", 0),
        ("nan", 0),
        ("1e400", 0),
        ("", 0),
        ("5 # s", 5),
    ],
)
def test_crawl_delay(value: str, seconds: float) -> None:
    """Decimals count, nonsense does not; the greatest of several holds."""
    assert Robots(f"User-agent: *\nCrawl-delay: {value}".encode()).delay() == seconds
    assert Robots(f"User-agent: *\nCrawl-delay: 1000\nCrawl-delay: {value}".encode()).delay() == 1000


@given(st.binary(max_size=500))
def test_nothing_raises(body: bytes) -> None:
    """Any bytes are a robots.txt."""
    robots = Robots(b"User-agent: *\nDisallow: " + body)
    assert robots.allows("http://a.example/") in (True, False)
    assert robots.delay() >= 0
    assert isinstance(robots.sitemaps, tuple)


# Written by hand from RFC 9309. Each row: file, user agent, paths it may ask for, paths it may not.
TABLE = [
    ("astore.amazon.com-robots.txt", "pinakes", "/ /x", ""),
    ("crawl-delay-group-merging.txt", "mybot", "/ /login/", "/private/"),
    ("crawl-delay-group-merging.txt", "yourbot", "/", "/private/ /login/"),
    ("crawl-delay-group-merging.txt", "pinakes", "/private/ /login/", ""),
    # The RFC knows no typos. Those that can only mean one thing we obey.
    ("directive-typos-robots.txt", "bot1", "/desallow/", "/dissalow/"),
    ("directive-typos-robots.txt", "bot2", "/", "/useragent/ /useg-agent/"),
    ("directive-typos-robots.txt", "bot3", "/useg-agent/", ""),
    ("directive-typos-robots.txt", "bot4", "/useragent/", "/useragent-no-colon/"),
    ("dos-line-endings.txt", "pinakes", "/", ""),
    ("extended-standard-robots.txt", "bot1", "/", ""),
    ("extended-standard-robots.txt", "bot4", "/", ""),
    ("extension-robots.txt", "pinakes", "/ /private/ /admin/", ""),
    ("extension-robots.txt", "mybot", "/ /secret/", "/private/"),
    ("extension-robots.txt", "otherbot", "/private/", "/admin/"),
    ("extensions-group-merging.txt", "pinakes", "/llms.txt", "/ /private/"),
    ("extensions-group-merging.txt", "mybot", "/", "/private/ /login/"),
    ("extensions-group-merging.txt", "yourbot", "/", "/private/ /login/"),
    ("format-errors-robots.txt", "bot1", "/", "/whitespace-before-colon/ /no-colon/"),
    ("format-errors-robots.txt", "bot2", "/", "/no-colon-useragent/"),
    ("format-errors-robots.txt", "bot3", "/whitespace-before-colon/", "/ /x"),
    (
        "malformed-path.txt",
        "pinakes",
        "/wiki/X /wiki/Wikipedia_talk%3AMediation_Committee/",
        "/wiki/Wikipedia_talk:Mediation_Committee/ /wiki/Wikipedia_talk%3Mediation_Committee/x",
    ),
    ("many-user-agents.txt", "pinakes", "/ /forums", "/forum/ /lang/zh-CN/forum/x /bot-trap/"),
    ("many-user-agents.txt", "wget", "", "/ /x"),
    ("many-user-agents.txt", "zeus", "", "/"),
    ("many-user-agents.txt", "black.hole", "", "/"),
    ("merge-rules.txt", "testy", "", "/ /foo/bar"),
    ("merge-rules.txt", "wget", "/foo/bar /ckh/bar /", "/tmp/bar"),
    ("merge-rules.txt", "pinakes", "/ckh/bar /", "/foo/bar /tmp/bar"),
    ("precedence-of-rules.txt", "testy", "/ /foo/bar /foo/barn", "/foo /foo/bat /foo/x"),
    ("precedence-of-rules.txt", "wget", "/foo /foo/x /index.html", "/ /bar"),
    ("relative-sitemap-robots.txt", "pinakes", "/ /doc", "/cache/x /cp/ /docs/ /files/"),
    ("rfc9309-example-longest-match-robots.txt", "foobot", "/ /example/page/x", "/example/page/disallowed.gif"),
    ("rfc9309-example-rule-group-merging.txt", "examplebot", "/", "/foo /bar /baz"),
    ("rfc9309-example-rule-group-merging.txt", "bazbot", "/foo /bar", "/baz"),
    ("rfc9309-example-rule-group-merging.txt", "pinakes", "/baz", "/foo /bar"),
    ("rfc9309-example-simple-robots.txt", "pinakes", "/ /publications/x.gif /x.gif?y", "/x.gif /example/ /example/x"),
    ("rfc9309-example-simple-robots.txt", "foobot", "/example/page.html /example/allowed.gif", "/ /publications/"),
    ("rfc9309-example-simple-robots.txt", "bazbot", "/ /example/x /x.gif", "/example/page.html"),
    ("rfc9309-example-simple-robots.txt", "quxbot", "/ /x.gif /example/", ""),
    ("robots-with-utf8-bom.txt", "pinakes", "/ /output/print", "/login.aspx /a/output/print /search.aspx?q"),
    ("robots-with-utf16le-bom.txt", "pinakes", "/ /output/print", "/login.aspx /a/output/print /search.aspx?q"),
    ("robots-with-utf16be-bom.txt", "googlebot", "/", "/login.aspx /a/output/print"),
    ("sitemap-robots.txt", "pinakes", "/", ""),
    ("sitemap-robots-dedup.txt", "pinakes", "/", ""),
    ("twitter.com-robots.txt", "pinakes", "/ /a", "/a?b /? /a/with_friends"),
    ("twitter.com-robots.txt", "slurp", "/a", "/a?b"),
    (
        "wildcards.txt",
        "pinakes",
        "/wishlist/universal-x /gp/wishlist/ipad-install /rss/people/a/reviews",
        "/wishlist/x",
    ),
    ("wildcards.txt", "pinakes", "/gcrnst", "/gcrnsts /a/b/gcrnsts?c /gp/registry/wishlist/a/reserve /gp/cart/x"),
    ("wildcards.txt", "googlebot", "/rss/people/reviews", "/rss/people/a/reviews /a/sim/B001132UEE"),
    ("wildcards.txt", "etaospider", "", "/"),
    ("www.flot.com-robots.txt", "pinakes", "/ /images", "/bitrix/ /img/x"),
    ("live/archive.org.txt", "pinakes", "/ /details/owls /stream/", "/control/x /details/goldenbull2007john/"),
    ("live/arxiv.org.txt", "pinakes", "/abs/1 /pdf/1 /list/cs", "/user/x /e-print/1 /src/1 /ps/1 /dvi"),
    (
        "live/en.wikipedia.org.txt",
        "pinakes",
        "/wiki/Owl /w/load.php?x /api/rest_v1/?doc /wiki/special:Search",
        "/w/index.php /api/x /wiki/Special:Search /wiki/Special%3ASearch /wiki/Wikipedia:L%c3%b6schkandidaten/x",
    ),
    ("live/en.wikipedia.org.txt", "orthogaffe", "/ /w/x /trap/", ""),
    ("live/en.wikipedia.org.txt", "ubicrawler", "", "/ /wiki/Owl"),
    ("live/github.com.txt", "pinakes", "/humans.txt", "/ /a/b /a/b/tree/master"),
    ("live/github.com.txt", "ccbot", "/a/b/tree/master /a/b", "/a/b/tree/main /a/b/pulse /a/forks"),
    ("live/ieeexplore.ieee.org.txt", "pinakes", "/ /xpl/abstract", "/xpl/abstractSimilar.jsp?x=1"),
    ("live/stackoverflow.com.txt", "pinakes", "/ /posts /questions/1", "/posts/1 /posts?x /search?q=owl /users/login/"),
    (
        "live/www.google.com.txt",
        "pinakes",
        "/ /search/about /?hl=en /?hl=en&gws_rd=ssl /?gws_rd=ssl",
        "/search /search?q=owl /groups/x /index.html? /?q=owl /?hl=en&q=owl /?hl=en&x=1&gws_rd=ssl",
    ),
    ("live/www.nature.com.txt", "pinakes", "/ /articles/x /articles/x.pdf?y", "/articles/x.pdf /a/b/c/pf/x"),
]
DELAYS = [
    ("astore.amazon.com-robots.txt", "pinakes", 5),
    ("crawl-delay-group-merging.txt", "mybot", 10),
    ("crawl-delay-group-merging.txt", "yourbot", 0),
    ("crawl-delay-group-merging.txt", "pinakes", 30),
    ("dos-line-endings.txt", "pinakes", 1),
    ("live/arxiv.org.txt", "pinakes", 15),
    ("twitter.com-robots.txt", "msnbot", 10),
    ("twitter.com-robots.txt", "pinakes", 0),
]
SITEMAPS = {
    "extension-robots.txt": ("/sitemap.xml",),
    "format-errors-robots.txt": ("/sitemap.xml",),
    "relative-sitemap-robots.txt": ("/sitemap.xml",),
    "robots-with-utf16le-bom.txt": ("http://www.newsweek.com/sitemap_index.xml",),
    "sitemap-robots-dedup.txt": ("http://example.org/sitemap.xml",),
    "sitemap-robots.txt": ("http://domain.com/sitemap.xml", "http://domain.com/dir/MixedCased-sitemap.xml"),
    "www.flot.com-robots.txt": ("http://flot.com/sitemap_index.xml",),
}


class TestRecorded:
    @pytest.mark.parametrize(("name", "agent", "may", "may_not"), TABLE)
    def test_verdicts(self, name: str, agent: str, may: str, may_not: str, shared: Path) -> None:
        """The table written by hand."""
        robots = Robots((shared / "recordings/robots" / name).read_bytes())
        assert [path for path in may.split() if not robots.allows("http://h.example" + path, agent)] == []
        assert [path for path in may_not.split() if robots.allows("http://h.example" + path, agent)] == []

    def test_every_file_is_in_the_table(self, shared: Path) -> None:
        """None is left out."""
        folder = shared / "recordings/robots"
        assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")} == {row[0] for row in TABLE}

    def test_delays_and_sitemaps(self, shared: Path) -> None:
        """A delay belongs to the names that stand before it; sitemaps belong to nobody."""
        folder = shared / "recordings/robots"
        for name, agent, seconds in DELAYS:
            assert Robots((folder / name).read_bytes()).delay(agent) == seconds, (name, agent)
        for name, sitemaps in SITEMAPS.items():
            assert Robots((folder / name).read_bytes()).sitemaps == sitemaps

    def test_real_ones_are_read_as_protego_reads_them(self, shared: Path) -> None:
        """For every user agent they name, and every path that tries one of their rules.

        One thing differs. A final `$` ends a pattern (§2.2.3); protego lets it stand for a dollar sign as well. So
        addresses with a dollar sign that only such a rule decides are left out.
        """
        tried = 0
        for file in sorted((shared / "recordings/robots/live").glob("*.txt")):
            text = file.read_text("utf-8-sig")
            ours, theirs = Robots(file.read_bytes()), Protego.parse(text)
            agents = {"pinakes", *re.findall(r"(?im)^user-agent\s*:\s*([a-z_-]+)\s*$", text)}
            paths: set[str] = set()
            for rule in re.findall(r"(?im)^(?:dis)?allow\s*:\s*(/\S*)", text):
                bare = rule.rstrip("$")
                filled = bare.replace("*", "x")
                paths |= {bare, filled, filled + "tail", filled + "?q=1", filled.rstrip("/"), bare.replace("*", "/a/b")}
            for path in paths - {path for path in paths if "$" in path}:
                for agent in agents:
                    url = f"http://h.example{path or '/'}"
                    assert ours.allows(url, agent) == theirs.can_fetch(url, agent), (file.name, agent, path)
                    tried += 1
            for agent in agents:
                assert ours.delay(agent) == (theirs.crawl_delay(agent) or 0)
            assert ours.sitemaps == tuple(dict.fromkeys(theirs.sitemaps))
        assert tried > 20_000

    def test_where_we_differ_from_protego(self) -> None:
        """The RFC's way in each: other lines do not end a list of names, names match whole, a final `$` is an anchor,
        `%3A` is not `:`, and `Allow: /index.html` says nothing about `/`."""
        for text, path, allowed in (
            ("User-agent: pinakes\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x", "/x", False),
            ("User-agent: pin\nDisallow: /x", "/x", True),
            ("User-agent: *\nDisallow: /x$", "/x$", True),
            ("User-agent: *\nDisallow: /a%3Ab", "/a:b", True),
            ("User-agent: *\nDisallow: /\nAllow: /index.html", "/", False),
        ):
            url = f"http://h.example{path}"
            assert Robots(text.encode()).allows(url) is allowed
            assert Protego.parse(text).can_fetch(url, "pinakes") is not allowed
