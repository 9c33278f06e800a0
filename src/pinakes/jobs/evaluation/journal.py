"""What an evaluation writes down of a crawl: little, so that thousands of crawls fit into memory one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pinakes.core.page import Fetched, Link, Page, Verdict
from pinakes.core.roles import Border, Judge, Progress, Strategy, Twin
from pinakes.text.fingerprint import NEAR, blocks, hamming

DOCUMENTS = frozenset({"application/pdf", "application/postscript"})


class RunLedger:
    """Implements `Ledger`. With `dedup` it knows pages that say the same."""

    def __init__(self, *, dedup: bool = False) -> None:
        self._dedup = dedup
        self.urls: list[str] = []
        """Final addresses of the pages that were read, in order."""
        self.depths: list[int] = []
        self.nuggets: list[int] = []
        self.documents: list[int] = []
        self.asked: Counter[str] = Counter()
        self._pages: dict[str, Page] = {}
        self._payloads: dict[str, str] = {}
        self._blocks: dict[int, list[tuple[int, str]]] = {}

    def twin(self, page: Page, digest: str) -> Twin | None:
        if same := self._payloads.get(digest or page.text):
            return Twin(same, exact=True)
        for block in blocks(page.fingerprint) if page.fingerprint else ():
            for fingerprint, url in self._blocks.get(block, ()):
                if hamming(fingerprint, page.fingerprint) <= NEAR:
                    return Twin(url, exact=False)
        return None

    def lacking(self, page: Page, twin: Twin) -> Sequence[Link]:
        held = {link.url for link in self._pages[twin.url].links}
        return [link for link in page.links if link.url not in held]

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Twin | None) -> None:
        if not page.readable:
            return
        number = len(self.urls)
        self.urls.append(page.url)
        self.depths.append(page.link.depth)
        self._pages.setdefault(page.url, page)
        if verdict.nugget:
            self.nuggets.append(number)
        if page.type in DOCUMENTS:
            self.documents.append(number)
        if self._dedup and twin is None:
            self._payloads.setdefault(fetched.digest or page.text, page.url)
            for block in blocks(page.fingerprint) if page.fingerprint else ():
                self._blocks.setdefault(block, []).append((page.fingerprint, page.url))

    def forward(self, fetched: Fetched) -> None:
        """An exchange is nothing an evaluation keeps."""

    def note(self, kind: str, data: Any) -> None:
        if kind == "answered":
            self.asked[data[0][0]] += 1

    async def recall(self, url: str) -> Page | None:
        return self._pages.get(url)

    def commit(
        self, progress: Progress, strategy: Strategy, border: Border | None = None, judge: Judge | None = None
    ) -> None:
        """Nothing is durable before the crawl has ended."""

    def control(self) -> Mapping[str, Any]:
        return {}
