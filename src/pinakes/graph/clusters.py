"""Spherical k-means: a collection divided into k groups of pages that point the same way (002 §3.5).

Nearness is the cosine (eq. 3.2) and a group's centre the mean of its pages (eq. 3.3). k-means finds a local optimum
only, so it is begun several times from seeds that lie far apart and the tightest division is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

STARTS = 8
MOST_ROUNDS = 50
SAMPLE = 2000
"""The starts are compared on at most so many pages; the best one is then carried through on all of them."""
SETTLED = 0.002
"""Where so small a share of the pages changes its cluster in a round, the centres have found their places."""

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Clusters:
    """A division of pages into groups."""

    assigned: Numbers
    """The cluster of each page; the clusters are numbered from the largest to the smallest."""
    centres: Floats
    """The mean page of each cluster (eq. 3.3), not brought to length 1."""
    similarity: Floats
    """Cosine of each page (row) to each centre (column)."""

    @property
    def k(self) -> int:
        return len(self.centres)

    def members(self, cluster: int) -> Numbers:
        """The pages of a cluster, nearest to its centre first."""
        pages = np.flatnonzero(self.assigned == cluster)
        return pages[np.argsort(-self.similarity[pages, cluster], kind="stable")]

    def sizes(self) -> NDArray[np.intp]:
        return np.bincount(self.assigned, minlength=self.k)

    def cosines(self, pages: sparse.csr_array) -> Floats:
        """Cosine of pages (rows) to each centre."""
        found: Floats = np.clip(np.asarray(pages @ _units(self.centres).T), 0.0, 1.0)
        return found

    def joined(self, similarity: Floats) -> Clusters:
        """The division of more pages by these centres, each going to the nearest; `similarity` is their cosines."""
        present, assigned, rank = _largest_first(similarity.argmax(axis=1))
        order = present[np.argsort(rank)]
        return Clusters(rank[assigned], self.centres[order], similarity[:, order])

    def links(self) -> Floats:
        """Cosine between every two centres: the thickness of the lines on the map (002 §5.2)."""
        units = _units(self.centres)
        return np.clip(units @ units.T, 0.0, 1.0)


def spherical_k_means(pages: sparse.csr_array, k: int, random_state: int = 0, starts: int = STARTS) -> Clusters:
    """Divide rows of length 1 into at most `k` groups; no group is empty."""
    n = pages.shape[0]
    k = max(1, min(k, n))
    if not n:
        return Clusters(np.zeros(0, np.intp), np.zeros((0, pages.shape[1])), np.zeros((0, 0)))
    chance = np.random.default_rng(random_state)
    sample = pages if n <= SAMPLE else pages[np.sort(chance.choice(n, SAMPLE, replace=False))]
    best, tightest = np.zeros((0, 0)), -np.inf
    for _ in range(starts):
        directions, tightness = _settled(sample, _far_apart(sample, k, chance))
        if tightness > tightest:
            best, tightest = directions, tightness
    if sample is not pages:
        best, _ = _settled(pages, best)
    return _numbered(pages, np.asarray(pages @ best.T).argmax(axis=1))


def choose_k(
    pages: sparse.csr_array, choices: Sequence[int] = range(2, 13), random_state: int = 0
) -> tuple[int, dict[int, float]]:
    """The k whose division is the clearest, and how clear each is.

    The criterion is the mean simplified silhouette: for a page with cosine a to its own centre and b to the nearest
    other one, (a − b) / max(1 − a, 1 − b) computed on distances 1 − cosine. A tie goes to the fewer clusters.
    """
    n = pages.shape[0]
    chance = np.random.default_rng(random_state)
    sample = pages if n <= SAMPLE else pages[np.sort(chance.choice(n, SAMPLE, replace=False))]
    clarity = {}
    for k in choices:
        if k >= n:
            break
        found = spherical_k_means(sample, k, random_state, starts=4)
        clarity[k] = silhouette(found) if found.k > 1 else 0.0
    if not clarity:
        return 1, {}
    return max(clarity, key=lambda k: (round(clarity[k], 6), -k)), clarity


def silhouette(found: Clusters) -> float:
    """How much nearer pages are to their own centre than to the nearest other one: 1 is clear, 0 is no division."""
    rows = np.arange(len(found.assigned))
    own = 1.0 - found.similarity[rows, found.assigned]
    others = found.similarity.copy()
    others[rows, found.assigned] = -np.inf
    other = 1.0 - others.max(axis=1)
    return float(np.mean((other - own) / np.maximum(np.maximum(own, other), 1e-12)))


def _far_apart(pages: sparse.csr_array, k: int, chance: np.random.Generator) -> Floats:
    """Seeds as k-means++ draws them: each with a chance that grows with its distance from those drawn before."""
    drawn = [int(chance.integers(pages.shape[0]))]
    nearest = np.full(pages.shape[0], -np.inf)
    for _ in range(k - 1):
        nearest = np.maximum(nearest, np.asarray(pages @ pages[[drawn[-1]]].toarray().ravel()))
        away = np.maximum(1.0 - nearest, 0.0)
        away[drawn] = 0.0
        total = away.sum()
        drawn.append(int(chance.choice(len(away), p=away / total)) if total else int(chance.integers(len(away))))
    return np.asarray(pages[drawn].toarray())


def _settled(pages: sparse.csr_array, directions: Floats) -> tuple[Floats, float]:
    """Move the centres until no page changes its cluster; answers them and the sum of cosines they reach."""
    k = len(directions)
    turned = pages.T.tocsr()
    before = np.full(pages.shape[0], -1)
    cosines = np.zeros((pages.shape[0], k))
    for _ in range(MOST_ROUNDS):
        cosines = np.asarray(pages @ directions.T)
        assigned = cosines.argmax(axis=1)
        own = cosines[np.arange(len(assigned)), assigned]
        for empty in np.flatnonzero(np.bincount(assigned, minlength=k) == 0):
            stray = int(own.argmin())  # an empty cluster begins anew at the page that fits its own the least
            assigned[stray], own[stray] = empty, np.inf
        moved = np.count_nonzero(assigned != before)
        if not moved:
            break
        before = assigned
        directions = _units(_sums(turned, assigned, k))
        if moved <= SETTLED * len(assigned):
            break
    return directions, float(cosines.max(axis=1).sum())


def _numbered(pages: sparse.csr_array, assigned: Numbers) -> Clusters:
    """The final division, empty clusters left out, the largest cluster first."""
    present, places, rank = _largest_first(assigned)
    assigned, k = rank[places], len(present)
    centres = _sums(pages.T.tocsr(), assigned, k) / np.bincount(assigned, minlength=k)[:, None]  # eq. 3.3
    return Clusters(assigned, centres, np.clip(np.asarray(pages @ _units(centres).T), 0.0, 1.0))


def _largest_first(assigned: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The clusters that have pages, each page's place among them, and the rank of each by how many it has."""
    present, places, sizes = np.unique(assigned, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return present, places, rank


def _sums(terms: sparse.csr_array, assigned: Numbers, k: int) -> Floats:
    """The sum of each cluster's pages, which are columns here."""
    member = np.zeros((len(assigned), k))
    member[np.arange(len(assigned)), assigned] = 1.0
    return np.ascontiguousarray(np.asarray(terms @ member).T)


def _units(rows: Floats) -> Floats:
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))
