"""What changed in memory since the rows on disk were last written.

Nothing counts before a commit, so nothing need be written before one. A link that comes, rises and goes between two
commits then never touches the disk, and one that rises many times is moved once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pinakes.frontier.waiting import HOST, ROW, SEQ, Entry

Key = tuple[str, float, int]
"""Where a row lies: its queue's host, cost and number."""


@dataclass(slots=True)
class Unwritten:
    waiting: dict[str, Key | None] = field(default_factory=dict)
    """Links in memory whose rows are out of date, with where these lie; None for links that have none yet."""
    gone: list[Key] = field(default_factory=list)
    """Rows of links that no longer wait."""
    visited: dict[str, None] = field(default_factory=dict)
    """Addresses that are refused from now on."""

    def change(self, url: str, entry: Entry) -> None:
        """An entry is about to get another rank or distance."""
        self.waiting.setdefault(url, (entry[HOST], entry[ROW], entry[SEQ]))

    def remove(self, url: str, entry: Entry) -> bool:
        """An entry no longer waits; true when it ever had a row."""
        key = self.waiting.pop(url, (entry[HOST], entry[ROW], entry[SEQ]))
        if key is not None:
            self.gone.append(key)
        return key is not None
