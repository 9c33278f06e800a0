"""Which country an affiliation names."""

from __future__ import annotations

import pytest

from pinakes.text.countries import country_of


@pytest.mark.parametrize(
    ("affiliation", "country"),
    [
        ("ETH Zürich, Switzerland", "Switzerland"),
        ("Stanford University, US", "United States"),
        ("Stanford University, Stanford, CA", "United States"),
        ("Dept. of Computing, Somewhere, CA 94305", "United States"),
        ("University of Texas at Austin, TX, U.S.A.", "United States"),
        ("University of Wisconsin, Madison, Wisconsin", "United States"),
        ("Simon Fraser University, CA", "Canada"),
        ("Université de Montréal, Montréal, Québec, Canada", "Canada"),
        ("Universidad de Chile, Santiago, Chile.", "Chile"),
        ("TU München, Deutschland", "Germany"),
        ("University of Edinburgh, Scotland, UK", "United Kingdom"),
        ("KAIST, Daejeon, Republic of Korea", "South Korea"),
        ("DE", "Germany"),
        ("Bell Labs", ""),
        ("", ""),
    ],
)
def test_the_country_of_an_affiliation(affiliation: str, country: str) -> None:
    assert country_of(affiliation) == country
