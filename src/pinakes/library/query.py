"""What someone looks for in a library, as typed: words, "exact phrases", fields, -what is not wanted, OR.

Whatever is typed means something: an unclosed quote ends with the line, an unknown field is two words. What is longer
than any question has need to be is cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

FIELDS = MappingProxyType(
    {
        "site": "site", "host": "site", "topic": "topic", "type": "type", "filetype": "type", "lang": "language",
        "language": "language", "title": "title", "intitle": "title",
    }
)  # fmt: skip
"""What may stand before a colon, and what is meant by it."""
LONGEST = 1000
MOST = 40
_part = re.compile(r'(?P<minus>-)?(?:(?P<field>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_quotes = str.maketrans(dict.fromkeys("“”„‟«»", '"'))


class Piece(NamedTuple):
    """Words that stand together."""

    text: str
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart. All `wanted` must hold, of each of them any one piece."""

    wanted: tuple[tuple[Piece, ...], ...] = ()
    unwanted: tuple[Piece, ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By field, the values of which one must hold."""
    never: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_query(text: str) -> Asked:
    """Never raises."""
    wanted: list[tuple[Piece, ...]] = []
    unwanted: list[Piece] = []
    only: dict[str, list[str]] = {}
    never: dict[str, list[str]] = {}
    alternative = False
    for found, _ in zip(_part.finditer(text[:LONGEST].translate(_quotes)), range(MOST), strict=False):
        said = found["phrase"] if found["phrase"] is not None else found["word"]
        meant = FIELDS.get((found["field"] or "").lower(), "")
        if found["word"] == "OR" and not found["minus"] and not found["field"]:
            alternative = bool(wanted)
            continue
        if meant and meant != "title":
            if value := said.strip().lower():
                (never if found["minus"] else only).setdefault(meant, []).append(value)
            continue
        piece = Piece(said if meant or not found["field"] else f"{found['field']} {said}", meant == "title")
        if not any(map(str.isalnum, piece.text)):
            continue
        if found["minus"]:
            unwanted.append(piece)
        elif alternative:
            wanted[-1] += (piece,)
        else:
            wanted.append((piece,))
        alternative = False
    return Asked(
        tuple(wanted),
        tuple(unwanted),
        {name: tuple(dict.fromkeys(values)) for name, values in only.items()},
        {name: tuple(dict.fromkeys(values)) for name, values in never.items()},
    )
