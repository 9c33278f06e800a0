"""LaTeX as it stands in bibliographies, turned into plain text: accents, letters, dashes, braces."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘", "textquotedblleft": "“",
    "textquotedblright": "”", "textbackslash": "\\", "textasciitilde": "~", "textunderscore": "_", "ldots": "…",
    "dots": "…", "textregistered": "®", "texttrademark": "™", "copyright": "©", "pounds": "£", "S": "§", "P": "¶",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ", "mu": "µ", "pi": "π",
    "sigma": "σ", "omega": "ω", "Omega": "Ω", "Delta": "Δ", "Sigma": "Σ", "Gamma": "Γ", "Lambda": "Λ", "times": "×",
    "infty": "∞", "rightarrow": "→", "to": "→", "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "cdot": "·",
    "ell": "ℓ", "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX", "slash": "/", "textendash ": "–",
}  # fmt: skip
_accent = re.compile(
    r"""\\(?:(?P<sign>[`'^~"=.])\s*|(?P<word>[uvHckrdbt])(?:\s+|(?=\{|\\)))"""
    r"""(?:\{\s*(?P<braced>\\?[^\W\d_]{1,2})\s*\}|\\(?P<dotless>[ij])(?![a-zA-Z])|(?P<bare>[^\W\d_]))"""
)
_command = re.compile(r"\\([a-zA-Z]+)(?:\s+|(?=[^a-zA-Z])|\{\}|$)")
_escaped = re.compile(r"\\([&%$#_{} ,;:!/-])")
_HELD = {1: None, 2: None, 3: None}
"""Characters that stand for escaped signs while the others are taken out."""
_quotes = (("``", "“"), ("''", "”"), ("---", "—"), ("--", "–"))


def plain(text: str) -> str:
    """A value of a bibliography as a person reads it. What is not understood keeps its letters and loses its signs."""
    if not any(sign in text for sign in "\\{}$~`'-\n\t"):
        return " ".join(text.split())
    text = text.translate(_HELD)
    text = _accent.sub(_accented, text)
    text = text.replace("\\\\", " ").replace("~", " ").replace("\\textasciitilde", "~")
    text = _escaped.sub(_unescaped, text)
    text = _command.sub(_letter, text)
    for written, meant in _quotes:
        text = text.replace(written, meant)
    for sign in "${}\\":
        text = text.replace(sign, "")
    text = text.replace("\x01", "{").replace("\x02", "}").replace("\x03", "$")
    return " ".join(unicodedata.normalize("NFC", text).split())


def _unescaped(found: re.Match[str]) -> str:
    """A sign that was escaped; braces are kept apart until the others are gone."""
    return {"{": "\x01", "}": "\x02", "$": "\x03"}.get(found[1], found[1] if found[1] in "&%#_/-" else " ")


def _accented(found: re.Match[str]) -> str:
    letter = found["braced"] or found["dotless"] or found["bare"]
    letter = letter.removeprefix("\\")
    mark = _ACCENTS[found["sign"] or found["word"]]
    return unicodedata.normalize("NFC", letter[0] + mark) + letter[1:]


def _letter(found: re.Match[str]) -> str:
    """A letter's command, or nothing for one that only sets type (\\emph, \\textbf, \\url)."""
    return _LETTERS.get(found[1], "")
