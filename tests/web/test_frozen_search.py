"""Search over a frozen web: BM25 as defined, and phrases word for word."""

from __future__ import annotations

import asyncio
import math
from collections import Counter

import pytest

from pinakes.core.page import Link
from pinakes.core.roles import Hit
from pinakes.testing.recording import html, recorded
from pinakes.text.words import Words
from pinakes.web.frozen import FrozenWeb

PAGES = {
    "a": html("Herons", "The great blue heron wades in shallow water."),
    "b": html("Water", "Blue water. Great water. A heron was seen, and water."),
    "c": html("Office", "The e\ufb03cient o\ufb03ce of Stra\u00dfe\u00adnbau: well-known; state of the art!"),
    "d": html("Blue Heron Inn", "A place to stay the night."),
    "e": html("Play", "To be, or not to be: that is the question."),
    "f": html("Tokyo", "\u6771\u4eac\u5927\u5b66\u306e\u6821\u6b74"),
    "g": html("Herons of blue", "heronblue bluish herons"),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> FrozenWeb:
    path = tmp_path_factory.mktemp("search") / "s.warc.gz"
    members = [recorded(f"http://s.example/{name}", body) for name, body in PAGES.items()]
    members.append(recorded("http://s.example/404", html("Blue heron", "blue heron"), status=404))
    path.write_bytes(b"".join(member.data for member in members))
    return FrozenWeb(path)


def search(web: FrozenWeb, query: str, n: int = 10, phrase: bool = False) -> list[Hit]:
    return list(asyncio.run(web.search(query, n, phrase)))


def names(hits: list[Hit]) -> str:
    return "".join(hit.url[-1] for hit in hits)


def test_scores_are_bm25_with_the_title_counted_twice(web: FrozenWeb) -> None:
    """The ranking is that of the formula computed by hand from the parsed pages."""
    pages, words = {}, Words()
    for name in PAGES:
        page = asyncio.run(web.fetch(Link(f"http://s.example/{name}"))).page
        pages[name] = Counter(page.terms) + Counter(filter(None, words.stems(page.title)))
    average = sum(sum(weights.values()) for weights in pages.values()) / len(pages)

    def score(weights: dict[str, int]) -> float:
        total = 0.0
        for term in ("blue", "heron", "water"):
            holding = sum(term in other for other in pages.values())
            idf = math.log(1 + (len(pages) - holding + 0.5) / (holding + 0.5))
            tf, length = weights.get(term, 0), sum(weights.values())
            total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))
        return total

    expected = sorted((name for name in pages if score(pages[name]) > 0), key=lambda name: -score(pages[name]))
    assert names(search(web, "blue herons water")) == "".join(expected)


def test_hits_have_title_snippet_and_rank(web: FrozenWeb) -> None:
    """Ranks count from one; the snippet shows a query word; only what was found is listed."""
    hits = search(web, "wading heron")
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    best = next(hit for hit in hits if hit.url.endswith("/a"))
    assert (best.title, best.provider) == ("Herons", "frozen")
    assert "heron" in best.snippet
    assert len(search(web, "heron", 2)) == 2
    assert search(web, "the of and") == search(web, "") == search(web, "xylophone") == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("blue heron", "ad"),
        ("BLUE   Heron", "ad"),
        ("great blue heron", "a"),
        ("heron blue", ""),
        ("efficient office", "c"),
        ("office of Straßenbau", "c"),
        ("well known state of the art", "c"),
        ("well-known state", "c"),
        ("state the art", ""),
        ("to be or not to be", "e"),
        ("or not to bee", ""),
        ("大学", "f"),
        ("heron", "abd"),
        ("xylophone music", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_phrases_must_occur_word_for_word(web: FrozenWeb, query: str, found: str) -> None:
    """In text or title; case, punctuation, ligatures and soft hyphens aside; inflections do not count."""
    assert "".join(sorted(names(search(web, query, phrase=True)))) == found


def test_phrase_search_stops_at_n(web: FrozenWeb) -> None:
    """The best first, no more than asked."""
    assert len(search(web, "blue heron", 1, phrase=True)) == 1
