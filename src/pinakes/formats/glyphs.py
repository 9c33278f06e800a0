"""The glyphs of a PDF page: what is printed where, in which font and size, as Unicode text should have it.

Typesetting leaves its marks in the text layer: ligatures, accents set apart from their letters, control codes where an
old TeX encoding had a ligature, hyphens the library turns into markers. They are mended here, glyph by glyph, while
positions are still known.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

MOST_GLYPHS = 30_000
"""Of a page: the densest printed page has a third of that."""

_HYPHENS = {0x02, 0xAD, 0xFFFE, 0x2010, 0x2011}
_LIGATURES = {
    # OT1, the encoding of the first TeX fonts, has its ligatures among the control codes.
    0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl",
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
}  # fmt: skip
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303",
    "ˇ": "\u030c", "˘": "\u0306", "¯": "\u0304", "˙": "\u0307", "˝": "\u030b", "¸": "\u0327", "˛": "\u0328",
    "˚": "\u030a",
}  # fmt: skip
_BACK = 150
_ITALIC = 1 << 6
"""The flag of a font's descriptor; not every italic font says so in its name."""
_DOTLESS = {"ı": "i", "ȷ": "j"}


class Glyph(NamedTuple):
    text: str
    """Empty for a space."""
    x0: float
    x1: float
    y: float
    """The baseline."""
    size: float
    font: int
    """Which of the document's fonts."""


class Fonts:
    """The document's fonts by number, and the size of each text object."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._objects: dict[int, tuple[int, float] | None] = {}

    def turn_page(self) -> None:
        """Text objects are known by their address, which the next page may use again."""
        self._objects.clear()

    def of(self, raw: Any, text_object: Any) -> tuple[int, float] | None:
        """Font and size of a text object; None where its text runs along another direction."""
        key = ctypes.addressof(text_object.contents)
        if key not in self._objects:
            self._objects[key] = self._asked(raw, text_object)
        return self._objects[key]

    def _asked(self, raw: Any, text_object: Any) -> tuple[int, float] | None:
        matrix, size, name = raw.FS_MATRIX(), ctypes.c_float(), ctypes.create_string_buffer(128)
        raw.FPDFPageObj_GetMatrix(text_object, matrix)
        if abs(matrix.b) > 0.1 * abs(matrix.a) or matrix.a < 0:  # stamps along the margin, badges set askew
            return None
        raw.FPDFTextObj_GetFontSize(text_object, size)
        font = raw.FPDFTextObj_GetFont(text_object)
        raw.FPDFFont_GetBaseFontName(font, name, 128)
        # A font without a name is known by its address.
        plain = name.value.decode("latin-1", "replace") or f"#{ctypes.cast(font, ctypes.c_void_p).value}"
        plain += "-Italic" if raw.FPDFFont_GetFlags(font) & _ITALIC and "ital" not in plain.lower() else ""
        number = self._numbers.get(plain)
        if number is None:
            number = self._numbers[plain] = len(self.names)
            self.names.append(plain)
        return number, size.value * (abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5)


def glyphs(raw: Any, text_page: Any, fonts: Fonts) -> list[Glyph]:
    """The glyphs of a page in the order they were set; spaces are glyphs without text."""
    found = list(_mended(raw, text_page, fonts))
    _put_accents_on(found)
    # Fonts drawn glyph by glyph have no size of their own: the tallest glyph of the page tells.
    tallest: dict[int, float] = {}
    for glyph in found:
        if glyph.size < 0:
            tallest[glyph.font] = max(tallest.get(glyph.font, 0.0), -glyph.size)
    return [glyph._replace(size=tallest[glyph.font]) if glyph.size < 0 else glyph for glyph in found]


def _mended(raw: Any, text_page: Any, fonts: Fonts) -> Iterator[Glyph]:
    fonts.turn_page()
    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    unicode_of, object_of = raw.FPDFText_GetUnicode, raw.FPDFText_GetTextObject
    origin_of, box_of = raw.FPDFText_GetCharOrigin, raw.FPDFText_GetLooseCharBox
    for index in range(min(raw.FPDFText_CountChars(text_page), MOST_GLYPHS)):
        code = unicode_of(text_page, index)
        text_object = object_of(text_page, index)
        if not text_object or code in (0x20, 0xA0):
            yield Glyph("", 0, 0, 0, 0, -1)
            continue
        asked = fonts.of(raw, text_object)
        text = _text(code)
        if asked is None or not text:
            continue
        origin_of(text_page, index, x, y)
        box_of(text_page, index, box)
        font, size = asked
        height = abs(box.top - box.bottom)
        if not 2 <= size <= 200:  # as of fonts drawn glyph by glyph
            size = -height
        elif size > 2.2 * height > 0:  # within a figure that was scaled down
            size = 1.1 * height
        yield Glyph(text, min(box.left, box.right), max(box.left, box.right), y.value, size, font)


@lru_cache(1 << 12)
def _text(code: int) -> str:
    if code in _HYPHENS:
        return "-"
    if code in _LIGATURES:
        return _LIGATURES[code]
    if code > 0x10FFFF:
        return ""
    char = chr(code)
    return "" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else char


def _put_accents_on(found: list[Glyph]) -> None:
    """Put accents that were set apart on the letter they are printed over, which may have been set long before."""
    for place in range(len(found) - 1, -1, -1):
        accent = found[place]
        if accent.text not in _ACCENTS:
            continue
        near = [*range(place + 1, min(place + 3, len(found))), *range(place - 1, max(place - _BACK, -1), -1)]
        for other in near:
            if found[other].text and (joined := _joined(accent, found[other])) is not None:
                found[other] = joined
                del found[place]
                if other == place + 1 or not 0 < place < len(found) or found[place].text:
                    break
                del found[place]  # the space that was guessed between the two
                break


def _joined(accent: Glyph, letter: Glyph) -> Glyph | None:
    """The accented letter, where the accent stands over (or under) that letter."""
    middle = (accent.x0 + accent.x1) / 2
    within = letter.x0 - 0.05 * letter.size <= middle <= letter.x1 + 0.05 * letter.size
    if not within or abs(accent.y - letter.y) > letter.size or not letter.text.isalpha():
        return None
    base = _DOTLESS.get(letter.text, letter.text)
    composed = unicodedata.normalize("NFC", base[0] + _ACCENTS[accent.text])
    return letter._replace(text=composed + base[1:]) if len(composed) == 1 else None
