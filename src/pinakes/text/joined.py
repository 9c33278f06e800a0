"""A page's terms, kept as one string until somebody wants all of them.

A page has hundreds of terms, and a dictionary of them costs more to make, and far more to send from one process to
another, than most crawls need: whoever compares a page with a topic asks for a few of its terms and for their counts.
"""

from __future__ import annotations

from array import array
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from math import hypot
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")

_FEW = 40
"""So many terms are looked for in the string before a dictionary is worth making."""


def joined(terms: Iterable[str]) -> str:
    """Terms in one string, with a line break before, between and after them; none has one in it."""
    return "\n".join(("", *terms, ""))


class JoinedTerms(Mapping[str, int]):
    """How often each term occurs. To a reader this is a dictionary, in the order of the terms."""

    __slots__ = ("_found", "_length", "_whole", "counts", "joined")

    def __init__(self, joined: str, counts: bytes) -> None:
        self.joined = joined
        self.counts = counts
        """Four bytes a term, in the machine's order: they never leave it."""
        self._found: dict[str, int | None] = {}
        self._length = -1.0
        self._whole: dict[str, int] | None = None

    @classmethod
    def of(cls, terms: Mapping[str, int]) -> JoinedTerms:
        """The same terms and counts."""
        if isinstance(terms, cls):
            return terms
        return cls(joined(terms), array("I", terms.values()).tobytes())

    def and_also(self, words: Iterable[str]) -> JoinedTerms:
        """These terms and some more words, which may be among them."""
        spelled, counts = self.joined, array("I", self.counts)
        for word in words:
            if (place := _place(spelled, word)) < 0:
                spelled += word + "\n"
                counts.append(1)
            else:
                counts[place] += 1
        return JoinedTerms(spelled, counts.tobytes())

    def __len__(self) -> int:
        return len(self.counts) // 4

    def __getitem__(self, term: str) -> int:
        found = self.get(term)
        if found is None:
            raise KeyError(term)
        return found

    @overload
    def get(self, term: str, /) -> int | None: ...
    @overload
    def get(self, term: str, default: int | T, /) -> int | T: ...
    def get(self, term: str, default: int | T | None = None, /) -> int | T | None:
        if self._whole is not None:
            return self._whole.get(term, default)
        found = self._found
        if term not in found:
            if len(found) >= _FEW:
                return self._dictionary().get(term, default)
            place = _place(self.joined, term)
            found[term] = None if place < 0 else self._each()[place]
        count = found[term]
        return default if count is None else count

    @property
    def length(self) -> float:
        """The Euclidean length of the counts, which a judge and a strategy both want."""
        if self._length < 0:
            self._length = hypot(*array("I", self.counts))
        return self._length

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and self.get(term) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._dictionary())

    def keys(self) -> KeysView[str]:
        return self._dictionary().keys()

    def items(self) -> ItemsView[str, int]:
        return self._dictionary().items()

    def values(self) -> ValuesView[int]:
        # Those who only want the counts are spared the terms; what they get does all that they can ask of a view.
        return cast("ValuesView[int]", self._each())

    def __repr__(self) -> str:
        return repr(self._dictionary())

    def __reduce__(self) -> tuple[type[JoinedTerms], tuple[str, bytes]]:
        return JoinedTerms, (self.joined, self.counts)

    def _each(self) -> memoryview[int]:
        return memoryview(self.counts).cast("I")

    def _dictionary(self) -> dict[str, int]:
        if self._whole is None:
            self._whole = dict(zip(self.joined.split("\n")[1:-1], self._each(), strict=True))
        return self._whole


def plain(value: Any) -> Any:
    """A page's words as a list and its terms as a dictionary: the `enc_hook` of whoever writes pages down."""
    return dict(value.items()) if isinstance(value, JoinedTerms) else list(value)


def _place(spelled: str, term: str) -> int:
    """The number of a term among the joined ones, from 0; -1 if it is none of them."""
    at = spelled.find(f"\n{term}\n")
    return at if at < 1 else spelled.count("\n", 0, at)
