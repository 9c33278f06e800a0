"""Draws the pictures of the README from the demo: python docs/pictures.py"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"


def terminal(title: str, command: list[str], name: str, folder: str) -> None:
    """A terminal with a command and what it prints, as SVG."""
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        [bin_folder / "pinakes", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"},
    )
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(Text(f"$ pinakes {' '.join(command)}", style="bold green"))
    console.print(Text(done.stdout.rstrip()))
    svg = console.export_svg(title=title)
    # The picture stands on its own: no font is fetched from elsewhere.
    (IMAGES / name).write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL))


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        terminal("pinakes demo", ["demo"], "demo.svg", folder)


if __name__ == "__main__":
    main()
