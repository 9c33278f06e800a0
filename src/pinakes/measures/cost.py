"""Quality against cost (004 §8): what a strategy's decisions take, and whether they are worth it."""

from __future__ import annotations

from collections.abc import Mapping


def quality_per_cost(quality: float, cpu_ms_per_page: float) -> float | None:
    """Quality for a millisecond of the strategy's time a page; None where no time was measured."""
    return quality / cpu_ms_per_page if cpu_ms_per_page > 0 else None


def undominated(strategies: Mapping[str, tuple[float, float]]) -> list[str]:
    """The strategies that none beats in both quality and cost ({name: (quality, cost)}), the cheapest first."""
    best = float("-inf")
    found = []
    for name, (quality, _) in sorted(strategies.items(), key=lambda entry: (entry[1][1], -entry[1][0], entry[0])):
        if quality > best:
            best = quality
            found.append(name)
    return found
