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


class Html(str):
    """Markup made by this module."""

    __slots__ = ()


Child = str | int | float | None | Iterable[Any]


def text(value: object) -> Html:
    """A value as text, escaped; characters that HTML and SVG cannot hold become U+FFFD."""
    if isinstance(value, Html):
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
    opened = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{opened}>")
    return Html(f"<{opened}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Html:
    """Children one after the other."""
    return Html("".join(_flat(children)))


def data(values: object, **attributes: object) -> Html:
    """Plain data for the page's script, in an element that browsers neither show nor run."""
    plain = json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    # `<` ends no string in JSON but could end the element.
    plain = plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return tag("script", Html(plain), type="application/json", **attributes)


def _flat(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None or child is False:
            continue
        if isinstance(child, str | int | float):
            yield text(child)
        else:
            yield from _flat(child)


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = _name(key)
    return f" {name}" if value is True else f' {name}="{text(value)}"'


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
