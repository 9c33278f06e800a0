"""Evaluate: run strategies on topics on one web, under the same limits, and measure what each found (seed 004)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pinakes import demo
from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.collected import topics_of_library
from pinakes.jobs.evaluation.crew import Done
from pinakes.jobs.evaluation.entrants import ORACLE, Entrant, Sweep, adapted, limited, once
from pinakes.jobs.evaluation.kept import KeptRuns
from pinakes.jobs.evaluation.measuring import Measured, pool_of
from pinakes.jobs.evaluation.outcome import Evaluation
from pinakes.jobs.evaluation.plan import Plan, Task, tasks_of
from pinakes.jobs.evaluation.results import assemble
from pinakes.jobs.evaluation.runs import Run
from pinakes.jobs.evaluation.stage import Stage
from pinakes.jobs.evaluation.tables import write_results
from pinakes.jobs.evaluation.topics import EvaluationTopic, load_topics, settled
from pinakes.jobs.evaluation.work import FrozenLabour, Labour, LiveLabour
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
    judge: str = ""
    threshold: str = ""
    weights: str = "smart"
    window: int = 200
    window_by: str = "judge"
    random_state: int = 0
    processes: int | None = None
    """None: one for each core."""
    on: str = ""
    """The Ray cluster whose cores do it; empty for this machine's."""
    one_tailed: bool = False
    live: LiveOptions | None = None


def evaluate(
    options: EvaluateOptions, *, watch: Watch = quietly, indexing: Indexing = quietly, tell: Tell = quietly
) -> Evaluation:
    """Evaluate, and write `results.json`, tables and the runs into `options.out`. Runs that are there already, of
    just this evaluation, are not run again."""
    began = time.monotonic()
    complaints: list[str] = []
    notes: list[str] = []

    def complain(sentence: str) -> None:
        complaints.append(sentence)
        tell(sentence)

    def note(sentence: str) -> None:
        notes.append(sentence)
        tell(sentence)

    _check(options)
    ground = _ground(options, indexing)
    topics = _topics(options, ground, complain)
    plan, names, points = _plan(options, ground, topics, note)
    if ground.frozen is not None:
        run_now(Stage(plan, ClosedWeb(ground.frozen), frozen=ground.frozen).rehearse())
    kept = KeptRuns(options.out / "runs")
    runs, missing = _kept_runs(plan, kept)
    total, failed = len(runs) + len(missing), 0
    measured: dict[str, Measured] = {}

    def ran(done: Done) -> None:
        nonlocal failed
        assert isinstance(done.work, Task)
        if isinstance(done.result, Run):
            kept.keep(done.work, done.result)
            runs[done.work] = done.result
        else:
            failed += 1
            complain(f"{done.work.entrant} failed on the topic '{done.work.topic}': {done.trouble}")
        watch("crawls", len(runs) + failed, total)

    def was_measured(done: Done) -> None:
        if not isinstance(done.result, Measured):
            raise PinakesError(f"The crawls of a topic cannot be measured: {done.trouble}")
        measured[done.result.topic] = done.result
        watch("topics measured", len(measured), len(topics))

    labour: Labour = (
        FrozenLabour(plan, options.processes, max(len(missing), len(topics)), options.on)
        if ground.frozen is not None
        else LiveLabour(plan, options.out / "web", options.live or LiveOptions(contact=""), tell)
    )
    try:
        watch("crawls", len(runs), total)
        labour.do(missing, ran)
        watch("topics measured", 0, len(topics))
        labour.do(_pools(plan, runs), was_measured)
    finally:
        labour.close()
    results = assemble(plan, names, runs, measured, one_tailed=options.one_tailed)
    results["web"], results["sweep"] = options.web, _sweep(options, points)
    results["complaints"], results["notes"] = complaints, notes
    results["took"] = {
        "seconds": round(time.monotonic() - began, 1),
        "crawls": len(missing),
        "kept": total - len(missing),
        "processes": labour.processes,
    }
    write_results(options.out, results)
    return Evaluation(options.out, results, tuple(complaints), failed, len(missing), tuple(notes))


class _Ground(NamedTuple):
    """The web an evaluation is made on."""

    frozen: FrozenWeb | None
    """None for the live web."""
    digest: str
    hosts: int

    def resolve(self, url: str) -> str:
        return url if self.frozen is None else self.frozen.resolve(url)


def _ground(options: EvaluateOptions, indexing: Indexing) -> _Ground:
    if options.web == "live":
        return _Ground(None, "live", 0)
    web = open_frozen(options.web, records=False, first_bytes=options.first_bytes, indexing=indexing)
    return _Ground(web, web.digest, web.info().hosts)


def _check(options: EvaluateOptions) -> None:
    if options.pages < 1:
        raise PinakesError(f"A crawl of {options.pages} pages finds nothing; give --pages a number from 1 on.")
    if options.max_buffer is not None and options.max_buffer < 1:
        raise PinakesError(f"--max-buffer {options.max_buffer}: a limit is a number from 1 on.")
    if options.on and options.web == "live":
        raise PinakesError("--on is for recorded webs: on the live web one process asks hosts for all; leave it out.")
    every = (*MEASURES, *MORE_MEASURES)
    if unknown := [f"'{name}'" for name in options.measures if name not in every]:
        raise PinakesError(f"There is no measure {' and no '.join(unknown)}; choose among {', '.join(every)}.")
    if options.out.exists() and not options.out.is_dir():
        raise PinakesError(f"{options.out} is a file; give --out a folder.")


def _topics(options: EvaluateOptions, ground: _Ground, complain: Tell) -> tuple[EvaluationTopic, ...]:
    """The topics that can be evaluated on the web; what is wrong with others is told."""
    given = _given(options.topics, complain) if isinstance(options.topics, str) else options.topics
    known = any(topic.targets for topic in given)
    if given and not known:
        where = ", ".join(topic.where or topic.id for topic in given[:3]) + (" …" if len(given) > 3 else "")
        complain(
            f"{where}: no topic has relevant pages besides its examples; recall, harvest rate and AUC are unknown."
        )
    found = []
    for topic in given:
        try:
            found.append(settled(topic, ground.resolve, complain, known=known))
        except PinakesError as error:
            complain(f"{error} It is left out.")
    if not found:
        where = options.topics if isinstance(options.topics, str) else "what was given"
        raise PinakesError(f"No topic of {where} can be evaluated on this web; nothing was run.")
    return tuple(found)


def _given(name: str, complain: Tell) -> list[EvaluationTopic]:
    """The topics of a file, or those of a library's collections."""
    path = topics_path(name)
    return topics_of_library(path) if path.is_dir() else load_topics(path, complain)


def topics_path(name: str) -> Path:
    """The file or folder behind what follows `--topics`; `demo:topics.jsonl` ships with the package."""
    if name.startswith("demo:"):
        try:
            return demo.path(name.removeprefix("demo:"))
        except FileNotFoundError as error:
            raise PinakesError(f"{name}: {error}.") from None
    return Path(name).expanduser()


def _plan(
    options: EvaluateOptions, ground: _Ground, topics: tuple[EvaluationTopic, ...], note: Tell
) -> tuple[Plan, list[str], list[tuple[Entrant, str, str]]]:
    """What is to be run, the names that are reported, and the points of a sweep."""
    given = once(options.entrants, note)
    points = options.sweep.swept(given) if options.sweep else []
    wanted = [entrant for entrant, _, _ in points] if options.sweep else given
    entrants = adapted(limited(wanted, options.max_buffer), ground.hosts, note)
    asked = any(entrant.strategy == ORACLE for entrant in entrants)
    if ground.frozen is None or not any(topic.targets for topic in topics):
        entrants = [entrant for entrant in entrants if entrant.strategy != ORACLE]
        note("There is no AUC: the oracle must know the relevant pages and all links of the web.")
    elif not asked:
        entrants.append(Entrant(ORACLE, ORACLE))
    names = [entrant.name for entrant in entrants if asked or entrant.strategy != ORACLE]
    if not names:
        raise PinakesError("The oracle cannot be evaluated here; name a strategy.")
    plan = Plan(
        web=options.web if options.web in ("demo", "live") else str(Path(options.web).expanduser().resolve()),
        digest=ground.digest,
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
