"""Names of people, compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.names import Agreement, PersonName, name_words

FULL, INITIALS, NONE = Agreement.FULL, Agreement.INITIALS, Agreement.NONE


@pytest.mark.parametrize(
    ("a", "b", "agreement"),
    [
        ("Anna K. Berg", "Anna Berg", FULL),
        ("Berg, Anna", "Anna Berg", FULL),
        ("A. K. Berg", "Anna Berg", INITIALS),
        ("Anna Berg", "Arne Berg", NONE),
        ("Anna Berg", "Anna Bergman", NONE),
        ("Anna K. Berg", "Anna L. Berg", NONE),
        ("Zoë d’Orsay", "Zoe D'Orsay", FULL),
        ("Jörg von der Heide", "Joerg Heide", NONE),
        ("Ludwig van Dyck", "van Dyck, Ludwig", FULL),
        ("Jean-Luc Petit", "Jean Luc Petit", FULL),
        ("Wei Li 0003", "Wei Li", FULL),
        ("Sam Owens Jr.", "Sam Owens", FULL),
        ("Matt Hall", "Matthew Hall", FULL),
        ("Plato", "Plato", NONE),
    ],
)
def test_two_names(a: str, b: str, agreement: Agreement) -> None:
    assert PersonName.read(a).agrees(PersonName.read(b)) == agreement
    assert PersonName.read(b).agrees(PersonName.read(a)) == agreement


@pytest.mark.parametrize(
    ("name", "text", "agreement"),
    [
        ("Anna Berg", "The home page of Anna K. Berg, professor", FULL),
        ("Anna Berg", "BERG Anna | publications", FULL),
        ("Anna Berg", "with A. Berg and others", INITIALS),
        ("Anna Berg", "Berg and Anna went; Arne Berg stayed", NONE),
        ("Zoë d'Orsay", "Zoe D’ORSAY", FULL),
        ("Anna Berg", "", NONE),
    ],
)
def test_a_name_in_a_text(name: str, text: str, agreement: Agreement) -> None:
    assert PersonName.read(name).named_in(name_words(text)) == agreement


@given(st.text(), st.text())
def test_any_text_is_a_name_or_none(a: str, b: str) -> None:
    name, other = PersonName.read(a), PersonName.read(b)
    assert name.agrees(other) == other.agrees(name)
    assert name.named_in(name_words(b)) in Agreement
