"""Documents found against pages crawled (003 figs 10-12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import numpy as np

from pinakes.measures.curves import Curve

ENDINGS = (".pdf", ".ps", ".gz")
"""What 003 §4.2 counts as a document: PDF, PS and GZ files."""


def is_document(url: str) -> bool:
    """True for an address that ends like a document's."""
    return urlsplit(url).path.lower().endswith(ENDINGS)


def documents_found(pages: Sequence[tuple[str, Iterable[str]]], budget: int) -> Curve:
    """Distinct documents met after 1, 2, … `budget` pages: linked to by the pages, or fetched.

    `pages` are the addresses in the order they were fetched, each with its links. As in 003, a document that is
    fetched is not counted among the pages crawled: it adds to the count at the page before it.
    """
    found: set[str] = set()
    counts: list[int] = []
    for url, links in pages:
        document = is_document(url)
        if document:
            found.add(url)
        found.update(link for link in links if is_document(link))
        if not document:
            if len(counts) == budget:
                break
            counts.append(len(found))
        elif counts:
            counts[-1] = len(found)
    curve = np.zeros(budget)
    curve[: len(counts)] = counts
    curve[len(counts) :] = len(found)
    return curve
