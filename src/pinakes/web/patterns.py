"""Regular expressions that a person gives, for addresses that the web chooses.

Python's expressions backtrack: a repeat inside a repeat can take time exponential in the address, and each further
repeat another factor of its length. So the first kind is refused, the second counted, and addresses are cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pinakes.core.errors import PinakesError

LONGEST = 400
"""No pattern is tried on an address longer than this."""
_REPEATS = 3
"""Repeats without an end that a pattern may have; looking for it from every place of the address is one."""
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\(|\)|\||[*+?][?+]?|\{[0-9]*,?[0-9]*\}[?+]?|.", re.DOTALL)
_COUNTED = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")


def pattern(text: str) -> re.Pattern[str]:
    """The expression, compiled, unless it is wrong or could take long."""
    try:
        compiled = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PinakesError(f"The pattern {text} is no regular expression: {error}.") from None
    if trouble := _trouble(text):
        raise PinakesError(f"The pattern {text} could take very long on some addresses; write it without {trouble}.")
    return compiled


def _trouble(text: str) -> str:
    """What makes a pattern slow, in words."""
    repeats = 0 if text.startswith(("^", r"\A")) else 1
    open_groups = [False]
    """Of each open group, whether there is a choice or a repeat in it."""
    closed = False
    for token in _tokens(text):
        if token == "(":
            open_groups.append(False)
        elif token == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] |= closed
            continue
        elif token == "|":
            open_groups[-1] = True
        elif (most := _most(token)) > 1:
            if closed:
                return "a repeat or a choice inside a repeat"
            open_groups[-1] = True
            repeats += most > LONGEST // 10
        elif re.fullmatch(r"\\[1-9]", token) or token == "(?P=":
            return "a reference to a group"
        closed = False
    return f"more than {_REPEATS - 1} repeats, or begin it with ^" if repeats > _REPEATS else ""


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        yield "(?P=" if text.startswith("(?P=", found.start()) else found[0]


def _most(token: str) -> int:
    """How often a token lets what stands before it occur; 1 for a token that is no repeat."""
    if token[0] in "*+":
        return 1 << 30
    counted = _COUNTED.match(token)
    if counted is None or not (counted[1] or counted[3]):
        return 1
    most = counted[3] if counted[2] else counted[1]
    return int(most[:9]) if most else 1 << 30
