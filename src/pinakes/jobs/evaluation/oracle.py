"""The oracle: a greedy crawler that knows the relevant pages and the link graph, against which others are measured.

Relevant pages it has discovered go first, in the order of discovery; else the waiting link with the shortest path to
a relevant page that is not found yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from pinakes.core.page import Link, Page, Verdict
from pinakes.core.roles import Plain
from pinakes.web.frozen import FrozenWeb

Inward = Mapping[str, Sequence[str]]


def inward_links(web: FrozenWeb) -> Inward:
    """Who links to each page of a web, redirects resolved."""
    inward: dict[str, list[str]] = {}
    for url in web.pages():
        for target in web.outlinks(url):
            inward.setdefault(target, []).append(url)
    return inward


class Oracle:
    """A strategy of evaluations only: it is told what others must find out."""

    limit: int | None = None
    batch = 1

    def __init__(self, relevant: Set[str], inward: Inward, resolve: Mapping[str, str]) -> None:
        """`resolve` maps addresses that redirect to where they lead."""
        self._unfound, self._inward, self._resolve = set(relevant), inward, resolve
        self._steps: dict[str, int] = {}
        self._discovered: set[str] = set()
        self.stale = True

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return self._priced(links)

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if page.url in self._unfound:
            self._unfound.discard(page.url)
            self._discovered.discard(page.url)
            # Paths are looked up anew only when no discovered page is left to fetch.
            self.stale = not self._discovered
        return self._priced(page.links)

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        self._steps = self._shortest_paths()
        self.stale = False
        return [self._price(url) for url in urls]

    def state(self) -> Plain:
        return sorted(self._unfound)

    def restore(self, state: Plain) -> None:
        self._unfound, self.stale = set(state), True

    def _priced(self, links: Iterable[Link]) -> Iterator[Link]:
        for link in links:
            yield link.priced(self._price(link.url))

    def _price(self, url: str) -> float:
        final = self._resolve.get(url, url)
        if final in self._unfound:
            self._discovered.add(final)
            return 1.0
        steps = self._steps.get(final)
        return 0.0 if steps is None else 1.0 / (1 + steps)

    def _shortest_paths(self) -> dict[str, int]:
        """Links from each page to the nearest unfound relevant one: breadth-first, backwards."""
        steps = dict.fromkeys(self._unfound, 0)
        queue = deque(self._unfound)
        while queue:
            url = queue.popleft()
            for parent in self._inward.get(url, ()):
                if parent not in steps:
                    steps[parent] = steps[url] + 1
                    queue.append(parent)
        return steps
