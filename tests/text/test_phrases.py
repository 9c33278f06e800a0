"""Phrases as people write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.phrases import PhraseReader, written
from pinakes.text.words import Words


def test_phrases_stay_inside_a_clause_and_off_stop_words_at_their_ends() -> None:
    found = PhraseReader(Words().stems).read("Speed of light, and the wave: very fast waves")
    assert set(found.counts) == {
        ("speed",), ("light",), ("speed", "light"), ("wave",), ("fast",), ("fast", "wave"),
    }  # fmt: skip
    assert found.counts["wave",] == 2


def test_forms_keep_case_where_it_tells_something() -> None:
    read = PhraseReader(Words().stems).read
    found = read("Owls hunt. DNA of Owls is long. The DNA helix. Barn owls sleep. Saint Bernard dogs")
    assert written(found.forms(("dna",))) == "DNA"
    assert dict(found.forms(("owl",))) == {"owls": 2, "Owls": 1}
    assert written(found.forms(("barn", "owl"))) == "barn owls"
    assert written(found.forms(("saint", "bernard"))) == "Saint Bernard"


@given(st.text())
def test_every_phrase_has_a_form(text: str) -> None:
    found = PhraseReader(Words().stems).read(text)
    for key, count in found.counts.items():
        assert 1 <= found.forms(key).total() <= count
