"""Curves against a known relevant set, and over pages: hand-computed, and the area against scikit-learn."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

from pinakes.measures.averages import over_topics
from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.measures.curves import auc, found_curve, recall_at, search_length
from pinakes.measures.running import comparison_points, grid, running_mean, sampled, sliding_mean


def test_found_curve_recall_and_search_length_by_hand() -> None:
    """a and c are relevant; a page counts once; the curve ends early and stays flat."""
    curve = found_curve(["a", "b", "a", "c"], {"a", "c", "z"}, 6)
    assert curve.tolist() == [1, 1, 1, 2, 2, 2]
    assert recall_at(curve, 3, 4) == pytest.approx(2 / 3) and recall_at(curve, 3, 7) is None
    assert search_length(curve, 3, 0.5) == 4 and search_length(curve, 3, 1.0) is None


def test_auc_by_hand() -> None:
    """The crawl finds its pages at steps 2 and 4 of 4, the oracle at 1 and 2: (0+1+1+2) / (1+2+2+2)."""
    crawl, oracle = found_curve(["x", "a", "y", "b"], {"a", "b"}, 4), found_curve(["a", "b"], {"a", "b"}, 4)
    assert auc(crawl, oracle) == pytest.approx(4 / 7)
    assert auc(crawl, np.zeros(4)) == 0.0


def test_auc_agrees_with_scikit_learn() -> None:
    """The same areas by its trapezoids, of curves drawn as steps."""
    from sklearn import metrics

    draw = np.random.default_rng(5)
    for _ in range(20):
        pages, relevant = 60, {str(n) for n in range(15)}
        crawl = found_curve(draw.permutation(80).astype(str).tolist(), relevant, pages)
        oracle = found_curve([str(n) for n in range(80)], relevant, pages)
        steps = np.repeat(np.arange(pages + 1), 2)[1:-1]
        areas = [metrics.auc(steps, np.repeat(curve, 2)) for curve in (crawl, oracle)]
        assert auc(crawl, oracle) == pytest.approx(areas[0] / areas[1])


def test_running_mean_stays_flat_after_the_end() -> None:
    """002 eq. 4.7 at every t."""
    assert running_mean([1.0, 0.0, 0.5], 5).tolist() == pytest.approx([1.0, 0.5, 0.5, 0.5, 0.5])
    assert running_mean([1.0, 0.0], 1).tolist() == [1.0]
    assert np.isnan(running_mean([], 3)).all()


def test_sliding_mean_forgets() -> None:
    """001 fig. 5 with a window of 2."""
    assert sliding_mean([1.0, 0.0, 0.5, 0.5], 6, width=2).tolist() == pytest.approx([1, 0.5, 0.25, 0.5, 0.5, 0.5])
    assert np.isnan(sliding_mean([], 2)).all()


def test_grid_holds_the_points_of_comparison_and_the_end() -> None:
    """Evenly spread, never beyond the budget."""
    assert {100, 500, 1000, 2000} <= set(grid(2000)) and max(grid(2000)) == 2000
    assert grid(7) == (1, 2, 3, 4, 5, 6, 7)
    assert comparison_points(700) == (100, 500, 700) and comparison_points(50) == (50,)
    assert sampled(np.arange(1.0, 11.0), (1, 5, 10)).tolist() == [1, 5, 10]


def test_average_and_standard_error_by_hand() -> None:
    """1, 2, 3: mean 2, deviation 1, error 1/√3; a topic without a value is left out there."""
    found = over_topics([[1.0, 4.0], [2.0, float("nan")], [3.0, 6.0]])
    assert found.mean.tolist() == [2.0, 5.0] and found.n == 2
    assert found.stderr.tolist() == pytest.approx([1 / sqrt(3), sqrt(2) / sqrt(2)])
    alone = over_topics([3.0])
    assert alone.mean.tolist() == [3.0] and isnan(alone.stderr[0])
    assert isnan(over_topics([[float("nan")]]).mean[0])


def test_measures_are_named() -> None:
    """A key of the results finds its words; an unknown one is its own label."""
    assert measure_of("recall@300").label == "Recall at 300" and measure_of("average_rank").better == "lower"
    assert measure_of("my_own").label == "my own"
    assert all(name == measure.name for name, measure in MEASURES.items())
