"""Strangers' words on a terminal: titles, anchors and names come from pages, and may hold what a terminal obeys."""

from __future__ import annotations

import re

# The controls of ASCII and of Latin-1, among them ESC and CSI; marks that turn the direction of writing; half pairs.
_commands = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+").sub
LONGEST = 2_000


def shown(text: str) -> str:
    """The text as one line that commands nothing."""
    return " ".join(_commands(" ", text[:LONGEST]).split())
