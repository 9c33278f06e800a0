"""PageRank by hand, and what is true of it always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.graph.pagerank import pagerank


def test_two_pages_and_a_sink_by_hand() -> None:
    """0 -> 1, 0 -> 2, 1 -> 2; page 2 has no links and so counts as linked to all three.

    With γ = .8: a = .2 + .8 c/3, b = .2 + .8 (a/2 + c/3), c = .2 + .8 (a/2 + b + c/3), so that b = 1.4 a and
    c = .2 + .4 a + 1.12 a + .8 c/3; with a = .2 + .8 c/3, c = 1.52 a + a, and a = .2 / (1 - .8 · 2.52 / 3) = .609756.
    """
    ranks = pagerank([0, 0, 1], [1, 2, 2], 3, damping=0.8, tolerance=1e-12)
    assert ranks == pytest.approx([0.609756, 0.853659, 1.536585], abs=1e-6)


def test_one_round_by_hand() -> None:
    """A tolerance that anything meets ends after one round of eq. 2 from ranks of 1."""
    ranks = pagerank([0, 0, 1], [1, 2, 2], 3, damping=0.8, tolerance=10.0)
    assert ranks == pytest.approx([0.2 + 0.8 / 3, 0.2 + 0.8 * (0.5 + 1 / 3), 0.2 + 0.8 * (0.5 + 1 + 1 / 3)])


def test_a_link_given_twice_counts_once() -> None:
    """in(p) and out(d) are sets."""
    once, twice = pagerank([0, 0], [1, 2], 3), pagerank([0, 0, 0], [1, 1, 2], 3)
    assert once.tolist() == twice.tolist()


def test_no_pages_have_no_ranks() -> None:
    assert pagerank([], [], 0).shape == (0,)


def test_pages_without_any_link_are_alike() -> None:
    assert pagerank([], [], 4).tolist() == pytest.approx([1.0] * 4)


graphs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
)


@given(graphs, st.floats(0.0, 0.95))
def test_ranks_sum_to_the_number_of_pages_and_solve_the_equation(
    graph: tuple[int, list[tuple[int, int]]], damping: float
) -> None:
    """No rank is lost, none is below 1 − γ, and eq. 2 holds for every page."""
    pages, links = graph
    ranks = pagerank([a for a, _ in links], [b for _, b in links], pages, damping, 1e-13)
    assert ranks.sum() == pytest.approx(pages)
    assert (ranks >= 1.0 - damping - 1e-9).all()
    matrix = np.zeros((pages, pages))
    for source, target in set(links):
        matrix[target, source] = 1.0
    out = matrix.sum(axis=0)
    matrix[:, out == 0] = 1.0
    matrix /= matrix.sum(axis=0)
    assert ranks == pytest.approx((1.0 - damping) + damping * matrix @ ranks, abs=1e-8)
