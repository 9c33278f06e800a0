"""Paired t-tests between strategies over topics, at points of the crawl and along it (002 fig. 2b, 004 §7).

Every two strategies are compared topic by topic, so that a hard topic is hard for both. The p-values of one measure at
one point are a family, corrected together by Holm's method (Scandinavian Journal of Statistics 6, 1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import copysign, exp, inf, isnan, lgamma, log, nan, sqrt

import numpy as np

from pinakes.measures.curves import Curve

LEAST_TOPICS = 2


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A paired t-test of a against b."""

    t: float
    """Above 0 when a has the higher mean; infinite when all topics differ by exactly the same."""
    p: float
    n: int
    """Topics that both have a value for."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One line of the table of tests."""

    a: str
    b: str
    measure: str
    at: int
    t: float | None
    """None where it is not finite."""
    p: float
    p_corrected: float
    n: int


def paired_t(a: Sequence[float] | Curve, b: Sequence[float] | Curve, *, tail: str = "two") -> PairedTest:
    """Student's paired t-test. `tail`: `two`, or the alternative that a is `greater` or `less` than b.

    Pairs with a NaN are left out. Fewer than two pairs prove nothing: p = 1.
    """
    differences = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    differences = differences[~np.isnan(differences)]
    n = len(differences)
    if n < LEAST_TOPICS:
        return PairedTest(nan, 1.0, n)
    mean = float(differences.mean())
    spread = float(differences.std(ddof=1))
    # Differences that are the same up to rounding have no spread to measure.
    if spread <= 1e-12 * max(abs(mean), float(np.abs(differences).max())):
        t = copysign(inf, mean) if mean else 0.0
    else:
        t = mean / (spread / sqrt(n))
    return PairedTest(t, _p(t, n - 1, tail), n)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for being many: the k-th least of m is multiplied by m − k + 1, kept in order and ≤ 1."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - rank) * ps[at]))
        corrected[at] = least
    return corrected


def compare(
    values: Mapping[str, Mapping[str, float | None]],
    *,
    measure: str,
    at: int,
    one_tailed: bool = False,
    lower_is_better: bool = False,
) -> list[Comparison]:
    """Every two strategies, in the order given: {strategy: {topic: value}}; p corrected over all of them.

    `one_tailed` asks whether the one named first is the better: the order is then the hypothesis, so it must be
    chosen before the results are seen.
    """
    tail = "two" if not one_tailed else "less" if lower_is_better else "greater"
    tests = []
    for a, b in combinations(values, 2):
        topics = [topic for topic in values[a] if topic in values[b]]
        columns = ([_number(values[name][topic]) for topic in topics] for name in (a, b))
        tests.append((a, b, paired_t(*columns, tail=tail)))
    corrected = holm([test.p for _, _, test in tests])
    return [
        Comparison(a, b, measure, at, test.t if abs(test.t) < inf else None, test.p, p, test.n)
        for (a, b, test), p in zip(tests, corrected, strict=True)
    ]


def p_along(a: Curve, b: Curve, *, tail: str = "two") -> list[float]:
    """The p-value at every point of two tables of curves, a row a topic (002 fig. 2b); `holm_along` corrects it."""
    return [paired_t(a[:, at], b[:, at], tail=tail).p for at in range(a.shape[1])]


def holm_along(pairs: Sequence[Sequence[float]]) -> list[list[float]]:
    """The p-values along the crawl of many pairs, those at one point corrected together, as `compare` has it."""
    points = [holm(column) for column in zip(*pairs, strict=True)]
    return [list(row) for row in zip(*points, strict=True)]


def student_t(t: float, freedom: float) -> float:
    """P(T ≤ t) of Student's distribution, by the regularised incomplete beta function."""
    if isnan(t):
        return nan
    if abs(t) == inf:
        return 1.0 if t > 0 else 0.0
    beyond = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
    return 1.0 - beyond if t > 0 else beyond


def _p(t: float, freedom: int, tail: str) -> float:
    if tail == "two":
        return min(1.0, 2.0 * student_t(-abs(t), freedom))
    return student_t(-t if tail == "greater" else t, freedom)


def _number(value: float | None) -> float:
    return nan if value is None else value


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b) by its continued fraction; where that converges slowly, by I_x(a, b) = 1 − I_1−x(b, a)."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(1.0 - x, b, a)
    front = exp(a * log(x) + b * log(1.0 - x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    # Evaluated from the front by Lentz's method; 200 terms are far more than it ever takes.
    tiny = 1e-300
    c, d, value = 1.0, 0.0, 1.0
    for step in range(200):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        d = 1.0 / ((1.0 + term * d) or tiny)
        c = (1.0 + term / c) or tiny
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * (value - 1.0)
