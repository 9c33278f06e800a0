"""A ledger in memory: what a crawl did, for tests and evaluations that need no library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pinakes.core.page import Fetched, Link, Page, Verdict
from pinakes.core.roles import Border, Judge, Progress, Strategy, Twin


class Visit(NamedTuple):
    page: Page
    verdict: Verdict


class MemoryLedger:
    """Implements `Ledger`. Near-duplicates are not looked for."""

    def __init__(self, wishes: Mapping[str, Any] | None = None) -> None:
        self.visits: list[Visit] = []
        self._first: dict[str, Page] = {}
        self.notes: list[tuple[str, Any]] = []
        self.forwarded: list[Fetched] = []
        self.commits: list[Progress] = []
        self.wishes = dict(wishes or {})

    @property
    def urls(self) -> list[str]:
        """Final addresses of the pages that were read, in order."""
        return [visit.page.url for visit in self.visits if visit.page.readable]

    def twin(self, page: Page, digest: str) -> Twin | None:
        return None

    def lacking(self, page: Page, twin: Twin) -> Sequence[Link]:
        return page.links

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Twin | None) -> None:
        self.visits.append(Visit(page, verdict))
        self._first.setdefault(page.url, page)

    def forward(self, fetched: Fetched) -> None:
        self.forwarded.append(fetched)

    def note(self, kind: str, data: Any) -> None:
        self.notes.append((kind, data))

    async def recall(self, url: str) -> Page | None:
        return self._first.get(url)

    def commit(
        self, progress: Progress, strategy: Strategy, border: Border | None = None, judge: Judge | None = None
    ) -> None:
        self.commits.append(progress)

    def control(self) -> Mapping[str, Any]:
        return self.wishes
