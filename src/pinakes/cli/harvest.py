"""`pinakes harvest`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pinakes.cli.crawling import Crawling, crawling
from pinakes.cli.options import INTO, JSON, WEB, LibraryPath, exit_code, no_page, print_json
from pinakes.cli.progress import CrawlProgress
from pinakes.cli.shown import shown
from pinakes.core.counting import count_of
from pinakes.jobs.harvest.homepages import HITS
from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import PAGES, STRATEGY, HarvestOptions
from pinakes.jobs.harvest.places import AROUND
from pinakes.jobs.harvest.result import HarvestResult, Listing, YearResult, place_of, share
from pinakes.library.harvests import Harvested
from pinakes.report.harvest import write_harvest

SHOWN = 10
HEADS = (
    "year", "published", "held", "missing", "found", "versions", "recall", "on homepages", "of all", "ceiling",
    "no homepage",
)  # fmt: skip


@click.command("harvest")
@click.option("--metadata", multiple=True, required=True, metavar="SOURCE", help="What should be there: a file (.jsonl,"
              " .csv, .bib, .ris, .json, .xml), or a service such as dblp:WebDB; repeats.")  # fmt: skip
@click.option("--venue", default="", metavar="NAME", help="Only papers of this venue.")
@click.option("--years", default="", metavar="A-B", help="Only papers of these years.")
@click.option("--holdings", multiple=True, metavar="SOURCE", help="What is there: a file, a library, an OAI-PMH"
              " address, or zotero:users/ID; repeats.")  # fmt: skip
@click.option("--into", type=LibraryPath(), metavar="LIBRARY", help=INTO)
@WEB
@click.option("--list", "list_only", is_flag=True, help="Show what is missing, year by year, and stop.")
@click.option("--homepages", type=click.Path(path_type=Path), metavar="FILE", help="A table of homepages that are"
              " known, or corrected by hand (CSV).")  # fmt: skip
@click.option("--no-search", is_flag=True, help="Do not look for homepages that are not known.")
@click.option("--hits", type=click.IntRange(min=1, max=50), default=HITS, show_default=True,
              help="Search hits looked at, for each query.")  # fmt: skip
@click.option("--venue-site", "venue_sites", multiple=True, metavar="URL", help="Crawl the venue's own site too;"
              " repeats.")  # fmt: skip
@click.option("--around", type=click.Choice(AROUND), default="auto", show_default=True, help="How much of a homepage's"
              " host is its own.")  # fmt: skip
@click.option("--held-too", is_flag=True, help="Look for papers that are held as well, to tell the recall of all.")
@click.option("--open-access", is_flag=True, help="Ask services for open copies of what is missing, too.")
@click.option(
    "--pages", type=click.IntRange(min=1), default=PAGES, show_default=True, help="Successful pages to fetch."
)
@click.option("--strategy", default=STRATEGY, show_default=True, help="See `pinakes strategies`.")
@crawling()
@JSON
def command(
    metadata: tuple[str, ...],
    venue: str,
    years: str,
    holdings: tuple[str, ...],
    into: Path | None,
    web: str,
    list_only: bool,
    homepages: Path | None,
    no_search: bool,
    hits: int,
    venue_sites: tuple[str, ...],
    around: str,
    held_too: bool,
    open_access: bool,
    pages: int,
    strategy: str,
    crawling: Crawling,
    as_json: bool,
) -> None:
    """Find the papers of a venue that the library lacks, on their authors' homepages."""
    options = HarvestOptions(
        metadata=metadata,
        into=into,
        venue=venue,
        years=years,
        holdings=holdings,
        list_only=list_only,
        homepages=homepages,
        search=not no_search,
        hits=hits,
        venue_sites=venue_sites,
        around=around,
        held_too=held_too,
        open_access=open_access,
        web=web,
        strategy=strategy,
        pages=pages,
        **crawling,
    )
    sys.exit(run_harvest(options, as_json))


def run_harvest(options: HarvestOptions, as_json: bool) -> int:
    """Harvest, and tell what came of it; the answer is the exit code."""
    with CrawlProgress(options.pages) as progress:
        result = harvest(
            options,
            looking=progress.stage_of("authors looked for"),
            asking=progress.stage_of("papers asked for"),
            watch=progress.watch,
            matching=progress.stage_of("documents read"),
            indexing=progress.indexing,
            tell=progress.tell,
        )
    return show_listing(result, as_json) if isinstance(result, Listing) else show_harvest(result, as_json)


def show_listing(listing: Listing, as_json: bool) -> int:
    """The table of what should be there and what is (003 table 5)."""
    rows = [[str(y.year or "?"), y.papers, y.authors, y.held, y.missing] for y in listing.years]
    held = sum(paper.status == "held" for paper in listing.papers)
    rows.append(["all", len(listing.papers), listing.authors, held, len(listing.papers) - held])
    _table(("year", "papers", "authors", "held", "missing"), rows)
    near = [(paper, paper.nearest) for paper in listing.papers if paper.nearest is not None]
    if near:
        click.echo("Missing, though a holding is near:")
    for paper, holding in near[:SHOWN]:
        click.echo(f"  {shown(paper.title)} ({paper.year or '?'})\n      “{shown(holding.title)}”: {holding.why}")
    if len(near) > SHOWN:
        click.echo(f"  … and {len(near) - SHOWN:,} more, with --json")
    if as_json:
        print_json(
            {
                "stopped": "list",
                "years": listing.years,
                "authors": listing.authors,
                "papers": [_paper_json(paper) for paper in listing.papers],
            }
        )
    return 0


def show_harvest(result: HarvestResult, as_json: bool) -> int:
    """Tell what was found, and write the reports; the answer is the exit code."""
    written = write_harvest(result)
    if result.crawl is not None:
        click.echo(f"Stopped: {result.crawl.stopped}.")
    total = result.total
    click.echo(
        f"{count_of(len(result.homepages), 'homepage')} of "
        f"{count_of(len(result.homepages) + len(result.failures), 'author')}; "
        f"{count_of(result.documents, 'document')}, {result.publications:,} of them publications."
    )
    rows = [_year_row(row) for row in (*result.years, total)]
    rows[-1][0] = "all"
    _table(HEADS, rows)
    if total.recall_missing is not None and total.ceiling is not None and total.recall_missing > total.ceiling:
        click.echo(
            "The ceiling is the most that authors' homepages could give; more was found on the venue's site or as open"
            " copies."
        )
    if any(result.places.values()):
        click.echo("Found: " + ", ".join(f"{name} {count:,}" for name, count in result.places.items() if count) + ".")
    if total.countries:
        click.echo(
            "Without a homepage: " + ", ".join(f"{name} {count:,}" for name, count in total.countries.items()) + "."
        )
    if result.why:
        click.echo("Not found: " + ", ".join(f"{why} {count:,}" for why, count in result.why.items()) + ".")
    lost = [paper for paper in result.papers if paper.status in ("missing", "version")]
    for paper in lost[:SHOWN]:
        click.echo(f"  {shown(paper.title)} ({paper.year or '?'})\n      {paper.why}: {shown(paper.detail)}")
    if len(lost) > SHOWN:
        click.echo(f"  … and {len(lost) - SHOWN:,} more, in the report")
    if result.crawl is not None and not result.crawl.pages:
        click.echo(no_page(result.crawl, "Check the homepages, and give those that moved with --homepages."))
    click.echo(f"Library: {result.library}\nTo look at: {written}")
    if result.interrupted:
        click.echo(f"Go on with: pinakes resume {result.library}")
    if as_json:
        print_json(harvest_json(result, written))
    return exit_code(result.crawl) if result.crawl is not None else 0


def harvest_json(result: HarvestResult, written: Path) -> dict[str, Any]:
    crawl = result.crawl
    return {
        "library": str(result.library),
        "crawl": crawl.crawl if crawl else None,
        "pages": crawl.pages if crawl else 0,
        "harvest_rate": crawl.harvest_rate if crawl else 0.0,
        "stopped": crawl.stopped if crawl else "nothing to crawl",
        "outcomes": crawl.outcomes if crawl else {},
        "report": str(written),
        "papers": [_paper_json(paper) for paper in result.papers],
        "homepages": [{"name": name, "url": url} for name, url in result.homepages.items()],
        "homepages_unknown": result.unknown,
        "without_homepage": result.failures,
        "countries": result.countries,
        "recall": _recall_json(result.total),
        "years": [{"year": row.year, **_recall_json(row)} for row in result.years],
        "places": result.places,
        "why": result.why,
        "documents": result.documents,
        "publications": result.publications,
        "unreadable": result.unreadable,
        "searches": result.searches,
    }


def _paper_json(paper: Harvested) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": paper.authors,
        "year": paper.year,
        "venue": paper.venue,
        "status": paper.status,
        "place": place_of(paper),
        "why": paper.why,
        "detail": paper.detail,
        "nearest": paper.nearest,
        "urls": paper.urls,
        "copies": paper.copies,
    }


def _recall_json(row: YearResult) -> dict[str, Any]:
    return {
        "published": row.published,
        "authors": row.authors,
        "held": row.held,
        "missing": row.missing,
        "found": row.found,
        "versions": row.versions,
        "recall_missing": row.recall_missing,
        "recall_homepages": row.recall_homepages,
        "recall_all": row.recall_all,
        "ceiling": row.ceiling,
        "places": row.places,
        "with_homepage": row.with_homepage,
        "without_homepage": row.without_homepage,
        "countries": row.countries,
    }


def _year_row(row: YearResult) -> list[Any]:
    counts = [row.published, row.held, row.missing, row.found, row.versions]
    recall = [share(row.recall_missing), share(row.recall_homepages), share(row.recall_all), share(row.ceiling)]
    return [str(row.year or "?"), *counts, *recall, row.without_homepage]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    cells = [list(heads), *([f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    for row in cells:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
