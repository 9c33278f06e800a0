"""Averages over topics with their standard errors: the error bars of 002 and 004."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pinakes.measures.curves import Curve


class Average(NamedTuple):
    """Mean and standard error over topics, point by point."""

    mean: Curve
    stderr: Curve
    """NaN where there are fewer than two topics."""
    n: int
    """Topics that have a value at the last point."""


def over_topics(rows: Sequence[Sequence[float]] | Curve) -> Average:
    """The average of curves or of single values, a row a topic. A NaN is a topic without a value there."""
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    there = ~np.isnan(table)
    n = there.sum(axis=0)
    total = np.where(there, table, 0.0).sum(axis=0)
    mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    squares = (np.where(there, table - mean, 0.0) ** 2).sum(axis=0)
    variance = np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1)
    stderr = np.sqrt(np.divide(variance, n, out=np.full(len(n), np.nan), where=n > 1))
    return Average(mean, stderr, int(n[-1]) if len(n) else 0)
