"""The compiled walk and the one over nodes see the same page."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from pinakes.formats.walk import walked

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
    seen = 0
    with (shared / f"webs/{web}/web.warc.gz").open("rb") as file:
        for number, record in enumerate(ArchiveIterator(file)):
            if number == 600:
                break
            if number % 12 == 0 and record.rec_type == "response":
                same(record.content_stream().read().decode("utf-8", "replace"))
                seen += 1
    assert seen > 20
