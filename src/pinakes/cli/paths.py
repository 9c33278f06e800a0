"""`pinakes paths`."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, SHARDS_ON, print_json
from pinakes.core.counting import count_of
from pinakes.jobs.paths import paths
from pinakes.report.paths import write_paths


@click.command("paths")
@LIBRARY
@click.argument("other", type=click.Path(path_type=Path), required=False)
@click.option("--crawl", type=click.IntRange(min=1), metavar="N", help="Another crawl of LIBRARY than the last.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where the report goes; else paths.html in"
              " the reports of LIBRARY.")  # fmt: skip
@SHARDS_ON
@JSON
def command(library: Path, other: Path | None, crawl: int | None, out: Path | None, on: str, as_json: bool) -> None:
    """What the paths of LIBRARY's crawl say about where nuggets are, alone or against those of OTHER."""
    studies = [paths(library, crawl, on=on), *([paths(other, on=on)] if other else [])]
    for one in studies:
        click.echo(
            f"{one.name}: {one.strategy}, threshold {one.threshold:.3g}; {count_of(one.pages, 'page')}, "
            f"{count_of(one.nuggets, 'nugget')}, "
            f"mean correlation {one.mean:.3f}; {count_of(one.completed, 'completed path')}, "
            f"{one.terminated:,} terminated, "
            f"{one.incomplete:,} incomplete; {count_of(one.frontier, 'link')} waiting, "
            f"{one.final_rate:.1f} pages a second "
            "at the end."
        )
        for row in one.levels:
            click.echo(f"  level {row.level:>2}: {row.pages:>7,} pages, mean {row.mean:.4f}, most {row.most:.3f}")
    written = write_paths(out or library / "reports" / "paths.html", studies)
    click.echo(f"Report: {written}")
    if as_json:
        print_json({"report": str(written), "studies": studies})
