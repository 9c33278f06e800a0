"""kill -9 loses nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "crash.py"


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["best-first", "breadth-first", "context-graph"])
def test_a_crawl_killed_at_random_moments_ends_like_one_left_in_peace(strategy: str) -> None:
    """The same pages in the same order, none stored twice, archive and catalogue at one."""
    command = [sys.executable, str(BENCHMARK), "demo", "--kills", "6", "--strategy", strategy]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["passed"] and report["deaths"] >= 2
