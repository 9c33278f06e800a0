"""A logistic combination of features, kept near a prior: MAP with a Gaussian round the prior's weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack

Numbers = NDArray[np.float64]


HALVINGS = 12
ENOUGH = 1e-4
"""A step this small changes no order worth having."""


class Stack:
    """Minimises log-loss + λ/2 · |w − w₀|² over the latest rows, by a few Newton steps a turn."""

    def __init__(self, prior: Numbers, strength: float = 30.0, most: int = 2000, steps: int = 4) -> None:
        self.prior, self.weights = prior, prior.copy()
        self._strength, self._most, self._steps = strength, most, steps
        self._rows = np.empty((most, len(prior)))
        self._labels = np.empty(most)
        self.seen = 0

    def add(self, row: Numbers, label: float) -> None:
        place = self.seen % self._most
        self._rows[place], self._labels[place] = row, label
        self.seen += 1

    def fit(self) -> None:
        size = min(self.seen, self._most)
        if not size:
            return
        rows, labels = self._rows[:size], self._labels[:size]
        for _ in range(self._steps):
            expected = 1.0 / (1.0 + np.exp(-np.clip(rows @ self.weights, -30, 30)))
            slope = rows.T @ (expected - labels) + self._strength * (self.weights - self.prior)
            bend = (rows * (expected * (1 - expected))[:, None]).T @ rows
            bend[np.diag_indices_from(bend)] += self._strength
            step: Numbers = np.linalg.solve(bend, slope).astype(np.float64)
            self._step(step, rows, labels)
            if np.abs(step).max() < ENOUGH:
                break  # it began where the last turn ended, and little has changed

    def _step(self, step: Numbers, rows: Numbers, labels: Numbers) -> None:
        """Take a Newton step, halved until it helps: from saturated scores a whole one can lead far away."""
        before = self._loss(self.weights, rows, labels)
        for _ in range(HALVINGS):
            if self._loss(self.weights - step, rows, labels) <= before:
                self.weights = self.weights - step
                return
            step = step / 2

    def _loss(self, weights: Numbers, rows: Numbers, labels: Numbers) -> float:
        scores, away = rows @ weights, weights - self.prior
        return float(np.sum(np.logaddexp(0.0, scores) - labels * scores) + self._strength / 2 * (away @ away))

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Log-odds of examples that stand in columns."""
        return self.weights.astype(np.float32) @ features

    def state(self) -> Plain:
        size = min(self.seen, self._most)
        return [pack(self.weights), pack(self._rows[:size]), pack(self._labels[:size]), self.seen]

    def restore(self, state: Plain) -> None:
        weights, rows, labels, self.seen = state
        self.weights = unpack(weights)
        size = min(self.seen, self._most)
        self._rows[:size], self._labels[:size] = unpack(rows), unpack(labels)
