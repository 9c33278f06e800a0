"""A verdict from the scores of the topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Verdict


def best_of(scores: Mapping[str, float], threshold: float) -> Verdict:
    """The topic with the highest score speaks; no topic, no nugget."""
    best = max(scores, key=scores.__getitem__, default="")
    score = scores.get(best, 0.0)
    return Verdict(score, best, scores, bool(scores) and score >= threshold)


def threshold_of(given: Any) -> float:
    """A threshold as a person gave it."""
    try:
        return float(given)
    except (TypeError, ValueError):
        raise PinakesError(f"threshold={given} is neither a number nor `auto`.") from None
