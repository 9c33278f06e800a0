"""Every strategy on every topic of a recorded web: what it costs, what it finds, and where one ends early.

    python benchmarks/strategies.py WEB.warc.gz TOPICS.jsonl [--pages 1000] [--strategies a,b] [--topics N] [--states N]

CPU time is that of the strategy alone, for each page read. AUC is the area under the curve of relevant pages found,
divided by that of the oracle. Nuggets, which the cutoffs go by, are those of each strategy's own judge. With --states
each strategy runs under so many random states. A run that ends before the budget is told, with the reason and the page.
An error in one run is reported and does not end the others. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import mean

from pinakes.core.page import Brief, Page
from pinakes.core.roles import Strategy
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.entrants import adapted, entrants_of
from pinakes.jobs.evaluation.oracle import Oracle, inward_links
from pinakes.jobs.evaluation.runs import run_strategy
from pinakes.jobs.evaluation.topics import brief_of, load_topics
from pinakes.jobs.layers import with_layers
from pinakes.jobs.outfit import judge_for
from pinakes.judges.registry import make_judge
from pinakes.measures.curves import auc, found_curve
from pinakes.strategies.registry import STRATEGIES, TABLE, make_strategy
from pinakes.web.frozen import FrozenWeb

SLOW = {"pagerank", "infospiders", "context-graph", "evidence"}
"""Below 5 ms a page; all others below 1 ms."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("topics_file", type=Path, metavar="topics")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--strategies", default=",".join(TABLE), help="names, with parameters as best-n-first:n=256")
    parser.add_argument("--topics", type=int, help="only the first so many")
    parser.add_argument("--states", type=int, default=1, help="random states, from 0 on")
    report = asyncio.run(measure(parser.parse_args()))
    print("| strategy | AUC | CPU ms a page, mean | most | ended early | errors |\n|---|---|---|---|---|---|")
    for name, row in report["strategies"].items():
        early = "; ".join(f"{count} × {why}" for why, count in row["early"].items()) or "none"
        print(f"| {name} | {row['auc']:.3f} | {row['cpu']:.2f} | {row['most']:.2f} | {early} | {len(row['errors'])} |")
    print(json.dumps(report))


async def measure(options: argparse.Namespace) -> dict[str, dict[str, dict[str, object]]]:
    frozen = FrozenWeb(options.web, records=False)
    web, inward, redirects = ClosedWeb(frozen), inward_links(frozen), frozen.redirects()
    topics = load_topics(options.topics_file)
    topics = getattr(topics, "topics", topics)
    pages: dict[str, Page] = {}
    for url in sorted({url for topic in topics for url in topic.examples}):
        if (page := await web.page(url)) is not None:
            pages[url] = page
    # On a web of one host pagerank counts all links, as in an evaluation.
    entrants = adapted(entrants_of(options.strategies), frozen.info().hosts, print)
    rows: dict[str, dict[str, list[float]]] = {entrant.name: defaultdict(list) for entrant in entrants}
    given_to = {entrant.name: dict(entrant.parameters) for entrant in entrants}
    early: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    errors: dict[str, list[str]] = defaultdict(list)
    for topic in topics[: options.topics]:
        given = brief_of(topic, topics, pages, budget=options.pages)
        wanted = frozenset(filter(None, map(frozen.resolve, topic.targets)))

        async def crawl(strategy: Strategy, brief: Brief, spec: str) -> tuple[object, object]:
            judge = make_judge(judge_for(type(strategy), ""), brief, {"threshold": "auto"})
            run = await run_strategy(spec, strategy, judge, topic, brief, web, options.pages)  # noqa: B023
            return run, found_curve(run.urls, wanted, options.pages)  # noqa: B023

        _, best = await crawl(Oracle(wanted, inward, redirects), given, "oracle")
        layered: Brief | None = None
        for spec in rows:
            for state in range(options.states):
                name, brief = spec.partition(":")[0], replace(given, random_state=state)
                if "layers" in getattr(STRATEGIES.find(name), "needs", ()):
                    layered = layered or (await with_layers(given, web, web, web))[0]
                    brief = replace(layered, random_state=state)
                try:
                    run, curve = await crawl(make_strategy(name, brief, given_to[spec]), brief, spec)
                except Exception as error:  # a benchmark reports whatever goes wrong, and goes on
                    errors[spec].append(f"{topic.id}: {type(error).__name__}: {error}")
                    continue
                rows[spec]["auc"].append(auc(curve, best))
                rows[spec]["cpu"].append(run.cpu_ms_per_page)
                if run.stopped != "budget":
                    early[spec].append((run.stopped, topic.id, len(run.urls)))
                    print(f"{topic.id}: {spec} ended at page {len(run.urls)}: {run.stopped}", flush=True)
        print(topic.id, *(f"{name} {row['auc'][-1]:.3f}" for name, row in rows.items() if row["auc"]), flush=True)
    table = {}
    for spec, row in rows.items():
        reasons: dict[str, int] = defaultdict(int)
        for why, *_ in early[spec]:
            reasons[why] += 1
        table[spec] = {
            "auc": mean(row["auc"]) if row["auc"] else 0.0,
            "auc_by_run": [round(value, 4) for value in row["auc"]],
            "cpu": mean(row["cpu"]) if row["cpu"] else 0.0,
            "most": max(row["cpu"], default=0.0),
            "within": max(row["cpu"], default=0.0) < (5.0 if spec.partition(":")[0] in SLOW else 1.0),
            "early": dict(reasons),
            "ended": [list(entry) for entry in early[spec]],
            "errors": errors[spec],
        }
    return {"web": {"path": options.web.name, "pages": options.pages}, "strategies": table}  # type: ignore[dict-item]


if __name__ == "__main__":
    main()
