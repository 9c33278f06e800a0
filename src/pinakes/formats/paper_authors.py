"""Authors and their affiliations, from the rows between a paper's title and its text.

Rows fall apart into cells at wide gaps. Names are set in a style of their own (font and size of the first row of
names); a cell in that style whose parts look like people names authors, anything else says where they work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.formats import names
from pinakes.formats.layout import Line, Piece

_WIDE = 0.42
"""A gap of so many ems parts two cells."""
_MARK = "\u241f"
_raised_mark = re.compile(r"(?!.*[^\W\d_]{3}).{1,24}").fullmatch
"""Numbers, letters, signs, ORCIDs; but no words."""
_letterspaced = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]").fullmatch
_leading_mark = re.compile(r"^[\s\d*∗†‡§¶‖#⋆★☆,]+")
_date = re.compile(r"\b(?:19|20)\d\d\b|^\s*(?:draft|version|revised|received|accepted)\b", re.IGNORECASE).search


class Cell(NamedTuple):
    text: str
    """Raised marks are separators in it."""
    x0: float
    x1: float
    y: float
    size: float
    font: int


def cells(row: Line, wide: float = _WIDE) -> list[Cell]:
    """A row parted at wide gaps."""
    main = max(piece.size for piece in row.pieces)
    groups: list[list[Piece]] = []
    for piece in row.pieces:
        near = groups and piece.x0 - max(p.x1 for p in groups[-1]) <= wide * main
        # A name and where its bearer works, on one line in two sizes.
        smaller = groups and len(piece.text) > 3 and piece.size < 0.93 * groups[-1][0].size
        if near and not (smaller and piece.y < row.y + 0.1 * main):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    found = []
    for group in groups:
        text, end = "", group[0].x0
        largest = max(group, key=lambda piece: (piece.weight, piece.size))
        for piece in group:
            small = piece.size < 0.85 * main or piece.y > row.y + 0.1 * main
            if small and _raised_mark(piece.text) and piece.y >= row.y - 0.05 * main:
                text += _MARK
            else:
                text += (" " if piece.x0 - end > 0.12 * main else "") + piece.text
            end = max(end, piece.x1)
        if _letterspaced(text.strip(_MARK)):
            text = text.replace(" ", "")
        font = max(largest.fonts, key=largest.fonts.count, default="\0")
        found.append(Cell(text, group[0].x0, end, row.y, largest.size, ord(font)))
    return found


def _widely(row: Line) -> list[Cell]:
    """A row's cells; one that falls into single words is widely spaced, and only wider gaps count in it."""
    found = cells(row)
    if len(found) > 1 and not any(" " in cell.text.strip(_MARK + " ") for cell in found):
        return cells(row, 1.2)
    return found


def authors(header: Sequence[Line], footnotes: Sequence[Line] = ()) -> tuple[list[str], list[str]]:
    """The names, in order, and the affiliations."""
    grid = [_widely(row) for row in header]
    style = _style(grid)
    people: list[str] = []
    elsewhere: list[Cell] = []
    unfinished: list[tuple[Cell, str]] = []
    for row in grid:
        waiting, unfinished = unfinished, []
        for cell in row:
            above = next((held for held in waiting if _below(cell, held[0], style)), None)
            parts = _parts(f"{above[1]} {cell.text}" if above else cell.text)
            persons = [part for part in parts if names.is_person(part)]
            likely = persons and 2 * len(persons) >= len(parts) and not (people and _located(parts))
            if style and _in_style(cell, style) and likely and _names(cell, parts):
                if above:
                    waiting.remove(above)
                if _broken_off(cell.text, parts):
                    unfinished.append((cell, parts.pop()))
                people += [names.cased(part) for part in parts if names.is_person(part)]
            elif cell.text.strip(_MARK + " "):
                elsewhere.append(cell)
        people += [names.cased(name) for _, name in waiting if names.is_person(name)]
    people += [names.cased(name) for _, name in unfinished if names.is_person(name)]
    affiliations = _affiliations(elsewhere) or _noted(footnotes)
    return list(dict.fromkeys(people)), affiliations


def _parts(text: str) -> list[str]:
    return [part for piece in text.split(_MARK) for part in names.people(piece)]


def _located(parts: Sequence[str]) -> bool:
    """Whether a list ends in a country: a town, not a person, stands before it."""
    return len(parts) > 1 and names.is_place(parts[-1])


def _broken_off(text: str, parts: Sequence[str]) -> bool:
    """Whether the last name of a line goes on in the next: it ends in an initial, or is a given name only."""
    if text.rstrip().endswith((",", ";", _MARK)):
        return False
    last = parts[-1].split()
    return len(last[-1].strip(".")) == 1 or (len(parts) > 1 and len(last) == 1)


def _below(cell: Cell, above: Cell, style: tuple[float, int] | None) -> bool:
    """Whether a cell may go on with a name of the row above: set like it, and under it."""
    beneath = min(cell.x1, above.x1) > max(cell.x0, above.x0)
    return style is not None and _in_style(cell, style) and beneath and above.y - cell.y < 2 * cell.size


def _names(cell: Cell, parts: Sequence[str]) -> bool:
    return not names.has_address(cell.text.replace(_MARK, " ")) or all(map(names.is_person, parts))


def _style(grid: Sequence[Sequence[Cell]]) -> tuple[float, int] | None:
    """Size and font of the first row that names people."""
    for row in grid:
        for cell in row:
            parts = _parts(cell.text)
            if parts and 2 * sum(map(names.is_person, parts)) >= len(parts) and not _date(cell.text):
                return cell.size, cell.font
    return None


def _in_style(cell: Cell, style: tuple[float, int]) -> bool:
    return abs(cell.size - style[0]) <= 0.04 * style[0] and cell.font == style[1]


def _affiliations(found: Sequence[Cell]) -> list[str]:
    """Cells below each other, joined to one text for each place."""
    blocks: list[list[Cell]] = []
    for cell in found:
        plain = cell.text.replace(_MARK, " ").strip()
        if names.has_address(plain) and not names.is_institution(plain):
            continue
        marked = cell.text.startswith(_MARK) or bool(re.match(r"[\d*∗†‡§¶]", plain))
        for block in reversed(blocks):
            above = block[-1]
            overlap = min(above.x1, cell.x1) - max(above.x0, cell.x0)
            if not marked and overlap > 0 and 0 < above.y - cell.y < 1.6 * cell.size:
                block.append(cell)
                break
        else:
            blocks.append([cell])
    texts = []
    for block in blocks:
        text = ", ".join(_leading_mark.sub("", cell.text.replace(_MARK, " ")).strip(" ,;") for cell in block)
        text = " ".join(re.sub(r"\S*@\S*", " ", text).split()).strip(" ,;.")
        if len(text) > 2 and any(map(str.isalpha, text)):
            texts.append(text)
    return list(dict.fromkeys(texts))


def _noted(footnotes: Sequence[Line]) -> list[str]:
    """Affiliations given in footnotes of the first page."""
    found = [
        _leading_mark.sub("", line.text).strip(" ,;")
        for line in footnotes
        if re.match(r"\s*[\d*∗†‡§¶]", line.text) and names.is_institution(line.text) and line.size < 10
    ]
    return found[:20]
