"""What an evaluation found, as a record that shows itself: in a terminal, at a prompt, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from pinakes.core.counting import count_of
from pinakes.measures.catalogue import measure_of

KNOWN = ("auc", "recall@100", "recall@300", "recall@1000", "harvest_rate")
"""What the main table shows where relevant pages are known."""
UNKNOWN = ("harvest_judged", "positive_rocchio", "average_rank", "similarity", "window_relevance", "documents",
           "nugget_share", "pages")  # fmt: skip
"""What it shows where none are: measures that need none."""
LEADING = ("harvest_judged", "positive_rocchio", "similarity", "pages")
"""After AUC, and recall at the end, the first of these that there is puts strategies in order."""


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """What an evaluation found."""

    out: Path
    """The folder of its files."""
    results: Mapping[str, Any]
    """As in `results.json`."""
    complaints: tuple[str, ...] = ()
    """What was wrong with topics and runs, a sentence each."""
    failed: int = 0
    """Runs that came to nothing."""
    ran: int = 0
    """Crawls run now; the others were there already."""
    notes: tuple[str, ...] = ()

    def columns(self) -> tuple[str, ...]:
        """The measures of the main table: those there is a value of."""
        known = tuple(key for key in KNOWN if self._has(key))
        return known or tuple(key for key in UNKNOWN if self._has(key))

    def table(self, *keys: str) -> list[tuple[str, ...]]:
        """Name, and mean ± standard error of each key, the best first."""
        rows = []
        for name, row in self.ranked():
            cells = [f"{_shown(row.get(key), key)} ± {_shown(row['stderr'].get(key), key)}" for key in keys]
            rows.append((name, *cells))
        return rows

    def ranked(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The strategies, the best first by AUC or, where there is none, by the next measure that there is."""
        found: list[tuple[str, Mapping[str, Any]]] = list(self.results["strategies"].items())
        leading = self._leading()
        return sorted(found, key=lambda entry: -(entry[1].get(leading) or 0.0))

    def __repr__(self) -> str:
        strategies, topics = self.results["strategies"], self.results["topics"]
        name, row = self.ranked()[0]
        leading = self._leading()
        best = f"{name} {_shown(row.get(leading), leading)} by {measure_of(leading).label}"
        lost = f", {count_of(self.failed, 'run failed', 'runs failed')}" if self.failed else ""
        return (
            f"<Evaluation of {count_of(len(strategies), 'strategy', 'strategies')} on "
            f"{count_of(len(topics), 'topic')}, {count_of(self.results['pages'], 'page')} "
            f"each: first {best}{lost}; in {self.out}>"
        )

    def _repr_html_(self) -> str:
        """The main table, for notebooks."""
        keys = self.columns()
        head = "".join(f"<th>{escape(text)}</th>" for text in ("strategy", *keys, "limit", "CPU ms a page"))
        body = ""
        for (name, row), cells in zip(self.ranked(), self.table(*keys), strict=True):
            more = (str(row["limit"] or "none"), _shown(row.get("cpu_ms_per_page")))
            body += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (name, *cells[1:], *more)) + "</tr>"
        said = (
            f"{escape(str(self.results['web']))}, {count_of(len(self.results['topics']), 'topic')}, "
            f"{count_of(self.results['pages'], 'page')}"
        )
        return f"<table><caption>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _leading(self) -> str:
        keys = ("auc", f"recall@{self.results['pages']}", *LEADING)
        return next((key for key in keys if self._has(key)), keys[0])

    def _has(self, key: str) -> bool:
        return any(row.get(key) is not None for row in self.results["strategies"].values())


def _shown(value: float | None, key: str = "") -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if measure_of(key).share or not key else f"{value:,.1f}"
