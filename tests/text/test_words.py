from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.tokens import word_start
from pinakes.text.words import LONGEST, STOP_WORDS, Words


@pytest.fixture(scope="module")
def words() -> Words:
    return Words()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The birds of the world's oceans", ["", "bird", "", "", "world", "", "ocean"]),
        ("Crawlers, crawling: CRAWLED", ["crawler", "crawl", "crawl"]),
        ("snake_case C++ x2", ["snake", "case", "", "x2"]),
        ("1914–1918 “quoted” don’t", ["1914", "1918", "quot", "", ""]),
        ("Über naïve CAFÉS", ["über", "naïve", "cafés"]),
        ("co\u00adoperation ﬁnding", ["cooper", "find"]),
        ("中文 and カナ", ["中", "文", "", "カ", "ナ"]),
        ("हिन्दी में शब्द।", ["हिन्दी", "में", "शब्द"]),
        ("x" * LONGEST + " " + "x" * (LONGEST + 1) + " end", ["x" * LONGEST, "", "end"]),
        ("a\0bird\x1fnest", ["", "bird", "nest"]),
        ("\U0001f600 \U0001f600\U0001f600", ["", ""]),
        ("", []),
        (" \n\t.,;", []),
    ],
)
def test_words(words: Words, text: str, expected: list[str]) -> None:
    """Words are lower-cased and stemmed in their order; empty strings hold the places of stop words."""
    assert words.stems(text) == expected


def test_counts_leave_stop_words_out(words: Words) -> None:
    assert words.counts(words.stems("the cat and the cats of a dog")) == {"cat": 2, "dog": 1}


def test_stop_words_are_lower_case_words() -> None:
    """The stop list is matched against lowered tokens, so it must hold nothing else."""
    assert all(word.isascii() and word.isalpha() and word == word.lower() for word in STOP_WORDS)
    assert {"the", "of", "and", "is"} <= STOP_WORDS


@given(st.text(), st.data())
def test_pieces_have_the_words_of_the_whole(text: str, data: st.DataObject) -> None:
    """Cutting a text at word starts changes no word, and each offset counts the words before its piece."""
    words = Words()
    cuts = [0]
    for place in sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5))):
        cuts.append(word_start(text, place, cuts[-1]))
    cuts.append(len(text))
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    stems, offsets = words.pieces(pieces)
    assert stems == words.stems(text)
    assert offsets == [len(words.stems(text[:cut])) for cut in cuts[:-1]]


@given(st.lists(st.text(alphabet="abcdefg", min_size=1, max_size=4), max_size=60))
def test_a_full_memory_changes_nothing(tokens: list[str]) -> None:
    """Stems do not depend on how many tokens are remembered."""
    assert Words(remember=3).stems(" ".join(tokens)) == Words().stems(" ".join(tokens))


def test_word_start() -> None:
    assert word_start("two dogs", 6) == 4
    assert word_start("two dogs", 6, floor=5) == 5
    assert word_start("two dogs", 4) == 4
    assert word_start("well-known", 4) == 4
