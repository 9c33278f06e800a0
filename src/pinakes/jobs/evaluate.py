"""Evaluate: run strategies on topics on one web, under the same limits, and measure what each found (seed 004)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from pinakes import demo
from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.crew import Crew, Done, perform
from pinakes.jobs.evaluation.entrants import ORACLE, Entrant, Sweep, adapted, limited
from pinakes.jobs.evaluation.kept import KeptRuns
from pinakes.jobs.evaluation.measuring import Measured, pool_of
from pinakes.jobs.evaluation.plan import Plan, Task, tasks_of
from pinakes.jobs.evaluation.results import assemble
from pinakes.jobs.evaluation.runs import Run
from pinakes.jobs.evaluation.stage import Stage
from pinakes.jobs.evaluation.tables import write_results
from pinakes.jobs.evaluation.topics import EvaluationTopic, load_topics, settled
from pinakes.jobs.running import run as run_now
from pinakes.jobs.webs import Indexing, Tell, open_frozen, quietly
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions

MEASURES = (
    "positive_rocchio", "positive_widrow_hoff", "positive_eg", "average_rank", "similarity", "harvest_judged",
    "window_relevance", "documents", "remoteness",
)  # fmt: skip
"""What is measured unless told otherwise, besides what known relevant pages tell and what a strategy costs."""
MORE_MEASURES = ("average_rank_bm25", "robustness")
"""Measures that must be asked for: a second retrieval system, and one that takes two more crawls a topic."""

Watch = Callable[[str, int, int], None]
"""Hears the stage (`crawls`, `measures`), how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What `pinakes evaluate` is told."""

    out: Path
    entrants: Sequence[Entrant]
    topics: str | Sequence[EvaluationTopic] = ()
    """A file, or the topics themselves."""
    web: str = "live"
    pages: int = 1000
    max_buffer: int | None = None
    """How many links may wait, for all strategies alike."""
    dead_links: bool = False
    dedup: bool = False
    first_bytes: int | None = None
    sweep: Sweep | None = None
    measures: tuple[str, ...] = MEASURES
    judge: str = "cosine"
    threshold: str = ""
    weights: str = "smart"
    window: int = 200
    window_by: str = "judge"
    random_state: int = 0
    processes: int | None = None
    """None: one for each core."""
    one_tailed: bool = False
    live: LiveOptions | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation found."""

    out: Path
    """The folder of its files."""
    results: Mapping[str, Any]
    """As in `results.json`."""
    complaints: tuple[str, ...] = ()
    """What was wrong with topics and runs, a sentence each."""
    failed: int = 0
    """Runs that came to nothing."""
    ran: int = 0
    """Crawls run now; the others were there already."""
    notes: tuple[str, ...] = ()

    def table(self, *keys: str) -> list[tuple[str, ...]]:
        """Name, and mean ± standard error of each key, the best AUC first."""
        rows = []
        for name, row in self.ranked():
            cells = [f"{_shown(row.get(key))} ± {_shown(row['stderr'].get(key))}" for key in keys]
            rows.append((name, *cells))
        return rows

    def ranked(self) -> list[tuple[str, Mapping[str, Any]]]:
        found: list[tuple[str, Mapping[str, Any]]] = list(self.results["strategies"].items())
        return sorted(found, key=lambda entry: -(entry[1].get("auc") or entry[1].get("recall") or 0.0))

    def _repr_html_(self) -> str:
        """The main table, for notebooks."""
        keys = ("auc", *(key for key in ("recall@100", "recall@300", "recall@1000") if _known(self.results, key)))
        keys = (*keys, "harvest_rate")
        head = "".join(f"<th>{escape(text)}</th>" for text in ("strategy", *keys, "limit", "CPU ms a page"))
        body = ""
        for (name, row), cells in zip(self.ranked(), self.table(*keys), strict=True):
            more = (str(row["limit"] or "none"), _shown(row.get("cpu_ms_per_page")))
            body += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (name, *cells[1:], *more)) + "</tr>"
        said = (
            f"{escape(str(self.results['web']))}, {len(self.results['topics'])} topics, {self.results['pages']} pages"
        )
        return f"<table><caption>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def evaluate(
    options: EvaluateOptions, *, watch: Watch = quietly, indexing: Indexing = quietly, tell: Tell = quietly
) -> Evaluation:
    """Evaluate, and write `results.json`, tables and the runs into `options.out`. Runs that are there already, of
    just this evaluation, are not run again."""
    complaints: list[str] = []

    def complain(sentence: str) -> None:
        complaints.append(sentence)
        tell(sentence)

    _check(options)
    notes: list[str] = []

    def note(sentence: str) -> None:
        notes.append(sentence)
        tell(sentence)

    web = open_frozen(options.web, records=False, first_bytes=options.first_bytes, indexing=indexing)
    topics = _topics(options, web, complain)
    plan, names, points = _plan(options, web, topics, note)
    kept = KeptRuns(options.out / "runs")
    runs, missing = _kept_runs(plan, kept)
    work = _Work(plan, options.processes, len(missing))
    try:
        troubles = 0
        for done in work.each(missing, watch, "crawls", len(runs)):
            assert isinstance(done.work, Task)
            if isinstance(done.result, Run):
                kept.keep(done.work, done.result)
                runs[done.work] = done.result
            else:
                troubles += 1
                complain(f"{done.work.entrant} failed on the topic '{done.work.topic}': {done.trouble}")
        measured = {}
        for done in work.each(_pools(plan, runs), watch, "measures", 0):
            if not isinstance(done.result, Measured):
                raise PinakesError(f"The runs of a topic cannot be measured: {done.trouble}")
            measured[done.result.topic] = done.result
    finally:
        work.close()
    results = assemble(plan, names, runs, measured, one_tailed=options.one_tailed)
    results["sweep"] = _sweep(options, points)
    results["complaints"], results["notes"] = complaints, notes
    write_results(options.out, results)
    return Evaluation(options.out, results, tuple(complaints), troubles, len(missing), tuple(notes))


class _Work:
    """Does pieces of work: here, or on several processes where that is worth their starting."""

    def __init__(self, plan: Plan, processes: int | None, pieces: int) -> None:
        self._plan, self._given = plan, processes
        wanted = processes or _cores()
        self._crew = Crew(plan, min(wanted, max(pieces, len(plan.topics)))) if wanted > 1 else None
        self._stage: Stage | None = None

    def each(self, work: Sequence[Any], watch: Watch, stage: str, before: int) -> Iterator[Done]:
        here = [piece for piece in work if self._crew is None or self._only_here(piece)]
        there = [piece for piece in work if not (self._crew is None or self._only_here(piece))]
        done, total = before, before + len(work)
        watch(stage, done, total)
        for finished in self._all(here, there):
            done += 1
            watch(stage, done, total)
            yield finished

    def _all(self, here: Sequence[Any], there: Sequence[Any]) -> Iterator[Done]:
        if self._crew is not None:
            yield from self._crew.each(there)
        for piece in here:
            if self._stage is None:
                self._stage = Stage.frozen_stage(self._plan)
            yield run_now(perform(self._stage, piece))

    def _only_here(self, piece: Any) -> bool:
        return isinstance(piece, Task) and self._plan.entrant(piece.entrant).given is not None

    def close(self) -> None:
        if self._crew is not None:
            self._crew.close()
        if self._stage is not None:
            run_now(self._stage.web.close())


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check(options: EvaluateOptions) -> None:
    if options.pages < 1:
        raise PinakesError(f"A crawl of {options.pages} pages finds nothing; give --pages a number from 1 on.")
    if options.max_buffer is not None and options.max_buffer < 1:
        raise PinakesError(f"--max-buffer {options.max_buffer}: a limit is a number from 1 on.")
    for name in options.measures:
        if name not in (*MEASURES, *MORE_MEASURES):
            raise PinakesError(f"There is no measure '{name}'; choose among {', '.join((*MEASURES, *MORE_MEASURES))}.")
    if options.out.exists() and not options.out.is_dir():
        raise PinakesError(f"{options.out} is a file; give --out a folder.")


def _topics(options: EvaluateOptions, web: FrozenWeb, complain: Tell) -> tuple[EvaluationTopic, ...]:
    """The topics that can be evaluated on the web; what is wrong with others is told."""
    given = load_topics(topics_path(options.topics), complain) if isinstance(options.topics, str) else options.topics
    found = []
    for topic in given:
        try:
            found.append(settled(topic, web.resolve, complain))
        except PinakesError as error:
            complain(f"{error} It is left out.")
    if not found:
        where = options.topics if isinstance(options.topics, str) else "what was given"
        raise PinakesError(f"No topic of {where} can be evaluated on this web; nothing was run.")
    return tuple(found)


def topics_path(name: str) -> Path:
    """The file behind what follows `--topics`; `demo:topics.jsonl` ships with the package."""
    if name.startswith("demo:"):
        try:
            return demo.path(name.removeprefix("demo:"))
        except FileNotFoundError as error:
            raise PinakesError(f"{name}: {error}.") from None
    return Path(name).expanduser()


def _plan(
    options: EvaluateOptions, web: FrozenWeb, topics: tuple[EvaluationTopic, ...], note: Tell
) -> tuple[Plan, list[str], list[tuple[Entrant, str, str]]]:
    """What is to be run, the names that are reported, and the points of a sweep."""
    points = options.sweep.swept(options.entrants) if options.sweep else []
    wanted = [entrant for entrant, _, _ in points] if options.sweep else list(options.entrants)
    entrants = adapted(limited(wanted, options.max_buffer), web.info().hosts, note)
    names = [entrant.name for entrant in entrants]
    if not any(entrant.strategy == ORACLE for entrant in entrants):
        entrants.append(Entrant(ORACLE, ORACLE))
    plan = Plan(
        web=options.web if options.web == "demo" else str(Path(options.web).expanduser().resolve()),
        digest=web.digest,
        topics=topics,
        entrants=tuple(entrants),
        pages=options.pages,
        judge=options.judge,
        threshold=options.threshold,
        dead_links=options.dead_links,
        dedup=options.dedup,
        first_bytes=options.first_bytes,
        random_state=options.random_state,
        measures=options.measures,
        weights=options.weights,
        window=options.window,
        window_by=options.window_by,
    )
    return plan, names, points


def _kept_runs(plan: Plan, kept: KeptRuns) -> tuple[dict[Task, Run], list[Task]]:
    runs: dict[Task, Run] = {}
    missing: list[Task] = []
    for task in tasks_of(plan):
        run = kept.load(plan, task)
        if run is None:
            missing.append(task)
        else:
            runs[task] = run
    return runs, missing


def _pools(plan: Plan, runs: Mapping[Task, Run]) -> list[Any]:
    """For each topic the pages of all runs there are; in the plan's order, whatever the order they ended in."""
    found = []
    for topic in plan.topics:
        tasks = [task for task in tasks_of(plan) if task.topic == topic.id and task in runs]
        found.append(pool_of(topic.id, {(task.entrant, task.half): runs[task].urls for task in tasks}))
    return found


def _sweep(options: EvaluateOptions, points: Sequence[tuple[Entrant, str, str]]) -> dict[str, Any] | None:
    if options.sweep is None:
        return None
    listed = [{"strategy": before, "value": value, "name": made.name} for made, before, value in points if value]
    return {"parameter": options.sweep.parameter, "points": listed}


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _known(results: Mapping[str, Any], key: str) -> bool:
    return any(row.get(key) is not None for row in results["strategies"].values())
