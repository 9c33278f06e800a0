"""Regular expressions that a person gives, for addresses that the web chooses.

Python's expressions backtrack: they may try every way in which their repeats and choices can share an address between
them. So a repeat inside a repeat, whose ways are exponentially many, is refused, the ways of all others are multiplied
up, and no address longer than `LONGEST` is looked at.
"""

from __future__ import annotations

import re

from pinakes.core.errors import PinakesError

LONGEST = 400
"""Characters of an address that patterns are tried on."""
_WAYS = LONGEST**3
"""As many as three repeats without an end have; a tenth of a second at the worst."""
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\(\?P=|\(|\)|\||[*+?][?+]?|\{[0-9]*,?[0-9]*\}[?+]?|.", re.DOTALL)
_COUNTED = re.compile(r"\{([0-9]{0,9})(,?)([0-9]{0,9})\}")


def pattern(text: str) -> re.Pattern[str]:
    """The expression, compiled, unless it is wrong or could take long."""
    try:
        compiled = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PinakesError(f"The pattern {text} is no regular expression: {error}.") from None
    if fix := _too_slow(text):
        raise PinakesError(f"The pattern {text} could take very long on some addresses; write it {fix}.")
    return compiled


def _too_slow(text: str) -> str:
    """How to mend a pattern that could take long; empty for one that could not."""
    ways = 1 if text.startswith(("^", r"\A")) else LONGEST
    open_groups = [False]
    """Of each open group, whether there is a choice or a repeat in it."""
    closed = False
    for token in _TOKEN.findall(text):
        if token == "(":
            open_groups.append(False)
        elif token == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] |= closed
            continue
        elif token == "|":
            open_groups[-1] = True
            ways *= 2
        elif token == "(?P=" or re.fullmatch(r"\\[1-9]", token):
            return "without references to groups"
        elif (times := _times(token)) is not None:
            least, most = times
            if closed and most > 1:
                return "without a repeat or a choice inside a repeat"
            open_groups[-1] = True
            ways *= max(1, min(most, LONGEST) - least + (most <= LONGEST))
        closed = False
    return "with fewer repeats and choices, or begin it with ^" if ways > _WAYS else ""


def _times(token: str) -> tuple[int, int] | None:
    """How often at least and at most a token lets what stands before it occur; None when it is no repeat."""
    if token[0] in "*+?":
        return int(token[0] == "+"), 1 if token[0] == "?" else 1 << 30
    counted = _COUNTED.match(token)
    if counted is None or not (counted[1] or counted[3]):
        return None
    least = int(counted[1] or 0)
    return least, (int(counted[3]) if counted[3] else 1 << 30) if counted[2] else least
