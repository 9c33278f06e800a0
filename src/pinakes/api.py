"""The jobs as plain functions, for scripts and notebooks.

    import pinakes

    result = pinakes.crawl(topic="owls", web="demo", seeds=["http://www.pinakes.example/"], into="owls", pages=50)
    print(result.harvest_rate)

They are synchronous and also work where an event loop is running. Results are frozen records that render themselves
in a notebook. Bad input raises `pinakes.PinakesError` with one sentence that says what to mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Progress
from pinakes.formats.paper import Paper
from pinakes.jobs import collect as collect_job
from pinakes.jobs import crawl as crawl_job
from pinakes.jobs import evaluate as evaluate_job
from pinakes.jobs import export as export_job
from pinakes.jobs import paper as paper_job
from pinakes.jobs import search as search_job
from pinakes.jobs import status as status_job
from pinakes.jobs import why as why_job
from pinakes.jobs.collect import CollectOptions, CollectResult
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult, Watch
from pinakes.jobs.evaluate import MEASURES, EvaluateOptions
from pinakes.jobs.evaluation.entrants import Sweep, entrants_from
from pinakes.jobs.evaluation.outcome import Evaluation
from pinakes.jobs.evaluation.topics import EvaluationTopic, topic_of
from pinakes.jobs.export import ExportOptions, ExportResult
from pinakes.jobs.going_on import crawl_of, go_on
from pinakes.jobs.harvest import job as harvest_job
from pinakes.jobs.harvest import options as harvest_options
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.panorama import job as panorama_job
from pinakes.jobs.panorama.job import PanoramaOptions, PanoramaResult
from pinakes.jobs.search import SearchResult
from pinakes.jobs.status import Status
from pinakes.jobs.webs import quietly
from pinakes.jobs.why import Why
from pinakes.library.collections import Collection
from pinakes.library.desk import library_path
from pinakes.report.collections import write_collections
from pinakes.report.files import write_report
from pinakes.report.harvest import write_harvest
from pinakes.report.outcome import write_outcome
from pinakes.report.panorama import write_panorama
from pinakes.web.http import LiveOptions
from pinakes.web.scope import Scope

__all__ = [
    "CollectResult",
    "CrawlResult",
    "Evaluation",
    "EvaluationTopic",
    "ExportResult",
    "HarvestResult",
    "PanoramaResult",
    "Paper",
    "PinakesError",
    "Progress",
    "SearchResult",
    "Status",
    "Why",
    "collect",
    "collections",
    "crawl",
    "evaluate",
    "export",
    "harvest",
    "panorama",
    "paper",
    "resume",
    "search",
    "status",
    "why",
]

Folder = str | PathLike[str]


def crawl(
    *,
    into: Folder,
    topic: str = "",
    examples: Iterable[str] = (),
    seeds: Iterable[str] = (),
    web: str = "live",
    strategy: str = "evidence",
    judge: str = "",
    parameters: Mapping[str, Any] | None = None,
    allow: Iterable[str] = (),
    ignore: Iterable[str] = (),
    depth: int | None = None,
    pages: int | None = 1000,
    seconds: float | None = None,
    stop_when_exhausted: bool = False,
    random_state: int = 0,
    dedup: bool = True,
    first_bytes: int | None = None,
    contact: str = "",
    fresh: float = 7.0,
    new: bool = False,
    watch: Watch | None = None,
) -> CrawlResult:
    """Crawl towards a topic into a library; see `docs/manual/crawl.md`. `watch` hears the progress page by page."""
    options = CrawlOptions(
        into=library_path(into),
        topic=topic,
        examples=(examples,) if isinstance(examples, str) else tuple(examples),
        seeds=(seeds,) if isinstance(seeds, str) else tuple(seeds),
        web=web,
        strategy=strategy,
        judge=judge,
        parameters=dict(parameters or {}),
        scope=Scope(allow=tuple(allow), ignore=tuple(ignore), depth=depth),
        pages=pages,
        seconds=seconds,
        stop_when_exhausted=stop_when_exhausted,
        random_state=random_state,
        dedup=dedup,
        first_bytes=first_bytes,
        live=LiveOptions(contact, first_bytes=first_bytes, random_state=random_state) if web == "live" else None,
        fresh=fresh,
        new=new,
    )
    return crawl_job.crawl(options, watch=watch)


def collect(
    topics: Folder,
    *,
    into: Folder,
    web: str = "live",
    strategy: str = "",
    judge: str = "",
    parameters: Mapping[str, Any] | None = None,
    pages: int | None = None,
    seconds: float | None = None,
    size: int | None = None,
    per_host: int | None = None,
    expository: bool | None = None,
    seed_hits: bool = False,
    shares: bool = True,
    random_state: int = 0,
    contact: str = "",
    fresh: float = 7.0,
    new: bool = False,
    watch: Watch | None = None,
) -> CollectResult:
    """Collections for the topics of a topics file, in one crawl; see `docs/manual/collect.md`."""
    options = CollectOptions(
        topics=Path(topics),
        into=library_path(into),
        web=web,
        strategy=strategy,
        judge=judge,
        parameters=dict(parameters or {}),
        pages=pages,
        seconds=seconds,
        size=size,
        per_host=per_host,
        expository=expository,
        seed_hits=seed_hits,
        shares=shares,
        random_state=random_state,
        live=LiveOptions(contact, random_state=random_state) if web == "live" else None,
        fresh=fresh,
        new=new,
    )
    result = collect_job.collect(options, watch=watch)
    assert isinstance(result, CollectResult)
    write_collections(result.crawl.library, result.collections)
    return result


def harvest(
    metadata: Folder | Iterable[str],
    *,
    into: Folder,
    venue: str = "",
    years: str = "",
    holdings: Folder | Iterable[str] = (),
    homepages: Folder | None = None,
    search: bool = True,
    venue_sites: Iterable[str] = (),
    around: str = "auto",
    held_too: bool = False,
    open_access: bool = False,
    web: str = "live",
    strategy: str = harvest_options.STRATEGY,
    parameters: Mapping[str, Any] | None = None,
    pages: int | None = harvest_options.PAGES,
    seconds: float | None = None,
    random_state: int = 0,
    contact: str = "",
    fresh: float = 7.0,
    new: bool = False,
    watch: Watch | None = None,
) -> HarvestResult:
    """The papers of a venue that a library lacks, from their authors' homepages; see `docs/manual/harvest.md`."""
    options = HarvestOptions(
        metadata=_sources(metadata),
        into=library_path(into),
        venue=venue,
        years=years,
        holdings=_sources(holdings),
        homepages=Path(homepages) if homepages is not None else None,
        search=search,
        venue_sites=(venue_sites,) if isinstance(venue_sites, str) else tuple(venue_sites),
        around=around,
        held_too=held_too,
        open_access=open_access,
        web=web,
        strategy=strategy,
        parameters=dict(parameters or {}),
        pages=pages,
        seconds=seconds,
        random_state=random_state,
        live=LiveOptions(contact, random_state=random_state) if web == "live" else None,
        fresh=fresh,
        new=new,
    )
    result = harvest_job.harvest(options, watch=watch)
    assert isinstance(result, HarvestResult)
    write_harvest(result)
    return result


def _sources(given: Folder | Iterable[str]) -> tuple[str, ...]:
    return (str(given),) if isinstance(given, str | PathLike) else tuple(map(str, given))


def panorama(
    *papers: Folder,
    into: Folder,
    web: str = "live",
    strategy: str = panorama_job.STRATEGY,
    judge: str = panorama_job.JUDGE,
    parameters: Mapping[str, Any] | None = None,
    pages: int | None = panorama_job.PAGES,
    seconds: float | None = None,
    k: int | None = 5,
    worst: float = 0.25,
    biased: bool = True,
    others: Iterable[Folder] = (),
    queries: Iterable[str] = (),
    scholarly: Iterable[str] = (),
    first_bytes: int | None = None,
    random_state: int = 0,
    contact: str = "",
    fresh: float = 7.0,
    new: bool = False,
    watch: Watch | None = None,
) -> PanoramaResult:
    """A map of the web communities round one or more papers; see `docs/manual/panorama.md`. `k` None chooses."""
    options = PanoramaOptions(
        papers=tuple(map(str, papers)),
        into=library_path(into),
        web=web,
        strategy=strategy,
        judge=judge,
        parameters=dict(parameters or {}),
        pages=pages,
        seconds=seconds,
        k=k,
        worst=worst,
        biased=biased,
        others=tuple(map(str, others)),
        queries=tuple(queries),
        scholarly=tuple(scholarly),
        first_bytes=first_bytes,
        random_state=random_state,
        live=LiveOptions(contact, first_bytes=first_bytes, random_state=random_state) if web == "live" else None,
        fresh=fresh,
        new=new,
    )
    result = panorama_job.panorama(options, watch=watch)
    write_panorama(result.crawl.library, result)
    return result


def resume(library: Folder, *, pages: int | None = None, watch: Watch | None = None) -> CrawlResult:
    """Take up the last crawl of a library where it left off; one that had ended gets the reports it lacks."""
    folder = library_path(library)
    outcome = go_on(folder, pages=pages, watch=watch)
    write_outcome(outcome)
    if (crawl := crawl_of(outcome)) is None:
        raise PinakesError(f"{folder} was to harvest, and no homepage was found to crawl; its report tells why.")
    return crawl


def collections(library: Folder) -> list[Collection]:
    """The ranked collections of a library."""
    return collect_job.collections_of(library_path(library))


def search(library: Folder, query: str, *, limit: int = 10, offset: int = 0) -> SearchResult:
    """Full-text search in a library; see `docs/manual/search.md`."""
    return search_job.search(library_path(library), query, limit, offset)


def export(
    library: Folder, format: str, output: Folder | None = None, *, collection: str = "", since: str = "",
    papers: bool = False,
) -> ExportResult:  # fmt: skip
    """A library in a format of other programs; see `docs/manual/export.md`."""
    target = Path(output) if output is not None else None
    return export_job.export(ExportOptions(library_path(library), format, target, collection, since, papers))


def status(library: Folder) -> Status:
    """What a library holds and how its crawls went."""
    return status_job.status(library_path(library))


def why(library: Folder, url: str) -> Why:
    """How a page was reached, or why it was not fetched."""
    return why_job.why(library_path(library), url)


def evaluate(
    strategies: str | Iterable[str] | Mapping[str, Any],
    *,
    topics: str | PathLike[str] | Iterable[EvaluationTopic | Mapping[str, Any]],
    web: str = "live",
    pages: int = 1000,
    out: Folder | None = None,
    max_buffer: int | None = None,
    dead_links: bool = False,
    dedup: bool = False,
    first_bytes: int | None = None,
    sweep: str = "",
    measures: Iterable[str] = MEASURES,
    judge: str = "",
    threshold: str = "",
    weights: str = "smart",
    window: int = 200,
    window_by: str = "judge",
    random_state: int = 0,
    processes: int | None = None,
    one_tailed: bool = False,
    contact: str = "",
    watch: evaluate_job.Watch | None = None,
) -> Evaluation:
    """Compare strategies on one web; see `docs/manual/evaluate.md`.

    `strategies`: what follows `--strategies`, or by names of your own: `{"mine": MyClass, "wide": "best-n-first:n=64",
    "naive-bayes": {"price": "odds"}}`. `topics`: a file, or topics as in its lines. Without `out` the files go into a
    new folder for temporary files, which the answer names.
    """
    given = str(topics) if isinstance(topics, str | PathLike) else [topic_of(topic) for topic in topics]
    options = EvaluateOptions(
        out=Path(out) if out is not None else Path(mkdtemp(prefix="pinakes-evaluate-")),
        entrants=entrants_from(strategies),
        topics=given,
        web=web,
        pages=pages,
        max_buffer=max_buffer,
        dead_links=dead_links,
        dedup=dedup,
        first_bytes=first_bytes,
        sweep=Sweep.read(sweep) if sweep else None,
        measures=tuple(measures),
        judge=judge,
        threshold=threshold,
        weights=weights,
        window=window,
        window_by=window_by,
        random_state=random_state,
        processes=processes,
        one_tailed=one_tailed,
        live=LiveOptions(contact, first_bytes=first_bytes, random_state=random_state) if web == "live" else None,
    )
    found = evaluate_job.evaluate(options, watch=watch or quietly)
    write_report(found.out, found.results)
    return found


def paper(path: Folder, *, grobid: str = "", web: str = "live") -> Paper:
    """What a paper says: title, authors, abstract and references; see `docs/manual/paper.md`."""
    return paper_job.read_paper(paper_job.PaperOptions(str(path), grobid, web))
