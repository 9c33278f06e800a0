"""Breadth-first: every link in the order it was met. The baseline of all five papers.

Every link has the same price, and among equal prices the frontier goes by arrival: first in, first out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain


@dataclass
class BreadthFirst:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait; the latest are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once.")

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return links

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return page.links

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None:
        """There is nothing to restore: the frontier holds the whole order."""
