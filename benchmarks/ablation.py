"""What the parts of `evidence` are worth: each left out in turn, over all topics of a recorded web.

    python benchmarks/ablation.py WEB.warc.gz TOPICS.jsonl [--pages 1000] [--every 1] [--start 0]
                                  [--only "NAME; NAME"] [--kept FILE]

Prints for each variant its mean AUC (a share of the oracle's) with its standard error, the mean difference to the
whole over topics, and the p-value of a paired t-test, corrected by Holm's method over the variants of the run. With
`--kept`, what was measured is written to a file and not measured again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pinakes.core.page import Brief
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.oracle import Oracle, inward_links
from pinakes.jobs.evaluation.runs import run_strategy
from pinakes.jobs.evaluation.topics import EvaluationTopic, brief_of, load_topics
from pinakes.judges.cosine import CosineJudge
from pinakes.measures.curves import Curve, auc, found_curve, recall_at
from pinakes.measures.significance import holm, paired_t
from pinakes.strategies.best_first import BestFirst
from pinakes.strategies.evidence import Evidence
from pinakes.web.frozen import FrozenWeb


def as_it_is(brief: Brief) -> Brief:
    return brief


class Variant(NamedTuple):
    parameters: Mapping[str, Any]
    brief: Callable[[Brief], Brief] = as_it_is
    kind: type = Evidence


VARIANTS = {
    "evidence": Variant({}),
    "no back-links": Variant({"backlinks": 0}),
    "no votes or path": Variant({"without": "votes"}),
    "no words of links": Variant({"without": "words"}),
    "no siblings or neighbours": Variant({"without": "siblings"}),
    "no kinds": Variant({"without": "kinds"}),
    "weights not learnt": Variant({"learn": False}),
    "sentence only": Variant({}, lambda brief: replace(brief, examples={})),
    "sentence only, no search": Variant({"search": 0}, lambda brief: replace(brief, examples={})),
    "sentence only, no negatives": Variant({}, lambda brief: replace(brief, examples={}, background={}, negatives=())),
    "shipped background": Variant({}, lambda brief: replace(brief, background={})),
    "shipped background, no negatives": Variant({}, lambda brief: replace(brief, background={}, negatives=())),
    "best-first": Variant({"limit": 200}, kind=BestFirst),
}
AT = 300


class Lab:
    """A web with its topics, and what the oracle finds."""

    def __init__(self, web: Path, topics: Path, pages: int) -> None:
        self._frozen, self.topics, self.pages = FrozenWeb(web, records=False), load_topics(topics), pages
        self._web, self._inward = ClosedWeb(self._frozen), inward_links(self._frozen)
        self._redirects = self._frozen.redirects()

    async def brief(self, topic: EvaluationTopic) -> Brief:
        known = {url: page for each in self.topics for url in each.examples if (page := await self._web.page(url))}
        return brief_of(topic, self.topics, known, budget=self.pages)

    def relevant(self, topic: EvaluationTopic) -> frozenset[str]:
        return frozenset(filter(None, map(self._frozen.resolve, topic.targets)))

    async def oracle(self, topic: EvaluationTopic, brief: Brief) -> Curve:
        return await self._curve(Oracle(self.relevant(topic), self._inward, self._redirects), topic, brief)

    async def run(self, variant: Variant, topic: EvaluationTopic, brief: Brief) -> Curve:
        changed = variant.brief(brief)
        return await self._curve(variant.kind(changed, **variant.parameters), topic, changed)

    async def _curve(self, strategy: Any, topic: EvaluationTopic, brief: Brief) -> Curve:
        web, judge = self._web, CosineJudge(brief)
        run = await run_strategy("variant", strategy, judge, topic, brief, web, self.pages, backlinks=web, search=web)
        return found_curve(run.urls, self.relevant(topic), self.pages)


class Kept:
    """AUC and early recall of each variant on each topic, in a file where one is given."""

    def __init__(self, path: Path | None, web: str) -> None:
        self._path, self._web = path, web
        self._known: dict[tuple[str, str], tuple[float, float]] = {}
        for line in path.read_text().splitlines() if path and path.exists() else ():
            row = json.loads(line)
            if row["web"] == web:
                self._known[row["variant"], row["topic"]] = row["auc"], row["early"]

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._known

    def __getitem__(self, key: tuple[str, str]) -> tuple[float, float]:
        return self._known[key]

    def keep(self, variant: str, topic: str, area: float, early: float) -> None:
        self._known[variant, topic] = area, early
        if self._path:
            row = {"web": self._web, "variant": variant, "topic": topic, "auc": area, "early": early}
            with self._path.open("a") as file:
                file.write(json.dumps(row) + "\n")


async def measure(
    lab: Lab, variants: Mapping[str, Variant], names: list[str], topics: list[EvaluationTopic], kept: Kept
) -> None:
    for topic in topics:
        missing = [name for name in names if (name, topic.id) not in kept]
        if missing:
            brief = await lab.brief(topic)
            oracle = await lab.oracle(topic, brief)
        for name in missing:
            curve = await lab.run(variants[name], topic, brief)
            early = recall_at(curve, len(lab.relevant(topic)), min(AT, lab.pages)) or 0.0
            kept.keep(name, topic.id, auc(curve, oracle), early)
        print(f"{topic.id:24}", *(f"{kept[name, topic.id][0]:.3f}" for name in names), flush=True)


def compare(variants: Mapping[str, Variant], told: str | None) -> None:
    """Measure variants over the topics of a web, and test each against the first."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--every", type=int, default=1, help="take every so many topics only")
    parser.add_argument("--start", type=int, default=0, help="the first topic taken, counted from 0")
    parser.add_argument("--only", default="; ".join(variants), help="variants, the whole first")
    parser.add_argument("--kept", type=Path, help="a file of what was measured before, and now")
    options = parser.parse_args()
    names = options.only.split("; ")
    lab = Lab(options.web, options.topics, options.pages)
    topics = lab.topics[options.start :: options.every]
    kept = Kept(options.kept, f"{options.web.parent.name} {options.pages}")
    asyncio.run(measure(lab, variants, names, topics, kept))
    areas = {name: [kept[name, topic.id][0] for topic in topics] for name in names}
    early = {name: [kept[name, topic.id][1] for topic in topics] for name in names}
    if len(topics) < 2:
        return  # one topic has no spread; it was measured to be kept
    whole, *others = names
    tests = [paired_t(areas[name], areas[whole]) for name in others]
    corrected = dict(zip(others, holm([test.p for test in tests]), strict=True))
    result = {}
    for name in names:
        area = np.array(areas[name])
        result[name] = {
            "auc": round(float(area.mean()), 4),
            "stderr": round(float(area.std(ddof=1) / len(area) ** 0.5), 4),
            f"recall@{AT}": round(float(np.mean(early[name])), 4),
            "difference": round(float(np.mean(area - np.array(areas[whole]))), 4),
            "p_corrected": round(corrected[name], 4) if name in corrected else None,
        }
        row = result[name]
        print(f"{name:28} {row['auc']:.3f}±{row['stderr']:.3f}  {row['difference']:+.3f}  p={row['p_corrected']}")
    print(json.dumps({"web": options.web.parent.name, "pages": options.pages, "variants": result}))


if __name__ == "__main__":
    compare(VARIANTS, __doc__)
