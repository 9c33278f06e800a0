"""Nothing wears out and nothing is lost in a crawl of a web where much fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "soak.py"


@pytest.mark.slow
def test_every_link_is_accounted_for_in_a_crawl_where_much_fails() -> None:
    """Errors, resets, stalls, redirects and traps over HTTP: each link came home, waits or was refused, by name."""
    command = [sys.executable, str(BENCHMARK), "--minutes", "0.15", "--pages", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["passed"] and report["unaccounted"] == 0
    assert report["places"]["waiting"] and report["places"]["ok"] == report["outcomes"]["ok"] > 50
