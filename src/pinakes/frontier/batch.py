"""What one page's links change in a frontier on disk, gathered to be written at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pinakes.core.politeness import Rank
from pinakes.core.roles import Admitted
from pinakes.frontier.rows import Arrival, Move


@dataclass(slots=True)
class Batch:
    inserts: list[Arrival] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    notes: dict[int, tuple[float, int]] = field(default_factory=dict)
    """By fingerprint, the price and the mark that the table of addresses is to hold."""
    cold: dict[str, tuple[float, int, int]] = field(default_factory=dict)
    """Cost, number and distance of links that wait on disk only, as this batch leaves them."""
    warmed: list[tuple[str, Rank]] = field(default_factory=list)
    """Queues and old ranks of links brought into memory: once all is written, the next on disk must be found."""
    new: set[str] = field(default_factory=set)
    raised: set[str] = field(default_factory=set)
    visited: list[str] = field(default_factory=list)

    def admitted(self, evicted: Sequence[str]) -> Admitted:
        new, raised = self.new.difference(evicted), self.raised.difference(self.new, evicted)
        return Admitted(len(new), len(raised), self.visited, evicted)
