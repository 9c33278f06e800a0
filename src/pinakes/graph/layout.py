"""Where circles stand on a map: the more alike two of them are the nearer, and none over another.

The few circles of a map (a dozen at most) start on a ring, are drawn towards the distances their likeness asks for
(stress, de Leeuw's majorisation step), and are then pushed apart until all gaps are kept. The same input gives the
same map.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDS = 200
WIDEST = 0.30
"""Radius of the largest circle, where the ring the circles start on has radius 1."""

Floats = NDArray[np.float64]


class Circle(NamedTuple):
    """A circle of the map; the map's middle is (0, 0)."""

    x: float
    y: float
    radius: float


def place(sizes: Floats, likeness: Floats, gap: float = 0.12) -> list[Circle]:
    """Circles with areas as `sizes`, nearer the more alike (`likeness` of every two, 0 to 1), `gap` apart at least."""
    n = len(sizes)
    if not n:
        return []
    radii = WIDEST * np.sqrt(np.asarray(sizes, float) / max(float(np.max(sizes)), 1e-12))
    radii = np.maximum(radii, 0.25 * WIDEST)  # a small circle must still be hit by a finger
    if n == 1:
        return [Circle(0.0, 0.0, float(radii[0]))]
    angles = 2 * np.pi * _ring_order(likeness) / n
    at = np.column_stack([np.cos(angles), np.sin(angles)])
    touching = radii[:, None] + radii[None, :] + gap
    wanted = touching + 1.2 * (1.0 - np.clip(likeness, 0.0, 1.0))
    np.fill_diagonal(wanted, 0.0)
    for _ in range(ROUNDS):
        at = _drawn(at, wanted)
    for _ in range(ROUNDS):
        if not _pushed(at, touching):
            break
    at -= at.mean(axis=0)
    return [Circle(float(x), float(y), float(radius)) for (x, y), radius in zip(at, radii, strict=True)]


def _ring_order(likeness: Floats) -> Floats:
    """A place on the ring for each circle, each beside the one most like it that was not placed yet."""
    order = [0]
    left = set(range(1, len(likeness)))
    while left:
        nearest = max(left, key=lambda i: (likeness[order[-1], i], -i))
        order.append(nearest)
        left.remove(nearest)
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    return places


def _drawn(at: Floats, wanted: Floats) -> Floats:
    """One step of stress majorisation with equal weights."""
    apart = at[:, None, :] - at[None, :, :]
    distance = np.sqrt((apart**2).sum(axis=2))
    np.fill_diagonal(distance, 1.0)
    ratio = wanted / np.maximum(distance, 1e-9)
    return np.asarray((at[None, :, :].sum(axis=1) - at + (ratio[:, :, None] * apart).sum(axis=1)) / (len(at) - 1))


def _pushed(at: Floats, touching: Floats) -> bool:
    """Move every two circles that are too near apart by half of what is missing; True if any were."""
    moved = False
    for i in range(len(at)):
        for j in range(i):
            apart = at[i] - at[j]
            distance = float(np.sqrt(apart @ apart))
            missing = touching[i, j] - distance
            if missing > 1e-6:
                direction = apart / distance if distance > 1e-9 else np.array([1.0, 0.0])
                at[i] += direction * missing / 2
                at[j] -= direction * missing / 2
                moved = True
    return moved
