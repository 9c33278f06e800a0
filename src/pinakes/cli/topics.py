"""`pinakes topics`: topics to collect, and topics to evaluate on."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.cli.lists import seeds
from pinakes.cli.live import LIVE
from pinakes.cli.options import JSON, LIBRARY, WEB, print_json
from pinakes.cli.progress import StageProgress
from pinakes.core.counting import count_of
from pinakes.jobs.evaluation.collected import EXAMPLES, topics_of_library
from pinakes.jobs.evaluation.directory import MOST_PAGES, DirectoryOptions, topics_from_directory
from pinakes.jobs.evaluation.topics import save_topics
from pinakes.jobs.topics_import import ImportOptions, import_topics
from pinakes.web.http import LiveOptions


@click.group("topics")
def command() -> None:
    """Topics to collect or to evaluate on, out of thesauri, outlines and web directories."""


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default="topics.toml", show_default=True, metavar="TOPICS.TOML",
              help="The topics file to write.")  # fmt: skip
@seeds("A seed to write into it; repeats. @FILE has one a line.")
@click.option("--pages", type=click.IntRange(min=1), help="A budget to write into it.")
@click.option("--language", default="en", show_default=True, help="Of labels and notes, where there are several.")
@click.option("--leaves", is_flag=True, help="Only topics with none below them; the others are named as parents.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@JSON
def import_(
    file: Path,
    out: Path,
    seeds: tuple[str, ...],
    pages: int | None,
    language: str,
    leaves: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make a topics file for `pinakes collect` of a SKOS thesaurus (RDF/XML, Turtle) or an indented outline."""
    found = import_topics(ImportOptions(file, out, seeds, pages, language.lower(), leaves, force))
    click.echo(f"{count_of(len(found), 'topic')}: {out}\nLook at them with: pinakes collect {out} --dry-run")
    if as_json:
        print_json({"out": str(out), "topics": [{"name": topic.name, "parent": topic.parent} for topic in found]})


@command.command("from-directory")
@click.argument("url")
@click.option("--out", type=click.Path(path_type=Path), default="topics.jsonl", show_default=True, metavar="FILE",
              help="The topics file to write.")  # fmt: skip
@WEB
@click.option("--topics", type=click.IntRange(min=1), default=100, show_default=True, help="At most so many.")
@click.option("--links", type=click.IntRange(min=1), default=5, show_default=True, help="Links out of it that"
              " a leaf must have to be a topic.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="The first so many of them are"
              " seeds and examples.")  # fmt: skip
@click.option("--most-pages", type=click.IntRange(min=1), default=MOST_PAGES, show_default=True, help="Read no more"
              " pages of the directory.")  # fmt: skip
@LIVE
@JSON
def from_directory(
    url: str,
    out: Path,
    web: str,
    topics: int,
    links: int,
    seeds: int,
    most_pages: int,
    live: LiveOptions | None,
    as_json: bool,
) -> None:
    """Make topics of the leaves of the web directory at URL."""
    options = DirectoryOptions(url, out, web, topics, links, seeds, most_pages, live)
    with StageProgress() as progress:
        found = topics_from_directory(options, watch=progress.watch, indexing=progress.indexing)
    for topic in found.topics:
        click.echo(
            f"{topic.id}: {topic.name}, {count_of(len(topic.seeds), 'seed')}, {count_of(len(topic.relevant), 'page')}"
        )
    click.echo(
        f"{count_of(len(found.topics), 'topic')} of {count_of(found.leaves, 'leaf', 'leaves')} "
        f"({count_of(found.pages, 'page')} read): {found.out}"
    )
    if as_json:
        print_json(
            {
                "out": found.out,
                "pages": found.pages,
                "leaves": found.leaves,
                "topics": [{"id": topic.id, "name": topic.name, "seeds": len(topic.seeds)} for topic in found.topics],
            }
        )


@command.command("from-library")
@LIBRARY
@click.option("--out", type=click.Path(path_type=Path), default="topics.jsonl", show_default=True, metavar="FILE",
              help="The topics file to write.")  # fmt: skip
@click.option("--examples", type=click.IntRange(min=1), default=EXAMPLES, show_default=True, help="The best so many"
              " pages of a collection are its examples.")  # fmt: skip
@JSON
def from_library(library: Path, out: Path, examples: int, as_json: bool) -> None:
    """Make topics of the collections of LIBRARY: their pages are what should be found again."""
    topics = topics_of_library(library, examples)
    save_topics(topics, out)
    for topic in topics:
        click.echo(
            f"{topic.id}: {topic.name}, {count_of(len(topic.seeds), 'seed')}, {count_of(len(topic.relevant), 'page')}"
        )
    click.echo(f"{count_of(len(topics), 'topic')}: {out}")
    if as_json:
        print_json({"out": out, "topics": [{"id": topic.id, "name": topic.name} for topic in topics]})
