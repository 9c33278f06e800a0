"""Nothing a stranger wrote becomes markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.report.markup import Html, data, join, tag, text


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.texts = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.texts += data


def test_elements() -> None:
    """Children are escaped unless they are elements; lists are taken apart; nothing stands for nothing."""
    made = tag("p", "a < b", [tag("b", 1), None, False], class_="x", data_key='"', hidden=True, id=None)
    assert made == '<p class="x" data-key="&quot;" hidden>a &lt; b<b>1</b></p>'
    assert tag("br") == "<br>" and join(["&", Html("&amp;")]) == "&amp;&amp;"


@given(st.text())
def test_text_stays_text(written: str) -> None:
    """Read by another parser, one element with one attribute comes back."""
    reader = Reader()
    reader.feed(tag("p", written, title=written))
    reader.close()
    assert reader.tags == ["p"] and list(reader.attributes) == ["title"]
    if "\r" not in written and text(written) == text(written.replace("\ufffd", "?")):
        assert reader.texts == reader.attributes["title"]


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.floats(allow_nan=False, allow_infinity=False), st.none())))
def test_data_stays_data(values: dict[str, object]) -> None:
    """It cannot end its element, and it comes back whole."""
    made = data(values)
    inner = made.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert "<" not in inner and json.loads(inner) == values


def test_no_number_that_json_lacks() -> None:
    """A NaN is an error here, not a page whose script stops."""
    with pytest.raises(ValueError):
        data({"a": float("nan")})


def test_characters_that_cannot_be_held() -> None:
    """Controls and half surrogates are replaced."""
    assert text("a\x00b\ud800c") == "a\ufffdb\ufffdc"
