"""HTML and SVG made of elements, in which everything is escaped that is not itself an element.

Reports show what strangers wrote: addresses, titles, names. Nothing here takes a string for markup; only what
`tag` made is, so that text can never become an element, an attribute or a script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Any

_VOID = frozenset({"meta", "link", "br", "hr", "input", "img", "col"})
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = re.compile(r"[&<>\"'\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_PLAIN = (str, int, float)


class Html(str):
    """Markup made by this module."""

    __slots__ = ()


Child = str | int | float | None | Iterable[Any]


def text(value: object) -> Html:
    """A value as text, escaped; characters that HTML and SVG cannot hold become U+FFFD."""
    if type(value) is Html:
        return value
    plain = str(value)
    if _SPECIAL.search(plain) is None:  # as most are; a page has thousands of them
        return Html(plain)
    return Html(escape(_CONTROLS.sub("�", plain), quote=True))


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """An element. Underscores in attributes' names stand for hyphens, one at the end is dropped (`class_`).

    None and False leave an attribute or child out, True gives an attribute without a value. Children that are lists
    are taken apart.
    """
    pieces = ["<", name]
    for key, value in attributes.items():
        if value is True:
            pieces += (" ", _name(key))
        elif value is not None and value is not False:
            pieces += (" ", _name(key), '="', text(value), '"')
    pieces.append(">")
    if name not in _VOID:
        _flatten(children, pieces)
        pieces += ("</", name, ">")
    return Html("".join(pieces))


def join(children: Iterable[Child]) -> Html:
    """Children one after the other."""
    pieces: list[str] = []
    _flatten(children, pieces)
    return Html("".join(pieces))


def data(values: object, **attributes: object) -> Html:
    """Plain data for the page's script, in an element that browsers neither show nor run."""
    plain = json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    # `<` ends no string in JSON but could end the element.
    plain = plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return tag("script", Html(plain), type="application/json", **attributes)


def _flatten(children: Iterable[Child], pieces: list[str]) -> None:
    """A page has thousands of these: what is markup already, as most of it, is told by its type alone."""
    for child in children:
        if type(child) is Html:
            pieces.append(child)
        elif isinstance(child, _PLAIN):
            if child is not False:
                pieces.append(text(child))
        elif child is not None:
            _flatten(child, pieces)


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
