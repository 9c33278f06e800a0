"""Numbers as people read them, and the scales and ticks of axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isclose, isfinite, log10

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(value: float | None, share: bool = True) -> str:
    """A measure's value in a few characters; a dash for none."""
    if value is None or not isfinite(value):
        return "–"
    if share:
        return f"{value:.3f}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10 or value == int(value):
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def p_value(p: float | None) -> str:
    """A probability as papers print it."""
    if p is None:
        return "–"
    if p < 0.0001:
        return "<\u00a0.0001"
    return f"{p:.4f}".lstrip("0") if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.9995 else "1"


def p_is(p: float | None) -> str:
    """`p = .021` or `p < .0001`."""
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def tick(value: float) -> str:
    """A number on an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    power = round(log10(abs(value)))
    if power < -2 and isclose(value, 10.0**power):
        return f"10{str(power).translate(_RAISED)}"
    return f"{value:.12g}" if abs(value) >= 1e-4 else f"{value:.0e}"


@dataclass(frozen=True, slots=True)
class Scale:
    """Values to places: linear or logarithmic."""

    low: float
    high: float
    start: float
    """The place of `low`."""
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            value, low, high = log10(max(value, self.low)), log10(low), log10(high)
        part = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + part * (self.end - self.start), 2)

    def ticks(self, n: int = 5) -> list[float]:
        """About `n` round values."""
        if self.log:
            return _decades(self.low, self.high)
        step = _step((self.high - self.low) / max(1, n))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(number * step, 12) for number in range(first, last + 1)]


def scale_for(values: Iterable[float], start: float, end: float, *, share: bool = False, log: bool = False) -> Scale:
    """A scale that holds all values, with round ends; one of a share begins at 0 and never goes beyond 1."""
    found = [value for value in values if isfinite(value) and (value > 0 or not log)]
    if not found:
        return Scale(0.1 if log else 0.0, 1.0, start, end, log)
    low, high = min(found), max(found)
    if log:
        return Scale(_log_floor(low), _log_ceiling(high), start, end, True)
    low = min(0.0, low)
    step = _step((high - low or 1.0) / 5)
    high = ceil(high / step - 1e-9) * step or step
    if share and max(found) <= 1.0:
        high = min(high, 1.0)
    return Scale(floor(low / step + 1e-9) * step, high, start, end)


def _step(rough: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    power = 10.0 ** floor(log10(rough)) if rough > 0 else 1.0
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)


def _log_floor(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return power * max(step for step in (1, 2, 5) if step * power <= value * 1.0001)


def _log_ceiling(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return power * min(step for step in (1, 2, 5, 10, 20) if step * power >= value * 0.9999 * 1.05)


def _decades(low: float, high: float) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    spread = log10(high / low)
    steps = (1,) if spread > 3.5 else (1, 3) if spread > 2 else (1, 2, 5)
    return [s * 10.0**p for p in powers for s in steps if low * 0.999 <= s * 10.0**p <= high * 1.001]
