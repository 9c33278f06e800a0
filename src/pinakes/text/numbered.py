"""A page's words, kept as the numbers of its terms until somebody reads them.

Few strategies look at words in their order, and a list of thousands of strings is dear to make and dearer to send from
one process to another.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import overload


class NumberedWords(Sequence[str]):
    """Words by their numbers among the page's terms, counted from 1 in the terms' order; 0 is a stop word. To a reader
    they are the tuple of words, with empty strings for stop words."""

    __slots__ = ("_terms", "_words", "numbers")

    def __init__(self, numbers: bytes | memoryview, terms: Mapping[str, int]) -> None:
        self.numbers = numbers
        """Four bytes a word, in the machine's order: they never leave it."""
        self._terms = terms
        self._words: tuple[str, ...] | None = None

    @classmethod
    def of(cls, words: Sequence[str], terms: Mapping[str, int]) -> NumberedWords:
        """The same words, all of which are among the terms."""
        if isinstance(words, cls):
            return words
        numbers = {"": 0} | {term: number for number, term in enumerate(terms, 1)}
        return cls(array("I", map(numbers.__getitem__, words)).tobytes(), terms)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """What the numbers stand for."""
        return ("", *self._terms)

    def __len__(self) -> int:
        return len(self.numbers) // 4

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        return self._spelled()[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelled())

    def __contains__(self, word: object) -> bool:
        return word in self._spelled()

    def __add__(self, other: tuple[str, ...]) -> tuple[str, ...]:
        return self._spelled() + other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedWords):
            return self._spelled() == other._spelled()
        # JSON knows no tuples: words that were kept come back as a list.
        return isinstance(other, list | tuple) and self._spelled() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._spelled())

    def __repr__(self) -> str:
        return repr(self._spelled())

    def __reduce__(self) -> tuple[type[NumberedWords], tuple[bytes, dict[str, int]]]:
        return NumberedWords, (bytes(self.numbers), dict(self._terms))

    def _spelled(self) -> tuple[str, ...]:
        if self._words is None:
            self._words = tuple(map(self.vocabulary.__getitem__, memoryview(self.numbers).cast("I")))
        return self._words
