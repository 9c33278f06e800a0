"""Terms in one string are the dictionary they stand for."""

from __future__ import annotations

import pickle
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.joined import JoinedTerms, joined, plain

_TERM = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=8)
_TERMS = st.dictionaries(_TERM, st.integers(1, 1 << 31), max_size=60)


@given(_TERMS, _TERM)
def test_a_reader_sees_a_dictionary(terms: dict[str, int], other: str) -> None:
    one = JoinedTerms.of(terms)
    assert len(one) == len(terms)
    assert bool(one) == bool(terms)
    assert list(one.values()) == list(terms.values())
    # First what is found in the string, and then, again and again, what is found in the dictionary.
    for _ in range(3):
        for term in [*terms, other, ""]:
            assert one.get(term) == terms.get(term)
            assert one.get(term, 0) == terms.get(term, 0)
            assert (term in one) == (term in terms)
    assert list(one) == list(terms)
    assert list(one.items()) == list(terms.items())
    assert one.keys() & {other} == terms.keys() & {other}
    assert one == terms
    assert terms == one
    assert repr(one) == repr(terms)


def test_a_term_is_not_taken_for_a_part_of_another() -> None:
    one = JoinedTerms.of({"owlet": 2, "barn": 1, "owl": 3})
    assert [one.get(term, 0) for term in ("owl", "let", "owlet", "bar", "arn", "barn")] == [3, 0, 2, 0, 0, 1]
    with pytest.raises(KeyError):
        one["bar"]
    assert 7 not in one


@given(_TERMS, st.lists(_TERM, max_size=12))
def test_more_words_are_counted_as_a_counter_would(terms: dict[str, int], words: list[str]) -> None:
    wanted = Counter(terms)
    wanted.update(words)
    more = JoinedTerms.of(terms).and_also([*words, *list(terms)[:3]])
    wanted.update(list(terms)[:3])
    assert list(more.items()) == list(wanted.items())
    assert JoinedTerms.of(terms) == terms  # which are as they were


def test_they_can_be_written_down_and_sent() -> None:
    terms = {"owl": 3, "barn": 1}
    one = JoinedTerms.of(terms)
    assert msgspec.json.decode(msgspec.json.encode({"terms": one, "words": {1}}, enc_hook=plain))["terms"] == terms
    assert pickle.loads(pickle.dumps(one)) == terms
    assert JoinedTerms.of(one) is one
    assert joined(()) == JoinedTerms.of({}).joined
