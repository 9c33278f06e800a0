"""`pinakes evaluate`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.cli.live import LIVE
from pinakes.cli.options import JSON, WEB, print_json
from pinakes.cli.progress import StageProgress
from pinakes.core.counting import count_of
from pinakes.jobs.evaluate import MEASURES, MORE_MEASURES, EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import Sweep, entrants_of
from pinakes.jobs.evaluation.outcome import Evaluation
from pinakes.report.files import write_report
from pinakes.web.http import LiveOptions

BESIDE = {"searches": "searches", "backlinks": "lists of back-links"}
"""What strategies may ask for in a crawl besides pages."""


@click.command("evaluate")
@click.option("--topics", required=True, metavar="FILE", help="One topic a line, as JSON; `demo:topics.jsonl`.")
@click.option("--strategies", required=True, metavar="A,B,C|all", help="Names, with parameters if need be:"
              " naive-bayes:price=odds,best-n-first:n=256; a strategy of your own as module:Class.")  # fmt: skip
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The folder of the results;"
              " what was run there before is not run again.")  # fmt: skip
@WEB
@click.option("--pages", type=click.IntRange(min=1), default=1000, show_default=True, help="Pages of each crawl.")
@click.option("--max-buffer", type=click.IntRange(min=1), help="How many links may wait, for all strategies alike.")
@click.option("--dead-links", is_flag=True, help="Show strategies links to addresses the web does not hold.")
@click.option("--dedup", is_flag=True, help="Look for near-duplicates.")
@click.option("--first-bytes", type=click.IntRange(min=1), help="Parse only the first so many bytes of a page.")
@click.option("--sweep", metavar="NAME=V1,V2…", help="Run with each value of a parameter: max_buffer=50,200,1000.")
@click.option("--measures", default="", metavar="A,B,C", help="What to measure besides recall, harvest rate, AUC and"
              f" cost: {', '.join((*MEASURES, *MORE_MEASURES))}; `all`, `none`, or +NAME for one more.")  # fmt: skip
@click.option("--weights", type=click.Choice(["smart", "printed"]), default="smart", show_default=True,
              help="Of the retrieval system that ranks the pages.")  # fmt: skip
@click.option("--window", type=click.IntRange(min=1), default=200, show_default=True, help="Downloads of the sliding"
              " window of relevance.")  # fmt: skip
@click.option("--window-by", type=click.Choice(["judge", "likelihood"]), default="judge", show_default=True,
              help="What is averaged in the window.")  # fmt: skip
@click.option("--judge", default="", help="The crawling judge; else each strategy's own, else cosine.")
@click.option("--threshold", default="", help="Its threshold, where it is not its own.")
@click.option("--one-tailed", is_flag=True, help="Test whether the strategy named first is the better.")
@click.option("--random-state", type=int, default=0, show_default=True, help="For strategies that draw lots.")
@click.option("--processes", type=click.IntRange(min=1), help="Crawls at once; one for each core.")
@click.option(
    "--on", default="", metavar="RAY", help="Run on a Ray cluster: ray://HOST:10001, HOST:6379, or ray://local."
)
@LIVE
@JSON
def command(
    topics: str,
    strategies: str,
    out: Path,
    web: str,
    pages: int,
    max_buffer: int | None,
    dead_links: bool,
    dedup: bool,
    first_bytes: int | None,
    sweep: str | None,
    measures: str,
    weights: str,
    window: int,
    window_by: str,
    judge: str,
    threshold: str,
    one_tailed: bool,
    random_state: int,
    processes: int | None,
    on: str,
    live: LiveOptions | None,
    as_json: bool,
) -> None:
    """Compare strategies on one web, on many topics, by many measures."""
    options = EvaluateOptions(
        out=out,
        entrants=entrants_of(strategies),
        topics=topics,
        web=web,
        pages=pages,
        max_buffer=max_buffer,
        dead_links=dead_links,
        dedup=dedup,
        first_bytes=first_bytes,
        sweep=Sweep.read(sweep) if sweep else None,
        measures=measures_of(measures),
        judge=judge,
        threshold=threshold,
        weights=weights,
        window=window,
        window_by=window_by,
        random_state=random_state,
        processes=processes,
        on=on,
        one_tailed=one_tailed,
        live=live,
    )
    try:
        with StageProgress() as progress:
            found = evaluate(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    except KeyboardInterrupt:
        click.echo(
            f"Stopped. The crawls that are finished are kept in {out}; the same command goes on with the others."
        )
        sys.exit(130)
    report = write_report(found.out, found.results)
    show(found, report)
    if as_json:
        print_json({"out": found.out, "report": report, "ran": found.ran, "failed": found.failed, **found.results})
    sys.exit(1 if found.failed else 0)


def measures_of(text: str) -> tuple[str, ...]:
    """The measures a person names: `none`, `all`, a list, or the usual ones and more."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if "all" in names:
        return (*MEASURES, *MORE_MEASURES)
    if names == ["none"]:
        return ()
    more = tuple(name[1:] for name in names if name.startswith("+"))
    own = tuple(name for name in names if not name.startswith("+"))
    return tuple(dict.fromkeys((*(own or MEASURES), *more)))


def show(found: Evaluation, report: Path) -> None:
    """The main table, the best first."""
    strategies, keys = found.results["strategies"], found.columns()
    width = max(len("strategy"), *(len(name) for name in strategies))
    wide = [max(15, len(key) + 2, *(len(row[at]) + 2 for row in found.table(*keys))) for at, key in enumerate(keys, 1)]
    heads = "".join(f"{key:>{cell}}" for key, cell in zip(keys, wide, strict=True))
    click.echo(f"{'strategy':<{width}}  {heads}{'limit':>9}{'ms/page':>9}")
    for (name, row), cells in zip(found.ranked(), found.table(*keys), strict=True):
        limit, cost = row["limit"] or "none", row.get("cpu_ms_per_page")
        shown = "".join(f"{text:>{cell}}" for text, cell in zip(cells[1:], wide, strict=True))
        click.echo(f"{name:<{width}}  {shown}{limit:>9}{'–' if cost is None else f'{cost:.2f}':>9}")
    asked = {name: row["setup"] for name, row in strategies.items() if any(row["setup"].values())}
    for name, setup in asked.items():
        click.echo(
            f"{name} asked before each crawl for {count_of(round(setup['pages']), 'page')}, "
            f"{count_of(round(setup['searches']), 'search', 'searches')} and "
            f"{count_of(round(setup['backlinks']), 'list')} of back-links."
        )
    for name, row in strategies.items():
        said = [f"{row[kind]:.0f} {words}" for kind, words in BESIDE.items() if row.get(kind)]
        if said:
            click.echo(f"{name} asked during each crawl for {' and '.join(said)}.")
    click.echo(
        f"{count_of(len(found.results['topics']), 'topic')}, mean ± standard error. "
        f"{count_of(found.ran, 'crawl')} run now. "
        f"Results: {found.out / 'results.json'}\nReport: {report}"
    )
