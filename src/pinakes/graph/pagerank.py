"""PageRank: how often a reader who follows links at random is on a page.

Brin and Page 1998, as printed by Menczer et al. 2001 (seed 004), eq. 2:

    PR(p) = (1 − γ) + γ Σ PR(d) / |out(d)|    over the pages d that link to p

so the ranks of n pages sum to n. A page without links counts as linked to every page, which makes it converge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_ROUNDS = 1000
"""Each round shrinks the error by γ, so only a γ near 1 with a tiny tolerance gets here."""


def pagerank(
    sources: ArrayLike, targets: ArrayLike, pages: int, damping: float = 0.8, tolerance: float = 0.01
) -> NDArray[np.float64]:
    """Ranks of pages 0 … `pages` − 1, given each link's two ends; a link given twice counts once.

    `damping` is γ. It stops when the ranks, scaled to sum to 1, change by less than `tolerance` in all.
    """
    if not pages:
        return np.zeros(0)
    links = np.unique(np.asarray(sources, np.int64) * pages + np.asarray(targets, np.int64))
    source, target = np.divmod(links, pages)
    out = np.bincount(source, minlength=pages)
    sinks = out == 0
    share = 1.0 / np.maximum(out, 1)
    ranks = np.ones(pages)
    for _ in range(MOST_ROUNDS):
        before = ranks
        given = np.bincount(target, (before * share)[source], minlength=pages)
        ranks = (1.0 - damping) + damping * (given + before[sinks].sum() / pages)  # eq. 2
        if np.abs(ranks - before).sum() < tolerance * pages:
            break
    return ranks
