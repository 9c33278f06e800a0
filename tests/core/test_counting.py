"""Numbers with what they count."""

from __future__ import annotations

import pytest

from pinakes.core.counting import count_of


@pytest.mark.parametrize(
    ("number", "names", "said"),
    [
        (0, ("page",), "0 pages"),
        (1, ("page",), "1 page"),
        (2000, ("page",), "2,000 pages"),
        (1, ("community", "communities"), "1 community"),
        (2, ("community", "communities"), "2 communities"),
    ],
)
def test_one_is_not_many(number: int, names: tuple[str, ...], said: str) -> None:
    assert count_of(number, *names) == said
