"""What the runs of one topic are worth, by every measure. Nothing here guided a crawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pinakes.core.page import Brief
from pinakes.jobs.evaluation.stage import Stage
from pinakes.jobs.evaluation.topics import EvaluationTopic, strangers
from pinakes.measures.assessment import Choices, assess
from pinakes.measures.curves import Curve, found_curve, recall_at, search_length
from pinakes.measures.documents import documents_found
from pinakes.measures.robustness import distances, overlap, remoteness, server_overlap
from pinakes.measures.running import comparison_points, grid, sampled
from pinakes.measures.term_table import TermTable
from pinakes.models.samples import Sample, samples_of
from pinakes.text.words import Words

RECALL_AT = (100, 300, 1000)
NEGATIVES = 2.0
"""Pages of other topics that the evaluation judge learns from, for each page of the topic."""
FOUND = ("recall", "harvest_rate")
WORDS = ("positive_rocchio", "positive_widrow_hoff", "positive_eg", "average_rank", "average_rank_bm25", "similarity",
         "harvest_judged", "window_relevance")  # fmt: skip
"""Measures that look at the words of pages."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The pages of all strategies for a topic."""

    topic: str
    crawls: Mapping[str, tuple[str, ...]]
    """By entrant, in the order they were fetched."""
    halves: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    """The same from the halves of the seeds, where that is wanted."""


@dataclass(frozen=True, slots=True)
class Values:
    """What one run is worth."""

    values: Mapping[str, float | None]
    """At the end of the crawl, and at numbers of pages (`recall@100`)."""
    curves: Mapping[str, list[float]]
    """Over the pages crawled, at the points of `grid`; NaN where there is nothing to measure yet."""
    area: float
    """Under the found-relevant curve."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What all runs of a topic are worth."""

    topic: str
    runs: Mapping[str, Values]


async def measure(stage: Stage, pool: Pool) -> Measured:
    """Assess the pages of all strategies for a topic together, then each crawl."""
    plan, topic = stage.plan, stage.plan.topic(pool.topic)
    budget, wanted = plan.pages, {*plan.measures, *(("robustness_servers",) if "robustness" in plan.measures else ())}
    brief = await stage.brief(topic)
    pages = sorted({url for urls in pool.crawls.values() for url in urls})
    assessed = None
    if wanted.intersection(WORDS):
        texts = {url: await stage.terms(url) for url in pages}
        sample, informed = _samples(brief, topic), await _informed(stage, topic, brief)
        words = Words()
        query = words.counts(words.stems(topic.topic.text))
        choices = Choices(
            printed=plan.weights == "printed",
            bm25="average_rank_bm25" in wanted,
            window=plan.window,
            likelihood=plan.window_by == "likelihood",
            random_state=plan.random_state,
        )
        assessed = assess(TermTable.of(texts), query, sample, informed, choices)
    far = distances(topic.seeds, stage.outlinks) if "remoteness" in wanted and stage.frozen is not None else None
    found: dict[str, Values] = {}
    for name, urls in pool.crawls.items():
        curves = _against_known(urls, topic, budget)
        if assessed is not None:
            curves |= assessed.curves(urls, budget)
        if "documents" in wanted:
            curves["documents"] = documents_found([(url, await stage.documents(url)) for url in urls], budget)
        if far is not None:
            curves["remoteness"] = remoteness(urls, topic.targets, far, budget)
        if halves := pool.halves.get(name):
            curves["robustness"] = overlap(*halves, budget)
            curves["robustness_servers"] = server_overlap(*halves, budget)
        curves = {kind: curve for kind, curve in curves.items() if kind in FOUND or kind in wanted}
        found[name] = _values(urls, topic, budget, curves)
    return Measured(topic.id, found)


def _against_known(urls: Sequence[str], topic: EvaluationTopic, budget: int) -> dict[str, Curve]:
    """Recall and harvest rate; a crawl that ended stays as it was. Nothing where no relevant page is known."""
    if not topic.targets:
        return {}
    found = found_curve(urls, topic.targets, budget)
    fetched = np.minimum(np.arange(1, budget + 1), max(1, len(urls)))
    return {"recall": found / len(topic.targets), "harvest_rate": found / fetched}


def _values(urls: Sequence[str], topic: EvaluationTopic, budget: int, curves: Mapping[str, Curve]) -> Values:
    found = found_curve(urls, topic.targets, budget)
    relevant = len(topic.targets)
    values: dict[str, float | None] = {f"recall@{at}": recall_at(found, relevant, at) for at in RECALL_AT}
    values["search_length"] = search_length(found, relevant, 0.5)
    values["pages"] = len(urls)
    for name, curve in curves.items():
        for at in comparison_points(budget):
            values.setdefault(f"{name}@{at}", _number(curve[at - 1]))
        if name != "recall":
            values[name] = _number(curve[-1])
    at_points = grid(budget)
    sampled_curves = {name: sampled(curve, at_points).tolist() for name, curve in curves.items()}
    return Values(values, sampled_curves, float(found.sum()))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _samples(brief: Brief, topic: EvaluationTopic) -> Sample:
    return samples_of(brief).get(topic.name) or Sample(({},), ({},))


async def _informed(stage: Stage, topic: EvaluationTopic, brief: Brief) -> Sample:
    """What the evaluation judge learns from: all that is known of the topic against as much of others."""
    others = strangers(topic, stage.plan.topics)
    known = {url for other in others for url in (*other.relevant, *other.examples)}
    knowing = replace(
        brief,
        examples={topic.name: tuple([await stage.slim(url) for url in sorted({*topic.relevant, *topic.examples})])},
        negatives=tuple([await stage.slim(url) for url in sorted(known)]),
    )
    return samples_of(knowing, NEGATIVES).get(topic.name) or _samples(brief, topic)


def pool_of(topic: str, crawls: Mapping[tuple[str, int], tuple[str, ...]]) -> Pool:
    """The pool of a topic from its runs, by entrant and half."""
    halves = {name: (urls, crawls[name, 2]) for (name, half), urls in crawls.items() if half == 1}
    return Pool(topic, {name: urls for (name, half), urls in crawls.items() if not half}, halves)
