"""The page that compares the strategies, as docs/evaluation.py writes it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The script, writing elsewhere."""
    monkeypatch.syspath_prepend(str(DOCS))
    script = importlib.import_module("evaluation")
    (tmp_path / "images").mkdir()
    monkeypatch.setattr(script, "DOCS", tmp_path)
    yield script
    for name in [name for name in sys.modules if name == "evaluation" or name.split(".")[0] == "evaluated"]:
        del sys.modules[name]


def kept(folder: Path, results: dict[str, Any]) -> str:
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps(results))
    return str(folder)


def test_the_pages_are_made_of_results(page: Any, tmp_path: Path, typical: dict[str, Any]) -> None:
    """Tables, curves, claims and commands; strategies of a second folder stand in comparisons, not in the tests."""
    more = deepcopy(typical)
    more["strategies"] = {"cutoff:cutoff=20": typical["strategies"]["cutoff"]}
    page.main([f"schools={kept(tmp_path / 'a', typical)},{kept(tmp_path / 'b', more)}"])
    first, second = (tmp_path / name for name in ("evaluation.md", "evaluation-tables.md"))
    text = first.read_text()
    best = typical["strategies"]["evidence"]
    shown = f"{best['auc']:.3f} ± {best['stderr']['auc']:.3f}".replace("0.", ".")
    assert f"| evidence | {shown} |" in text and "--strategies all --measures all" in text
    assert "cutoff:cutoff=20" in text and "cutoff:cutoff=20" not in second.read_text()
    for name in [line.split("](images/")[1].rstrip(")") for line in text.splitlines() if "](images/" in line]:
        assert (tmp_path / "images" / name).read_text().startswith("<svg")


def test_verdicts_go_by_the_corrected_p(page: Any, tmp_path: Path, typical: dict[str, Any]) -> None:
    """What is significant only before the correction is told to be chance."""
    results = deepcopy(typical)
    for test in results["tests"]:
        test["p"], test["p_corrected"] = 0.001, 0.2
    study = sys.modules["evaluated.study"].Study.read("schools", [kept(tmp_path / "a", results)])
    found = study.test("naive-bayes", "breadth-first")
    assert found.verdict == "ahead, but it may be chance"
    assert study.test("breadth-first", "naive-bayes").verdict.startswith("no; it is behind")
    assert study.test("breadth-first", "naive-bayes").t == pytest.approx(-found.t)


def test_other_topics_cannot_be_compared(page: Any, tmp_path: Path, typical: dict[str, Any]) -> None:
    other = {**typical, "pages": typical["pages"] + 1}
    with pytest.raises(SystemExit, match="another budget"):
        page.main([f"schools={kept(tmp_path / 'a', typical)},{kept(tmp_path / 'b', other)}"])
