"""`python -m pinakes`, and what the command `pinakes` starts with."""

from __future__ import annotations

import sys


def main() -> None:
    """Ctrl-C while the command line is still being loaded ends it without a word: nothing was begun."""
    try:
        from pinakes.cli import main as command_line
    except BaseException as error:
        # Where it hits the making of a class, Python 3.11 tells it as the cause of another error.
        if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
            sys.exit(130)
        raise
    command_line()


if __name__ == "__main__":
    main()
