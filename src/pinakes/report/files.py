"""Reports as files, beside what they tell of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pinakes.jobs.evaluation.tables import whole
from pinakes.report.evaluation import render


def write_report(folder: Path, results: Mapping[str, Any]) -> Path:
    """Write `report.html` of an evaluation: one file that needs nothing else."""
    return whole(folder / "report.html", render(results).encode("utf-8", "replace"))
