"""What is known of one web: the results of `pinakes evaluate --strategies all`, and of further runs on the same topics.

The first folder is the evaluation itself: its tests and curves are those of the page. Further folders only add
strategies with other parameters, by which a difference is explained; they take no part in its comparisons, since every
strategy more would make the correction for many comparisons harsher.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinakes.measures.catalogue import measure_of
from pinakes.measures.significance import compare

Row = dict[str, Any]
LEVEL = 0.05
DIGITS = {
    "average_rank": 0, "average_rank_bm25": 0, "search_length": 0, "frontier": 0, "pages": 0, "backlinks": 0,
    "documents": 1, "remoteness": 1, "cpu_ms_per_page": 2, "quality_per_cost": 2,
}  # fmt: skip
"""Digits after the point; three for everything else."""


@dataclass(frozen=True)
class Test:
    """Is a better than b?"""

    ahead: bool
    t: float | None
    p: float
    p_corrected: float

    @property
    def real(self) -> bool:
        return self.p_corrected < LEVEL

    @property
    def verdict(self) -> str:
        """By the corrected p."""
        if self.real:
            return "**yes**" if self.ahead else "**no, the other way round**"
        return "ahead, but it may be chance" if self.ahead else "no; it is behind, but that may be chance"

    @property
    def figures(self) -> str:
        return f"corrected {p_is(self.p_corrected)}"


@dataclass(frozen=True)
class Study:
    """One web."""

    name: str
    results: Row
    """Of the evaluation itself."""
    more: dict[str, Row]
    """Strategies of further runs."""
    took: tuple[Row, ...]

    @classmethod
    def read(cls, name: str, folders: Sequence[str]) -> Study:
        read = [json.loads((Path(folder) / "results.json").read_bytes()) for folder in folders]
        first = read[0]
        for folder, results in zip(folders, read, strict=True):
            if (results["pages"], results["topics"]) != (first["pages"], first["topics"]):
                sys.exit(f"{folder} has other topics or another budget than {folders[0]}; it cannot be compared.")
        more = {strategy: row for results in read[1:] for strategy, row in results["strategies"].items()}
        return cls(name, first, more, tuple(results.get("took") or {} for results in read))

    @property
    def pages(self) -> int:
        return int(self.results["pages"])

    @property
    def ranked(self) -> list[str]:
        """The strategies of the evaluation, the best AUC first, the oracle before all."""
        rows = self.results["strategies"]
        return sorted(rows, key=lambda name: -(rows[name].get("auc") or 0.0))

    @property
    def rivals(self) -> list[str]:
        return [name for name in self.ranked if name != "oracle"]

    def row(self, strategy: str) -> Row | None:
        return self.results["strategies"].get(strategy) or self.more.get(strategy)

    def value(self, strategy: str, key: str = "auc") -> float | None:
        found = (self.row(strategy) or {}).get(key)
        return float(found) if isinstance(found, int | float) else None

    def has(self, key: str) -> bool:
        return any(row.get(key) is not None for row in self.results["strategies"].values())

    def shown(self, strategy: str, key: str = "auc", *, error: bool = False) -> str:
        row = self.row(strategy) or {}
        return cell(row.get(key), key, row.get("stderr", {}).get(key) if error else None)

    def test(self, a: str, b: str, measure: str = "auc", at: int | None = None) -> Test | None:
        """The evaluation's own test of a against b: at a number of pages, or the last there is."""
        found = [
            test
            for test in self.results["tests"]
            if {test["a"], test["b"]} == {a, b} and test["measure"] == measure and at in (None, test["at"])
        ]
        if not found:
            return None
        last = max(found, key=lambda test: test["at"])
        sign = 1 if last["a"] == a else -1
        key = measure if measure == "auc" else f"{measure}@{last['at']}"
        t = None if last["t"] is None else sign * last["t"]
        return Test(self._ahead(a, b, key), t, last["p"], last["p_corrected"])

    def among(self, names: Sequence[str], key: str) -> dict[tuple[str, str], Test]:
        """Tests of every two of a few strategies, whichever run they come from, corrected among themselves."""
        there = [name for name in names if self.row(name)]
        values = {
            name: {topic: one.get(key) for topic, one in (self.row(name) or {})["per_topic"].items()} for name in there
        }
        tests = compare(values, measure=key, at=self.pages)
        found = {}
        for test in tests:
            for a, b, sign in ((test.a, test.b, 1), (test.b, test.a, -1)):
                t = None if test.t is None else sign * test.t
                found[a, b] = Test(self._ahead(a, b, key), t, test.p, test.p_corrected)
        return found

    def _ahead(self, a: str, b: str, key: str) -> bool:
        ours, theirs = self.value(a, key) or 0.0, self.value(b, key) or 0.0
        return ours < theirs if measure_of(key).better == "lower" or key == "frontier" else ours > theirs


def cell(value: float | None, key: str = "auc", error: float | None = None) -> str:
    """`.596 ± .037`."""
    if value is None:
        return "–"
    digits = DIGITS.get(key.partition("@")[0], 3)
    shown = _pointed(f"{value:,.{digits}f}")
    return shown if error is None else f"{shown} ± {_pointed(f'{error:,.{digits}f}')}"


def change(value: float) -> str:
    return _pointed(f"{value:+.3f}")


def p_is(p: float) -> str:
    shown = "< .0001" if p < 1e-4 else f"= {_pointed(f'{p:.2g}')}"
    return f"p {shown}"


def _pointed(number: str) -> str:
    """Without the nought before the point."""
    return number.replace("0.", ".", 1) if number.lstrip("+-").startswith("0.") else number


def label(key: str) -> str:
    return measure_of(key).label


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def folded(summary: str, body: str) -> str:
    """Shown on a click."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n</details>\n"
