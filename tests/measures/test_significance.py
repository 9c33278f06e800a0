"""Paired t-tests by hand and against scipy; Holm's correction by hand."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from pinakes.measures.significance import compare, holm, holm_along, p_along, paired_t, student_t


def test_paired_t_by_hand() -> None:
    """Differences 1, 2, 3: t = 2 / (1/√3); with 2 degrees of freedom P(T > t) = ½ − t / (2√(2 + t²))."""
    test = paired_t([2, 4, 6], [1, 2, 3])
    t = 2 * sqrt(3)
    assert test.t == pytest.approx(t) and test.n == 3
    assert test.p == pytest.approx(2 * (0.5 - t / (2 * sqrt(2 + t * t))))


@pytest.mark.parametrize("tail, name", [("two", "two-sided"), ("greater", "greater"), ("less", "less")])
@pytest.mark.parametrize("n", [2, 3, 14, 20, 94, 2000])
def test_paired_t_agrees_with_scipy(n: int, tail: str, name: str) -> None:
    """From a few topics to many, each tail."""
    draw = np.random.default_rng(n)
    for shift in (0.0, 0.3, -2.0):
        a, b = draw.normal(shift, 1, n), draw.normal(0, 1.5, n)
        theirs = stats.ttest_rel(a, b, alternative=name)
        ours = paired_t(a.tolist(), b.tolist(), tail=tail)
        assert ours.t == pytest.approx(float(theirs.statistic))
        assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-7, abs=1e-300)


def test_students_distribution_agrees_with_scipy() -> None:
    """Far into both tails, for any number of topics."""
    for freedom in (1, 2, 3, 7, 19, 99, 4999):
        for t in (-60.0, -9.0, -2.1, -0.4, 0.0, 0.02, 1.0, 3.0, 25.0):
            assert student_t(t, freedom) == pytest.approx(float(stats.t.cdf(t, freedom)), rel=1e-7)
    assert student_t(inf, 3) == 1.0 and student_t(-inf, 3) == 0.0 and isnan(student_t(nan, 3))


def test_tests_without_spread() -> None:
    """Equal strategies are equal; a constant advantage is certain; one topic proves nothing; NaN pairs are left out."""
    same = paired_t([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (same.t, same.p) == (0.0, 1.0)
    constant = paired_t([0.3, 0.4], [0.1, 0.2])
    assert (constant.t, constant.p) == (inf, 0.0)
    assert paired_t([1.0], [0.0]).p == 1.0 and paired_t([], []).p == 1.0
    assert paired_t([1.0, nan, 3.0, 2.0], [0.0, 5.0, 1.0, 1.5]) == paired_t([1.0, 3.0, 2.0], [0.0, 1.0, 1.5])


def test_holm_by_hand() -> None:
    """.01 · 4, .02 · 3 (above .04), .03 · 2 (not below the one before), .8 · 1."""
    assert holm([0.03, 0.01, 0.8, 0.02]) == pytest.approx([0.06, 0.04, 0.8, 0.06])
    assert holm([0.5, 0.6]) == [1.0, 1.0] and holm([]) == []


def test_every_two_strategies_are_compared() -> None:
    """In the order given, over the topics that both have, corrected as one family."""
    values = {
        "good": {"x": 0.9, "y": 0.8, "z": 0.7, "w": 0.9},
        "bad": {"x": 0.1, "y": 0.2, "z": 0.1, "w": None},
        "none": {"x": 0.1, "y": 0.1},
    }
    found = compare(values, measure="recall", at=100)
    assert [(c.a, c.b, c.n) for c in found] == [("good", "bad", 3), ("good", "none", 2), ("bad", "none", 2)]
    assert found[0].p == pytest.approx(float(stats.ttest_rel([0.9, 0.8, 0.7], [0.1, 0.2, 0.1]).pvalue))
    assert [c.p_corrected for c in found] == pytest.approx(holm([c.p for c in found]))
    assert all(c.measure == "recall" and c.at == 100 for c in found)


def test_one_tail_asks_whether_the_first_is_the_better() -> None:
    """Of a measure where less is better, whether it is less."""
    values = {"a": {"x": 1.0, "y": 2.0, "z": 4.0}, "b": {"x": 5.0, "y": 7.0, "z": 6.0}}
    (higher,) = compare(values, measure="m", at=1, one_tailed=True)
    (lower,) = compare(values, measure="m", at=1, one_tailed=True, lower_is_better=True)
    (both,) = compare(values, measure="m", at=1)
    assert lower.p == pytest.approx(both.p / 2) and higher.p == pytest.approx(1 - lower.p)


def test_an_infinite_t_is_no_number() -> None:
    """Results are JSON."""
    (found,) = compare({"a": {"x": 0.5, "y": 0.7}, "b": {"x": 0.25, "y": 0.45}}, measure="m", at=1)
    assert found.t is None and found.p == 0.0
    (alone,) = compare({"a": {"x": 0.5}, "b": {"x": 0.25}}, measure="m", at=1)
    assert alone.t is None and alone.p == 1.0


def test_p_along_the_crawl() -> None:
    """002 fig. 2b: the test at every point."""
    draw = np.random.default_rng(1)
    a, b = draw.random((8, 3)), draw.random((8, 3))
    assert p_along(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue.tolist())


def test_along_the_crawl_all_pairs_at_a_point_are_one_family() -> None:
    """Each point by Holm, as by hand; another point has no say in it."""
    assert holm_along([[0.01, 0.5], [0.02, 0.04], [0.4, 0.001]]) == [
        pytest.approx([0.03, 0.5]),
        pytest.approx([0.04, 0.08]),
        pytest.approx([0.4, 0.003]),
    ]
    assert holm_along([]) == []
