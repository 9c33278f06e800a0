"""The compiled walks, straight over a page and over its tree, and the one over nodes see the same page."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from pinakes.formats.walk import QUICK, walked

pytestmark = pytest.mark.usefixtures("compiled")

# fmt: off
MARKUP = st.lists(st.sampled_from([
    "<a href=x>",
    "<a href='y&amp;\"&nbsp;<>' rel=' Z  w'>", "<a>", "</a>", "<p>", "</p>", "<td>", "<table>", "</table>",
    "<b>", "</b>", "<br>", "<script>", "<!--<script>", "</script>", "<style>", "</style>", "<svg>", "</svg>", "<math>",
    "<mi>", "<foreignObject>", "<desc>", "<title>", "</title>", "<template>", "</template>", "<div hidden>", "</div>",
    "<img alt=i>", "<img alt=' &nbsp; '>", "<img title='x hidden=' alt>", "<base href='q'>", "<base href='", "<!--",
    "-->", "--!>", "<!x", "<?php ?>", "<![CDATA[", "]]>", "<", ">", "&", "&amp;", "&lt;", "&nbsp;", "é", "中", "\xad",
    "\u3000", "\u2009", "\x85", "\x1c", " ", "  ", "\n", "\0", "the", "birds", "fly", "<textarea>", "</textarea>",
    "<meta http-equiv=refresh content='0;url=r'>", "<meta name=robots content=none>", "<html lang=en hidden>",
    "<link rel=canonical href=c>", "<iframe src=i title='a b'>", "</iframe>", "<area href=m alt=map>", "<frameset>",
    "<frame src=f>", "<noscript>", "</noscript>", "<noframes>", "<xmp>", "</xmp>", "<plaintext>", "<select>",
    "<option>", "<audio>", "<object>", "<param>", "<input>", "<wbr>", "<a", "'", '"', "=", "</", "<x-y a\"b=1 'c>",
    "\ud800", "<button>", "<marquee>", "<form>", "<pre>", "<hr>",
]), max_size=40).map("".join)
# fmt: on


def same(html: str, most_links: int = 5_000, most_text: int = 1_000_000) -> None:
    quick, plain = (walked(html, most_links, most_text, plain) for plain in (False, True))
    assert quick.text == plain.text
    assert quick.links == plain.links
    assert quick.notes == plain.notes


@settings(max_examples=400, deadline=None)
@given(MARKUP)
def test_any_markup(html: str) -> None:
    same(html)


# fmt: off
NAMES = """
    a address b body br button caption center code col colgroup dd div dl dt em fieldset font form h1 h2 head hr html i
    iframe image img li map nobr noscript object ol optgroup option p pre script section select span svg table tbody td
    textarea th thead title tr ul video wbr g path desc"""
TAGS = NAMES.split()
PIECES = [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + [
    "<A HREF=q>", "<TD hidden>", "<br/>", "<p/>", "<path/>", "<a href='x&copy=1&amp;b&notit;' rel=n>", "<a href=y&lt>",
    "<a href=z/>", "<img alt=a&eacute;b>", "<a href=w class=\"'\" HREF=twice>", "<body hidden>", "<html lang=en>",
    "<!doctype html>", "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"x\">", "<!x>", "<!-- c -->",
    "<?x y>", "</ >", "word", "more words", " ", "\n", "&amp;", "&copy", "&copyx", "&nbsp;", "&#160;", "&#x80;", "&#0;",
    "&#xD800;", "&#99999999999;", "&nGt;", "&unknown;", "&", "&#", "&#x", "é", "\u3000", "\r\n",
    "<title>plain &amp; simple</title>", "<script>if(a<b){}</script>", "<textarea>\n&lt; t</textarea>",
]
BEGINNINGS = ["", "<table><tr><td>", "<ul><li>", "<p>", "<select>", "<svg>", "<b>", "<table>"]
ORDERLY = st.tuples(
    st.sampled_from(["", "<!doctype html>", "<!doctype html><html><head><title>t</title></head><body>"]),
    st.sampled_from(BEGINNINGS), st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
).map("".join)
# fmt: on


@settings(max_examples=600, deadline=None)
@given(ORDERLY)
def test_markup_that_may_need_no_tree(html: str) -> None:
    same(html)


@pytest.mark.parametrize(
    "html",
    [
        "<!DOCTYPE HTML><HTML LANG=en><HEAD><TITLE>T &lt; t</TITLE><META NAME=robots CONTENT='a&amp;b'></HEAD>"
        "<BODY><UL><LI>one<LI><P>two<P>three</UL><A HREF=x>link</A></BODY></HTML> after",
        "<table><tr><td>a<td>b<tr><th>c</table><p>d<table><td>in the table</table>",
        "<p>old<table><tr><td>page</table>",
        "<title>no head</title><dl><dt>a<dd>b<dt>c</dl><select><option>x<option>y</select>",
        "<svg><title>icon</title><path d='M0'/><g><circle/></g></svg> drawn<image alt=i>",
        "<p>stray</b></div></p></p><h4>one<p>two<h2>three</h2><hr>",
        "text &copy 2007 &frac12; &#8217; AT&T &notin; &notit; R&D &nbsp; x",
        "<body><body class=again><html><head></head></body>on",
    ],
)
def test_pages_that_need_no_tree(html: str) -> None:
    assert QUICK
    assert QUICK.straight(html.encode(), 5_000, 1_000_000) is not None
    same(html)


@pytest.mark.parametrize(
    "html",
    [
        "<b><p>crossing</b></p>",
        "<a href=x>one<a href=y>in another",
        "<table>text that is moved</table>",
        "<table><a href=x>moved</a></table>",
        "<noscript><p>left</p></noscript><template><a href=x>none</a></template>",
        "<head><noscript><img src=x></noscript></head>",
        "<form><form></form>",
        "<math><mi>x</mi></math>",
        "<p>" + "<i>" * 250,
        "<a href='never ended>x",
        "<script>never ended",
        "a\0b",
    ],
)
def test_pages_that_need_one(html: str) -> None:
    assert QUICK
    assert QUICK.straight(html.encode(), 5_000, 1_000_000) is None
    same(html)


@settings(max_examples=100, deadline=None)
@given(MARKUP, st.integers(0, 12), st.integers(0, 3))
def test_any_bounds(html: str, most_text: int, most_links: int) -> None:
    """A page is cut off at the same character and the same link."""
    same(html, most_links, most_text)


@pytest.mark.parametrize(
    "html",
    [
        "<script><!--<script>a</script>b--></script>c",
        "<script>document.write('<!-- <script>')</script>seen",
        "<plaintext></plaintext><a href=x>still text",
        "<xmp><a href=x>&amp;</a></xmp> after",
        "<svg><style>.a{}<g>in</g></style><title>t</title><a href=s>link</a></svg>",
        "<svg><title><b>html</b></title><desc><title>html title</title></desc></svg>",
        "<math><mi><a href=m>x</a></mi></math><svg><foreignObject><p>p</p><title>inner</title></foreignObject></svg>",
        "<a href=1>" + "word " * 300 + "</a>" + "é" * 200 + "<a href=2>x</a>" + "中 " * 200,
        "<a href=o><object><a href=i><img alt=inner></a></object><img alt=outer></a>",
        "<p>" * 4_000 + "<a href=x>deep</a>",
        "<a href=x rel='" + "n " * 200 + "'>x</a>",
        "text\u2003with\u3000rare\x85spaces\u2028and&#8239;more",
        "<div>" * 30 + "<a href=x>x</a>" + "</div>" * 30 + "<a href=y>y</a>",
        "<link>" * 10 + "<br>" * 3_001 + "<a href=many>tags</a>",
    ],
)
def test_hard_places(html: str) -> None:
    same(html)


@pytest.mark.shared
@pytest.mark.parametrize("web", ["schools", "webkb"])
def test_recorded_webs(shared: Path, web: str) -> None:
    assert QUICK
    seen = straight = 0
    with (shared / f"webs/{web}/web.warc.gz").open("rb") as file:
        for number, record in enumerate(ArchiveIterator(file)):
            if number == 600:
                break
            if number % 12 == 0 and record.rec_type == "response":
                page = record.content_stream().read().decode("utf-8", "replace")
                straight += QUICK.straight(page.encode(), 5_000, 1_000_000) is not None
                same(page)
                seen += 1
    assert seen > 20
    assert straight > seen / 3
