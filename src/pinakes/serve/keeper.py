"""Keeps a library's indexes up to date while it is served: full text, who links where, and what harvesters are told.

It runs in a process of its own, so that no reader waits while pages are parsed, and ends when the application does.

    python -m pinakes.serve.keeper LIBRARY
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.library.announced import announced
from pinakes.library.fulltext import FullText
from pinakes.library.inlinks import InLinks
from pinakes.library.library import Library
from pinakes.library.rolling import roll

EVERY = 2.0
"""Seconds between two looks."""


class Keeper:
    """The process, seen from the application."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pinakes.serve.keeper", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()


def keep_up(folder: Path, fulltext: FullText) -> int:
    """Bring the indexes to where the catalogue is; answers how many pages were new to the full text."""
    with contextlib.suppress(PinakesError, OSError), Library(folder) as library:
        InLinks(folder).roll(library)
    if (folder / "announced.db").exists():  # a harvester has asked before
        with contextlib.suppress(PinakesError, OSError), announced(folder) as records:
            records.roll()
    return roll(folder, fulltext)


def main(folder: Path) -> None:
    os.nice(5)
    fulltext = FullText(folder)
    while True:
        began = time.monotonic()
        with contextlib.suppress(PinakesError, OSError, ValueError):
            keep_up(folder, fulltext)
        pause = max(0.2, EVERY - (time.monotonic() - began))
        # The other end of the pipe is the application; when it closes, so do we.
        if select.select([0], [], [], pause)[0] and not os.read(0, 1):
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
