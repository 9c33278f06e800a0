"""Documents nobody could read: a PDF or PostScript file without words takes the verdict of a page that links to it.

Bergmark, Lagoze and Sbityakov 2002 (seed 000), footnote 1.
"""

from __future__ import annotations

from pinakes.core.page import Page, Verdict
from pinakes.core.roles import Plain

DOCUMENTS = (".pdf", ".ps", ".pdf.gz", ".ps.gz", ".ps.z")
REMEMBERED = 50_000
"""Links to documents whose parents' verdicts are kept, the latest."""


def is_document(url: str) -> bool:
    """True for the address of a PDF or PostScript file, as far as an address tells."""
    return url[-7:].lower().endswith(DOCUMENTS)


class Inheritance:
    """Verdicts of pages, kept for the documents they link to; the best parent counts."""

    def __init__(self) -> None:
        self._verdicts: dict[str, Verdict] = {}

    def of(self, page: Page) -> Verdict | None:
        """What a page without words inherits; None when it can be judged by itself, or nobody linked to it."""
        if page.terms:
            return None
        return self._verdicts.get(page.url) or self._verdicts.get(page.link.url)

    def bequeath(self, page: Page, verdict: Verdict) -> None:
        """Remember the verdict for the documents the page links to."""
        verdicts = self._verdicts
        for link in page.links:
            if is_document(link.url):
                before = verdicts.pop(link.url, None)
                verdicts[link.url] = verdict if before is None or verdict.score > before.score else before
        while len(verdicts) > REMEMBERED:
            del verdicts[next(iter(verdicts))]

    def state(self) -> Plain:
        """Verdicts, each once, and the documents with the numbers of theirs."""
        numbers: dict[int, int] = {}
        verdicts: list[Plain] = []
        for verdict in self._verdicts.values():
            if numbers.setdefault(id(verdict), len(verdicts)) == len(verdicts):
                verdicts.append([verdict.score, verdict.topic, dict(verdict.scores), verdict.nugget])
        return {"verdicts": verdicts, "documents": [[url, numbers[id(v)]] for url, v in self._verdicts.items()]}

    def restore(self, state: Plain) -> None:
        verdicts = [Verdict(*verdict) for verdict in state["verdicts"]]
        self._verdicts = {url: verdicts[number] for url, number in state["documents"]}
