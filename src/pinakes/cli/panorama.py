"""`pinakes panorama`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from pinakes.cli.crawling import Crawling, crawling
from pinakes.cli.options import INTO, JSON, SHARDS_ON, WEB, Finite, LibraryPath, exit_code, no_page, print_json
from pinakes.cli.progress import CrawlProgress, StageProgress
from pinakes.cli.shown import shown
from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.jobs.panorama.evaluation import STRATEGIES, PaperEvaluationOptions, evaluate_papers
from pinakes.jobs.panorama.guidance import IN_LINKS
from pinakes.jobs.panorama.job import (
    IN_FLIGHT,
    JUDGE,
    PAGES,
    STRATEGY,
    PanoramaOptions,
    PanoramaResult,
    panorama,
    panorama_again,
)
from pinakes.jobs.paper import PaperOptions, read_paper
from pinakes.report.panorama import write_panorama
from pinakes.report.paper_evaluation import write_paper_evaluation


@click.command("panorama")
@click.argument("papers", nargs=-1, metavar="PAPER…")
@click.option("--into", type=LibraryPath(), metavar="LIBRARY", help=INTO)
@click.option("--evaluate", is_flag=True, help="Compare strategies on the papers instead (002 §4): half of the"
              " references guide, all of them judge.")  # fmt: skip
@click.option("--strategies", default=STRATEGIES, show_default=True, metavar="A,B", help="Whom to compare, the rival"
              " last (with --evaluate).")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the evaluation goes.")
@WEB
@click.option(
    "--pages", type=click.IntRange(min=1), default=PAGES, show_default=True, help="Successful pages to fetch."
)
@click.option("--k", "k", default="5", show_default=True, metavar="N|auto", help="How many communities.")
@click.option("--worst", type=Finite(0, 0.95), default=0.25, show_default=True,
              help="The share of pages left off the map: those that scored lowest.")  # fmt: skip
@click.option(
    "--plain-hits", is_flag=True, help="Hubs and authorities of the whole graph (eq. 3.4), not of each community."
)
@click.option("--other", "others", multiple=True, metavar="PAPER", help="An unrelated paper; its pages are the negative"
              " examples. Repeats.")  # fmt: skip
@click.option("--query", "queries", default="", metavar="authors,keywords", help="Ask for these too, besides titles.")
@click.option("--scholarly", default="", metavar="A,B", help="Ask these sources for titles, too: semantic-scholar,"
              " openalex, crossref, arxiv (live).")  # fmt: skip
@click.option("--in-links", type=click.IntRange(min=0), default=IN_LINKS, show_default=True,
              help="In-links of each example page to start from.")  # fmt: skip
@click.option("--grobid", default="", metavar="URL", help="Let a GROBID server read the paper.")
@click.option("--strategy", default=STRATEGY, show_default=True, help="See `pinakes strategies`.")
@click.option("--judge", default=JUDGE, show_default=True, help="Scores the pages.")
@click.option("--first-bytes", type=click.IntRange(min=1), help="Parse only the first so many bytes of a page; the"
              " paper read 10000.")  # fmt: skip
@click.option("--batch-hosts", type=click.IntRange(min=1), metavar="N",
              help="Fetch batches of N links from N different hosts, or as many as are ready. Without it: 100 on the"
              " live web.")  # fmt: skip
@SHARDS_ON
@crawling(IN_FLIGHT)
@JSON
def command(
    papers: tuple[str, ...],
    into: Path | None,
    evaluate: bool,
    strategies: str,
    out: Path | None,
    web: str,
    pages: int,
    k: str,
    worst: float,
    plain_hits: bool,
    others: tuple[str, ...],
    queries: str,
    scholarly: str,
    in_links: int,
    grobid: str,
    strategy: str,
    judge: str,
    first_bytes: int | None,
    batch_hosts: int | None,
    on: str,
    crawling: Crawling,
    as_json: bool,
) -> None:
    """From a research paper (PDF, PostScript, .bib, .ris or a list of titles) to a map of the web round it.

    Without a paper, the map of the library's last panorama is drawn anew, with another --k, --worst or --plain-hits.
    """
    if evaluate:
        sys.exit(_evaluate(papers, out, grobid, web, strategies, pages, in_links, crawling["random_state"], as_json))
    if into is None:
        raise PinakesError("Nothing says where the pages go; give --into LIBRARY.")
    if not papers and into.exists():
        again = panorama_again(into, k=_communities(k), worst=worst, biased=not plain_hits, on=on)
        sys.exit(show_panorama(again, as_json))
    options = PanoramaOptions(
        papers=papers,
        into=into,
        web=web,
        strategy=strategy,
        judge=judge,
        pages=pages,
        k=_communities(k),
        worst=worst,
        biased=not plain_hits,
        others=others,
        queries=_listed(queries),
        scholarly=_listed(scholarly),
        grobid=grobid,
        in_links=in_links,
        first_bytes=first_bytes,
        batch_hosts=batch_hosts,
        on=on,
        **crawling,
    )
    with CrawlProgress(pages) as progress:
        result = panorama(options, watch=progress.watch, indexing=progress.indexing, tell=progress.tell)
    sys.exit(show_panorama(result, as_json))


def _evaluate(
    names: tuple[str, ...],
    out: Path | None,
    grobid: str,
    web: str,
    strategies: str,
    pages: int,
    in_links: int,
    random_state: int,
    as_json: bool,
) -> int:
    if out is None:
        raise PinakesError("Nothing says where the evaluation goes; give --out DIR.")
    papers = {name: read_paper(PaperOptions(name, grobid, web)) for name in names}
    options = PaperEvaluationOptions(out, web, strategies, pages, in_links, random_state)
    with StageProgress() as progress:
        found = evaluate_papers(papers, options, watch=progress.watch, indexing=progress.watch)
    written = write_paper_evaluation(out, found)
    for name, why in found.left_out.items():
        click.echo(f"Left out: {name}: {why}.")
    click.echo(f"Harvest rate (eq. 4.7) over {count_of(len(found.papers), 'paper')}, ± one standard error:")
    rival = list(found.harvest)[-1]
    for name, curve in found.harvest.items():
        click.echo(
            f"  {name:<24} {curve['mean'][-1]:.3f} ± {curve['stderr'][-1]:.3f} after {count_of(found.pages, 'page')}"
        )
    for test in found.tests:
        if test["b"] == rival:
            click.echo(f"  {test['a']} better than {rival} after {count_of(test['at'], 'page')}: p = {test['p']:.3g}")
    click.echo(f"To look at: {written}")
    if as_json:
        plain = msgspec.to_builtins(found)
        print_json({"out": str(out), "report": str(written), **plain})
    return 0


def show_panorama(result: PanoramaResult, as_json: bool) -> int:
    """Tell what was found, and write the report; the answer is the exit code."""
    written = write_panorama(result.crawl.library, result)
    crawl = result.crawl
    sources = result.sources
    click.echo(f"Stopped: {crawl.stopped}.")
    click.echo(
        f"{result.titles_found} of {count_of(len(sources.asked), 'title')} found, "
        f"on {count_of(sources.positives, 'page')}; {result.in_words}."
    )
    for number, community in enumerate(result.map.communities, 1):
        click.echo(f"{number}. {shown(', '.join(community.label))} ({count_of(community.pages, 'page')})")
        for page in community.examples[:2]:
            click.echo(f"     {shown(page.title)}\n     {page.url}" if page.title else f"     {page.url}")
    if not crawl.pages:
        click.echo(no_page(crawl, "Check that the web can be reached, or name other papers."))
    click.echo(f"Library: {crawl.library}\nTo look at: {written}")
    if result.interrupted:
        click.echo(f"Go on with: pinakes resume {crawl.library}")
    if as_json:
        print_json(panorama_json(result, written))
    return exit_code(crawl)


def panorama_json(result: PanoramaResult, written: Path) -> dict[str, Any]:
    crawl = result.crawl
    return {
        "library": str(crawl.library),
        "crawl": crawl.crawl,
        "pages": crawl.pages,
        "harvest_rate": crawl.harvest_rate,
        "stopped": crawl.stopped,
        "outcomes": crawl.outcomes,
        "report": str(written),
        "titles": len(result.sources.asked),
        "titles_found": result.titles_found,
        "positives": result.sources.positives,
        "negatives": result.sources.negatives,
        "notes": result.sources.notes,
        "analysed": result.map.analysed,
        "clarity": result.map.clarity,
        "communities": [
            {
                "label": community.label,
                "pages": community.pages,
                "examples": [page.url for page in community.examples],
                "hubs": [page.url for page in community.hubs],
                "authorities": [page.url for page in community.authorities],
            }
            for community in result.map.communities
        ],
    }


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _communities(text: str) -> int | None:
    if text.strip().lower() == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise PinakesError(f"--k {text} is neither a number of communities nor auto.") from None
