"""Context graphs of targets found during a crawl (001 §3.3, §5).

The pages that led to a target are brought home again, one after the other towards the seed: the page it was met on is
one link away, the page before that two, and so on. A page that led to two targets counts twice, as it does in the
graphs found by back-links.
"""

from __future__ import annotations

from pinakes.core.page import Page
from pinakes.core.roles import Plain
from pinakes.text.weights import Counts

MOST = 300
"""Documents of a layer; beyond that the oldest are forgotten."""


class GrownLayers:
    def __init__(self, depth: int) -> None:
        self.taken: list[list[Counts]] = [[] for _ in range(depth + 1)]
        """What the classifiers have learnt from, by layer."""
        self._fresh: list[list[Counts]] = [[] for _ in range(depth + 1)]
        self.targets = 0
        """Targets found since the last `take`."""
        self._wanted: list[tuple[str, int]] = []
        """Pages to bring home again, and the layer each belongs to."""

    @property
    def deep(self) -> bool:
        """True when more than the targets themselves is known."""
        return any(self._fresh[1:]) or any(self.taken[1:])

    def add(self, layer: int, terms: Counts) -> None:
        if layer < len(self._fresh) and terms:
            self._fresh[layer].append(terms)
            del self._fresh[layer][:-MOST]

    def target(self, page: Page, follow: bool) -> None:
        """A target came home; with `follow`, so shall the pages that led to it."""
        self.targets += 1
        self.add(0, page.terms)
        if follow:
            self._want(page.link.parent, 1)

    def wanted(self) -> list[str]:
        """Pages to bring home again. Each is here before the next time this is asked, so none is told twice."""
        return [url for url, _ in self._wanted]

    def revisited(self, page: Page) -> None:
        """A page that was wanted is here again, or cannot be had."""
        at = next((at for at, (url, _) in enumerate(self._wanted) if url == page.url), None)
        if at is None:
            return
        _, layer = self._wanted.pop(at)
        if page.readable:
            self.add(layer, page.terms)
            self._want(page.link.parent, layer + 1)

    def take(self) -> None:
        """Let the classifiers learn from what is new."""
        self.taken = [[*old, *new][-MOST:] for old, new in zip(self.taken, self._fresh, strict=True)]
        self._fresh = [[] for _ in self._fresh]
        self.targets = 0

    def state(self) -> Plain:
        return {
            "taken": [[dict(terms) for terms in layer] for layer in self.taken],
            "fresh": [[dict(terms) for terms in layer] for layer in self._fresh],
            "targets": self.targets,
            "wanted": [list(entry) for entry in self._wanted],
        }

    def restore(self, state: Plain) -> None:
        self.taken, self._fresh = ([list(layer) for layer in state[name]] for name in ("taken", "fresh"))
        self.targets = state["targets"]
        self._wanted = [(url, layer) for url, layer in state["wanted"]]

    def _want(self, url: str, layer: int) -> None:
        if url and layer < len(self._fresh):
            self._wanted.append((url, layer))
