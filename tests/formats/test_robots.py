"""robots.txt as RFC 9309 has it, and as sites write it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.robots import Robots


def test_the_longest_match_decides_and_wildcards_count() -> None:
    """Allow beats a shorter disallow; `*` and `$` mean what they mean."""
    robots = Robots(b"User-agent: *\nDisallow: /b\nAllow: /b/c$\nDisallow: /*.pdf$\n")
    allowed = [robots.allows(f"http://a.example{path}") for path in ("/", "/b", "/b/c", "/b/cd", "/x.pdf", "/x.pdf?y")]
    assert allowed == [True, False, True, False, False, True]


def test_our_own_group_is_ours_alone() -> None:
    """The group that names us is used instead of the general one, with a version or without."""
    for name in (b"pinakes", b"Pinakes", b"Pinakes/1.0"):
        robots = Robots(b"User-agent: *\nDisallow: /\n\nUser-agent: " + name + b"\nDisallow: /private\nCrawl-delay: 7\n")
        assert robots.allows("http://a.example/open")
        assert not robots.allows("http://a.example/private/x")
        assert not robots.allows("http://a.example/open", agent="other")
        assert robots.delay() == 7


def test_a_byte_order_mark_does_not_hide_the_first_line() -> None:
    """Files saved by Windows editors are obeyed."""
    assert not Robots(b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n").allows("http://a.example/")


@given(st.binary(max_size=500))
def test_nothing_raises(body: bytes) -> None:
    """Any bytes are a robots.txt."""
    robots = Robots(b"User-agent: *\nDisallow: " + body)
    assert robots.allows("http://a.example/") in (True, False)
    assert robots.delay() >= 0
    assert isinstance(robots.sitemaps, tuple)
