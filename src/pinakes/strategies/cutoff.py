"""Cutoff: first in, first out, but no path goes on further than the cutoff from its last nugget.

Bergmark, Lagoze and Sbityakov, "Focused crawls, tunneling, and digital libraries", ECDL 2002 (seed 000), §3 and eq. 2:

    distance = 0                        if this page is a nugget
               1 + parent's distance    otherwise

A path ends when its distance exceeds the cutoff (§3; table 1 says "greater than or equal", with which the recommended
cutoff of 0 would follow nothing). A seed that is no nugget counts as one. What a nugget is, the judge says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict, distance_of
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain


@dataclass
class Cutoff:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait; the latest are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once.")
    cutoff: int = parameter(
        0, "How far from its last nugget a page may be for its links to be followed; the paper's study of paths has 20."
    )

    judged_by: ClassVar[str] = "centroids"
    """The judge it goes by where none is named: the paper's correlation with TF-IDF centroids."""

    def __post_init__(self) -> None:
        if self.cutoff < 0:
            raise PinakesError(f"cutoff={self.cutoff} would follow no link at all; give 0 or more.")

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return links

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        distance = distance_of(page, verdict)  # eq. 2
        return page.links if distance <= self.cutoff else ()

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None:
        """There is nothing to restore: each link carries its parent's distance."""
