"""A strategy of one's own: shorter addresses first. Run it with

    pinakes crawl --strategy examples.my_strategy:ShortestFirst …

or register it under the entry-point group `pinakes.strategies`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter


@dataclass
class ShortestFirst:
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait.")
    batch: int = parameter(1, "How many links are claimed at once.")
    bonus: float = parameter(10.0, "What a link on a nugget is worth, in characters.")

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return links

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        bonus = self.bonus if verdict.nugget else 0.0
        return [link.priced(bonus - len(link.url)) for link in page.links]

    def state(self) -> Any:
        return None

    def restore(self, state: Any) -> None:
        pass
