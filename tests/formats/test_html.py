from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from pinakes.core.page import Link
from pinakes.formats.html import LONGEST_ANCHOR, Parsed, parse
from pinakes.text.words import Words

URL = "http://ex.com/dir/page.htm"
WORDS = Words()


def parsed(html: str, **limits: int) -> Parsed:
    return parse(html, URL, WORDS, **limits)


def only_link(html: str) -> Link:
    (link,) = parsed(html).links
    return link


def urls(html: str) -> list[str]:
    return [link.url for link in parsed(html).links]


def test_a_whole_page() -> None:
    """Title, text, language, canonical, robots and every part of a link come from one page."""
    page = parse(
        """<!doctype html><html lang=en-GB><head><title>  Birds
        of the world </title><meta name="ROBOTS" content="noarchive"><link rel="canonical" href="/birds"></head>
        <body><h1>Birds</h1><p>Some birds, like the <a href="Owl.htm?b=2&amp;a=1#top" rel="Tag  NoFollow">barn
        <b>owl</b></a>s of Europe, hunt by night.</p></body></html>""",
        URL,
        WORDS,
        depth=3,
    )
    assert page.title == "Birds of the world"
    assert page.text == "Birds\nSome birds, like the barn owls of Europe, hunt by night."
    assert page.language == "en-GB"
    assert page.canonical == "http://ex.com/birds"
    assert page.robots == ("noarchive",)
    owl, home = page.links
    assert owl == Link(
        "http://ex.com/dir/Owl.htm?b=2&a=1",
        anchor="barn owl",
        before="Birds Some birds, like the",
        after="s of Europe, hunt by night.",
        at=5,
        tag="html/body/p/a",
        rel="tag nofollow",
        parent=URL,
        depth=4,
    )
    assert page.words[5:7] == ("barn", "owl")
    assert home == Link("http://ex.com/birds", tag="html/head/link", rel="canonical", parent=URL, depth=4)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one<p>two", "one\ntwo"),
        ("<td>one</td><td>two</td>", "onetwo"),
        ("<table><tr><td>one</td><td>two</td></table>", "one\ntwo"),
        ("one<br>two<hr>three", "one\ntwo\nthree"),
        ("on<b>e</b> t<i>w</i>o", "one two"),
        ("one <b> two </b> three", "one two three"),
        ("one<b>\n</b>two", "one two"),
        ("one&nbsp;two", "one two"),
        ("a<script>x</script><style>y</style>b", "ab"),
        ("a<noscript>x</noscript><template>y</template><!-- z -->b", "ab"),
        ("a<div hidden>x<p>y</div><p hidden=until-found>z</p>b", "a\nb"),
        ("a<iframe src=x>fallback</iframe>b", "ab"),
        ("<svg><title>t</title><text>in a picture</text></svg>", "in a picture"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("&lt;b&gt; &eacute;&#x20ac;", "<b> é€"),
        ("<a href=x>one</a><a href=y>two</a>", "one two"),
        ("nul\0byte", "nulbyte"),
        ("", ""),
    ],
)
def test_visible_text(html: str, text: str) -> None:
    """Text is what can be seen, folded; blocks and neighbouring links keep words apart, inline elements do not."""
    assert parsed(html).text == text


@pytest.mark.parametrize(
    "href",
    ["javascript:void(0)", "mailto:a@b.c", "data:text/html,x", "tel:1", "#top", "", "page.htm", "page.htm#x"],
)
def test_links_off_the_web_are_dropped(href: str) -> None:
    assert urls(f'<a href="{href}">x</a><a>y</a><a href="z">z</a>') == ["http://ex.com/dir/z"]


@pytest.mark.parametrize("href", ["http://", "http://[::1", "http://ex.com:99999/", "x" * 3000, "http://a b/"])
def test_links_that_lead_nowhere_are_dropped(href: str) -> None:
    assert urls(f'<a href="{href}">x</a><a>y</a><a href="z">z</a>') == ["http://ex.com/dir/z"]


@pytest.mark.parametrize(
    ("html", "url", "anchor", "rel"),
    [
        ("<map><area href=/x alt='the  map'></map>", "http://ex.com/x", "the map", ""),
        ("<iframe src=/x title=inside></iframe>", "http://ex.com/x", "inside", ""),
        ("<frameset><frame src=/x></frameset>", "http://ex.com/x", "", ""),
        ("<meta http-equiv=Refresh content='5; URL=\"/x\"'>", "http://ex.com/x", "", "refresh"),
        ("<meta http-equiv=refresh content='0,/x'>", "http://ex.com/x", "", "refresh"),
        ("<a href=/x><img alt=' a  cat '></a>", "http://ex.com/x", "a cat", ""),
        ("<a href=/x><img alt=cat>the cat</a>", "http://ex.com/x", "the cat", ""),
        ("<a href='//[2001:DB8::1]/é'>x</a>", "http://[2001:db8::1]/%C3%A9", "x", ""),
        ("<a href='/%zz%41 b'>x</a>", "http://ex.com/%zz%41%20b", "x", ""),
        ("<a href='\n/a\tb'>x</a>", "http://ex.com/ab", "x", ""),
    ],
)
def test_every_kind_of_link(html: str, url: str, anchor: str, rel: str) -> None:
    link = only_link(html)
    assert (link.url, link.anchor, link.rel) == (url, anchor, rel)


def test_a_refresh_without_address_is_no_link() -> None:
    assert urls("<meta http-equiv=refresh content=300>") == []


def test_hidden_links_are_no_links() -> None:
    assert urls("<p hidden><a href=x>x</a></p><noscript><a href=y>y</a></noscript><a hidden href=z>z</a>") == []


def test_base() -> None:
    """The first base counts for all links, those before it too; one that leads nowhere does not count."""
    assert urls("<a href=x>x</a><base href=/other/><base href=/third/>") == ["http://ex.com/other/x"]
    assert urls("<base href='mailto:x'><a href=x>x</a>") == ["http://ex.com/dir/x"]
    assert urls("<base href='http://o.org/d/'><a href='/dir/page.htm'>x</a>") == ["http://o.org/dir/page.htm"]


def test_an_address_counts_once() -> None:
    """The first of several links to an address is kept, with the first anchor that says something."""
    page = parsed("<a href=x><img></a> one <a href=y>y</a> <a href=x>later</a> <a href=x>last</a> <a href=y>no</a>")
    assert [(link.url[-1], link.anchor, link.at) for link in page.links] == [("x", "later", 0), ("y", "y", 1)]
    assert urls("<link rel=canonical href=x><a href=x>x</a>") == ["http://ex.com/dir/x"]


def test_an_unclosed_link_ends_at_the_next() -> None:
    page = parsed("<a href=x>one <a href=y>two <p>three")
    assert [(link.anchor, link.at) for link in page.links] == [("one", 0), ("two three", 1)]


def test_context_is_about_ten_words() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    link = only_link(f"<p>{text} <a href=x>here</a> {text}")
    assert 8 <= len(link.before.split()) <= 12
    assert link.before.split()[-1] == "word39"
    assert 8 <= len(link.after.split()) <= 12
    assert link.after.split()[0] == "word0"
    assert set(link.before.split()) | set(link.after.split()) <= set(text.split())


def test_place_of_a_link_inside_a_word() -> None:
    """The words are the text's; a link that starts inside a word stands at that word."""
    page = parsed("the un<a href=x>happy</a> <a href=y>(few)</a> well<a href=z>-known</a>")
    assert page.words == ("", "unhappi", "", "", "known")
    assert [link.at for link in page.links] == [1, 2, 4]


def test_bounds() -> None:
    """Text, links, anchors, paths and input have their limits."""
    many = "".join(f"<a href=p{number}>link {number}</a> " for number in range(6000))
    assert len(parsed(many).links) == 5000
    assert len(parsed(many, most_links=7).links) == 7
    assert len(parsed("word " * 400_000).text) <= 1_000_000
    assert len(parsed("<p>some words" * 1000, most_text=100).text) <= 100
    assert parsed("<p>seen" + " " * 100 + "unseen", most_characters=50).text == "seen"
    long = only_link(f"<a href=x>{'long ' * 1000}</a>")
    assert len(long.anchor) <= LONGEST_ANCHOR
    deep = only_link("<div>" * 50 + "<a href=x>x</a>")
    assert deep.tag == "/".join(["div"] * 11 + ["a"])


HOSTILE = {
    "nested": "<div>" * 60_000 + "<a href=x>x</a>",
    "nested links": "<a href=x>" * 60_000,
    "nested tables": "<table><tr><td>" * 20_000 + "x",
    "attributes": "<a href=x " + " ".join(f"a{number}=1" for number in range(100_000)) + ">x</a>",
    "one attribute": '<a href="' + "x" * 1_500_000 + '">x</a>',
    "reopened": "<p>" + "".join(f"<b a{number}>" for number in range(600)) + "</p><p>x" * 100_000,
    "adopted": "<b><p>" * 20_000 + "</b>" * 20_000,
    "one text": "word " * 400_000,
    "one word": "x" * 2_000_000,
    "spaces": " " * 1_000_000 + "x" + "\n" * 900_000,
    "refresh": f"<meta http-equiv=refresh content='{' ' * 500_000}0{' ' * 500_000}'>",
    "unclosed": "<" * 1_000_000,
    "unclosed comment": "<!--" * 400_000,
    "unclosed tag": "<a href='" + "x" * 100_000,
    "unclosed scripts": "<script><!--<script>" * 50_000,
    "entities": "&amp;&#x1F600;&notanentity" * 50_000,
    "end tags": "<div>" * 20_000 + "</p></x></b>" * 40_000,
    "glued links": "".join(f"<a href=q{number}>x" for number in range(100_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_take_no_time(name: str) -> None:
    """Whatever the nesting, a page of 2 MB is read in about a second of processor time, most in a tenth."""
    start = process_time()
    page = parsed(HOSTILE[name])
    assert process_time() - start < 3
    assert len(page.text) <= 1_000_000


# fmt: off
MARKUP = st.lists(st.sampled_from([
    "<a href=x>", "<a href=y rel=z>", "</a>", "<p>", "</p>", "<td>", "<table>", "</table>", "<b>", "</b>", "<br>",
    "<script>", "</script>", "<svg>", "<title>", "</title>", "<template>", "<div hidden>", "</div>", "<img alt=i>",
    "<base href='", "<!--", "-->", "<", ">", "&", "&amp;", "é", "中", "\xad", " ", "\n", "\0", "the", "birds", "fly",
    "<meta http-equiv=refresh content='0;url=r'>", "<iframe src=i>", "\ud800", "<a", "'", '"', "=", "</",
]), max_size=40).map("".join)
# fmt: on


@given(st.one_of(MARKUP, st.text(), st.binary().map(lambda data: data.decode("utf-8", "replace"))))
def test_the_parts_agree(html: str) -> None:
    """Whatever the page: its words are those of its text, and each link's anchor starts at its place among them."""
    page = parsed(html)
    assert list(page.words) == WORDS.stems(page.text)
    assert page.text == page.text.strip()
    addresses = [link.url for link in page.links]
    assert len(addresses) == len(set(addresses))
    for link in page.links:
        assert link.url.startswith("http://")
        assert 0 <= link.at <= len(page.words)
        assert link.anchor in page.text.replace("\n", " ") or "i" in link.anchor
        stems = WORDS.stems(link.anchor)
        if stems and f"{link.anchor} " in page.text.replace("\n", " ") and page.text.count(link.anchor) == 1:
            starts_inside_a_word = page.words[link.at] != stems[0]
            assert not starts_inside_a_word or link.before[-1:].strip() or link.before == ""


@pytest.mark.shared
def test_a_recorded_web(shared: Path) -> None:
    """On real articles a link's anchor starts at its place among the page's words."""
    right = wrong = 0
    with (shared / "webs/schools/web.warc.gz").open("rb") as file:
        for number, record in enumerate(ArchiveIterator(file)):
            if number == 300:
                break
            if number % 10 or record.rec_type != "response":
                continue
            url = record.rec_headers.get_header("WARC-Target-URI")
            page = parse(record.content_stream().read().decode("utf-8", "replace"), url, WORDS)
            assert list(page.words) == WORDS.stems(page.text)
            line = page.text.replace("\n", " ")
            for link in page.links:
                # Left out: pictures, whose anchors are not in the text, and links that start inside a word.
                if (stems := WORDS.stems(link.anchor)) and f"{link.before} {link.anchor}" in line:
                    right += page.words[link.at] == stems[0]
                    wrong += page.words[link.at] != stems[0]
    assert right > 300
    assert wrong <= right / 500  # pictures whose alternative text happens to stand in the text
