"""The examples run."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pinakes
from pinakes.testing import check_strategy

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_crawl_demo(tmp_path: Path) -> None:
    """As a script, from anywhere."""
    command = [sys.executable, str(EXAMPLES / "crawl_demo.py"), str(tmp_path / "library")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "60 pages" in done.stdout and "evidence" in done.stdout


def test_evaluate_demo(tmp_path: Path) -> None:
    """A class of the script's own takes part."""
    command = [sys.executable, str(EXAMPLES / "evaluate_demo.py"), str(tmp_path / "results")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "deepest-first" in done.stdout and (tmp_path / "results" / "results.json").exists()


def test_a_strategy_of_ones_own(tmp_path: Path, monkeypatch: object) -> None:
    """It passes the conformance suite and crawls by its dotted name."""
    sys.path.insert(0, str(EXAMPLES.parent))
    try:
        check_strategy("examples.my_strategy:ShortestFirst")
        result = pinakes.crawl(
            topic="owls",
            web="demo",
            seeds=["http://www.pinakes.example/"],
            strategy="examples.my_strategy:ShortestFirst",
            pages=10,
            into=tmp_path / "library",
        )
    finally:
        sys.path.remove(str(EXAMPLES.parent))
    assert result.pages == 10


def test_the_api_works_inside_a_running_loop(tmp_path: Path) -> None:
    """As in a notebook."""

    async def cell() -> pinakes.CrawlResult:
        return pinakes.crawl(topic="owls", web="demo", pages=5, into=tmp_path / "library")

    result = asyncio.run(cell())
    assert result.pages == 5
    assert "harvest rate" in result._repr_html_()
