"""Printed lines joined to running text: words divided at the ends of lines become whole again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_word = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_divided = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_begins = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*")


def vocabulary(lines: Iterable[str]) -> Counter[str]:
    """The words that stand whole within lines, hyphenated ones as they are."""
    words: Counter[str] = Counter()
    for line in lines:
        words.update(_word.findall(line.lower()))
    return words


def joined(lines: Sequence[str], words: Counter[str], *, title: bool = False) -> str:
    """Lines as one text. Whether a hyphen at the end of a line stays is asked of the document's own words."""
    text = ""
    for line in lines:
        line = " ".join(line.split())  # noqa: PLW2901
        if not line:
            continue
        if not text:
            text = line
        elif text.endswith("-") and (divided := _divided.search(text)) and (begins := _begins.match(line)):
            text = text[: None if hyphen_stays(divided[1], begins[0], words, title=title) else -1] + line
        elif text.endswith(("-", "/", "–", "—")) and not text.endswith((" -", " –", " —")):
            text += line
        else:
            text += f" {line}"
    return text


def hyphen_stays(first: str, second: str, words: Counter[str], *, title: bool = False) -> bool:
    whole, compound = (first + second).lower(), f"{first}-{second}".lower()
    if words[whole] != words[compound]:
        return words[compound] > words[whole]
    if second[:1].isupper() or second[:1].isdigit() or "-" in first or len(first) == 1:
        return True
    # Neither is known: titles are rarely divided, running text often is.
    return title
