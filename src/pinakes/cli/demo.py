"""`pinakes demo`: a tour of every job, on the web that ships inside the package."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, print_json
from pinakes.cli.progress import CrawlProgress, StageProgress
from pinakes.core.counting import count_of
from pinakes.jobs.collect import CollectOptions, CollectResult, collect
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import entrants_of
from pinakes.jobs.evaluation.outcome import Evaluation
from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.panorama.job import PanoramaOptions, panorama
from pinakes.jobs.paper import PaperOptions, read_paper
from pinakes.jobs.why import why
from pinakes.report.collections import write_collections
from pinakes.report.files import write_report
from pinakes.report.harvest import write_harvest
from pinakes.report.panorama import write_panorama

TOPIC = "owls and other birds of prey"
FRONT = "http://www.pinakes.example/"
WORKSHOP = "http://www.webshelf.example/"
PAGES = 60
SHOWN = 8
COMPARED = ("evidence", "best-first", "breadth-first")
COMPARED_PAGES = 40
COLLECTED_PAGES = 150
MAPPED_PAGES = 250


@click.command("demo")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default="pinakes-demo",
    show_default=True,
    metavar="LIBRARY",
    help="Where the tour's library goes.",
)
@JSON
def command(into: Path, as_json: bool) -> None:
    """A tour of what Pinakes does, on a small web that ships with it: no network, a few seconds."""
    click.secho("1. Crawl towards a topic", bold=True)
    click.echo(f'   pinakes crawl --web demo --topic "{TOPIC}" --seed {FRONT} --pages {PAGES} --into {into}\n')
    with CrawlProgress(PAGES) as progress:
        result = crawl(_options(into), watch=progress.watch, indexing=progress.indexing)
    _show(result)
    compared = None if result.interrupted else _compare(result.library / "reports" / "evaluation")
    if not result.interrupted:
        _read()
        _collect(into)
        _map(into)
        _harvest(into)
    _goodbye(result)
    if as_json:
        aucs = {name: row["auc"] for name, row in compared.results["strategies"].items()} if compared else {}
        print_json({**asdict(result), "evaluation": aucs})
    sys.exit(130 if result.interrupted else 0)


def _options(into: Path) -> CrawlOptions:
    return CrawlOptions(into=into, topic=TOPIC, seeds=(FRONT,), web="demo", pages=PAGES, new=True)


def _show(result: CrawlResult) -> None:
    click.echo(
        f"   Stopped: {result.stopped}. {result.pages} pages in {result.seconds:.1f} s, {result.nuggets} nuggets "
        f"(harvest rate {result.harvest_rate:.2f}).\n\n   The best of them:"
    )
    best = result.best[:SHOWN]
    for page in best:
        click.echo(f"   {page.score:.2f}  {page.title}\n         {page.url}")
    if best:
        deepest = max(best, key=lambda page: page.depth)
        click.secho("\n2. Ask why a page is there", bold=True)
        click.echo(f"   pinakes why {result.library} {deepest.url}\n")
        answer = why(result.library, deepest.url)
        for step in answer.path:
            mark = "0" if step.nugget or not step.depth else "X"
            click.echo(f"   {mark}  {step.score:.2f}  {step.url}")
        if answer.because:
            click.echo(f"   Because: {'; '.join(answer.because[:4])}.")


def _compare(out: Path) -> Evaluation:
    """A small evaluation, in the library's reports."""
    click.secho("\n3. Compare strategies on eight topics", bold=True)
    names = ",".join(COMPARED)
    click.echo(
        f"   pinakes evaluate --web demo --topics demo:topics.jsonl --strategies {names} --pages {COMPARED_PAGES}"
        f" --out {out}\n"
    )
    options = EvaluateOptions(
        out, entrants_of(names), "demo:topics.jsonl", "demo", COMPARED_PAGES, measures=("similarity",), processes=1
    )
    with StageProgress() as progress:
        found = evaluate(options, watch=progress.watch)
    for name, auc in found.table("auc"):
        click.echo(f"   {name:<15} AUC {auc}")
    click.echo(f"\n   The report, for a browser: {write_report(out, found.results)}")
    return found


def _read() -> None:
    """A paper, and what it cites."""
    click.secho("\n4. Read a paper", bold=True)
    click.echo("   pinakes paper demo:paper.pdf --web demo\n")
    paper = read_paper(PaperOptions("demo:paper.pdf", web="demo"))
    click.echo(
        f"   {paper.title}\n   {', '.join(paper.authors)}, {paper.year}; {len(paper.references)} references, such as"
    )
    for reference in paper.references[:3]:
        click.echo(f"     {reference.title} ({', '.join(reference.authors)}, {reference.year})")


def _collect(into: Path) -> None:
    """Ranked collections for the demo's topics, into the same library."""
    click.secho("\n5. Collect the best pages on eight topics", bold=True)
    click.echo(f"   pinakes collect demo:topics.toml --web demo --pages {COLLECTED_PAGES} --into {into}\n")
    with CrawlProgress(COLLECTED_PAGES) as progress:
        options = CollectOptions(Path("demo:topics.toml"), into, web="demo", pages=COLLECTED_PAGES, new=True)
        done = collect(options, watch=progress.watch)
    if isinstance(done, CollectResult):
        for one in done.collections:
            best = f", such as {one.entries[0].title}" if one.entries else ""
            click.echo(f"   {one.name}: {count_of(len(one.entries), 'page')}{best}")
        click.echo(f"   To read: {write_collections(into, done.collections)}")


def _map(into: Path) -> None:
    """The communities round the demo's paper, into the same library."""
    click.secho("\n6. Map the web round a paper", bold=True)
    click.echo(f"   pinakes panorama demo:paper.pdf --web demo --pages {MAPPED_PAGES} --into {into}\n")
    with CrawlProgress(MAPPED_PAGES) as progress:
        options = PanoramaOptions(("demo:paper.pdf",), into, web="demo", pages=MAPPED_PAGES, new=True)
        done = panorama(options, watch=progress.watch)
    click.echo(f"   {done.titles_found} of {len(done.sources.asked)} titles found; {done.in_words}:")
    for community in done.map.communities:
        click.echo(f"   {community.pages:>3} pages  {', '.join(community.label)}")
    click.echo(f"   To look at: {write_panorama(into, done)}")


def _harvest(into: Path) -> None:
    """The papers of the demo's workshop, from their authors' homepages and its own site."""
    click.secho("\n7. Find the papers of a workshop on their authors' homepages", bold=True)
    click.echo(f"   pinakes harvest --metadata demo:venue.jsonl --web demo --venue-site {WORKSHOP} --into {into}\n")
    with CrawlProgress(None) as progress:
        options = HarvestOptions(("demo:venue.jsonl",), into, web="demo", venue_sites=(WORKSHOP,), new=True)
        done = harvest(options, watch=progress.watch)
    if isinstance(done, HarvestResult):
        click.echo(f"   {done.total.found} of {done.total.published} papers found; of the others:")
        for paper in done.papers:
            if paper.status == "missing":
                click.echo(f"   {paper.title}: {paper.why}")
        click.echo(f"   To look at: {write_harvest(done)}")


def _goodbye(result: CrawlResult) -> None:
    click.echo(f"\nThe library is in {result.library}. Look round with:")
    as_module = sys.argv[0].endswith("__main__.py")
    program = "pinakes" if shutil.which("pinakes") else "python -m pinakes" if as_module else sys.argv[0]
    click.echo(
        f"   {program} status {result.library}\n   {program} search {result.library} owls\n   {program} web info demo\n"
        f"or in the browser: {program} serve {result.library}"
    )
