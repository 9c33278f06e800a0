"""Hubs and authorities of a graph, plain (Kleinberg 1999, 002 eq. 3.4) or biased towards a cluster (002 eq. 3.5).

A hub links to many good authorities, an authority is linked from many good hubs. With a bias, what a page gives is
scaled by its nearness to the cluster's centre, so that pages which are popular everywhere do not crowd out the
cluster's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

ROUNDS = 100

Floats = NDArray[np.float64]


class Hits(NamedTuple):
    """Scores of each page; either vector has length 1, or is 0 where nothing links."""

    hubs: Floats
    authorities: Floats


def adjacency(sources: ArrayLike, targets: ArrayLike, pages: int) -> sparse.csr_array:
    """The matrix A: 1 where page i links to page j. A link given twice counts once, one to itself not at all."""
    source, target = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
    keys = np.unique((source * pages + target)[source != target])
    rows, columns = np.divmod(keys, max(pages, 1))
    return sparse.csr_array((np.ones(len(keys)), (rows, columns)), shape=(pages, pages))


def hits(links: sparse.csr_array, bias: Floats | None = None, rounds: int = ROUNDS) -> Hits:
    """Hub and authority scores after `rounds` iterations; `bias` is the diagonal of D_c, one number a page."""
    pages = links.shape[0]
    inward = links.T.tocsr()
    authorities = hubs = np.ones(pages)
    weights = np.ones(pages) if bias is None else bias
    for _ in range(rounds):
        authorities = inward @ (weights * hubs)  # eq. 3.5; with every weight 1 it is eq. 3.4
        hubs = links @ (weights * authorities)
        authorities, hubs = _unit(authorities), _unit(hubs)
    return Hits(hubs, authorities)


def typical(scores: Floats, similarity: Floats, members: NDArray[np.intp], n: int) -> list[int]:
    """The `n` best pages of a cluster, a score counting as much as the page is near the cluster's centre.

    Eq. 3.5 weighs what a page gives by its nearness, yet what it *receives* is not weighed: a generic hub that links to
    everything still collects from the cluster. Weighing the final score by the same nearness suppresses it.
    """
    worth = scores[members] * similarity[members]
    order = np.argsort(-worth, kind="stable")
    return [int(members[i]) for i in order[:n] if worth[i] > 1e-9]


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length > 0 else vector
