"""A page's words found together are those found one by one, be it in C or in Python."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.text.fingerprint import Fingerprints
from pinakes.text.tokens import hash_of, word_start
from pinakes.text.words import QUICK, Words


@pytest.fixture(scope="module", params=[True, False], ids=["plain", "compiled"])
def plain(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        request.getfixturevalue("compiled")
    return bool(request.param)


def _agree(words: Words, text: str, places: list[int] | None = None) -> None:
    places = places or []
    told = words.told(text, places)
    stems = Words().stems(text)
    assert list(told.words) == stems
    assert told.offsets == [len(Words().stems(text[: word_start(text, place)])) for place in places]
    assert list(told.terms.items()) == list(Words.counts(stems).items())
    assert told.stopped == stems.count("")
    assert told.fingerprint == Fingerprints().of(stems)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.data())
def test_any_text(plain: bool, text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    _agree(Words(plain=plain), text, places)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["owl", "hunt", "the", " ", "-", "\xad", "\u200d", "中", "é", "\U0001f600", "\0"])))
def test_words_cut_anywhere(plain: bool, parts: list[str]) -> None:
    """The words before a place are counted whatever stands there, and one that spans it is not."""
    _agree(Words(plain=plain), "".join(parts), list(accumulate(map(len, parts))))


def test_nothing_at_all(plain: bool) -> None:
    told = Words(plain=plain).told("", [0])
    assert (told.words, told.offsets, told.terms, told.stopped, told.fingerprint) == ((), [0], {}, 0, 0)


def test_half_a_surrogate_pair_separates(plain: bool) -> None:
    assert Words(plain=plain).told("owls\ud800hunt").words == ("owl", "hunt")


def test_many_scripts_and_long_tokens(plain: bool) -> None:
    text = "Käuzchen naïve x² 10°C — “owl’s” 東京タワー сова البومة ﬁsh " + "a" * 300 + " " + "ß" * 41 + " " + "я" * 40
    _agree(Words(plain=plain), text + text.upper() + "owls\0hunt \0by night")


@pytest.mark.parametrize("remember", [1, 50, 3_000])
def test_forgetting_changes_nothing(plain: bool, remember: int) -> None:
    random_ = random.Random(remember)
    words = Words(remember, plain)
    for _ in range(12):
        _agree(words, " ".join(f"w{random_.randrange(9_000)}x" for _ in range(1_500)))


def test_a_large_vocabulary_grows_the_tables(plain: bool) -> None:
    words = Words(plain=plain)
    for start in range(0, 30_000, 3_000):
        _agree(words, " ".join(f"word{number}" for number in range(start, start + 6_000)))


def test_pages_outlive_what_was_forgotten(plain: bool) -> None:
    """A page's words are its own, whatever the lexicon forgets or learns afterwards."""
    words = Words(3, plain)
    first = words.told("barn owls hunt by night")
    for number in range(20):
        words.told(f"other words{number} and more{number}")
    assert first.words == ("barn", "owl", "hunt", "", "night")


@pytest.mark.usefixtures("compiled")
def test_mistakes_are_told() -> None:
    """The compiled lexicon raises what its helpers raise, and refuses tables that are not its own."""
    assert QUICK is not None
    with pytest.raises(ValueError, match="65,536"):
        QUICK(10, list, list, [], hash, b"", b"")
    for broken in (lambda tokens: [1 for _ in tokens], lambda tokens: [], lambda tokens: "owl"):
        for token in (b"owl", "œuf".encode()):
            with pytest.raises(TypeError, match="stem"):
                QUICK(10, broken, broken, [], hash, bytes(1 << 16), bytes(32)).told(token, [])  # type: ignore[arg-type]
    failing = QUICK(10, lambda tokens: [{}[token] for token in tokens], list, [], hash, bytes(1 << 16), bytes(32))
    with pytest.raises(KeyError):
        failing.told(b"owl owl", [])


@pytest.mark.usefixtures("compiled")
@settings(max_examples=60)
@given(st.lists(st.text("abcdeé中", min_size=2, max_size=30), min_size=3, max_size=80))
def test_stems_are_hashed_alike(stems: list[str]) -> None:
    """The compiled hash of stems is the library's, whatever their length."""
    assert QUICK is not None
    words = stems + ["owl"] * 60
    lexicon = QUICK(99, list, list, [], hash_of, bytes(1 << 16), b"keys of an odd kind, 32 letters.")
    assert lexicon.told(" ".join(words).encode(), [])[5] == Fingerprints().of(words)
