from __future__ import annotations

import pickle
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.models.terms import TermIds
from pinakes.text.numbered import NumberedWords
from pinakes.text.words import Words

WORDS = st.lists(st.sampled_from(["", "owl", "hunt", "night", "中", "é"])).map(tuple)


@given(WORDS)
def test_they_are_the_tuple_of_words(words: tuple[str, ...]) -> None:
    numbered = NumberedWords.of(words, Words.counts(words) | {"title": 1})
    assert numbered == words and hash(numbered) == hash(words) and repr(numbered) == repr(words)
    assert len(numbered) == len(words) and list(numbered) == list(words) and numbered[1:] == words[1:]
    assert add(numbered, ("x",)) == (*words, "x") and ("owl" in numbered) is ("owl" in words)
    assert pickle.loads(pickle.dumps(numbered)) == words
    assert NumberedWords.of(numbered, {}) is numbered


@given(WORDS, st.data())
def test_places_of_words_need_no_spelling(words: tuple[str, ...], data: st.DataObject) -> None:
    """A model finds the same places for numbered words as for spelled ones."""
    needed = np.array(data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words))), bool)
    numbered = NumberedWords.of(words, Words.counts(words))
    assert TermIds().of_words(numbered, needed).tolist() == TermIds().of_words(words, needed).tolist()


def test_a_word_that_is_no_term() -> None:
    with pytest.raises(KeyError):
        NumberedWords.of(("owl",), {})
