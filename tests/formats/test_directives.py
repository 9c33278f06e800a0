from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.directives import directives

NOW = 1_700_000_000.0  # November 2023


@pytest.mark.parametrize(
    ("metas", "header", "expected"),
    [
        (["noindex, NoFollow"], "", {"noindex", "nofollow"}),
        (["none"], "", {"noindex", "nofollow"}),
        (["all", "index,follow"], "", set()),
        (["noarchive"], "noindex", {"noarchive", "noindex"}),
        (["all"], "none", {"noindex", "nofollow"}),
        ([], "googlebot: noindex, nofollow", set()),
        ([], "googlebot: noindex, Pinakes: nofollow, nosnippet", {"nofollow", "nosnippet"}),
        ([], "googlebot: noindex\nnoarchive", {"noarchive"}),
        ([], "*: noindex", {"noindex"}),
        ([], "max-snippet: 20, noindex", {"max-snippet:20", "noindex"}),
        ([], "unavailable_after: Saturday, 25 Jun 2039 15:00:00 GMT, noarchive", {"unavailable_after", "noarchive"}),
        ([], "unavailable_after: 25 Jun 2010 15:00:00 PST", {"unavailable_after", "noindex"}),
        (["noarchive, unavailable_after: 2010-06-25T15:00:00"], "", {"noarchive", "unavailable_after", "noindex"}),
        (["unavailable_after: some day"], "", {"unavailable_after"}),
        (["noindex,,<script>, " + "x" * 99], "", {"noindex"}),
        ([], "", set()),
    ],
)
def test_directives(metas: list[str], header: str, expected: set[str]) -> None:
    """Everything said to us or to everybody adds up; what only permits is nothing."""
    assert directives(metas, header, NOW) == expected


@given(st.lists(st.text()), st.text())
def test_never_raises(metas: list[str], header: str) -> None:
    assert isinstance(directives(metas, "unavailable_after: " + header, NOW), frozenset)
    assert isinstance(directives(["unavailable_after:" + header, *metas], header, NOW), frozenset)
