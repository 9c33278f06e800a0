from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pinakes.formats import url as module
from pinakes.formats.url import LONGEST, Base, canonical

# fmt: off
PIECES = st.sampled_from([
    "http://", "https://", "HTTP://", "//", "/", "..", ".", "../", "./", "a", "B", "ex.com", "xn--a", "%", "%2", "%41",
    "%2e", "%2E%2e", "%2528", "%zz", "%c3%bc", "ü", "?", "#", "&b=1", ":", ":80", ":8080", "@", "u:p@", "[::1]", " ",
    "\\", "\t", "\n", "\0", "1.2.3.4", "0x7f.1", "..", "~", "'", "(x)", "_", "-", ";", "mailto:", "a.b.c", ".htm",
])
# fmt: on
ADDRESSES = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join))
HREFS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join), st.from_regex(r"(\.\./){0,4}[a-z./]{0,12}(\?[a-z/.]{0,5})?")
)


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("HTTP://Ex.COM:80/", "http://ex.com/"),
        ("https://ex.com:443", "https://ex.com/"),
        ("http://ex.com:8080/a", "http://ex.com:8080/a"),
        ("http://user:secret@ex.com/a@b", "http://ex.com/a@b"),
        ("http://ex.com./a", "http://ex.com/a"),
        ("http://ex.com..:8080/x", "http://ex.com:8080/x"),
        ("http://ex.com/a/./b/../c", "http://ex.com/a/c"),
        ("http://ex.com/a/%2e%2E/c", "http://ex.com/c"),
        ("http://ex.com/%7Euser/%41%2f%c3%bc", "http://ex.com/~user/A%2F%C3%BC"),
        ("http://ex.com/x_%2528y%2529.htm", "http://ex.com/x_%2528y%2529.htm"),
        ("http://ex.com/?b=2&a=1&a=%41#part", "http://ex.com/?b=2&a=1&a=A"),
        ("http://ex.com/%zz%41", "http://ex.com/%zz%41"),
        ("http://ex.com/%%34%31", "http://ex.com/%%34%31"),
        ("  http://ex.com/a\tb\n ", "http://ex.com/ab"),
        ("http:\\\\ex.com\\a", "http://ex.com/a"),
        ("http://München.de/ü?q=ü", "http://xn--mnchen-3ya.de/%C3%BC?q=%C3%BC"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8::0:1]:80/a", "http://[2001:db8::1]/a"),
        ("http://ex.com/" + "a" * (LONGEST - 14), "http://ex.com/" + "a" * (LONGEST - 14)),
        ("http://ex.com/" + "a" * (LONGEST - 13), ""),
        ("http://ex.com/#" + "a" * 100_000, "http://ex.com/"),
        ("http://", ""),
        ("http://a b/", ""),
        ("http://ex.com:99999/", ""),
        ("//ex.com/a", ""),
        ("a/b", ""),
        ("", ""),
        ("mailto:a@ex.com", ""),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("ftp://ex.com/", ""),
        ("file:///etc/passwd", ""),
        ("http://\ud800/", ""),
    ],
)
def test_canonical_form(given_url: str, expected: str) -> None:
    """Equivalent spellings of an address have one form, and what is not on the web has none."""
    assert canonical(given_url) == expected


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("z.htm", "http://ex.com/a/b/z.htm"),
        ("../z", "http://ex.com/a/z"),
        ("../../../../z?q", "http://ex.com/z?q"),
        ("../", "http://ex.com/a/"),
        ("..", "http://ex.com/a/"),
        ("/x/../y", "http://ex.com/y"),
        ("/x", "http://ex.com/x"),
        ("//other.org/p", "http://other.org/p"),
        ("?q=1", "http://ex.com/a/b/c?q=1"),
        ("", "http://ex.com/a/b/c?d/e"),
        ("#top", "http://ex.com/a/b/c?d/e"),
        ("x?y=/../z", "http://ex.com/a/b/x?y=/../z"),
        ("Special:Page", ""),
        ("./Special:Page", "http://ex.com/a/b/Special:Page"),
        ("mailto:x@y.z", ""),
    ],
)
def test_relative_addresses(href: str, expected: str) -> None:
    """Relative addresses are joined to the base's folder, never to its query."""
    assert canonical(href, "http://ex.com/a/b/c?d/e") == expected


@given(ADDRESSES)
@example("http://a/%%34%31")
@example("http://1.2.3.4./")
@example("http://a/.%2e/%2e./..")
def test_canonical_is_idempotent(text: str) -> None:
    """The canonical form of a canonical form is itself, whatever was given."""
    once = canonical(text)
    assert canonical(once) == once
    assert not once or once.startswith(("http://", "https://"))
    assert "#" not in once
    assert len(once) <= LONGEST


@given(HREFS, st.sampled_from(["http://ex.com/", "http://ex.com/a/b/c.htm?x=/y/", "https://w.ex.com:81/~u/"]))
def test_shortcuts_agree_with_the_full_parser(href: str, base: str) -> None:
    """An address that looks canonical enough to skip the parser gets the form the parser would give it."""
    assert Base(base).join(href) == module._parsed(href, base)
    assert Base(base).joined(href) == module._parsed(href, base)
    assert Base(base).join_all([href, "x"]) == [Base(base).join(href), Base(base).join("x")]
    assert canonical(href) == module._parsed(href, "")


@given(st.lists(st.sampled_from(["a", "b.htm", "c_d", "x-y"]), min_size=1, max_size=5).map("/".join), st.integers(0, 6))
def test_plain_joins_agree_with_the_standard_library(path: str, ups: int) -> None:
    """For plain relative paths the join is RFC 3986's."""
    base = "http://ex.com/one/two/three.htm"
    assert canonical("../" * ups + path, base) == urljoin(base, "../" * ups + path)


PLAIN = st.lists(
    st.sampled_from(["http://", "https://", "a", "b.org", "1.2", "xn--", "-", ".", "..", "/", "//", "?", "#", ":"])
    | st.sampled_from(["%41", "%2F", "%2f", "%7E", "%C3", "%", "é", "\ud800", "\0", " ", "@", "~", "_", "'", "A"])
    | st.just("x" * 1990),
    max_size=9,
).map("".join)


@pytest.mark.usefixtures("compiled")
@settings(max_examples=500)
@given(PLAIN, st.sampled_from(["http://ex.com/", "http://ex.com/a/b/c.htm?x=/y/", "https://w.ex.com:81/~u/"]))
@example("http://a/#" + "x" * 5000, "http://ex.com/")
@example("../" * 700, "http://ex.com/a/b/")
def test_the_compiled_short_cut_is_the_same(href: str, base: str) -> None:
    assert Base(base).join(href) == Base(base).joined(href)
