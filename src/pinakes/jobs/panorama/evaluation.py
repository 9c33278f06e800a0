"""`pinakes panorama --evaluate` (002 §4): does a crawl that half of a paper's references guide beat breadth-first?

Half of the references of each paper, drawn by lot, and its title find the examples that guide. All of them find those
of an evaluation classifier, which is better informed and sees the crawl only afterwards; the mean of what it says of
the pages so far is the harvest rate (eq. 4.7). Negative examples of a paper are positive ones of the others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Topic
from pinakes.formats.paper import Paper
from pinakes.formats.url import canonical
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.entrants import Entrant, entrants_of
from pinakes.jobs.evaluation.runs import run_strategy
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.jobs.judging import open_judge
from pinakes.jobs.panorama.examples import NEGATIVES, Asked, Query, find_positives
from pinakes.jobs.panorama.guidance import IN_LINKS, LEAST_REFERENCES, parameters_for, title_queries
from pinakes.jobs.running import run
from pinakes.jobs.webs import Indexing, open_frozen, quietly
from pinakes.measures.averages import over_topics
from pinakes.measures.curves import Curve
from pinakes.measures.judged import informed_probabilities
from pinakes.measures.running import grid, running_mean, sampled
from pinakes.measures.significance import compare, p_along
from pinakes.measures.term_table import TermTable
from pinakes.models.samples import Sample
from pinakes.strategies.registry import make_kind

STRATEGIES = "naive-bayes,breadth-first"
PAGES = 1000
POINTS = (100, 300, 1000)

Watch = Callable[[str, int, int], None]
"""Hears what is done, how much of it is, and how much there is."""


@dataclass(frozen=True, slots=True)
class PaperEvaluationOptions:
    """What `pinakes panorama --evaluate` is told."""

    out: Path
    web: str
    strategies: str = STRATEGIES
    pages: int = PAGES
    in_links: int = IN_LINKS
    random_state: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """One paper's part."""

    id: str
    title: str
    references: int
    guiding: int
    """Example pages that guided the crawls."""
    judging: int
    """Example pages that taught the evaluation classifier."""
    seeds: int
    harvest: Mapping[str, Sequence[float]]
    """By strategy, the harvest rate at each point of the curves."""


@dataclass(frozen=True, slots=True)
class PaperEvaluation:
    """What came of it."""

    web: str
    pages: int
    at: Sequence[int]
    """The points of all curves."""
    papers: Sequence[Judged]
    left_out: Mapping[str, str]
    """Papers that could not take part, and why."""
    harvest: Mapping[str, Mapping[str, Sequence[float | None]]]
    """By strategy `mean` and `stderr` over the papers (fig. 2a)."""
    p: Mapping[str, Sequence[float]]
    """p-value of each other strategy's being better than the last, at each point: one-tailed, paired (fig. 2b)."""
    tests: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """At 100, 300, 1,000 pages and the end, every two strategies: one-tailed, p corrected by Holm's method."""


def evaluate_papers(
    papers: Mapping[str, Paper],
    options: PaperEvaluationOptions,
    *,
    watch: Watch = quietly,
    indexing: Indexing = quietly,
) -> PaperEvaluation:
    """Evaluate on papers by name, and keep the figures in `results.json`."""
    if options.web == "live":
        raise PinakesError("Papers are evaluated on a recorded web, where crawls can be repeated; give --web.")
    entrants = entrants_of(options.strategies)
    if len(entrants) < 2:
        raise PinakesError("An evaluation compares strategies; give --strategies two of them, the rival last.")
    found = run(_evaluated(papers, options, entrants, watch, indexing))
    options.out.mkdir(parents=True, exist_ok=True)
    unfinished = options.out / "results.json.tmp"
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    unfinished.replace(options.out / "results.json")
    return found


@dataclass(frozen=True, slots=True)
class _Subject:
    """A paper with the pages that show what it is about."""

    id: str
    paper: Paper
    guiding: tuple[str, ...]
    judging: tuple[str, ...]


async def _evaluated(
    papers: Mapping[str, Paper],
    options: PaperEvaluationOptions,
    entrants: Sequence[Entrant],
    watch: Watch,
    indexing: Indexing,
) -> PaperEvaluation:
    frozen = open_frozen(options.web, records=False, indexing=indexing)
    web = ClosedWeb(frozen)
    subjects: list[_Subject] = []
    left_out: dict[str, str] = {}
    for number, (name, paper) in enumerate(papers.items()):
        watch("papers", number, len(papers))
        subject = await _subject(name, paper, web, options.random_state)
        if isinstance(subject, str):
            left_out[name] = subject
        else:
            subjects.append(subject)
    if len(subjects) < 2:
        why = next(iter(left_out.values()), "there is but one")
        raise PinakesError(f"An evaluation needs two papers or more that the web names; the first left out: {why}.")
    at = grid(options.pages)
    judged: list[Judged] = []
    for number, subject in enumerate(subjects):
        watch("crawls", number, len(subjects))
        judged.append(await _Bench(subject, subjects, web, options).crawl(entrants, at))
    watch("crawls", len(subjects), len(subjects))
    await web.close()
    return _averaged(options, judged, left_out, at)


async def _subject(name: str, paper: Paper, web: ClosedWeb, random_state: int) -> _Subject | str:
    """The paper's examples, guiding ones from half of its references (002 §4); or why it has too few."""
    titles = title_queries([paper])
    references = [query for query in titles if query.kind == "reference"]
    if len(references) < LEAST_REFERENCES:
        return f"it has {count_of(len(references), 'reference')}, fewer than {LEAST_REFERENCES}"
    half = random.Random(f"{random_state} {name}").sample(references, len(references) // 2)
    asked = (await find_positives(titles, web, web)).asked
    judging = _urls(asked, titles)
    guiding = _urls(asked, [query for query in titles if query.kind == "title" or query in half])
    if not guiding:
        return "no page of the web names it or the half of its references that guides"
    return _Subject(name, paper, guiding, judging)


def _urls(asked: Sequence[Asked], queries: Sequence[Query]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for one in asked if one.query in queries for url in one.urls if canonical(url)))


class _Bench:
    """One paper's crawls, and what the evaluation classifier says of them."""

    def __init__(
        self, subject: _Subject, subjects: Sequence[_Subject], web: ClosedWeb, options: PaperEvaluationOptions
    ) -> None:
        self._subject, self._web, self._options = subject, web, options
        self._others = [other for other in subjects if other is not subject]

    async def crawl(self, entrants: Sequence[Entrant], at: Sequence[int]) -> Judged:
        subject, options = self._subject, self._options
        topic = Topic(subject.paper.title or subject.id)
        brief = Brief(
            topics=(topic,),
            examples={topic.name: await self._pages(subject.guiding)},
            negatives=await self._pages(self._strangers([other.guiding for other in self._others], subject.guiding)),
            pages=options.pages,
            random_state=options.random_state,
        )
        seeds = dict.fromkeys(subject.guiding)
        for url in subject.guiding:
            seeds.update(dict.fromkeys(await self._web.backlinks(url, options.in_links) if options.in_links else ()))
        crawled = EvaluationTopic(subject.id, topic.name, seeds=tuple(seeds))
        runs = {}
        for entrant in entrants:
            parameters = parameters_for(entrant.strategy, entrant.parameters)
            strategy = make_kind(entrant.kind, entrant.strategy, brief, parameters)
            judge = open_judge("naive-bayes", brief, {})
            done = await run_strategy(
                entrant.name, strategy, judge, crawled, brief, self._web, options.pages, backlinks=self._web
            )
            runs[entrant.name] = done.urls
        informed = Sample(
            await self._terms(subject.judging),
            await self._terms(self._strangers([other.judging for other in self._others], subject.judging)),
        )
        pool = {page.url: page.terms for page in await self._pages(sorted({u for urls in runs.values() for u in urls}))}
        said = informed_probabilities(TermTable.of(pool), informed)
        harvest = {
            name: sampled(running_mean([said.get(url, 0.0) for url in urls], options.pages), at).tolist()  # eq. 4.7
            for name, urls in runs.items()
        }
        return Judged(
            subject.id,
            subject.paper.title,
            len(subject.paper.references),
            len(subject.guiding),
            len(subject.judging),
            len(seeds),
            harvest,
        )

    def _strangers(self, others: Sequence[Sequence[str]], own: Sequence[str]) -> list[str]:
        """Positive examples of other papers, drawn by lot, twice as many as there are own ones."""
        known = sorted({url for urls in others for url in urls} - set(self._subject.judging))
        most = round(NEGATIVES * len(own))
        lot = random.Random(f"{self._options.random_state} {self._subject.id}")
        return known if len(known) <= most else lot.sample(known, most)

    async def _pages(self, urls: Sequence[str]) -> tuple[Page, ...]:
        pages = [await self._web.page(url) for url in urls]
        return tuple(page for page in pages if page is not None and page.terms)

    async def _terms(self, urls: Sequence[str]) -> tuple[Mapping[str, int], ...]:
        return tuple(page.terms for page in await self._pages(urls))


def _averaged(
    options: PaperEvaluationOptions, judged: Sequence[Judged], left_out: Mapping[str, str], at: Sequence[int]
) -> PaperEvaluation:
    names = list(judged[0].harvest)
    tables: dict[str, Curve] = {}
    harvest: dict[str, dict[str, list[float | None]]] = {}
    for name in names:
        average = over_topics([list(one.harvest[name]) for one in judged])
        harvest[name] = {"mean": average.mean.tolist(), "stderr": average.stderr.tolist()}
        tables[name] = _table(judged, name)
    tests: list[dict[str, Any]] = []
    for point in sorted({point for point in (*POINTS, options.pages) if point in at}):
        values = {name: {one.id: one.harvest[name][at.index(point)] for one in judged} for name in names}
        tests += [asdict(test) for test in compare(values, measure="harvest_judged", at=point, one_tailed=True)]
    return PaperEvaluation(
        options.web,
        options.pages,
        at,
        judged,
        left_out,
        harvest,
        {name: p_along(tables[name], tables[names[-1]], tail="greater") for name in names[:-1]},
        tests,
    )


def _table(judged: Sequence[Judged], name: str) -> Curve:
    return np.array([one.harvest[name] for one in judged])
