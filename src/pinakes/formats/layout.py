"""The lines of a PDF as they stand on its pages: text, place, size and fonts, in reading order.

Glyphs are gathered to pieces (runs without a wide gap), pieces to lines. Whether a document is set in two columns is
asked of the document as a whole: there is a gutter where hardly any piece crosses the same upright strip on its pages.
Lines across the gutter divide a page into bands; within a band the left column is read before the right one.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from pinakes.formats.glyphs import Fonts, Glyph, glyphs

FULL, LEFT, RIGHT = -1, 0, 1
"""Columns."""
_GAP = 0.4
"""A gap of so many ems ends a piece."""
_CROSSING = 0.3
"""A gutter is crossed by at most this part of a document's text."""
_digits = re.compile(r"\d+").sub
_page_number = re.compile(
    # The end of a sentence is none: a year or a page may stand alone in the last line of a reference.
    r"(?!.*[\w)][.,;]\s*$)\W*(?:\d{1,5}|[ivxlc]{1,6}|(?:page\s*)?\d+\s*(?:of|/)\s*\d+|\d+:\d+)\W*",
    re.I,
).fullmatch


class Piece(NamedTuple):
    """A run of glyphs of one baseline and size."""

    text: str
    fonts: str
    """One character for each of the text: the number of its font."""
    x0: float
    x1: float
    y: float
    size: float

    @property
    def weight(self) -> int:
        return len(self.text)


class Line(NamedTuple):
    text: str
    fonts: str
    x0: float
    x1: float
    y: float
    size: float
    page: int
    column: int
    pieces: tuple[Piece, ...]

    @property
    def font(self) -> int:
        """The font most of it is set in."""
        return ord(Counter(self.fonts).most_common(1)[0][0]) if self.fonts else -1


class PageLines(NamedTuple):
    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    """In reading order, less running heads and page numbers."""
    furniture: tuple[Line, ...]
    """Running heads, feet and page numbers."""
    pieces: tuple[Piece, ...]


class Layout(NamedTuple):
    pages: tuple[PageLines, ...]
    fonts: tuple[str, ...]

    def italic(self, font: int) -> bool:
        name = self.fonts[font].lower() if 0 <= font < len(self.fonts) else ""
        return any(mark in name for mark in ("ital", "obli", "slant", "cmti", "cmsl", "-it", "sfti", "lmri"))

    def bold(self, font: int) -> bool:
        name = self.fonts[font].lower() if 0 <= font < len(self.fonts) else ""
        return any(mark in name for mark in ("bold", "medi", "cmbx", "sfbx", "black", "heavy", "semib", "-b", "tb"))

    def lines(self) -> list[Line]:
        return [line for page in self.pages for line in page.lines]


def laid_out(document: Any, raw: Any, most_pages: int) -> Layout:
    """The layout of an opened document's first pages. `raw` is the PDF library's own interface."""
    fonts = Fonts()
    read: list[tuple[float, float, list[Piece]]] = []
    for number in range(min(len(document), most_pages)):
        found: list[Glyph] = []
        width = height = 0.0
        with contextlib.suppress(RuntimeError), contextlib.closing(document[number]) as page:
            width, height = page.get_size()
            with contextlib.closing(page.get_textpage()) as text_page:
                found = glyphs(raw, text_page.raw, fonts)
        read.append((width, height, to_pieces(found)))
    return arranged(read, tuple(fonts.names))


def arranged(read: Sequence[tuple[float, float, Sequence[Piece]]], fonts: tuple[str, ...]) -> Layout:
    """The layout of pages given as width, height and pieces."""
    gutter = _gutter([pieces for _, _, pieces in read])
    pages = []
    for number, (width, height, pieces) in enumerate(read):
        lines = _reading_order(pieces, gutter, number)
        pages.append(PageLines(number, width, height, tuple(lines), (), tuple(pieces)))
    return Layout(_without_furniture(pages), fonts)


def rows(pieces: Sequence[Piece], page: int) -> list[Line]:
    """The lines of a page across its whole width, from the top: for titles and names, which mind no gutter."""
    return sorted(_lines(pieces, page, FULL), key=lambda line: -line.y)


def to_pieces(found: Sequence[Glyph]) -> list[Piece]:
    pieces: list[Piece] = []
    run: list[Glyph] = []
    space = False
    text: list[str] = []
    fonts: list[str] = []

    def end() -> None:
        if run:
            size = max(run, key=lambda glyph: glyph.size).size
            pieces.append(Piece("".join(text), "".join(fonts), run[0].x0, max(g.x1 for g in run), run[0].y, size))
            for gathered in (run, text, fonts):
                gathered.clear()

    for glyph in found:
        if not glyph.text:
            space = True
            continue
        if run:
            last = run[-1]
            gap = glyph.x0 - last.x1
            em = max(glyph.size, last.size)
            raised = abs(glyph.y - last.y) > 0.08 * em
            # Small capitals are set in two sizes on one baseline: still one run. A new size after a space is not.
            resized = gap > 0.16 * em and abs(glyph.size - max(g.size for g in run[-12:])) > 0.06 * em
            if raised or resized or gap > _GAP * em or gap < -0.5 * em:
                end()
                space = False
            elif (space and gap > 0.05 * em) or gap > 0.16 * em:
                text.append(" ")
                fonts.append(chr(last.font))
        space = False
        run.append(glyph)
        text.append(glyph.text)
        fonts.append(chr(glyph.font) * len(glyph.text))
    end()
    return pieces


def _gutter(pages: Sequence[Sequence[Piece]]) -> float | None:
    """Where the gutter is, if the document has one."""
    weighed = [piece for pieces in pages for piece in pieces if piece.weight > 2]
    if not weighed:
        return None
    left, right = min(piece.x0 for piece in weighed), max(piece.x1 for piece in weighed)
    total = sum(piece.weight for piece in weighed)
    step = 2.0
    first, last = left + 0.35 * (right - left), left + 0.65 * (right - left)
    marks = [first + step * n for n in range(int((last - first) / step) + 1)]
    crossing = [0.0] * len(marks)
    for piece in weighed:
        start, stop = max(0, int((piece.x0 - first) / step) + 1), int((piece.x1 - first) / step)
        for n in range(start, min(stop + 1, len(marks))):
            crossing[n] += piece.weight
    least = min(crossing, default=total)
    if least > _CROSSING * total:
        return None
    best = [n for n, crossed in enumerate(crossing) if crossed <= least + 0.02 * total]
    middle = marks[best[len(best) // 2]]
    beside = [sum(p.weight for p in weighed if p.x1 <= middle), sum(p.weight for p in weighed if p.x0 >= middle)]
    return middle if min(beside) > 0.15 * total else None


def _reading_order(pieces: Sequence[Piece], gutter: float | None, page: int) -> list[Line]:
    if gutter is not None:
        crossing = sum(piece.weight for piece in pieces if piece.x0 < gutter < piece.x1)
        if crossing > 0.6 * sum(piece.weight for piece in pieces):
            gutter = None
    if gutter is None:
        return sorted(_lines(pieces, page, FULL), key=lambda line: (-line.y, line.x0))
    across = [piece for piece in pieces if piece.x0 < gutter - 2 and piece.x1 > gutter + 2]
    left = [piece for piece in pieces if piece.x1 <= gutter + 2]
    right = [piece for piece in pieces if piece.x0 >= gutter - 2 and piece.x1 > gutter + 2]
    # What stands on the baseline of a line across, close beside a piece of it, belongs to that line.
    full = _lines(across, page, FULL)
    for column in (left, right):
        for piece in list(column):
            if any(_beside(piece, line) for line in full):
                column.remove(piece)
                across.append(piece)
    full = _lines(across, page, FULL)
    rest = [*_lines(left, page, LEFT), *_lines(right, page, RIGHT)]
    ordered: list[Line] = []
    for line in sorted(full, key=lambda line: -line.y):
        above = [other for other in rest if other.y > line.y]
        rest = [other for other in rest if other.y <= line.y]
        ordered += sorted(above, key=lambda other: (other.column, -other.y))
        ordered.append(line)
    return ordered + sorted(rest, key=lambda other: (other.column, -other.y))


def _beside(piece: Piece, line: Line) -> bool:
    if abs(piece.y - line.y) > 0.5 * line.size:
        return False
    return min(abs(piece.x0 - line.x1), abs(piece.x1 - line.x0)) < 2 * line.size or line.x0 < piece.x0 < line.x1


def _lines(pieces: Sequence[Piece], page: int, column: int) -> list[Line]:
    """Pieces of one column gathered by baseline. The larger go first, so that raised marks join their line."""
    rows: dict[int, list[list[Piece]]] = {}
    for piece in sorted(pieces, key=lambda piece: -piece.size):
        place = int(piece.y // 12)
        near = (row for key in (place - 1, place, place + 1) for row in rows.get(key, ()))
        for row in near:
            apart = abs(row[0].y - piece.y)
            if apart < 0.5 * row[0].size and (apart < 0.2 * row[0].size or not _covered(piece, row)):
                row.append(piece)
                break
        else:
            rows.setdefault(place, []).append([piece])
    return [to_line(row, page, column) for found in rows.values() for row in found]


def _covered(piece: Piece, row: Sequence[Piece]) -> bool:
    """Whether a piece stands above or below others: lines set too close, which a raised mark does not."""
    return any(min(piece.x1, other.x1) - max(piece.x0, other.x0) > 0.5 * (piece.x1 - piece.x0) for other in row)


def to_line(row: Sequence[Piece], page: int, column: int = FULL) -> Line:
    """Pieces of one baseline as a line."""
    row = sorted(row, key=lambda piece: piece.x0)
    text, fonts, end = "", "", row[0].x0
    for piece in row:
        if text and piece.x0 - end > 0.12 * piece.size:
            text += " "
            fonts += piece.fonts[:1]
        text += piece.text
        fonts += piece.fonts
        end = max(end, piece.x1)
    # Long raised marks, such as identifiers of authors, may have more letters than the line they belong to.
    main = max(row, key=lambda piece: piece.weight * piece.size**3)
    return Line(text, fonts, row[0].x0, end, main.y, main.size, page, column, tuple(row))


def _without_furniture(pages: Sequence[PageLines]) -> tuple[PageLines, ...]:
    """Lines that come back at the top or the bottom of pages, and page numbers, put apart."""
    outer: list[list[Line]] = []
    for page in pages:
        by_height = sorted(page.lines, key=lambda line: -line.y)
        outer.append([*by_height[:3], *by_height[-3:]] if len(by_height) > 8 else by_height[:1] + by_height[-1:])
    seen = Counter(key for lines in outer for key in {_key(line) for line in lines})
    often = 2 if len(pages) < 6 else 3
    found = []
    for page, lines in zip(pages, outer, strict=True):
        apart = {
            line
            for line in lines
            if (seen[_key(line)] >= often and len(_key(line)[0]) > 3)
            or (_page_number(line.text) and line in (lines[0], lines[-1]))
        }
        kept = tuple(line for line in page.lines if line not in apart)
        found.append(page._replace(lines=kept, furniture=tuple(apart)))
    return tuple(found)


def _key(line: Line) -> tuple[str, int]:
    return _digits("#", line.text.lower()), round(line.y / 6)
