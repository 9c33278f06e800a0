"""An evaluation on a real Ray cluster of two nodes, one of which dies midway: the results are those without Ray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import entrants_of


def options(out: Path, **more: Any) -> EvaluateOptions:
    entrants = entrants_of("best-first,breadth-first,infospiders")
    return EvaluateOptions(out, entrants, "demo:topics.jsonl", "demo", pages=60, **more)


def timeless(value: Any) -> Any:
    """Results without what depends on the clock."""
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if not _timed(key)}
    return [timeless(one) for one in value] if isinstance(value, list | tuple) else value


def _timed(key: str) -> bool:
    return any(word in key for word in ("cpu", "took", "cost", "ms_per"))


@pytest.mark.filterwarnings("ignore")  # of Ray's own
def test_a_node_dies(ray_cluster: Any, tmp_path: Path) -> None:
    doomed = ray_cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    done: list[int] = []

    def watch(stage: str, n: int, of: int) -> None:
        done.append(n)
        if stage == "crawls" and n == 4 and doomed in ray_cluster.worker_nodes:
            ray_cluster.remove_node(doomed, allow_graceful=False)

    found = evaluate(options(tmp_path / "ray", on=ray_cluster.address), watch=watch)
    assert doomed not in ray_cluster.worker_nodes and not found.failed and max(done) == 32
    plain = evaluate(options(tmp_path / "plain", processes=2))
    assert timeless(found.results) == timeless(plain.results)


def test_nobody_answers(tmp_path: Path) -> None:
    with pytest.raises(PinakesError, match="recorded webs"):
        evaluate(EvaluateOptions(tmp_path, entrants_of("best-first"), "demo:topics.jsonl", "live", on="ray://local"))
