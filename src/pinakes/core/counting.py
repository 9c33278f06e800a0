"""Numbers with what they count, for people."""

from __future__ import annotations


def count_of(number: int, name: str, names: str = "") -> str:
    """`1 page`, `2,000 pages`; `names` where the plural is not the name with an s."""
    return f"{number:,} {name if number == 1 else names or f'{name}s'}"
