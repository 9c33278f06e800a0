"""Adaptive cutoff: first in, first out, and a path of poor pages ends sooner than one of almost-nuggets.

Bergmark, Lagoze and Sbityakov, "Focused crawls, tunneling, and digital libraries", ECDL 2002 (seed 000), §6 and eq. 3:

    distance = 0                             if this page is a nugget
               min(1, (1 − c) e^(2 d_p / C))    otherwise

where c is the page's correlation, d_p its parent's distance and C the cutoff. As printed the distance is at most 1 and
can never pass the paper's cutoff of 20, so there are two readings. `printed`: a path ends when the distance reaches
its cap. `additive`: each dud adds max(1, (1 − c) e^(2 d_p / C)), and a path ends beyond C. A seed counts as a nugget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import ClassVar

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain

CAP = 1.0


@dataclass
class AdaptiveCutoff:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait; the latest are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once.")
    cutoff: float = parameter(20.0, "C of eq. 3: the greater, the further a path of poor pages is followed.")
    form: str = parameter(
        "printed", "How eq. 3 is read: `printed`, a path ends at the cap of 1; `additive`, it ends beyond the cutoff."
    )

    judged_by: ClassVar[str] = "centroids"
    """The judge it goes by where none is named: the paper's correlation with TF-IDF centroids."""

    def __post_init__(self) -> None:
        if self.form not in ("printed", "additive"):
            raise PinakesError(f"adaptive-cutoff reads eq. 3 as form=printed or form=additive, not form={self.form}.")
        if not self.cutoff > 0.0:
            raise PinakesError(f"adaptive-cutoff divides by its cutoff, so it must be above 0, not {self.cutoff}.")
        # Of the pages whose links were followed; nuggets and seeds, at distance 0, are left out.
        self._distances: dict[str, float] = {}

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return links

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if not page.readable:
            return ()
        distance = self._distance(page, verdict)
        if not page.links or (distance >= CAP if self.form == "printed" else distance > self.cutoff):
            return ()
        if distance:
            self._distances[page.url] = distance
        return page.links

    def state(self) -> Plain:
        return dict(self._distances)

    def restore(self, state: Plain) -> None:
        self._distances = dict(state)

    def _distance(self, page: Page, verdict: Verdict) -> float:
        if verdict.nugget or page.link.depth == 0:
            return 0.0
        parents = self._parents(page.link)
        grown = (1.0 - verdict.score) * exp(2.0 * parents / self.cutoff)  # eq. 3
        return min(CAP, grown) if self.form == "printed" else parents + max(1.0, grown)

    def _parents(self, link: Link) -> float:
        """The distance of the page the link was first met on; 0 when a nugget or a seed links here too."""
        return self._distances.get(link.parent, 0.0) if link.distance else 0.0
