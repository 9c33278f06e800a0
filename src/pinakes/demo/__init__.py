"""The demo web that ships with Pinakes: a recorded web of fifteen hosts, and what the jobs need to run on it."""

from __future__ import annotations

from pathlib import Path

NAMES = ("web.warc.gz", "topics.toml", "topics.jsonl", "paper.pdf", "venue.jsonl", "truth.json")
FRONT = "http://www.pinakes.example/"
"""The front page, from which everything but the trap's endless part is reached in a few links."""


def path(name: str) -> Path:
    """The shipped file of that name; any other name is refused."""
    if name not in NAMES:
        raise FileNotFoundError(f"the demo has no file {name!r}; it has {', '.join(NAMES)}")
    return Path(__file__).resolve().parent / name
