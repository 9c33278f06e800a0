"""The results of an evaluation as its report looks at them: ranked strategies, their looks, and values by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from pinakes.measures.catalogue import MEASURES, measure_of
from pinakes.report.numbers import short
from pinakes.report.palette import Style, styles

ORACLE = "oracle"
BASELINE = "breadth-first"
SHOWN = 5
"""Strategies whose curves are visible at first, besides the oracle and breadth-first."""
FEW = 8
"""Up to so many are all visible."""
SET_APART = frozenset({"stderr", "strategy", "limit", "setup", "per_topic", "parameters", "outcomes"})
"""What a strategy has besides values of measures."""


@dataclass(frozen=True)
class View:
    """Results, read in one way by all parts of the report."""

    results: Mapping[str, Any]
    primary: str
    names: Sequence[str]
    """The oracle first, then the strategies, the best by the primary measure first."""
    alpha: float = 0.05

    @classmethod
    def of(cls, results: Mapping[str, Any]) -> View:
        strategies = results["strategies"]
        candidates = ("auc", "harvest_judged", *MEASURES)
        primary = next((m for m in candidates if any(s.get(m) is not None for s in strategies.values())), "auc")
        sign = 1 if measure_of(primary).better == "lower" else -1

        def order(name: str) -> tuple[bool, bool, float, str]:
            value = strategies[name].get(primary)
            return name != ORACLE, value is None, sign * (value or 0.0), name

        return cls(results, primary, sorted(strategies, key=order))

    @property
    def contestants(self) -> list[str]:
        return [name for name in self.names if name != ORACLE]

    @property
    def pages(self) -> int:
        return int(self.results["pages"])

    @property
    def web_name(self) -> str:
        """The web, without the folders it lies in."""
        path = PurePath(str(self.results.get("web", "a web")))
        generic = path.name.startswith("web.") and path.parent.name
        return path.parent.name if generic else path.name or "a web"

    @property
    def one_tailed(self) -> bool:
        return bool(self.results.get("one_tailed"))

    @cached_property
    def styles(self) -> dict[str, Style]:
        return styles(self.names, ORACLE)

    @cached_property
    def visible(self) -> frozenset[str]:
        """The strategies whose curves are seen at first."""
        if len(self.names) <= FEW:
            return frozenset(self.names)
        return frozenset([*self.contestants[:SHOWN], *({ORACLE, BASELINE} & set(self.names))])

    @cached_property
    def hidden(self) -> frozenset[str]:
        return frozenset(self.names) - self.visible

    @cached_property
    def topics(self) -> dict[str, Mapping[str, Any]]:
        """Topics by id, with what is known of them."""
        known = self.results.get("topics") or {}
        ids = dict.fromkeys(
            topic for name in self.names for topic in self.results["strategies"][name].get("per_topic", {})
        )
        return {topic: known.get(topic, {}) for topic in ids}

    @cached_property
    def measures_shown(self) -> list[str]:
        """Measures that some strategy has a value of: those of the catalogue in its order, then others."""
        strategies = self.results["strategies"].values()
        present = {
            key.partition("@")[0]
            for strategy in strategies
            for key, value in strategy.items()
            if key not in SET_APART and isinstance(value, int | float) and not isinstance(value, bool)
        }
        return [*(name for name in MEASURES if name in present), *sorted(present - set(MEASURES))]

    def value(self, name: str, measure: str) -> float | None:
        found = self.results["strategies"][name].get(measure)
        return float(found) if isinstance(found, int | float) else None

    def error(self, name: str, measure: str) -> float | None:
        found = self.results["strategies"][name].get("stderr", {}).get(measure)
        return float(found) if isinstance(found, int | float) else None

    def with_error(self, name: str, measure: str) -> str:
        share, error = measure_of(measure).share, self.error(name, measure)
        value = short(self.value(name, measure), share)
        return f"{value} ± {short(error, share)}" if error else value

    def of_topic(self, name: str, topic: str, measure: str) -> float | None:
        found = self.results["strategies"][name].get("per_topic", {}).get(topic, {}).get(measure)
        return float(found) if isinstance(found, int | float) else None

    def over_topics(self, name: str, measure: str) -> list[float]:
        """The values of the single topics, where there are any."""
        return [value for topic in self.topics if (value := self.of_topic(name, topic, measure)) is not None]

    def has(self, measure: str) -> bool:
        return any(self.value(name, measure) is not None for name in self.names)

    def recalls(self) -> list[str]:
        """The keys `recall@N` that have values, the earliest first."""
        keys = {key for name in self.names for key in self.results["strategies"][name] if key.startswith("recall@")}
        return sorted((key for key in keys if self.has(key)), key=lambda key: int(key.partition("@")[2]))

    def test(self, a: str, b: str) -> Mapping[str, Any] | None:
        """The test of two strategies by the primary measure or, where there is none, by recall at the end."""
        for measure in (self.primary, "recall"):
            found = [
                test
                for test in self.results.get("tests", ())
                if {test["a"], test["b"]} == {a, b} and test["measure"] == measure
            ]
            if found:
                last: Mapping[str, Any] = max(found, key=lambda test: test["at"] or 0)
                return last
        return None
