"""Measures against a known relevant set: found-relevant curves, recall, harvest and search length."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

Curve = NDArray[np.float64]


def found_curve(urls: Sequence[str], relevant: Set[str], budget: int) -> Curve:
    """How many relevant pages were found after 1, 2, … `budget` pages; a curve that ends early stays flat."""
    hits = np.zeros(budget)
    seen: set[str] = set()
    for n, url in enumerate(urls[:budget]):
        if url in relevant and url not in seen:
            seen.add(url)
            hits[n] = 1.0
    return np.cumsum(hits)


def auc(curve: Curve, oracle: Curve) -> float:
    """The area under a found-relevant curve as a share of the oracle's."""
    whole = float(oracle.sum())
    return float(curve.sum()) / whole if whole else 0.0


def recall_at(curve: Curve, relevant: int, at: int) -> float | None:
    """The share of the relevant pages found after `at` pages; None beyond the budget."""
    if at > len(curve) or not relevant:
        return None
    return float(curve[at - 1]) / relevant


def search_length(curve: Curve, relevant: int, share: float) -> int | None:
    """How many pages it takes to find a share of the relevant set; None when it was not found."""
    reached = np.nonzero(curve >= share * relevant)[0]
    return int(reached[0]) + 1 if relevant and len(reached) else None
