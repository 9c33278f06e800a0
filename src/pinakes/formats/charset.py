"""Bytes to text, as browsers do it: byte-order mark, HTTP charset, `<meta>`, UTF-8 if it fits, else a guess.

The guess goes by how often letters stand beside each other in the languages of each charset. On a page with only a few
letters that are not ASCII it means little, and is then windows-1252.
"""

from __future__ import annotations

import codecs
import re

from turbohtml.detect import detect  # also registers the codecs `whatwg-…`, which know WHATWG's labels and decoders

_PRESCAN = 1024
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_LABEL = r"[\"']?\s*([\w.:-]{2,40})"
_http_charset = re.compile(rf"charset\s*=\s*{_LABEL}", re.IGNORECASE | re.ASCII).search
_comment = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL).sub
_meta = re.compile(rb"<meta[\s/][^>]*", re.IGNORECASE).findall
_meta_charset = re.compile(rb"[\s;/\"']charset\s*=\s*" + _LABEL.encode(), re.IGNORECASE).search
_xml_encoding = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*" + _LABEL.encode()).match
_ALIASES = {"ks_c_5601-1987": "euc-kr", "ks_c_5601-1989": "euc-kr"}  # labels that codec names cannot spell
_GUESSED = 64 << 10
"""Bytes a guess looks at."""
_LEAST, _SHARE = 8, 0.03
"""How many letters, and how much of all letters, must be others than ASCII's for a guess to count."""
_WIDE = frozenset({"Big5", "EUC-JP", "EUC-KR", "GBK", "gb18030", "Shift_JIS"})
"""Charsets with a grammar of their own, which other text hardly ever keeps to: there is no share to be had."""
_LETTERS = bytes(range(65, 91)) + bytes(range(97, 123))
_HIGH = bytes(range(128, 256))
_JAPANESE = b"\x1b$"
"""How ISO-2022-JP, which is all ASCII to look at, begins its Japanese."""
_tags = re.compile(rb"<[^<>]*>").sub
# A declaration that could be read cannot be in these (HTML standard, 13.2.3.2).
_MISDECLARED = {"utf-16": "utf-8", "utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}

Decoded = tuple[str, bytes | None]
"""A text, and the same in UTF-8 where it came so."""
_NOTHING: Decoded = ("", None)


def decode(data: bytes, content_type: str = "", markup: bool = True) -> str:
    """The text of a body. `content_type` is the HTTP header's value; plain text has no `markup` to declare a charset.

    What does not fit the charset is replaced by U+FFFD; a character cut off at the end is dropped.
    """
    return decoded(data, content_type, markup)[0]


def decoded(data: bytes, content_type: str = "", markup: bool = True) -> Decoded:
    """The same, and the text in UTF-8 where it came so."""
    for mark, label in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], label) or _NOTHING
    if content_type and (found := _http_charset(content_type)) and (text := _decoded(data, found[1])):
        return text
    if markup and (label := declared(data)) and (text := _decoded(data, label)):
        return text
    try:
        plain = data.decode()
    except UnicodeDecodeError as error:
        # A body cut off inside a character is UTF-8 still, if there is another character to vouch for that.
        if error.reason == "unexpected end of data" and not data[: error.start].isascii():
            return data[: error.start].decode(), None
        return _decoded(data, guessed(data)) or _NOTHING
    if _JAPANESE in data and data.isascii():
        return _decoded(data, "iso-2022-jp") or _NOTHING
    return plain, data


def declared(data: bytes) -> str:
    """The charset that the first bytes of an HTML or XML document declare; empty when they declare none."""
    head = data[:_PRESCAN]
    if found := _xml_encoding(head):
        label = found[1].decode("ascii", "replace").lower()
        return _MISDECLARED.get(label, label)
    for tag in _meta(_comment(b"", head)):
        lowered = tag.lower()
        # `charset` as an attribute of its own, or inside the content of an http-equiv; not in a description.
        if (b"http-equiv" in lowered or b"content" not in lowered) and (found := _meta_charset(tag)):
            label = found[1].decode("ascii", "replace").lower()
            return _MISDECLARED.get(label, label)
    return ""


def guessed(data: bytes) -> str:
    """The charset that text is most likely in which declares none and is not UTF-8."""
    text = _tags(b" ", data[:_GUESSED])
    found = detect(text).encoding or ""
    high = len(text) - len(text.translate(None, _HIGH))
    letters = high + len(text) - len(text.translate(None, _LETTERS))
    sure = high >= _LEAST and (found in _WIDE or high >= _SHARE * letters)
    return found if sure else "windows-1252"


def _decoded(data: bytes, label: str) -> Decoded | None:
    """The text, or None when there is no such charset."""
    label = label.lower()
    if label in ("utf-8", "utf8"):
        try:
            return data.decode(), data
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace"), None
    try:
        return data.decode("whatwg-" + _ALIASES.get(label, label), "replace"), None
    except (LookupError, ValueError):
        return None
