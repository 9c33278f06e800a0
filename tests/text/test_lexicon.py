"""A page's words found together are those found one by one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.text.fingerprint import Fingerprints
from pinakes.text.words import Words


def _agree(words: Words, pieces: list[str]) -> None:
    told = words.told(pieces)
    plain = Words()
    stems, offsets = plain.pieces(pieces)
    assert (told.words, told.offsets) == (stems, offsets)
    assert list(told.terms.items()) == list(plain.counts(stems).items())
    assert Fingerprints.of_hashes(told.hashes, len(told.words)) == Fingerprints().of(stems)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_any_text_in_pieces(pieces: list[str]) -> None:
    words = Words()
    # Pieces are cut where words begin; a space sees to that here.
    _agree(words, [f"{piece} " for piece in pieces])


def test_nothing_at_all() -> None:
    told = Words().told(("",))
    assert (told.words, told.offsets, told.terms, len(told.hashes)) == ([], [0], {}, 0)


def test_nul_in_a_text_is_a_separator() -> None:
    _agree(Words(), ["owls\0hunt ", "\0by night"])


def test_many_scripts_and_long_tokens() -> None:
    text = "Käuzchen naïve x² 10°C — “owl’s” 東京タワー сова البومة ﬁsh " + "a" * 300 + " " + "ß" * 41 + " " + "я" * 40
    _agree(Words(), [text, text.upper()])


@pytest.mark.parametrize("remember", [1, 50, 3_000])
def test_forgetting_changes_nothing(remember: int) -> None:
    random_ = random.Random(remember)
    words = Words(remember)
    for _ in range(12):
        _agree(words, [" ".join(f"w{random_.randrange(9_000)}x" for _ in range(1_500))])


def test_a_large_vocabulary_grows_the_tables() -> None:
    words = Words()
    for start in range(0, 30_000, 3_000):
        _agree(words, [" ".join(f"word{number}" for number in range(start, start + 6_000))])
