"""What does Ray cost an evaluation? The same crawls on this machine's cores, plainly and through a Ray cluster.

    python benchmarks/on_ray.py [--web WEB] [--topics FILE] [--strategies A,B] [--pages 300] [--rounds 2]

The cluster is one of this machine alone, started before and bound to loopback; what is compared is the evaluation, from
its command to its results, by the clock and by CPU time (of the hands and of whoever gives them orders; Ray's own
servers are counted apart). The results must be equal. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from pinakes.jobs.hands import cores

TIMED = ("cpu", "took", "cost", "ms_per", "seconds")


def timeless(value: Any) -> Any:
    """Results without what depends on the clock."""
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if not any(word in key for word in TIMED)}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def spent(pids: dict[int, float], roots: list[int]) -> None:
    """CPU seconds of processes and all they started, written down for as long as they live."""
    for root in roots:
        with suppress(psutil.Error):
            for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
                with suppress(psutil.Error):
                    used = process.cpu_times()
                    pids[process.pid] = used.user + used.system


def evaluate(options: argparse.Namespace, out: Path, on: list[str], servers: list[int]) -> dict[str, Any]:
    command = [sys.executable, "-m", "pinakes", "evaluate", "--web", options.web, "--topics", options.topics,
               "--strategies", options.strategies, "--pages", str(options.pages), "--processes", str(cores()),
               "--out", str(out), *on]  # fmt: skip
    before, there, own = dict[int, float](), dict[int, float](), dict[int, float]()
    spent(before, servers)
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        spent(own, [process.pid])
        spent(there, servers)
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    hands = sum(seconds for pid, seconds in there.items() if pid not in before)
    kept = sum(seconds - before[pid] for pid, seconds in there.items() if pid in before)
    return {
        "ray": bool(on),
        "wall": round(time.monotonic() - started, 1),
        "cpu": round(sum(own.values()) + hands, 1),
        "servers_cpu": round(kept, 1),
        "results": timeless(json.loads((out / "results.json").read_text())),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="demo")
    parser.add_argument("--topics", default="demo:topics.jsonl")
    parser.add_argument("--strategies", default="all")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    # Ray's hands would give way to whatever else runs on this machine, and be measured as slower for it.
    os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    from ray.cluster_utils import Cluster

    folder = Path(tempfile.mkdtemp(prefix="pinakes-ray-"))
    here = {"num_cpus": cores(), "node_ip_address": "127.0.0.1", "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=here)
    runs = []
    try:
        servers = [child.pid for child in psutil.Process().children()]
        for turn in range(options.rounds):
            for on in ([], ["--on", cluster.address]):
                run = evaluate(options, folder / f"{turn}-{len(on)}", on, servers)
                runs.append(run)
                print({key: value for key, value in run.items() if key != "results"}, flush=True)
    finally:
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    best = {
        ray: [min(run[key] for run in runs if run["ray"] == ray) for key in ("wall", "cpu")] for ray in (False, True)
    }
    out = {
        "runs": [{key: value for key, value in run.items() if key != "results"} for run in runs],
        "equal": all(run["results"] == runs[0]["results"] for run in runs),
        "wall_ratio": round(best[True][0] / best[False][0], 3),
        "cpu_ratio": round(best[True][1] / best[False][1], 3),
    }
    print(json.dumps(out))


if __name__ == "__main__":
    main()
